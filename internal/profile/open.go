package profile

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"desfecho/internal/tabular"
)

// sampled is how many JSON rows are looked at to find out which paths there are.
const sampled = 100

// open begins a pass. The first one finds out profile and columns.
func (s *Source) open() error {
	if s.text == nil {
		if _, err := s.in.Seek(0, io.SeekStart); err != nil {
			return fmt.Errorf("read %s: %w", s.o.Name, err)
		}
	}
	s.sum.Reset()
	s.read, s.ahead, s.early = 0, nil, nil
	if s.binding != nil {
		s.follow()
	}
	candidates, err := s.candidates()
	if err != nil {
		return err
	}
	o := tabular.Options{Name: s.o.Name, Encoding: s.o.Encoding, Page: s.page}
	if p := s.o.Profile; p != nil {
		o.Delimiter, o.Records = p.Delimiter, p.Records
		if o.Encoding == "" {
			o.Encoding = p.Encoding
		}
	}
	o.Header = headingRow(candidates)
	if s.text != nil {
		s.table, err = tabular.OpenText(s.text, o)
	} else {
		s.table, err = tabular.Open(progressReader{s}, o)
	}
	if err != nil {
		return s.swapped(s.explain(err, candidates))
	}
	if s.binding != nil {
		return nil
	}
	if s.table.Format() != "csv" {
		if err := s.lookAhead(); err != nil {
			return err
		}
	}
	return s.swapped(s.bind(candidates))
}

// candidates are the profiles that may fit.
func (s *Source) candidates() ([]*Profile, error) {
	switch {
	case s.o.Profile == nil:
		return builtinsOf(s.o.Kind)
	case s.o.Profile.Kind != s.o.Kind:
		return nil, &UsageError{
			Problem: fmt.Sprintf("the profile %s describes a file of %s, and %s is one of %s", s.o.Profile.Name, sideOf(s.o.Profile.Kind), s.o.Name, sideOf(s.o.Kind)),
			Advice:  "give each file the profile of its own side",
		}
	}
	return []*Profile{s.o.Profile}, nil
}

func sideOf(kind string) string {
	if kind == KindAttempts {
		return "our attempts"
	}
	return "a provider's statement"
}

// headingRow tells the heading row: all that one profile requires is there, or
// so much of it that the row cannot be anything else and the missing column is
// what there is to say.
func headingRow(candidates []*Profile) func([]string) bool {
	return func(cells []string) bool {
		there := newHeadings(cells)
		for _, p := range candidates {
			if len(p.Required) > 0 && len(p.lacks(there)) == 0 || p.nearly(there) {
				return true
			}
		}
		return len(candidates) > 0 && len(candidates[0].Required) == 0
	}
}

// explain adds to a file without heading row which headings were looked for.
func (s *Source) explain(err error, candidates []*Profile) error {
	fault, ok := errors.AsType[*tabular.Error](err)
	if !ok || !strings.HasPrefix(fault.Problem, "no heading row") {
		return s.wrap(err)
	}
	whole := *fault
	if p := candidates[0]; len(candidates) == 1 {
		whole.Problem += "; the profile " + p.Name + " needs " + strings.Join(p.lacks(headings{}), ", ")
		if p.own() {
			whole.Hint += "; or correct the headings under `columns:` in " + p.Origin + ", or take out of `required:` what the file does not have"
		}
		return &whole
	}
	var names []string
	for _, p := range candidates {
		names = append(names, p.Name)
	}
	whole.Problem += " that a built-in profile reads (" + strings.Join(names, ", ") + ")"
	whole.Hint += "; or name one of your own with " + profileFlag(s.o.Kind) + " FILE: `desfecho help profiles` has the headings of the built-in ones"
	return &whole
}

func (s *Source) lookAhead() error {
	var ahead []tabular.Row
	for range sampled {
		r, err := s.table.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return s.wrap(err)
		}
		ahead = append(ahead, r)
	}
	s.ahead = ahead
	return nil
}

func (s *Source) bind(candidates []*Profile) error {
	p := s.o.Profile
	if p == nil {
		header, there := s.headings(candidates)
		found, err := detect(candidates, there, header)
		if err != nil {
			return s.named(err)
		}
		p = found
	}
	b, err := bind(p, s.o.Name, s.table, s.ahead)
	if err != nil {
		return s.named(err)
	}
	b.textZone, b.Zone = zones(p.Dates.Zone, s.o.Zone)
	if s.o.Kind == KindAttempts && s.o.Zone != nil {
		b.textZone = s.o.Zone // no account: the caller speaks of the text
	}
	s.binding = b
	s.follow()
	s.describe()
	return nil
}

// headings are those of the file, or the paths that its first JSON rows have.
func (s *Source) headings(candidates []*Profile) ([]string, headings) {
	if s.table.Format() == "csv" {
		return s.table.Header(), newHeadings(s.table.Header())
	}
	var header []string
	there := headings{}
	for _, p := range candidates {
		for _, heading := range p.headingsUsed() {
			for _, r := range s.ahead {
				if _, ok := r.Field(heading); ok && !there[tabular.Fold(heading)] {
					there[tabular.Fold(heading)] = true
					header = append(header, heading)
				}
			}
		}
	}
	return header, there
}

// named puts the file's name into a usage error about it.
func (s *Source) named(err error) error {
	if usage, ok := errors.AsType[*UsageError](err); ok {
		return &UsageError{Problem: s.o.Name + ": " + usage.Problem, Advice: usage.Advice}
	}
	return err
}

// zones are that of text without a zone, and that of days: a profile knows how
// its files are written, the caller knows the account.
func zones(profile, caller *time.Location) (text, days *time.Location) {
	text, days = profile, caller
	if text == nil {
		text = caller
	}
	if days == nil {
		days = profile
	}
	if text == nil {
		text, days = time.UTC, time.UTC
	}
	return text, days
}

func (s *Source) describe() {
	b := s.binding
	origin := "profile " + b.Profile.Name + " (" + b.Profile.Origin + ")"
	s.notes = append(s.notes, origin, s.table.Format()+", "+s.table.Encoding())
	if d := s.table.Delimiter(); d != 0 {
		s.notes[1] += fmt.Sprintf(", delimiter %q", string(d))
	}
	if rows := len(s.table.Preamble()); rows > 0 {
		s.notes = append(s.notes, fmt.Sprintf("%d rows before the headings were not read", rows))
	}
	zone := "text without a zone is read in " + b.textZone.String() + ", days are those of " + b.Zone.String()
	if b.Profile.Dates.Zone == nil && s.o.Zone == nil {
		zone += " (no zone was stated)"
	}
	s.notes = append(s.notes, zone)
	for _, r := range b.References {
		s.notes = append(s.notes, fmt.Sprintf("reference %q of one %s is read from %s", r.Name, r.Scope, strings.Join(r.Cells.headings(), ", else ")))
	}
}

// Notes are the evidence of how the file was read, for people.
func (s *Source) Notes() []string {
	notes := append([]string(nil), s.notes...)
	for _, field := range fieldsFor(s.binding.Profile.Kind) {
		if a := s.binding.amounts[field]; a != nil {
			if note := a.note(); note != "" {
				notes = append(notes, note)
			}
		}
		if d := s.binding.dates[field]; d != nil {
			if note := d.note(); note != "" {
				notes = append(notes, note)
			}
		}
	}
	return notes
}
