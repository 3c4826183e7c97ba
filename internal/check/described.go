package check

import "desfecho/internal/store"

// BusinessTable describes where the merchant books what a payment brought:
// ledger entries, credits.
type BusinessTable struct {
	Read    string          `mapstructure:"read" yaml:"read"`
	Columns BusinessColumns `mapstructure:"columns" yaml:"columns"`
	Credits []string        `mapstructure:"credits" yaml:"credits,omitempty"` // words of the kind column that give a credit; none: every row does
}

// BusinessColumns names the columns of an entry.
type BusinessColumns struct {
	ID     string `mapstructure:"id" yaml:"id"`
	Charge string `mapstructure:"charge" yaml:"charge"`
	Kind   string `mapstructure:"kind" yaml:"kind,omitempty"`
	Key    string `mapstructure:"key" yaml:"key,omitempty"` // what makes an entry unique
}

type named struct{ key, column string }

func eventsNamed(e *store.EventsTable) []named {
	c := &e.Columns
	return []named{
		{"id", c.ID},
		{"provider", c.Provider},
		{"external_id", c.ExternalID},
		{"type", c.Type},
		{"status", c.Status},
		{"payload", c.Payload},
		{"created_at", c.CreatedAt},
		{"processed_at", c.ProcessedAt},
	}
}

func (b *BusinessTable) check() error {
	if b.Read == "" || b.Columns.ID == "" || b.Columns.Charge == "" {
		return &store.DescriptionError{
			Key: "business", Problem: "needs read, columns.id and columns.charge",
			Advice: "name the table of ledger entries and the column of the charge, or leave business out",
		}
	}
	return nil
}

func (b *BusinessTable) named() []named {
	c := &b.Columns
	return []named{{"id", c.ID}, {"charge", c.Charge}, {"kind", c.Kind}, {"key", c.Key}}
}
