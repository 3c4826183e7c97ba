package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"desfecho/internal/payment"
	"desfecho/internal/profile"
	"desfecho/internal/runs"
	"desfecho/internal/store"
	"desfecho/internal/ui"
	"desfecho/providers/statementfile"
)

// leaseTime is how long a lease lasts that nobody renews: so long must wait
// who comes after a run that was killed.
const leaseTime = 2 * time.Minute

// pulling is one file on its way into the database.
type pulling struct {
	d        *deps
	store    store.Store
	file     *statementfile.File
	name     string // of the file, for people
	provider string
	mode     payment.Mode
	counts   store.Counts
	pages    int
	covered  []string // accounts whose last page was stored
}

// keep stores the file account by account, each under its lease.
func (p *pulling) keep(ctx context.Context) error {
	p.rename()
	parts := runs.Parts(p.file.Statements, p.file.Lines, p.file.Units)
	progress := p.d.Progress("storing", int64(len(p.file.Lines)+len(p.file.Units)))
	defer progress.Done()
	numbers := store.NewNumbers(p.file.Profile.Statement.LineIDsUnique)
	for i := range parts {
		if err := p.keepPart(ctx, &parts[i], numbers, progress); err != nil {
			return p.stopped(err)
		}
	}
	return nil
}

// rename calls the statement by its profile: the files of all days are one
// statement, whose coverage grows.
func (p *pulling) rename() {
	name := p.file.Profile.Name
	for i := range p.file.Statements {
		p.file.Statements[i].Name = name
	}
	for i := range p.file.Lines {
		p.file.Lines[i].Statement = name
	}
	for i := range p.file.Units {
		p.file.Units[i].Statement = name
	}
}

func (p *pulling) keepPart(ctx context.Context, part *runs.Part, numbers *store.Numbers, progress *ui.Progress) (err error) {
	lease, err := p.store.Acquire(ctx, p.provider, part.Account, p.d.owner(), leaseTime)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.d.release(ctx, p.store, lease)) }()
	cursor, err := p.readings(ctx, part.Account)
	if err != nil {
		return err
	}
	part.Statements = slices.DeleteFunc(part.Statements, func(s payment.Statement) bool { return s.From.IsZero() })
	err = part.Pages(p.source(), numbers, cursor, func(page store.Page) error {
		counts, err := p.store.StorePage(ctx, lease, page)
		if err != nil {
			return err
		}
		p.counts = p.counts.Add(counts)
		p.pages++
		progress.Add(int64(len(page.Lines) + len(page.Units)))
		return nil
	})
	if err == nil {
		p.covered = append(p.covered, part.Account)
	}
	return err
}

func (p *pulling) source() string {
	return "file " + ui.Clean(p.name).String() + " sha256 " + p.file.SHA256
}

// readings adds what this file's profile knows to what those before it did.
func (p *pulling) readings(ctx context.Context, account string) (*store.Cursor, error) {
	view, err := p.store.View(ctx)
	if err != nil {
		return nil, err
	}
	value, err := view.Cursor(ctx, p.provider, account, store.Cursor{Statement: runs.ReadingsCursor, Mode: p.mode})
	if err := errors.Join(err, view.Close()); err != nil {
		return nil, err
	}
	all, err := runs.ParseReadings(value)
	if err != nil {
		return nil, err
	}
	all[p.file.Profile.Name] = readingOf(p.file.Profile)
	return all.Cursor(p.mode)
}

func readingOf(p *profile.Profile) runs.Reading {
	return runs.Reading{
		LineIDsUnique: p.Statement.LineIDsUnique, Expected: p.Statement.Expected,
		BooksAfter: p.BooksAfter, BooksAfterBy: p.BooksAfterBy, Variation: p.Variation,
	}
}

// stopped says what an error in the middle leaves behind.
func (p *pulling) stopped(err error) error {
	if p.pages == 0 {
		return err
	}
	covered := ", nothing is claimed to be covered"
	switch {
	case errors.Is(err, store.ErrUnconfirmed): // nor of the page that claims it
		covered = ""
	case len(p.covered) > 0:
		covered = ", only " + ui.Clean(strings.Join(p.covered, ", ")).String() + " is claimed to be covered"
	}
	return &stoppedError{err, fmt.Sprintf("%d pages of %s were stored and stay%s; run it again, which adds the rest", p.pages, ui.Clean(p.name), covered)}
}

// tell says what became of the file.
func (p *pulling) tell(ctx context.Context) error {
	if p.d.global.quiet && !p.d.global.toFile() {
		return nil
	}
	return p.d.write(ctx, func(w io.Writer) error {
		if p.d.global.jsonAsked() {
			return p.writeJSON(w)
		}
		c := p.counts
		parts := []string{
			strings.TrimSpace(p.provider + " " + p.accounts()), p.name,
			fmt.Sprintf("%d lines: %d new, %d later, %d restated, %d repeated", len(p.file.Lines), c.New, c.Later, c.Restated, c.Repeated),
		}
		if n := len(p.file.Units); n > 0 {
			parts = append(parts, fmt.Sprintf("%d objects", n))
		}
		parts = append(parts, p.covers())
		for i := range parts {
			parts[i] = ui.Clean(parts[i]).String()
		}
		_, err := fmt.Fprintln(w, strings.Join(parts, " · "))
		return err
	})
}

func (p *pulling) accounts() string {
	var names []string
	for _, s := range p.file.Statements {
		names = append(names, s.Account)
	}
	return strings.Join(distinct(names), ", ")
}

func (p *pulling) covers() string {
	span := held(p.file.Statements)
	if span.Empty() {
		return "covers nothing: say what it covers with --covers"
	}
	return fmt.Sprintf("covers %s to %s, %s", span.From, span.To, weakest(p.file.Statements))
}

func (p *pulling) writeJSON(w io.Writer) error {
	span := held(p.file.Statements)
	told := struct {
		Schema   int              `json:"schema"`
		Kind     string           `json:"kind"`
		Provider string           `json:"provider"`
		Accounts []string         `json:"accounts"`
		File     string           `json:"file"`
		SHA256   string           `json:"sha256"`
		Profile  string           `json:"profile"`
		Lines    int              `json:"lines"`
		New      int              `json:"new"`
		Later    int              `json:"later"`
		Restated int              `json:"restated"`
		Repeated int              `json:"repeated"`
		Objects  int              `json:"objects"`
		Covers   payment.Interval `json:"covers"`
		Grade    string           `json:"grade"`
	}{
		1, "pull", p.provider,
		[]string{},
		p.name, p.file.SHA256, p.file.Profile.Name, len(p.file.Lines),
		p.counts.New, p.counts.Later, p.counts.Restated, p.counts.Repeated, len(p.file.Units), span, weakest(p.file.Statements).String(),
	}
	for _, s := range p.file.Statements {
		told.Accounts = append(told.Accounts, s.Account)
	}
	text, err := json.Marshal(told)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s\n", text)
	return err
}
