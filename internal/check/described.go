package check

import (
	"time"

	"desfecho/internal/store"
)

// EventsTable describes the table of stored webhook events. Paths are JSON
// keys with dots between them: object.metadata.charge_id.
type EventsTable struct {
	Read       string           `mapstructure:"read" yaml:"read"`
	Columns    EventColumns     `mapstructure:"columns" yaml:"columns"`
	Pending    []string         `mapstructure:"pending" yaml:"pending,omitempty"`     // words of the status column
	Processed  []string         `mapstructure:"processed" yaml:"processed,omitempty"` // likewise
	Unit       string           `mapstructure:"unit" yaml:"unit,omitempty"`           // path of the object's id
	References []EventReference `mapstructure:"references" yaml:"references,omitempty"`
	Settles    []string         `mapstructure:"settles" yaml:"settles,omitempty"`         // types that end an attempt
	StaleAfter time.Duration    `mapstructure:"stale_after" yaml:"stale_after,omitempty"` // 0: 1 h
}

// EventColumns names the columns of a stored event.
type EventColumns struct {
	ID          string `mapstructure:"id" yaml:"id"`
	Provider    string `mapstructure:"provider" yaml:"provider,omitempty"`
	ExternalID  string `mapstructure:"external_id" yaml:"external_id"`
	Type        string `mapstructure:"type" yaml:"type,omitempty"`
	Status      string `mapstructure:"status" yaml:"status,omitempty"`
	Payload     string `mapstructure:"payload" yaml:"payload,omitempty"`
	CreatedAt   string `mapstructure:"created_at" yaml:"created_at,omitempty"`
	ProcessedAt string `mapstructure:"processed_at" yaml:"processed_at,omitempty"`
}

// EventReference is a reference in the payload and the attempts' column that
// holds the same value.
type EventReference struct {
	Path string `mapstructure:"path" yaml:"path"`
	Here string `mapstructure:"here" yaml:"here"`
}

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

func (e *EventsTable) check() error {
	if e.Read == "" || e.Columns.ID == "" || e.Columns.ExternalID == "" {
		return &store.DescriptionError{
			Key: "events", Problem: "needs read, columns.id and columns.external_id",
			Advice: "name the table of stored webhook events and the column of the provider's event id, or leave events out",
		}
	}
	return nil
}

func (e *EventsTable) named() []named {
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
