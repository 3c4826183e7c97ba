package store

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"time"

	"desfecho/internal/payment"
)

// UnitRow is an observation of a unit between its table and payment.Unit. Equal
// observations are one row with the first and the last instant that it was
// seen, so that asking every day does not fill the table, and what was seen
// last still holds whatever the order of storing.
type UnitRow struct {
	payment.Unit
	First, Last                  payment.Instant
	Fingerprint                  [16]byte
	mode, state, currency        string
	aliases, references, plan    string
	asked, captured, principal   *int64
	precision, n, of, fromSource int64
	intern                       interned
}

// UnitCells lists the columns of an observation.
func UnitCells() []Cell[UnitRow] {
	type r = UnitRow
	return []Cell[r]{
		{"provider", func(u *r) any { return u.Provider }, func(u *r) any { return &u.Provider }},
		{"account", func(u *r) any { return u.Account }, func(u *r) any { return &u.Account }},
		{"mode", func(u *r) any { return u.mode }, func(u *r) any { return &u.mode }},
		{"unit", func(u *r) any { return u.ID }, func(u *r) any { return &u.ID }},
		{"aliases", func(u *r) any { return u.aliases }, func(u *r) any { return &u.aliases }},
		{"group_id", func(u *r) any { return u.Group }, func(u *r) any { return &u.Group }},
		{"idempotency_key", func(u *r) any { return u.Key }, func(u *r) any { return &u.Key }},
		{"refs", func(u *r) any { return u.references }, func(u *r) any { return &u.references }},
		{"foreign_charge", func(u *r) any { return u.ForeignCharge }, func(u *r) any { return &u.ForeignCharge }},
		{"parent", func(u *r) any { return u.Parent }, func(u *r) any { return &u.Parent }},
		{"state", func(u *r) any { return u.state }, func(u *r) any { return &u.state }},
		{"raw_state", func(u *r) any { return u.RawState }, func(u *r) any { return &u.RawState }},
		{"final", func(u *r) any { return u.Final }, func(u *r) any { return &u.Final }},
		{"asked", func(u *r) any { return u.asked }, func(u *r) any { return &u.asked }},
		{"captured", func(u *r) any { return u.captured }, func(u *r) any { return &u.captured }},
		{"principal", func(u *r) any { return u.principal }, func(u *r) any { return &u.principal }},
		{"currency", func(u *r) any { return u.currency }, func(u *r) any { return &u.currency }},
		{"method", func(u *r) any { return u.Method }, func(u *r) any { return &u.Method }},
		{"created_at", func(u *r) any { return u.CreatedAt }, func(u *r) any { return &u.CreatedAt }},
		{"precision_us", func(u *r) any { return u.precision }, func(u *r) any { return &u.precision }},
		{"n", func(u *r) any { return u.n }, func(u *r) any { return &u.n }},
		{"of_n", func(u *r) any { return u.of }, func(u *r) any { return &u.of }},
		{"plan", func(u *r) any { return u.plan }, func(u *r) any { return &u.plan }},
		{"reason", func(u *r) any { return u.Reason }, func(u *r) any { return &u.Reason }},
		{"source", func(u *r) any { return u.fromSource }, func(u *r) any { return &u.fromSource }},
		{"statement", func(u *r) any { return u.Statement }, func(u *r) any { return &u.Statement }},
		{"first_seen", func(u *r) any { return u.First }, func(u *r) any { return &u.First }},
		{"last_seen", func(u *r) any { return u.Last }, func(u *r) any { return &u.Last }},
	}
}

