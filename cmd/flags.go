package cmd

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// globalOptions are the flags that every command has.
type globalOptions struct {
	config    string
	format    string
	json      bool
	output    string
	quiet     bool
	verbose   bool
	logFormat string
	noColor   bool
	timeout   string
}

func (o *globalOptions) addFlags(flags *pflag.FlagSet) {
	flags.StringVar(&o.config, "config", "", "configuration `file` (see desfecho help environment)")
	flags.StringVar(&o.format, "format", "", "`form` of the report: table, csv, csv-br, json, ndjson, md, html, xlsx (default table)")
	flags.BoolVar(&o.json, "json", false, "short for --format json")
	flags.StringVarP(&o.output, "output", "o", "", "write to this `file` instead of the standard output; - is the standard output")
	flags.BoolVarP(&o.quiet, "quiet", "q", false, "print nothing while the exit code is 0, and no progress")
	flags.BoolVarP(&o.verbose, "verbose", "v", false, "log each step on the standard error")
	flags.StringVar(&o.logFormat, "log-format", "text", "form of the log: text or json")
	flags.BoolVar(&o.noColor, "no-color", false, "no colour, also where a terminal could show it")
	flags.StringVar(&o.timeout, "timeout", "", "give up after this `time`, such as 5m (default: never)")
}

func (o *globalOptions) validate() error {
	if o.json {
		if o.format != "" && o.format != "json" {
			return &usageError{err: fmt.Errorf("--json and --format %s contradict each other", o.format), hint: "give one of the two"}
		}
		o.format = "json"
	}
	if o.logFormat != "text" && o.logFormat != "json" {
		return &usageError{err: fmt.Errorf("--log-format %q: want text or json", o.logFormat)}
	}
	if o.quiet && o.verbose {
		return &usageError{err: errors.New("--quiet and --verbose contradict each other"), hint: "give one of the two"}
	}
	if _, err := o.limit(); err != nil {
		return &usageError{err: fmt.Errorf("--timeout %w", err)}
	}
	return nil
}

// limit is the time of --timeout, 0 where there is none.
func (o *globalOptions) limit() (time.Duration, error) {
	if o.timeout == "" {
		return 0, nil
	}
	return parseDuration(o.timeout)
}

// jsonAsked tells whether a program reads what is printed.
func (o *globalOptions) jsonAsked() bool { return o.json || isJSON(o.format) }

func isJSON(format string) bool { return format == "json" || format == "ndjson" }

// toFile tells whether -o names a file.
func (o *globalOptions) toFile() bool { return o.output != "" && o.output != "-" }

// jsonInArguments is jsonAsked for a command line that could not be parsed.
func jsonInArguments(args []string) bool {
	for i, arg := range args {
		form, joined := strings.CutPrefix(arg, "--format=")
		if arg == "--format" && i+1 < len(args) {
			form, joined = args[i+1], true
		}
		if arg == "--json" || joined && isJSON(form) {
			return true
		}
	}
	return false
}

// flagHint finds the flag that was meant.
func flagHint(c *cobra.Command, err error) string {
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		var known []string
		c.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
		slices.Sort(known)
		if best := nearest(unknown.GetSpecifiedName(), known); best != "" {
			return "did you mean --" + best + "?"
		}
	}
	return "see `" + c.CommandPath() + " --help`"
}
