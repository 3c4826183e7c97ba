package store

import (
	"encoding/json"
	"fmt"
	"strings"

	"desfecho/internal/money"
	"desfecho/internal/payment"
	"desfecho/reconcile"
)

// MarshalResult is the form in which a run's result is kept. The memory stands
// in rows of its own.
func MarshalResult(r *reconcile.Result) (string, error) {
	slim := *r
	slim.Memory = nil
	text, err := json.Marshal(&slim)
	if err != nil {
		return "", fmt.Errorf("write the result: %w", err)
	}
	return string(text), nil
}

// UnmarshalResult reads what MarshalResult wrote.
func UnmarshalResult(text string) (*reconcile.Result, error) {
	var r reconcile.Result
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		return nil, fmt.Errorf("read the saved result: %w", err)
	}
	return &r, nil
}

// ItemRow is a divergence between its table and reconcile.Item.
type ItemRow struct {
	ID, Provider, Account, Mode, Class, Severity, Subject, IDs string
	Minor                                                      int64
	Currency                                                   string
	FirstSeen                                                  payment.Instant
	State, Cause                                               string
}

// ItemCells lists the columns of a divergence.
func ItemCells() []Cell[ItemRow] {
	type r = ItemRow
	return []Cell[r]{
		{"divergence", func(i *r) any { return i.ID }, func(i *r) any { return &i.ID }},
		{"provider", func(i *r) any { return i.Provider }, func(i *r) any { return &i.Provider }},
		{"account", func(i *r) any { return i.Account }, func(i *r) any { return &i.Account }},
		{"mode", func(i *r) any { return i.Mode }, func(i *r) any { return &i.Mode }},
		{"class", func(i *r) any { return i.Class }, func(i *r) any { return &i.Class }},
		{"severity", func(i *r) any { return i.Severity }, func(i *r) any { return &i.Severity }},
		{"subject", func(i *r) any { return i.Subject }, func(i *r) any { return &i.Subject }},
		{"ids", func(i *r) any { return i.IDs }, func(i *r) any { return &i.IDs }},
		{"minor", func(i *r) any { return i.Minor }, func(i *r) any { return &i.Minor }},
		{"currency", func(i *r) any { return i.Currency }, func(i *r) any { return &i.Currency }},
		{"first_seen", func(i *r) any { return i.FirstSeen }, func(i *r) any { return &i.FirstSeen }},
		{"state", func(i *r) any { return i.State }, func(i *r) any { return &i.State }},
		{"cause", func(i *r) any { return i.Cause }, func(i *r) any { return &i.Cause }},
	}
}

// FillItem takes a divergence for storing.
func FillItem(i *reconcile.Item) (ItemRow, error) {
	ids, err := json.Marshal(i.Subject.IDs)
	return ItemRow{
		ID: i.ID, Provider: i.Provider, Account: i.Account, Mode: i.Mode.String(), Class: i.Class.String(), Severity: i.Severity.String(),
		Subject: i.Subject.Kind.String(), IDs: string(ids), Minor: i.Amount.Minor, Currency: i.Amount.Currency.String(),
		FirstSeen: i.FirstSeen, State: i.State.String(), Cause: i.Cause,
	}, err
}

// Take makes the divergence of what was scanned.
func (r *ItemRow) Take() (reconcile.Item, error) {
	item := reconcile.Item{ID: r.ID, Provider: r.Provider, Account: r.Account, FirstSeen: r.FirstSeen, Cause: r.Cause}
	bad := func(err error) (reconcile.Item, error) {
		return item, fmt.Errorf("stored divergence %s: %w", r.ID, err)
	}
	var err error
	var ok bool
	if item.Class, ok = reconcile.ParseClass(r.Class); !ok && r.Class != "" {
		return bad(fmt.Errorf("unknown class %q", r.Class))
	}
	if item.Severity, ok = parseWord[reconcile.Severity](r.Severity, reconcile.P4); !ok {
		return bad(fmt.Errorf("unknown severity %q", r.Severity))
	}
	if item.State, ok = parseWord[reconcile.Life](r.State, reconcile.LifeSnoozed); !ok {
		return bad(fmt.Errorf("unknown state %q", r.State))
	}
	if item.Subject.Kind, ok = parseWord[reconcile.SubjectKind](r.Subject, reconcile.SubjectStatement); !ok {
		return bad(fmt.Errorf("unknown subject %q", r.Subject))
	}
	if item.Mode, err = payment.ParseMode(r.Mode); err != nil {
		return bad(err)
	}
	if err = json.Unmarshal([]byte(r.IDs), &item.Subject.IDs); err != nil {
		return bad(err)
	}
	item.Amount = money.Amount{Minor: r.Minor}
	if item.Amount.Currency, err = currency(r.Currency); err != nil {
		return bad(err)
	}
	return item, nil
}

// parseWord finds the value of up to last whose String is the word.
func parseWord[T interface {
	~uint8
	fmt.Stringer
}](word string, last T) (T, bool) {
	for v := T(0); v <= last; v++ {
		if v.String() == word {
			return v, true
		}
	}
	return 0, false
}

// Kept tells whether the digest is of a day that the run loaded whole.
func (f LoadedFrom) Kept(d reconcile.DayDigest) bool {
	for _, r := range f.Days {
		if r.Contains(d.Provider, d.Day) {
			return true
		}
	}
	return false
}

// ProviderList joins names for the runs table; a name holds no comma.
func ProviderList(names []string) string { return strings.Join(names, ",") }

// Providers splits what ProviderList joined.
func Providers(list string) []string {
	if list == "" {
		return nil
	}
	return strings.Split(list, ",")
}
