package store

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"time"

	"desfecho/internal/payment"
)

// StatementRow is a coverage between its table and payment.Statement.
type StatementRow struct {
	StoredStatement
	Fingerprint       [16]byte
	mode, sort, grade string
	holes             string
	lag, members      int64
	lines             int64
	opening, closing  *int64
}

// StatementCells lists the columns of a coverage.
func StatementCells() []Cell[StatementRow] {
	type r = StatementRow
	return []Cell[r]{
		{"provider", func(s *r) any { return s.Provider }, func(s *r) any { return &s.Provider }},
		{"account", func(s *r) any { return s.Account }, func(s *r) any { return &s.Account }},
		{"mode", func(s *r) any { return s.mode }, func(s *r) any { return &s.mode }},
		{"sort", func(s *r) any { return s.sort }, func(s *r) any { return &s.sort }},
		{"statement", func(s *r) any { return s.Name }, func(s *r) any { return &s.Name }},
		{"grade", func(s *r) any { return s.grade }, func(s *r) any { return &s.grade }},
		{"from_at", func(s *r) any { return s.From }, func(s *r) any { return &s.From }},
		{"through_at", func(s *r) any { return s.Through }, func(s *r) any { return &s.Through }},
		{"holes", func(s *r) any { return s.holes }, func(s *r) any { return &s.holes }},
		{"publish_lag_us", func(s *r) any { return s.lag }, func(s *r) any { return &s.lag }},
		{"members", func(s *r) any { return s.members }, func(s *r) any { return &s.members }},
		{"opening", func(s *r) any { return s.opening }, func(s *r) any { return &s.opening }},
		{"closing", func(s *r) any { return s.closing }, func(s *r) any { return &s.closing }},
		{"lines", func(s *r) any { return s.lines }, func(s *r) any { return &s.lines }},
	}
}

// Fill takes a coverage for storing; equal ones have one fingerprint.
func (r *StatementRow) Fill(s *payment.Statement, lines int) error {
	r.Statement, r.Lines = *s, lines
	r.mode, r.sort, r.grade = s.Mode.String(), s.Sort.String(), s.Grade.String()
	r.lag, r.members, r.lines = s.PublishLag.Microseconds(), int64(s.Members), int64(lines)
	r.opening, r.closing = stated(&s.Opening), stated(&s.Closing)
	var err error
	if r.holes, err = writeList(s.Holes); err != nil {
		return fmt.Errorf("statement %s: %w", s.Name, err)
	}
	if !storable(s.Name) || !storable(s.Account) {
		return &UnstorableError{What: "statement", Name: s.Name, Field: "name or account"}
	}
	var d digest
	d.text(s.Provider, s.Account, r.mode, r.sort, s.Name, r.grade, r.holes)
	d.number(int64(s.From), int64(s.Through), r.lag, r.members, r.lines, s.Opening.Minor, s.Closing.Minor)
	d.flag(s.Opening.Known)
	d.flag(s.Closing.Known)
	sum := sha256.Sum256(d.buffer)
	r.Fingerprint = [16]byte(sum[:16])
	return nil
}

// Take makes the coverage of what was scanned.
func (r *StatementRow) Take() (StoredStatement, error) {
	s := r.StoredStatement
	var err error
	if s.Mode, err = payment.ParseMode(r.mode); err != nil {
		return s, fmt.Errorf("stored statement %s: %w", s.Name, err)
	}
	if s.Sort, err = payment.ParseSort(r.sort); err != nil {
		return s, fmt.Errorf("stored statement %s: %w", s.Name, err)
	}
	if s.Grade, err = payment.ParseGrade(r.grade); err != nil {
		return s, fmt.Errorf("stored statement %s: %w", s.Name, err)
	}
	s.Holes = nil
	if err := readList(r.holes, &s.Holes); err != nil {
		return s, fmt.Errorf("stored statement %s: %w", s.Name, err)
	}
	s.PublishLag, s.Members = time.Duration(r.lag)*time.Microsecond, payment.Membership(r.members)
	s.Opening, s.Closing, s.Lines = known(r.opening), known(r.closing), int(r.lines)
	return s, nil
}

