package propose

import "fmt"

func (w *writer) events() {
	e := w.p.Events
	if e == nil {
		return
	}
	w.line("")
	w.line("events:")
	w.value("  ", "read", e.Read, "events.read")
	w.line("  columns:")
	c := &e.Columns
	for _, v := range []struct{ key, value string }{
		{"id", c.ID},
		{"provider", c.Provider},
		{"external_id", c.ExternalID},
		{"type", c.Type},
		{"status", c.Status},
		{"payload", c.Payload},
		{"created_at", c.CreatedAt},
		{"processed_at", c.ProcessedAt},
	} {
		w.value("    ", v.key, v.value, "")
	}
	w.words("pending", e.Pending, "events.pending")
	w.words("processed", e.Processed, "events.processed")
	w.words("settles", e.Settles, "events.settles")
	w.value("  ", "unit", e.Unit, "events.unit")
	w.value("  ", "mode", e.Mode, "events.mode")
	if why := w.p.reasons["events.references"]; why != "" {
		w.note("  ", "references: "+why)
	}
	if len(e.References) > 0 {
		w.line("  references:")
		for _, r := range e.References {
			w.line(fmt.Sprintf("    - {path: %s, here: %s}", scalar(r.Path), scalar(r.Here)))
		}
	}
}

func (w *writer) business() {
	b := w.p.Business
	if b == nil {
		return
	}
	w.line("")
	w.line("business:")
	w.value("  ", "read", b.Read, "business.read")
	w.line("  columns:")
	for _, v := range []struct{ key, value string }{{"id", b.Columns.ID}, {"charge", b.Columns.Charge}, {"kind", b.Columns.Kind}, {"key", b.Columns.Key}} {
		w.value("    ", v.key, v.value, "")
	}
	w.words("credits", b.Credits, "business.credits")
}

// words writes a list unless it is empty and not asked for.
func (w *writer) words(key string, words []string, place string) {
	if len(words) > 0 || w.asked(place) != nil {
		w.line("  " + key + ": " + list(words) + w.comment(place))
	}
}
