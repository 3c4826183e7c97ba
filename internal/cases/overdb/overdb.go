// Package overdb plays cases over a real database through the program itself:
// what the merchant's table, the statements and the look-ups hold at each
// moment is put where the program reads it, then `desfecho reconcile` runs,
// and what it saved is compared as if Match had said it. The database is what
// remembers between the runs of a case.
//
// It judges nothing, and knows neither the command line's package nor an
// adapter: both are given to it.
package overdb

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"desfecho/internal/audit"
	"desfecho/internal/cases"
	"desfecho/internal/payment"
	"desfecho/internal/store"
	"desfecho/reconcile"
)

// Database is one empty database.
type Database struct {
	URL  string
	Exec func(sql string) error
	Open func(ctx context.Context, attempts *store.Description) (store.Store, error)
}

// Program runs one command line with that environment.
type Program func(ctx context.Context, env []string, args ...string) (stdout, stderr string, code int)

// Play plays the case over the database. The folder is for the configuration.
func Play(ctx context.Context, c *cases.Case, db Database, program Program, folder string) cases.Report {
	s := &stage{ctx: ctx, db: db, program: program, folder: folder}
	report := cases.Play(c, s.judge)
	if c.Expect != nil {
		for _, text := range c.Expect.MustNotPrint {
			if strings.Contains(s.printed.String(), text) {
				report.Differences = append(report.Differences, fmt.Sprintf("it printed %q, which no output may hold", text))
			}
		}
	}
	return report
}

// stage is one case on its database.
type stage struct {
	ctx         context.Context
	db          Database
	program     Program
	folder      string
	description *store.Description
	stored      int // lines that were new to the database
	printed     strings.Builder
}

// judge stands in for Match: it puts the facts into the database and runs the
// program. What goes wrong on the way is told as a defect.
func (s *stage) judge(in reconcile.Input) reconcile.Result {
	result, err := s.run(&in)
	if err != nil {
		return reconcile.Result{Defect: "over the database: " + err.Error()}
	}
	return result
}

func (s *stage) run(in *reconcile.Input) (result reconcile.Result, err error) {
	s.description = describe(in)
	if err := s.configure(in); err != nil {
		return result, err
	}
	if err := s.db.Exec(attemptsSQL(in, s.description) + chargesSQL(in) + eventsSQL(in)); err != nil {
		return result, fmt.Errorf("fill the tables: %w", err)
	}
	opened, err := s.db.Open(s.ctx, s.description)
	if err != nil {
		return result, err
	}
	defer func() { err = errors.Join(err, opened.Close()) }()
	if _, err := opened.Migrate(s.ctx); err != nil {
		return result, err
	}
	if err := s.store(opened, in); err != nil {
		return result, fmt.Errorf("store the facts: %w", err)
	}
	return s.reconcile(opened, in)
}

// reconcile runs the program and reads back what it saved.
func (s *stage) reconcile(opened store.Store, in *reconcile.Input) (result reconcile.Result, err error) {
	args := []string{"reconcile", "--format", "json", "--as-of", in.Now.String()}
	if !in.Window.Empty() {
		args = append(args, "--since", in.Window.From.String(), "--until", in.Window.To.String())
	}
	for _, own := range in.OwnSide {
		args = append(args, "--attempts-cover", own.From.String()+".."+own.To.String())
	}
	out, told, code := s.program(s.ctx, []string{"DESFECHO_CONFIG=" + filepath.Join(s.folder, "desfecho.yaml")}, args...)
	s.printed.WriteString(out + told)
	var document struct {
		Run struct {
			ID   string `json:"id"`
			Exit int    `json:"exit"`
		} `json:"run"`
	}
	if err := json.Unmarshal([]byte(out), &document); err != nil || document.Run.ID == "" || told != "" {
		return result, fmt.Errorf("exit %d without a saved run: %s%s", code, told, out)
	}
	saved, err := opened.Run(s.ctx, document.Run.ID)
	if err != nil {
		return result, err
	}
	result = *saved.Result
	if want := exitOf(&result); code != want || document.Run.Exit != want {
		return result, fmt.Errorf("exit %d, its report says %d, want %d", code, document.Run.Exit, want)
	}
	result.Repeats += len(in.Lines) - s.stored // what was not stored for being there
	result.Memory, err = memory(s.ctx, opened, in)
	return result, err
}

// exitOf is the exit code of DESIGN §4 with the default of --fail-on.
func exitOf(r *reconcile.Result) int {
	switch r.Verdict {
	case reconcile.Incomplete:
		return 4
	case reconcile.Breaks:
		return 3
	case reconcile.Clean, reconcile.Pending, reconcile.Notices:
	}
	return 0
}

// memory is what the database remembers now.
func memory(ctx context.Context, opened store.Store, in *reconcile.Input) (m *reconcile.Memory, err error) {
	view, err := opened.View(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, view.Close()) }()
	loaded, err := view.Load(ctx, store.Scope{Now: in.Now, Window: in.Window, Policies: in.Policies})
	if err != nil {
		return nil, err
	}
	return loaded.Input.Previous, loaded.Close()
}

// configure writes the configuration of the case.
func (s *stage) configure(in *reconcile.Input) error {
	text, err := configuration(in, s.db.URL, s.description, func(string, map[string]any) {}, nil)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(s.folder, "desfecho.yaml"), text, 0o600)
}

// leaseTime is longer than any case takes.
const leaseTime = time.Hour

// store keeps the facts as pulls and look-ups would have.
func (s *stage) store(opened store.Store, in *reconcile.Input) error {
	for _, account := range accounts(in) {
		lease, err := opened.Acquire(s.ctx, provider(in), account, "cases", leaseTime)
		if err != nil {
			return err
		}
		for _, page := range pages(in, account) {
			counts, err := opened.StorePage(s.ctx, lease, page)
			if err != nil {
				return err
			}
			s.stored += counts.New + counts.Later + counts.Restated
		}
		if _, err := opened.StoreLookups(s.ctx, lookups(in, account)); err != nil {
			return err
		}
		if err := opened.Release(s.ctx, lease); err != nil {
			return err
		}
	}
	for _, dismissed := range in.Dismissed {
		entry := audit.Entry{Format: audit.Format, OpID: "dismiss-" + dismissed.Attempt + "-" + dismissed.Unit, Kind: audit.Dismissed}
		if _, err := opened.Dismiss(s.ctx, dismissed, entry); err != nil {
			return err
		}
	}
	return nil
}

func provider(in *reconcile.Input) string { return in.Policies[0].Provider }

// mode is the mode of the case's readings.
func mode(in *reconcile.Input) payment.Mode { return in.Policies[0].Mode }
