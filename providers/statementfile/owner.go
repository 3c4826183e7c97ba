package statementfile

import (
	"fmt"
	"strings"

	"desfecho/internal/payment"
	"desfecho/internal/profile"
	"desfecho/internal/tabular"
)

// owner is the account that a row belongs to, with what its rows cover.
type owner struct {
	provider, account string
	first, last       payment.Day
	place             string // of its first row
}

// owners are the accounts of one file: one, unless the profile allows more.
type owners struct {
	all     []owner
	current int
	days    profile.Days
}

func newOwners(b *profile.Binding) owners {
	return owners{days: profile.NewDays(b.Zone)}
}

func (w *owners) dayOf(at payment.Instant) payment.Day { return w.days.Of(at) }

// owner says which provider, account and mode the row belongs to, and widens
// what the file covers by its day.
func (r *reader) owner(l *payment.Line, row tabular.Row) error {
	provider, err := r.one(row, "provider", r.fields.provider, r.o.Provider, r.p.Provider)
	if err != nil {
		return err
	}
	account, err := r.one(row, "account", r.fields.account, r.o.Account, r.p.Account)
	if err != nil {
		return err
	}
	w := &r.owners
	if len(w.all) == 0 || w.all[w.current].provider != provider || w.all[w.current].account != account {
		if err := r.change(row, provider, account); err != nil {
			return err
		}
	}
	current := &w.all[w.current]
	l.Provider, l.Account = current.provider, current.account
	if l.Mode, err = r.mode(row); err != nil {
		return err
	}
	day := l.Day
	covered, ok, err := r.fields.coveredBy.Read(row)
	switch {
	case err != nil:
		return r.dateFault("covered_by", row, err)
	case ok:
		day = r.dayOf(covered)
	case r.fields.coveredBy.Has():
		return nil // not settled yet: it bounds nothing
	}
	if current.first == 0 || day < current.first {
		current.first = day
	}
	current.last = max(current.last, day)
	return nil
}

// one is the row's word for provider or account: that of its column, which
// must agree with what the caller or the profile says.
func (r *reader) one(row tabular.Row, field string, cells *profile.Cells, asked, stated string) (string, error) {
	wanted, byCaller := asked, true
	if wanted == "" {
		wanted, byCaller = stated, false
	}
	text := cells.Text(row)
	switch {
	case text == "" || text == wanted:
		return wanted, nil
	case wanted == "":
		return text, nil
	case field == "provider" && strings.EqualFold(text, wanted):
		return wanted, nil
	}
	by := "the profile"
	if byCaller {
		by = "--" + field
	}
	return "", r.b.Fault(field, row, fmt.Sprintf("the row is of another %s than %q, which %s says", field, wanted, by), "is this the right file?")
}

// change takes up another account's rows. In a file of one account it is a
// fault that names both rows.
func (r *reader) change(row tabular.Row, provider, account string) error {
	w := &r.owners
	for i := range w.all {
		if w.all[i].provider == provider && w.all[i].account == account {
			w.current = i
			return nil
		}
	}
	if len(w.all) > 0 && !r.p.ManyAccounts {
		field, was, is := "account", w.all[0].account, account
		if w.all[0].provider != provider {
			field, was, is = "provider", w.all[0].provider, provider
		}
		return r.b.Fault(field, row, fmt.Sprintf("a second %s in a file of one: %q here, %q on %s", field, is, was, w.all[0].place),
			"give one file per account, or say `accounts: many` in a profile")
	}
	w.current = len(w.all)
	w.all = append(w.all, owner{provider: strings.Clone(provider), account: strings.Clone(account), place: row.Place()})
	return nil
}

func (r *reader) mode(row tabular.Row) (payment.Mode, error) {
	text := r.fields.mode.Text(row)
	if text == "" {
		return r.o.Mode, nil
	}
	mode, err := payment.ParseMode(strings.ToLower(text))
	if err != nil {
		return mode, r.b.Fault("mode", row, "neither live nor test", "write live or test")
	}
	return mode, nil
}
