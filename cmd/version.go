package cmd

import (
	"fmt"
	"io"
	"runtime"

	"github.com/spf13/cobra"
)

// Set by the linker of a release (-X); empty in a build from the source tree.
var version, commit, date string

// build says which program this is.
type build struct {
	Schema  int    `json:"schema"`
	Kind    string `json:"kind"`
	Version string `json:"version"`
	Commit  string `json:"commit,omitempty"`
	Date    string `json:"date,omitempty"`
	Go      string `json:"go"`
}

func thisBuild() build {
	b := build{Schema: 1, Kind: "version", Version: version, Commit: commit, Date: date, Go: runtime.Version()}
	if b.Version == "" {
		b.Version = "dev"
	}
	return b
}

func (b build) String() string {
	text := "desfecho " + b.Version
	if b.Commit != "" {
		text += fmt.Sprintf(" (%s, %s)", b.Commit, b.Date)
	}
	return text + " " + b.Go
}

func newVersionCommand(d *deps) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			return d.write(c.Context(), func(w io.Writer) error {
				if d.global.jsonAsked() {
					return printJSON(w, thisBuild())
				}
				_, err := fmt.Fprintln(w, thisBuild())
				return err
			})
		},
	}
}
