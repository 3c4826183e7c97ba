package store

import "context"

// Check refuses a page that is not all of the lease's provider and account. A
// line or unit that names no account is the lease's.
func (p *Page) Check(lease Lease) error {
	foreign := func(what, name, provider, account string) error {
		if provider != lease.Provider || account != "" && account != lease.Account {
			return &ForeignError{What: what, Name: name, Provider: provider, Account: account}
		}
		return nil
	}
	for i := range p.Lines {
		if l := &p.Lines[i]; l.Provider != lease.Provider || l.Account != "" && l.Account != lease.Account {
			return foreign("line", l.ID, l.Provider, l.Account)
		}
	}
	for i := range p.Units {
		if err := foreign("unit", p.Units[i].ID, p.Units[i].Provider, p.Units[i].Account); err != nil {
			return err
		}
	}
	for i := range p.Statements {
		if err := foreign("statement", p.Statements[i].Name, p.Statements[i].Provider, p.Statements[i].Account); err != nil {
			return err
		}
	}
	return nil
}

// LinesOf is how many lines the i-th of Statements has in all.
func (p *Page) LinesOf(i int) int {
	if i < len(p.StatementLines) {
		return p.StatementLines[i]
	}
	return 0
}

// Wait waits for the page's turn and gives its cursor.
func (p *Page) Wait(ctx context.Context) (*Cursor, error) {
	if p.Turn == nil {
		return p.Cursor, nil
	}
	return p.Turn(ctx)
}
