package cases

import (
	"fmt"
	"reflect"
	"slices"
	"time"

	"desfecho/internal/payment"
	"desfecho/reconcile"
)

// naming is the statement or look-up that tells of a unit.
type naming struct {
	source    payment.Source
	statement string
	account   string
	mode      string
	at        payment.Instant // the unit is told as it stood then
}

// entriesOf lists the entries of the units that go by that name: id, another
// id of the same unit, or the group that it belongs to.
func (c *Case) entriesOf(name string) []unitRow {
	ids := map[string]bool{}
	for i := range c.Units {
		row := &c.Units[i]
		if row.ID == name || row.Group == name || slices.Contains(row.Aliases, name) {
			ids[row.ID] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(c.Units), func(row unitRow) bool { return !ids[row.ID] })
}

// mentions tells whether the case holds anything of the unit: an entry or a line.
func (c *Case) mentions(name string) bool {
	return len(c.entriesOf(name)) > 0 || slices.ContainsFunc(c.Statements, func(s statementRow) bool {
		return slices.ContainsFunc(s.Lines, func(l lineRow) bool { return l.Unit == name })
	})
}

// unitsOf gives the units that go by that name, as they stood at the naming's
// instant: none where nothing of them existed yet.
func (m *moment) unitsOf(name string, by naming) ([]payment.Unit, error) {
	var units []payment.Unit
	var merged []unitRow
	for _, row := range m.entriesOf(name) {
		if row.Since > by.at {
			continue
		}
		i := slices.IndexFunc(merged, func(u unitRow) bool { return u.ID == row.ID })
		if i < 0 {
			merged = append(merged, unitRow{})
			i = len(merged) - 1
		}
		overlay(&merged[i], &row)
	}
	for i := range merged {
		unit, err := m.unit(&merged[i], by)
		if err != nil {
			return nil, fmt.Errorf("unit %s: %w", merged[i].ID, err)
		}
		units = append(units, unit)
	}
	return units, nil
}

// overlay replaces the fields that the later row gives.
func overlay[T any](row, later *T) {
	to, from := reflect.ValueOf(row).Elem(), reflect.ValueOf(later).Elem()
	for i := range from.NumField() {
		if !from.Field(i).IsZero() {
			to.Field(i).Set(from.Field(i))
		}
	}
}

func (m *moment) unit(row *unitRow, by naming) (payment.Unit, error) {
	u := payment.Unit{
		ID: row.ID, Aliases: row.Aliases, Group: row.Group, Provider: provider, Account: m.account(row.Account, by.account),
		Key: row.Key, References: m.references(row.Ref, row.Ref2, row.Charge), ForeignCharge: row.MetadataCharge,
		Parent: row.Parent, RawState: row.Raw, Asked: stated(row.Amount), Captured: stated(row.Captured),
		Principal: stated(row.Principal), Method: row.Method, CreatedAt: row.CreatedAt, Precision: time.Second,
		N: row.N, Of: row.Of, Reason: row.Reason, ObservedAt: by.at, FirstSeen: row.Since, Source: by.source, Statement: by.statement,
	}
	var err error
	if u.State, err = payment.ParseState(row.State); err != nil {
		return u, err
	}
	u.Final = u.State == payment.StateCaptured || u.State == payment.StateRefunded || u.State.Dead()
	if row.Final != nil {
		u.Final = *row.Final
	}
	if row.Precision != nil {
		u.Precision = time.Duration(*row.Precision)
	}
	for _, p := range row.Plan {
		u.Plan = append(u.Plan, payment.Parcel(p))
	}
	if u.Currency, err = m.currency(row.Currency); err != nil {
		return u, err
	}
	said := row.Mode
	if said == "" {
		said = by.mode
	}
	u.Mode, err = m.mode(said)
	return u, err
}

func stated(minor *int64) payment.Stated {
	if minor == nil {
		return payment.Stated{}
	}
	return payment.Known(*minor)
}

func (s *statementRow) name() string {
	if s.Name == "" {
		return s.Sort
	}
	return s.Name
}

func (m *moment) fillStatements(in *reconcile.Input) error {
	for i := range m.Statements {
		row := &m.Statements[i]
		s, err := m.statement(row)
		if err != nil {
			return fmt.Errorf("statement %s: %w", row.name(), err)
		}
		in.Statements = append(in.Statements, s)
		by := naming{source: payment.FromList, statement: s.Name, account: s.Account, mode: row.Mode, at: m.at}
		told := row.Units
		if s.Sort == payment.Ledger {
			by.source = payment.FromLedger
			if told, err = m.fillLines(in, row, &s, by); err != nil {
				return fmt.Errorf("statement %s: %w", row.name(), err)
			}
		}
		given := map[string]bool{}
		for _, name := range told {
			units, err := m.unitsOf(name, by)
			if err != nil {
				return err
			}
			for _, u := range units {
				if given[u.ID] || s.Sort == payment.ObjectList && unread(row, s.Through, u.CreatedAt) {
					continue
				}
				given[u.ID] = true
				in.Units = append(in.Units, u)
			}
		}
	}
	return nil
}

// unread tells whether a step stopped reading before the fact: what a
// statement shows after its own end of coverage has been read, though not to
// the end.
func unread(row *statementRow, through, at payment.Instant) bool {
	return through < row.CompleteThrough && at >= through
}

func (m *moment) statement(row *statementRow) (payment.Statement, error) {
	s := payment.Statement{
		Name: row.name(), Provider: provider, Account: m.account(row.Account), Grade: payment.Proven,
		From: row.From, Through: min(row.CompleteThrough, m.at), Opening: stated(row.Opening), Closing: stated(row.Closing),
	}
	if m.through != 0 {
		s.Through = min(s.Through, m.through)
	}
	s.Through = max(s.Through, s.From)
	if s.Through < row.CompleteThrough {
		s.Closing = payment.Stated{} // the balance at an end that was not reached yet
	}
	for _, hole := range row.Holes {
		if cut := (payment.Interval{From: hole[0], To: min(hole[1], s.Through)}); !cut.Empty() {
			s.Holes = append(s.Holes, cut)
		}
	}
	if row.PayoutMembers != nil && !*row.PayoutMembers {
		s.Members = payment.NoMembers
	}
	var err error
	if row.Grade != "" {
		if s.Grade, err = payment.ParseGrade(row.Grade); err != nil {
			return s, err
		}
	}
	if s.Sort, err = payment.ParseSort(row.Sort); err != nil {
		return s, err
	}
	s.Mode, err = m.mode(row.Mode)
	return s, err
}

// fillLines gives the lines that were read and the units that they name.
func (m *moment) fillLines(in *reconcile.Input, row *statementRow, s *payment.Statement, by naming) ([]string, error) {
	var files, told []string
	rows := map[string]int32{}
	for i := range row.Lines {
		l := &row.Lines[i]
		if !slices.Contains(files, l.File) {
			files = append(files, l.File)
		}
		rows[l.File]++
		if !m.existed(l.Since) || unread(row, s.Through, l.At) {
			continue
		}
		line, err := m.line(l, s)
		if err != nil {
			return nil, fmt.Errorf("lines[%d]: %w", i, err)
		}
		line.File, line.Row = int32(slices.Index(files, l.File)), rows[l.File]
		if units, err := m.unitsOf(l.Unit, by); err != nil {
			return nil, err
		} else if l.Unit != "" && len(units) > 0 {
			line.Mode = units[0].Mode
			told = append(told, l.Unit)
		}
		in.Lines = append(in.Lines, line)
	}
	return told, nil
}

func (m *moment) line(row *lineRow, s *payment.Statement) (payment.Line, error) {
	l := payment.Line{
		ID: row.ID, Unit: row.Unit, Parent: row.Parent, Provider: provider, Account: s.Account, Statement: s.Name,
		References: m.references(row.Ref, row.Ref2, row.Charge), Payout: row.Payout, Recipient: row.Recipient, Raw: row.Raw,
		Gross: *row.Gross, Fee: row.Fee, Tax: row.Tax, Net: *row.Gross - row.Fee - row.Tax, Presented: stated(row.Presented),
		At: row.At, AvailableAt: row.AvailableAt, N: row.N, Of: row.Of, Mode: s.Mode,
		Still: row.MovesMoney != nil && !*row.MovesMoney,
	}
	if row.Net != nil {
		l.Net = *row.Net
	}
	var err error
	if l.Kind, err = payment.ParseKind(row.Kind); err != nil {
		return l, err
	}
	if l.Currency, err = m.currency(row.Currency); err != nil {
		return l, err
	}
	if row.Presented != nil || row.PresentedCurrency != "" {
		if l.PresentedCurrency, err = m.currency(row.PresentedCurrency); err != nil {
			return l, err
		}
	}
	policy, err := m.policy()
	l.Day = payment.DayOf(row.At, policy.Zone)
	return l, err
}
