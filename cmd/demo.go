package cmd

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

//go:embed demo/*.csv
var bundled embed.FS

const demoLong = `Show what desfecho does on two small files that it carries: a shop's attempts and
Stripe's report of the same three days. Nothing is asked of you, nothing is
written and nothing is sent, unless --dir says where to put the two files.

The exit code is 0; the last lines say what cron would have seen.`

const demoStory = `A shop charges cards through Stripe. On the evening of 29 November the
connection was bad: calls timed out, and nobody knew whether the money had moved.
One customer tried again and paid twice; in the shop's table both attempts look
fine. This is what desfecho finds by comparing the shop's 12 attempts with
Stripe's report:

`

// demoArguments is the command line that demo plays; folder is where the files
// are.
func demoArguments(folder string) []string {
	return []string{
		"--attempts", filepath.Join(folder, "attempts.csv"), "--statement", filepath.Join(folder, "stripe.csv"),
		"--zone", "America/Sao_Paulo", "--covers", "2025-11-28..2025-12-01", "--attempts-cover", "2025-11-28..2025-12-01",
		"--as-of", "2025-12-02T09:00:00-03:00",
	}
}

func newDemoCommand(d *deps) *cobra.Command {
	var folder string
	c := &cobra.Command{
		Use:   "demo",
		Short: "See it work on two bundled files",
		Long:  demoLong,
		Args:  noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			if folder != "" {
				return d.unpackDemo(c.Context(), folder)
			}
			return d.demo(c.Context())
		},
	}
	c.Flags().StringVar(&folder, "dir", "", "write the two files into this `folder`, to try commands on them")
	return c
}

// demo plays the bundled files through the same path as everybody's.
func (d *deps) demo(ctx context.Context) error {
	ctx, cancel := d.limited(ctx)
	defer cancel()
	files, err := fs.Sub(bundled, "demo")
	if err != nil {
		return &defectError{err}
	}
	o := &reconcileOptions{bundle: files}
	flags := pflag.NewFlagSet("demo", pflag.ContinueOnError)
	o.addFlags(flags)
	if err := errors.Join(flags.Parse(demoArguments("")), o.validate()); err != nil {
		return &defectError{err}
	}
	config := Config{Format: "table", FailOn: "P2"} // the user's own must not change the story
	if d.global.format != "" {
		config.Format = d.global.format
	}
	told := config.Format == "table" && !d.global.quiet && !d.global.toFile()
	if told {
		if _, err := io.WriteString(d.Out, demoStory); err != nil {
			return err
		}
	}
	code := exitDone
	if err := d.compare(ctx, o, config); err != nil {
		verdict, ok := errors.AsType[verdictError](err)
		if !ok || exitCode(verdict) == exitDefect {
			return err
		}
		code = exitCode(verdict)
	}
	if !told {
		return nil
	}
	_, err = io.WriteString(d.Out, d.afterDemo(code))
	return err
}

func (d *deps) afterDemo(code exitCode) string {
	return fmt.Sprintf(`
cron would have seen exit %[2]d (%[3]s). Try next:

  %[1]s explain duplicate_charge     what a finding means, and what never to do
  %[1]s demo --dir demo              the two files, to try commands on them
  %[1]s help profiles                which files of your own it reads
`, d.program, code, code)
}

// unpackDemo writes the bundled files. A file of that name with other content
// is the user's, and stays.
func (d *deps) unpackDemo(ctx context.Context, folder string) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return fmt.Errorf("make %s: %w", folder, err)
	}
	entries, err := bundled.ReadDir("demo")
	if err != nil {
		return &defectError{err}
	}
	for _, entry := range entries {
		text, err := bundled.ReadFile("demo/" + entry.Name())
		if err != nil {
			return &defectError{err}
		}
		if err := putNew(filepath.Join(folder, entry.Name()), text); err != nil {
			return err
		}
	}
	return d.write(ctx, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "wrote attempts.csv and stripe.csv into %s. Compare them:\n\n  %s reconcile %s\n",
			folder, d.program, strings.Join(demoArguments(folder), " "))
		return err
	})
}

// putNew writes a file that is not there yet, or is there with the same bytes.
func putNew(path string, text []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) //nolint:gosec // the user names the folder
	if errors.Is(err, fs.ErrExist) {
		if there, err := os.ReadFile(path); err == nil && string(there) == string(text) { //nolint:gosec // as above
			return nil
		}
		return &usageError{err: fmt.Errorf("%s is there already, with other content: it was left alone", path), hint: "name another folder with --dir"}
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if _, err := file.Write(text); err != nil {
		return errors.Join(fmt.Errorf("write %s: %w", path, err), file.Close())
	}
	return file.Close()
}
