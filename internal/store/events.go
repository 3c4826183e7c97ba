package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"desfecho/internal/payment"
)

// EventsTable describes the table of stored webhook events. Paths are JSON
// keys with dots between them: object.metadata.charge_id.
type EventsTable struct {
	Read       string           `mapstructure:"read" yaml:"read"`
	Columns    EventColumns     `mapstructure:"columns" yaml:"columns"`
	Pending    []string         `mapstructure:"pending" yaml:"pending,omitempty"`     // words of the status column
	Processed  []string         `mapstructure:"processed" yaml:"processed,omitempty"` // likewise
	Unit       string           `mapstructure:"unit" yaml:"unit,omitempty"`           // path of the object's id
	Mode       string           `mapstructure:"mode" yaml:"mode,omitempty"`           // path of live or test, or of true for live
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

// EventReference is a path of the payload and what of the attempts holds the
// same value: the column of the key, of the provider's id or of the charge, or
// a reference's `here`.
type EventReference struct {
	Path string `mapstructure:"path" yaml:"path"`
	Here string `mapstructure:"here" yaml:"here"`
}

// Check wants what no events can be read without. The error is a
// *DescriptionError.
func (e *EventsTable) Check() error {
	if e.Read == "" || e.Columns.ID == "" || e.Columns.ExternalID == "" {
		return &DescriptionError{
			Key: "events", Problem: "needs read, columns.id and columns.external_id",
			Advice: "name the table of stored webhook events and the column of the provider's event id, or leave events out",
		}
	}
	return nil
}

// EventReading is a description of events that was checked.
type EventReading struct {
	EventsTable
	attempts *Reading
	paths    []eventPath
}

// eventPath is one path and what it leads to.
type eventPath struct {
	steps     []string
	sort      pathSort
	reference payment.Reference // without value
}

type pathSort uint8

const (
	pathUnit pathSort = iota
	pathKey
	pathReference
	pathMode
)

// eventPaths checks the description of events. A path to the charge is for the
// audits alone: it names no attempt.
func (r *Reading) eventPaths() error {
	if r.Description.Events == nil {
		return nil
	}
	e := &EventReading{EventsTable: *r.Description.Events, attempts: r}
	if err := e.Check(); err != nil {
		return err
	}
	e.path(e.Unit, eventPath{sort: pathUnit})
	e.path(e.Mode, eventPath{sort: pathMode})
	for i, ref := range e.References {
		known := ref.Here == r.Columns.Charge
		if ref.Here == r.Columns.ProviderChargeID {
			e.path(ref.Path, eventPath{sort: pathUnit})
			known = true
		}
		if ref.Here == r.Columns.Key {
			e.path(ref.Path, eventPath{sort: pathKey})
			known = true
		}
		for k, described := range r.References {
			if described.Here == ref.Here {
				at := &r.references[k]
				e.path(ref.Path, eventPath{sort: pathReference, reference: payment.Reference{Name: at.name, Scope: at.scope}})
				known = true
			}
		}
		if !known || ref.Path == "" || ref.Here == "" {
			return &DescriptionError{
				Key: fmt.Sprintf("events.references[%d]", i), Problem: fmt.Sprintf("%q is nothing that attempts are found by", ref.Here),
				Advice: "give path, and here as in attempts: the column of the key, of the provider's id or of the charge, or the here of a reference",
			}
		}
	}
	if e.Columns.Payload != "" && len(e.paths) > 0 {
		r.events = e
	}
	return nil
}

func (e *EventReading) path(dotted string, p eventPath) {
	if dotted != "" {
		p.steps = strings.Split(dotted, ".")
		e.paths = append(e.paths, p)
	}
}

// Events is how stored events are read; nil where none are described.
func (r *Reading) Events() *EventReading { return r.events }

// Paths lists what is read of each payload, as its steps.
func (e *EventReading) Paths() [][]string {
	steps := make([][]string, len(e.paths))
	for i := range e.paths {
		steps[i] = e.paths[i].steps
	}
	return steps
}

// TellsMode tells whether events say if they are of the test mode.
func (e *EventReading) TellsMode() bool { return e.Mode != "" }

// Selected lists what is selected of each event before its payload; "" stands
// for what the table has not.
func (e *EventReading) Selected() [3]string {
	c := &e.Columns
	return [3]string{c.ID, c.Provider, c.CreatedAt}
}

// Zone is the declared zone of times without one; nil where none is.
func (e *EventReading) Zone() *time.Location { return e.attempts.zone }

// Lacks is the error of a table that has no such column, among those it has;
// none: there is no table.
func (e *EventReading) Lacks(column string, have []string) error {
	if len(have) == 0 {
		return &DescriptionError{Key: "events.read", Problem: fmt.Sprintf("there is no table or view %s that can be seen", e.Read), Advice: "check the name, its schema, and the grants"}
	}
	return &DescriptionError{Key: "events.columns", Problem: fmt.Sprintf("%s has no column %q", e.Read, column), Advice: "it has " + strings.Join(have, ", ")}
}

// EndOfTime is later than anything that is stored.
func EndOfTime() payment.Instant { return payment.DayOfDate(9999, 1, 1).Start(time.UTC) }

// StoredEvent is an event; where it does not tell its mode, that of its
// provider's account holds.
type StoredEvent struct {
	payment.Event
	ModeTold bool
}

// Texts finds in a payload what stands at each of the paths. A payload that is
// no JSON names nothing.
func (e *EventReading) Texts(payload string) []Text {
	texts := make([]Text, len(e.paths))
	var whole any
	decoder := json.NewDecoder(strings.NewReader(payload))
	decoder.UseNumber()
	broken := decoder.Decode(&whole) != nil
	for i := range e.paths {
		texts[i].Null = true
		value := whole
		for _, step := range e.paths[i].steps {
			value = inner(value, step)
		}
		switch value.(type) {
		case string, json.Number, bool:
			texts[i] = Text{Value: fmt.Sprint(value), Null: broken}
		}
	}
	return texts
}

// inner is what a step leads to: the value of a key, or of a list the entry of
// that number, as in pix.0.txid.
func inner(value any, step string) any {
	switch v := value.(type) {
	case map[string]any:
		return v[step]
	case []any:
		if i, err := strconv.Atoi(step); err == nil && i >= 0 && i < len(v) {
			return v[i]
		}
	}
	return nil
}

// Event reads one row: the texts of Selected and those of Paths. An event that
// names several objects comes once for each. The error is a *BadRowError.
func (e *EventReading) Event(row [3]Text, at []Text, each func(StoredEvent) error) error {
	event := StoredEvent{Event: payment.Event{Provider: orElse(row[1].Value, e.attempts.Provider)}}
	if text := row[2].Value; text != "" {
		var err error
		if event.At, err = moment(text, e.attempts.zone); err != nil {
			bad := &BadRowError{Relation: e.Read, ID: row[0].Value, Column: e.Columns.CreatedAt, Value: text, Problem: err.Error()}
			if errors.Is(err, errNoZone) {
				bad.Advice = "say attempts.timezone, the zone in which the application writes this column"
			}
			return bad
		}
	}
	var units []string
	for i := range e.paths {
		if value := at[i].Value; !at[i].Null && value != "" {
			switch p := &e.paths[i]; p.sort {
			case pathUnit:
				units = append(units, value)
			case pathKey:
				event.Key = value
			case pathReference:
				p.reference.Value = value
				event.References = append(event.References, p.reference)
			case pathMode:
				event.Mode, event.ModeTold = modeWord(value)
			}
		}
	}
	if len(units) == 0 {
		units = append(units, "")
	}
	for _, event.Unit = range units {
		if err := each(event); err != nil {
			return err
		}
	}
	return nil
}

// modeWord reads live and test, and the boolean of providers that say whether
// an event is live.
func modeWord(word string) (mode payment.Mode, told bool) {
	switch word {
	case "live", "true", "1":
		return payment.Live, true
	case "test", "false", "0":
		return payment.Test, true
	}
	return payment.Live, false
}
