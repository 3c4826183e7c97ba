package runs

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"desfecho/internal/payment"
	"desfecho/internal/store"
	"desfecho/reconcile"
)

// Reading is what a profile knows of the statements that were read by it, and
// that the rules need when the lines are judged, long after the file is gone.
type Reading struct {
	LineIDsUnique bool                     `json:"line_ids_unique"`
	Expected      []string                 `json:"expected,omitempty"`
	BooksAfter    time.Duration            `json:"books_after,omitempty"`
	BooksAfterBy  map[string]time.Duration `json:"books_after_by,omitempty"`
	Variation     map[string]int64         `json:"variation,omitempty"`
	Unlisted      []string                 `json:"unlisted,omitempty"` // operations that no object list shows
}

// Readings holds one Reading by name of profile.
type Readings map[string]Reading

// ReadingsCursor is the name under which an account's readings are kept among
// its cursors.
const ReadingsCursor = "files"

// Cursor is the form in which readings are kept.
func (r Readings) Cursor(mode payment.Mode) (*store.Cursor, error) {
	text, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("write what the profile knows: %w", err)
	}
	return &store.Cursor{Statement: ReadingsCursor, Mode: mode, Value: string(text)}, nil
}

// ParseReadings reads the value of a cursor; "" is none.
func ParseReadings(value string) (Readings, error) {
	r := Readings{}
	if value == "" {
		return r, nil
	}
	if err := json.Unmarshal([]byte(value), &r); err != nil {
		return nil, fmt.Errorf("read what was stored of the profiles: %w", err)
	}
	return r, nil
}

// Learn lays what the profiles know over a policy's defaults.
func (r Readings) Learn(p *reconcile.Policy) {
	for _, name := range slices.Sorted(maps.Keys(r)) {
		r[name].Learn(p)
	}
}

// Learn lays what one profile knows over a policy's defaults: over files and
// over a database alike.
func (r Reading) Learn(p *reconcile.Policy) {
	p.LineIDsUnique = p.LineIDsUnique && r.LineIDsUnique
	for _, word := range r.Expected {
		if !p.Expects(word) {
			p.Expected = append(p.Expected, word)
		}
	}
	slices.Sort(p.Expected)
	for o := payment.Charge; o <= payment.BillPayment; o++ {
		if slices.Contains(r.Unlisted, o.String()) && !slices.Contains(p.Unlisted, o) {
			p.Unlisted = append(p.Unlisted, o)
		}
	}
	p.BooksAfter = max(p.BooksAfter, r.BooksAfter)
	if len(r.BooksAfterBy) > 0 {
		p.BooksAfterBy = merged(p.BooksAfterBy, r.BooksAfterBy)
	}
	if len(r.Variation) > 0 {
		p.Variation = merged(p.Variation, r.Variation)
	}
}

func merged[V any](first, second map[string]V) map[string]V {
	all := maps.Clone(first)
	if all == nil {
		all = map[string]V{}
	}
	maps.Copy(all, second)
	return all
}