// Fill takes the observation for storing, with its fingerprint.
func (r *UnitRow) Fill(u *payment.Unit) error {
	r.Unit = *u
	r.First, r.Last = u.ObservedAt, u.ObservedAt
	r.mode, r.state, r.currency = u.Mode.String(), u.State.String(), u.Currency.String()
	r.asked, r.captured, r.principal = stated(&u.Asked), stated(&u.Captured), stated(&u.Principal)
	r.precision, r.n, r.of, r.fromSource = u.Precision.Microseconds(), int64(u.N), int64(u.Of), int64(u.Source)
	for _, alias := range u.Aliases {
		if !storable(alias) {
			return &UnstorableError{What: "unit", Name: u.ID, Field: "aliases"}
		}
	}
	var err error
	if r.references, err = writeReferences(u.References); err != nil {
		return fmt.Errorf("unit %q: %w", u.ID, err)
	}
	if r.aliases, err = writeList(u.Aliases); err != nil {
		return fmt.Errorf("unit %q: %w", u.ID, err)
	}
	if r.plan, err = writeList(u.Plan); err != nil {
		return fmt.Errorf("unit %q: %w", u.ID, err)
	}
	var d digest
	for _, cell := range UnitCells() {
		switch v := cell.Value(r).(type) {
		case string:
			if !storable(v) {
				return &UnstorableError{What: "unit", Name: u.ID, Field: cell.Name}
			}
			d.text(v)
		case *int64:
			d.flag(v != nil)
			if v != nil {
				d.number(*v)
			}
		case int64:
			d.number(v)
		case bool:
			d.flag(v)
		case payment.Instant:
			if cell.Name == "created_at" { // when it was seen is not part of what was seen
				d.number(int64(v))
			}
		}
	}
	sum := sha256.Sum256(d.buffer)
	r.Fingerprint = [16]byte(sum[:16])
	return nil
}

// Seen adds an instant at which the same was seen.
func (r *UnitRow) Seen(at payment.Instant) {
	r.First, r.Last = min(r.First, at), max(r.Last, at)
}

// Take makes the observation of what was scanned, as of the last time that it
// was seen: stated fields of a later observation win over an earlier one's, so
// the earlier times of the same statement add nothing.
func (r *UnitRow) Take() (u payment.Unit, err error) {
	u = r.Unit
	if u.Mode, err = payment.ParseMode(r.mode); err != nil {
		return u, fmt.Errorf("stored unit %q: %w", u.ID, err)
	}
	if u.State, err = payment.ParseState(r.state); err != nil {
		return u, fmt.Errorf("stored unit %q: %w", u.ID, err)
	}
	if u.Currency, err = currency(r.currency); err != nil {
		return u, fmt.Errorf("stored unit %q: %w", u.ID, err)
	}
	u.Asked, u.Captured, u.Principal = known(r.asked), known(r.captured), known(r.principal)
	u.Precision = time.Duration(r.precision) * time.Microsecond
	u.N, u.Of, u.Source = int(r.n), int(r.of), payment.Source(r.fromSource)
	if u.References, err = readReferences(r.references); err != nil {
		return u, fmt.Errorf("stored unit %q: %w", u.ID, err)
	}
	u.Aliases, u.Plan = nil, nil
	if err := readList(r.aliases, &u.Aliases); err != nil {
		return u, fmt.Errorf("stored unit %q: %w", u.ID, err)
	}
	if err := readList(r.plan, &u.Plan); err != nil {
		return u, fmt.Errorf("stored unit %q: %w", u.ID, err)
	}
	for _, s := range [...]*string{&u.Provider, &u.Account, &u.RawState, &u.Method, &u.Reason, &u.Statement} {
		*s = r.intern.of(*s)
	}
	u.ObservedAt, u.FirstSeen = r.Last, r.First
	return u, nil
}

func stated(s *payment.Stated) *int64 {
	if !s.Known {
		return nil
	}
	return &s.Minor
}

func known(minor *int64) payment.Stated {
	if minor == nil {
		return payment.Stated{}
	}
	return payment.Known(*minor)
}

func writeList[T any](list []T) (string, error) {
	if len(list) == 0 {
		return "", nil
	}
	text, err := json.Marshal(list)
	return string(text), err
}

func readList[T any](text string, list *[]T) error {
	if text == "" {
		return nil
	}
	return json.Unmarshal([]byte(text), list)
}
