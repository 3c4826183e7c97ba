package store

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"desfecho/internal/money"
	"desfecho/internal/payment"
)

// Cell is one column of desfecho's own tables: how a value goes in and where
// it comes out. Values are string, int64, bool, *int64, payment.Instant and
// payment.Day; targets point to the same. Adapters turn instants and days into
// their database's own types, 0 into NULL.
type Cell[T any] struct {
	Name   string
	Value  func(*T) any
	Target func(*T) any
}

// LineRow is a line between its table and payment.Line.
type LineRow struct {
	payment.Line
	kind, mode, references      string
	currency, presentedCurrency string
	presented                   *int64
	n, of                       int64
	intern                      interned
}

// LineCells lists the columns of a line; Fill and Line convert.
func LineCells() []Cell[LineRow] {
	type r = LineRow
	return []Cell[r]{
		{"provider", func(l *r) any { return l.Provider }, func(l *r) any { return &l.Provider }},
		{"account", func(l *r) any { return l.Account }, func(l *r) any { return &l.Account }},
		{"mode", func(l *r) any { return l.mode }, func(l *r) any { return &l.mode }},
		{"statement", func(l *r) any { return l.Statement }, func(l *r) any { return &l.Statement }},
		{"line_id", func(l *r) any { return l.ID }, func(l *r) any { return &l.ID }},
		{"kind", func(l *r) any { return l.kind }, func(l *r) any { return &l.kind }},
		{"unit", func(l *r) any { return l.Unit }, func(l *r) any { return &l.Unit }},
		{"parent", func(l *r) any { return l.Parent }, func(l *r) any { return &l.Parent }},
		{"refs", func(l *r) any { return l.references }, func(l *r) any { return &l.references }},
		{"foreign_charge", func(l *r) any { return l.ForeignCharge }, func(l *r) any { return &l.ForeignCharge }},
		{"payout", func(l *r) any { return l.Payout }, func(l *r) any { return &l.Payout }},
		{"recipient", func(l *r) any { return l.Recipient }, func(l *r) any { return &l.Recipient }},
		{"raw", func(l *r) any { return l.Raw }, func(l *r) any { return &l.Raw }},
		{"status", func(l *r) any { return l.Status }, func(l *r) any { return &l.Status }},
		{"gross", func(l *r) any { return l.Gross }, func(l *r) any { return &l.Gross }},
		{"fee", func(l *r) any { return l.Fee }, func(l *r) any { return &l.Fee }},
		{"tax", func(l *r) any { return l.Tax }, func(l *r) any { return &l.Tax }},
		{"net", func(l *r) any { return l.Net }, func(l *r) any { return &l.Net }},
		{"currency", func(l *r) any { return l.currency }, func(l *r) any { return &l.currency }},
		{"presented", func(l *r) any { return l.presented }, func(l *r) any { return &l.presented }},
		{"presented_currency", func(l *r) any { return l.presentedCurrency }, func(l *r) any { return &l.presentedCurrency }},
		{"occurred_at", func(l *r) any { return l.At }, func(l *r) any { return &l.At }},
		{"available_at", func(l *r) any { return l.AvailableAt }, func(l *r) any { return &l.AvailableAt }},
		{"day", func(l *r) any { return l.Day }, func(l *r) any { return &l.Day }},
		{"n", func(l *r) any { return l.n }, func(l *r) any { return &l.n }},
		{"of_n", func(l *r) any { return l.of }, func(l *r) any { return &l.of }},
		{"day_only", func(l *r) any { return l.DayOnly }, func(l *r) any { return &l.DayOnly }},
		{"still", func(l *r) any { return l.Still }, func(l *r) any { return &l.Still }},
	}
}

// Fill takes the line's words for storing. It is an *UnstorableError where a
// text cannot be held.
func (r *LineRow) Fill(l *payment.Line) error {
	r.Line = *l
	r.kind, r.mode = l.Kind.String(), l.Mode.String()
	r.currency, r.presentedCurrency = l.Currency.String(), l.PresentedCurrency.String()
	r.n, r.of = int64(l.N), int64(l.Of)
	r.presented = nil
	if l.Presented.Known {
		r.presented = &l.Presented.Minor
	}
	var err error
	if r.references, err = writeReferences(l.References); err != nil {
		return fmt.Errorf("line %q: %w", l.ID, err)
	}
	for _, f := range [...]struct{ name, text string }{
		{"line_id", l.ID},
		{"unit", l.Unit},
		{"parent", l.Parent},
		{"account", l.Account},
		{"statement", l.Statement},
		{"refs", r.references},
		{"foreign_charge", l.ForeignCharge},
		{"payout", l.Payout},
		{"recipient", l.Recipient},
		{"raw", l.Raw},
		{"status", l.Status},
	} {
		if !storable(f.text) {
			return &UnstorableError{What: "line", Name: l.ID, Field: f.name, Row: l.Row}
		}
	}
	return nil
}

