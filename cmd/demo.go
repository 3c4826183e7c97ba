package cmd

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	merchant "desfecho/internal/shop"
	"desfecho/internal/store"
)

const demoLong = `Play two days of a made-up shop, and show what desfecho finds in them. The shop has
a SQLite database, its two payment providers answer on loopback; accidents happen
as they do in life. Each morning the providers' files of the day before are pulled
and compared with the shop's attempts, by the same commands that cron would run.

Everything stands in one new folder afterwards, for you to try commands on. Those
that ask a provider start it on loopback themselves, as the story left it. An
earlier demo's folder is played anew; any other one that holds something is left
alone. Nothing else is read or written, and nothing leaves the machine.

The exit code is 0; the last lines say what cron would have seen.`

// demo is one telling of the shop's story.
type demo struct {
	d      *deps
	folder string
	format string
	now    time.Time
	stuck  string // the attempt that can be settled
	tell   func(code exitCode, screen string)
}

func newDemoCommand(d *deps) *cobra.Command {
	var folder string
	c := &cobra.Command{
		Use:   "demo",
		Short: "See it work on two days of a made-up shop",
		Long:  demoLong,
		Args:  noArguments,
		RunE:  func(c *cobra.Command, _ []string) error { return d.demo(c.Context(), folder) },
	}
	c.Flags().StringVar(&folder, "dir", "desfecho-demo", "put everything into this `folder`")
	return c
}

// demo plays the story and tells it. Nothing of the user's configuration has a
// say in it.
func (d *deps) demo(ctx context.Context, folder string) error {
	ctx, cancel := d.limited(ctx)
	defer cancel()
	format, err := d.reportFormat(orTable(d.global.format))
	if err != nil {
		return err
	}
	if folder, err = makeDemoFolder(folder); err != nil {
		return err
	}
	var codes []exitCode
	var screens []string
	x := &demo{d: d, folder: folder, format: format, tell: func(code exitCode, screen string) {
		codes, screens = append(codes, code), append(screens, screen)
	}}
	if err := x.play(ctx); err != nil {
		return err
	}
	if d.global.quiet && !d.global.toFile() {
		return nil
	}
	text := screens[1]
	if format == "table" {
		text = x.told(codes, screens)
	}
	if err := d.write(ctx, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}); err != nil || d.env.get("DESFECHO_DATABASE_URL") == "" {
		return err
	}
	_, err = fmt.Fprintln(d.Err, "desfecho: hint: unset DESFECHO_DATABASE_URL before you try these commands: it stands over the demo's configuration")
	return err
}

func orTable(format string) string {
	if format == "" {
		return "table"
	}
	return format
}

// play makes the database and tells the story into it.
func (x *demo) play(ctx context.Context) (err error) {
	began := time.Date(2025, time.November, 28, 3, 0, 0, 0, time.UTC)
	x.now = began
	if _, err := x.command(ctx, io.Discard, "schema", "--apply"); err != nil {
		return err
	}
	// What is lost with the machine is played again: the shop need not wait for
	// the disk.
	path := (&url.URL{Path: x.path("shop.db")}).EscapedPath()
	db, err := sql.Open("sqlite", "file:"+path+"?_txlock=immediate&_pragma=busy_timeout(5000)&_pragma=foreign_keys(1)&_pragma=synchronous(0)")
	if err != nil {
		return fmt.Errorf("open the shop's database: %w", err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	db.SetMaxOpenConns(1)
	story, err := merchant.TellStory(ctx, db, merchant.SQLite, func(s *merchant.Story, day time.Time) error { return x.morning(ctx, s, day) })
	if err != nil {
		return err
	}
	for _, f := range story.Findings {
		if f.Class == "unknown_charged" {
			x.stuck = strings.TrimPrefix(f.Subject, "attempt:")
		}
	}
	return errors.Join(saveStage(x.folder, began, story), story.Close())
}

// morning is what cron does: pull the day that has ended, ask about open
// attempts, compare.
func (x *demo) morning(ctx context.Context, s *merchant.Story, day time.Time) error {
	x.now = s.Clock.Now()
	for _, provider := range []string{merchant.Loja, merchant.Banco} {
		if err := x.pull(ctx, s, provider, day); err != nil {
			return err
		}
	}
	if err := x.ask(ctx, s); err != nil {
		return err
	}
	var screen bytes.Buffer
	code, err := x.command(ctx, &screen, "reconcile", "--always", "--as-of", x.now.Format(time.RFC3339), "--format", x.format)
	if err != nil {
		return err
	}
	x.tell(code, screen.String())
	return nil
}

// pull downloads the provider's files of the day and stores them.
func (x *demo) pull(ctx context.Context, s *merchant.Story, provider string, day time.Time) error {
	from, to := day, day.AddDate(0, 0, 1)
	p := s.Providers[provider]
	for _, file := range []struct {
		sort  string
		write func(io.Writer, time.Time, time.Time, ...string) error
	}{{"ledger", p.DownloadLedger}, {"objects", p.DownloadObjects}} {
		name := statementName(provider, file.sort, from.Format(time.DateOnly))
		var text bytes.Buffer
		if err := file.write(&text, from, to, merchant.RefCharge, merchant.RefKey); err != nil {
			return err
		}
		if err := putDemoFile(x.folder, name, text.String()); err != nil {
			return err
		}
		_, err := x.command(ctx, io.Discard, "pull", provider, "--file", x.path(name), "--profile", x.path(file.sort+".yaml"),
			"--covers", from.Format(time.DateOnly)+".."+to.Format(time.DateOnly))
		if err != nil {
			return err
		}
	}
	return nil
}

func statementName(provider, sort, day string) string {
	return provider + "-" + sort + "-" + day + ".csv"
}

// ask stores what the providers answer about open attempts.
func (x *demo) ask(ctx context.Context, s *merchant.Story) error {
	books, err := s.Books(ctx)
	if err != nil {
		return err
	}
	config, err := loadConfig(x.path("desfecho.yaml"), environment{}, pflag.NewFlagSet("demo", pflag.ContinueOnError))
	if err != nil {
		return err
	}
	return x.d.withStore(ctx, &config, func(kept store.Store) error {
		_, err := kept.StoreLookups(ctx, books.Lookups)
		return err
	})
}

// command runs one command line as the user could, at the story's time and
// without his environment.
func (x *demo) command(ctx context.Context, out io.Writer, args ...string) (exitCode, error) {
	d := &deps{
		program: x.d.program, env: environment{}, global: &globalOptions{}, now: func() time.Time { return x.now }, Streams: x.d.Streams,
	}
	d.In, d.InTerminal, d.Out, d.Err, d.ErrTerminal = strings.NewReader(""), false, out, io.Discard, false
	d.OutTerminal = d.OutTerminal && !x.d.global.toFile()
	d.Color = d.Color && !x.d.global.toFile()
	err := d.dispatch(ctx, append([]string{"--config", x.path("desfecho.yaml")}, args...))
	if verdict, ok := errors.AsType[verdictError](err); ok && exitCode(verdict) != exitDefect {
		return exitCode(verdict), nil
	}
	return exitDone, err
}

func (x *demo) path(name string) string { return filepath.ToSlash(filepath.Join(x.folder, name)) }
