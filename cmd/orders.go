package cmd

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"desfecho/internal/catalog"
	"desfecho/report"
)

// OrdersConfig describes the commercial side of a charge, for the third column
// of the screen: a table or view with one row per charge, and the columns that
// are shown. It is only read.
type OrdersConfig struct {
	Read   string        `mapstructure:"read"`
	Charge string        `mapstructure:"charge"`
	Show   []ShownColumn `mapstructure:"show"`
}

// ShownColumn is one column and what it is called on the screen.
type ShownColumn struct {
	Name   string `mapstructure:"name"`
	Column string `mapstructure:"column"`
}

// validate tells whether the description can be used; the zero one is none.
func (c *OrdersConfig) validate() error {
	if c.Read == "" && c.Charge == "" && len(c.Show) == 0 {
		return nil
	}
	if c.Read == "" || c.Charge == "" || len(c.Show) == 0 {
		return &usageError{
			err:  errors.New("configuration, orders: needs read, charge and show"),
			hint: "such as {read: orders, charge: charge_id, show: [{name: state, column: state}]}",
		}
	}
	for i, s := range c.Show {
		if s.Column == "" {
			return &usageError{err: fmt.Errorf("configuration, orders.show[%d]: names no column", i)}
		}
	}
	return nil
}

// grants is the SQL that lets those who are on call, and cron, read what the
// screen shows of it, "" where nothing is described.
func (c *OrdersConfig) grants() (string, error) {
	if err := c.validate(); err != nil || c.Read == "" {
		return "", err
	}
	columns := []string{catalog.Identifier(c.Charge)}
	for _, s := range c.Show {
		columns = append(columns, catalog.Identifier(s.Column))
	}
	return fmt.Sprintf("\n-- What `desfecho show` shows of your orders.\nGRANT SELECT (%s) ON %s TO desfecho_run, desfecho_resolve;\n",
		strings.Join(columns, ", "), catalog.Quote(c.Read)), nil
}

// business reads what the merchant's own orders say of a charge, nothing where
// none is described.
func (o *onCall) business(ctx context.Context, charge string) (said []report.Stated, err error) {
	c := &o.config.Orders
	if err := c.validate(); err != nil || c.Read == "" || charge == "" {
		return nil, err
	}
	database, _, closed, err := o.deps.askers(ctx, &o.config)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, closed()) }()
	columns := make([]string, len(c.Show))
	for i, s := range c.Show {
		columns[i] = "CAST(" + catalog.Identifier(s.Column) + " AS text)"
	}
	q := &catalog.Query{}
	rows, err := database.Ask(ctx, q, fmt.Sprintf("SELECT %s FROM %s WHERE CAST(%s AS text) = %s LIMIT 2",
		strings.Join(columns, ", "), catalog.Quote(c.Read), catalog.Identifier(c.Charge), q.Value(charge)))
	if err != nil {
		return nil, fmt.Errorf("read the orders: %w", err)
	}
	for _, row := range rows {
		for i, s := range c.Show {
			name := s.Name
			if name == "" {
				name = s.Column
			}
			text := row[i].Value
			if row[i].Null {
				text = "none"
			}
			said = append(said, report.Stated{Name: name, Text: text})
		}
	}
	return said, nil
}