// Take makes the line of what was scanned. All lines of a database are of one
// file, in the order they were stored, so that a later version of a line is
// the later row and equal lines without id are several.
func (r *LineRow) Take(row int32) (payment.Line, error) {
	l := r.Line
	var err error
	if l.Kind, err = payment.ParseKind(r.kind); err != nil {
		return l, fmt.Errorf("stored line %q: %w", l.ID, err)
	}
	if l.Mode, err = payment.ParseMode(r.mode); err != nil {
		return l, fmt.Errorf("stored line %q: %w", l.ID, err)
	}
	if l.Currency, err = currency(r.currency); err != nil {
		return l, fmt.Errorf("stored line %q: %w", l.ID, err)
	}
	if l.PresentedCurrency, err = currency(r.presentedCurrency); err != nil {
		return l, fmt.Errorf("stored line %q: %w", l.ID, err)
	}
	l.Presented = payment.Stated{}
	if r.presented != nil {
		l.Presented = payment.Known(*r.presented)
	}
	l.N, l.Of = int16(r.n), int16(r.of)
	if l.References, err = readReferences(r.references); err != nil {
		return l, fmt.Errorf("stored line %q: %w", l.ID, err)
	}
	for _, s := range [...]*string{&l.Provider, &l.Account, &l.Statement, &l.Raw, &l.Status, &l.Payout} {
		*s = r.intern.of(*s)
	}
	l.File, l.Row = 0, row
	return l, nil
}

// interned holds one copy of texts that repeat from row to row.
type interned struct{ texts map[string]string }

func (i *interned) of(s string) string {
	if s == "" {
		return ""
	}
	if known, ok := i.texts[s]; ok {
		return known
	}
	if i.texts == nil {
		i.texts = map[string]string{}
	}
	if len(i.texts) < 4096 {
		i.texts[s] = s
	}
	return s
}

func currency(code string) (money.Currency, error) {
	if code == "" {
		return money.Currency{}, nil
	}
	return money.ParseCurrency(code)
}

func storable(text string) bool { return utf8.ValidString(text) && !strings.ContainsRune(text, 0) }

// stored references are JSON: [["name","scope","value"],…], "" where there are
// none.
func writeReferences(references []payment.Reference) (string, error) {
	if len(references) == 0 {
		return "", nil
	}
	if text, ok := writePlain(references); ok {
		return text, nil
	}
	out := make([][3]string, len(references))
	for i, r := range references {
		if !storable(r.Name) || !storable(r.Value) { // JSON would mend it silently
			return "\x00", nil
		}
		out[i] = [3]string{r.Name, r.Scope.String(), r.Value}
	}
	text, err := json.Marshal(out)
	return string(text), err
}

// writePlain writes the list where JSON escapes no character of it, which is
// nearly always; ok is false where the general writer is needed.
func writePlain(references []payment.Reference) (text string, ok bool) {
	var b strings.Builder
	between := `[["`
	for i := range references {
		r := &references[i]
		if !unescaped(r.Name) || !unescaped(r.Value) {
			return "", false
		}
		for _, part := range [...]string{between, r.Name, `","`, r.Scope.String(), `","`, r.Value} {
			b.WriteString(part)
		}
		between = `"],["`
	}
	b.WriteString(`"]]`)
	return b.String(), true
}

// unescaped tells whether the text stands in JSON as it is.
func unescaped(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c >= utf8.RuneSelf || strings.IndexByte("\"\\<>&", c) >= 0 {
			return false
		}
	}
	return true
}

func readReferences(text string) ([]payment.Reference, error) {
	if text == "" {
		return nil, nil
	}
	if out, ok := plainReferences(text); ok {
		return out, nil
	}
	var in [][3]string
	if err := json.Unmarshal([]byte(text), &in); err != nil {
		return nil, fmt.Errorf("references: %w", err)
	}
	out := make([]payment.Reference, len(in))
	for i, r := range in {
		scope, err := payment.ParseScope(r[1])
		if err != nil {
			return nil, fmt.Errorf("references: %w", err)
		}
		out[i] = payment.Reference{Name: r[0], Scope: scope, Value: r[2]}
	}
	return out, nil
}

// plainReferences reads the list where no character of it is escaped, which is
// nearly always; ok is false where the general reader is needed.
func plainReferences(text string) (out []payment.Reference, ok bool) {
	if strings.IndexByte(text, '\\') >= 0 || !strings.HasPrefix(text, `[["`) || !strings.HasSuffix(text, `"]]`) {
		return nil, false
	}
	for entry := range strings.SplitSeq(text[3:len(text)-3], `"],["`) {
		name, rest, _ := strings.Cut(entry, `","`)
		word, value, whole := strings.Cut(rest, `","`)
		scope, err := payment.ParseScope(word)
		if err != nil || !whole || strings.ContainsRune(name, '"') || strings.ContainsRune(value, '"') {
			return nil, false
		}
		out = append(out, payment.Reference{Name: name, Scope: scope, Value: value})
	}
	return out, true
}