// LookupRow is a look-up between its table and payment.Lookup. The units that
// it names are kept whole, as they stood.
type LookupRow struct {
	payment.Lookup
	Fingerprint   [16]byte
	kind, outcome string
	units         string
}

// LookupCells lists the columns of a look-up.
func LookupCells() []Cell[LookupRow] {
	type r = LookupRow
	return []Cell[r]{
		{"attempt", func(l *r) any { return l.Attempt }, func(l *r) any { return &l.Attempt }},
		{"provider", func(l *r) any { return l.Provider }, func(l *r) any { return &l.Provider }},
		{"account", func(l *r) any { return l.Account }, func(l *r) any { return &l.Account }},
		{"key_kind", func(l *r) any { return l.kind }, func(l *r) any { return &l.kind }},
		{"key_name", func(l *r) any { return l.Key.Name }, func(l *r) any { return &l.Key.Name }},
		{"key_value", func(l *r) any { return l.Key.Value }, func(l *r) any { return &l.Key.Value }},
		{"observed_at", func(l *r) any { return l.At }, func(l *r) any { return &l.At }},
		{"outcome", func(l *r) any { return l.outcome }, func(l *r) any { return &l.outcome }},
		{"reason", func(l *r) any { return l.Reason }, func(l *r) any { return &l.Reason }},
		{"no_control", func(l *r) any { return l.NoControl }, func(l *r) any { return &l.NoControl }},
		{"units", func(l *r) any { return l.units }, func(l *r) any { return &l.units }},
		{"endpoint", func(l *r) any { return l.Endpoint }, func(l *r) any { return &l.Endpoint }},
		{"canonical", func(l *r) any { return l.Canonical }, func(l *r) any { return &l.Canonical }},
		{"raw_hash", func(l *r) any { return l.RawHash }, func(l *r) any { return &l.RawHash }},
		{"raw", func(l *r) any { return l.Raw }, func(l *r) any { return &l.Raw }},
	}
}

// The words of payment.KeyKind in the table.
var keyKindWords = [...]string{payment.KeyUnit: "unit", payment.KeyIdempotency: "key", payment.KeyReference: "reference"}

// Fill takes a look-up for storing.
func (r *LookupRow) Fill(l *payment.Lookup) error {
	r.Lookup = *l
	r.kind, r.outcome = keyKindWords[l.Key.Kind], l.Outcome.String()
	units, err := json.Marshal(l.Units)
	if err != nil {
		return fmt.Errorf("look-up of attempt %s: %w", l.Attempt, err)
	}
	r.units = string(units)
	if l.At.IsZero() {
		return fmt.Errorf("look-up of attempt %s: it does not say when it was observed", l.Attempt)
	}
	var d digest
	for _, cell := range LookupCells() {
		switch v := cell.Value(r).(type) {
		case string:
			if !storable(v) {
				return &UnstorableError{What: "look-up", Name: l.Attempt, Field: cell.Name}
			}
			d.text(v)
		case bool:
			d.flag(v)
		case payment.Instant:
			d.number(int64(v))
		}
	}
	sum := sha256.Sum256(d.buffer)
	r.Fingerprint = [16]byte(sum[:16])
	return nil
}

// Take makes the look-up of what was scanned.
func (r *LookupRow) Take() (payment.Lookup, error) {
	l := r.Lookup
	for kind, word := range keyKindWords {
		if word == r.kind {
			l.Key.Kind = payment.KeyKind(kind)
		}
	}
	var err error
	if l.Outcome, err = payment.ParseOutcome(r.outcome); err != nil {
		return l, fmt.Errorf("stored look-up of attempt %s: %w", l.Attempt, err)
	}
	l.Units = nil
	if err := json.Unmarshal([]byte(r.units), &l.Units); err != nil {
		return l, fmt.Errorf("stored look-up of attempt %s: %w", l.Attempt, err)
	}
	return l, nil
}
