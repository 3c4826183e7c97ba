package overdb

import (
	"encoding/json"
	"fmt"
	"strings"

	"desfecho/internal/store"
	"desfecho/reconcile"
)

// eventsTable is the merchant's table of stored events of a case.
const eventsTable = "case_events"

// describeEvents says how the stored events of a case are read.
func describeEvents(d *store.Description) *store.EventsTable {
	e := &store.EventsTable{
		Read: eventsTable, Columns: store.EventColumns{ID: "id", ExternalID: "id", Payload: "payload", CreatedAt: "created_at"},
		Unit: "object.id", Mode: "mode", References: []store.EventReference{{Path: "object.key", Here: d.Columns.Key}},
	}
	for _, r := range d.References {
		e.References = append(e.References, store.EventReference{Path: "object." + r.There, Here: r.Here})
	}
	return e
}

// eventsSQL makes the table of stored events anew.
func eventsSQL(in *reconcile.Input) string {
	var b strings.Builder
	fmt.Fprintf(&b, "DROP TABLE IF EXISTS %s;\nCREATE TABLE %s (id text, created_at text, payload text);\n", eventsTable, eventsTable)
	for i := range in.Events {
		e := &in.Events[i]
		metadata := map[string]string{}
		for _, r := range e.References {
			metadata[r.Name] = r.Value
		}
		payload, err := json.Marshal(map[string]any{
			"mode": e.Mode.String(), "object": map[string]any{"id": e.Unit, "key": e.Key, "metadata": metadata},
		})
		if err != nil { // texts and maps of texts: never
			payload = nil
		}
		fmt.Fprintf(&b, "INSERT INTO %s VALUES (%s, %s, %s);\n", eventsTable, literal(fmt.Sprint(i)), literal(e.At.String()), literal(string(payload)))
	}
	return b.String()
}
