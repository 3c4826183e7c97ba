package check

import (
	"fmt"
	"strings"

	"desfecho/internal/catalog"
	"desfecho/internal/store"
)

// Grants is the SQL that lets a role of PostgreSQL read what the audits look at
// beside the attempts: the described columns of stored events and of ledger
// entries, and no other. Either may be nil. The error is a
// *store.DescriptionError.
func Grants(role string, events *store.EventsTable, business *BusinessTable) (string, error) {
	text := ""
	if events != nil {
		if err := events.Check(); err != nil {
			return "", err
		}
		text += grant(role, events.Read, eventsNamed(events))
	}
	if business != nil {
		if err := business.check(); err != nil {
			return "", err
		}
		text += grant(role, business.Read, business.named())
	}
	return text, nil
}

func grant(role, relation string, columns []named) string {
	var quoted []string
	for _, c := range columns {
		if c.column != "" {
			quoted = append(quoted, catalog.Identifier(c.column))
		}
	}
	return fmt.Sprintf("GRANT SELECT (%s) ON %s TO %s;\n", strings.Join(quoted, ", "), catalog.Quote(relation), catalog.Identifier(role))
}
