package propose

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"desfecho/internal/ui"
)

// YAML is the proposal as a configuration: the sections database, attempts,
// events and business where there are such tables, and providers, each value with its reason, each unanswered question as a blank
// with Blank beside it. The same proposal gives the same bytes.
func (p *Proposal) YAML() string {
	w := &writer{p: p}
	w.note("", "Proposed by `desfecho init` from the database's catalogue and rows.")
	w.note("", "Fill in what is marked with "+Blank+", then run `desfecho check`.")
	w.line("database:")
	w.value("  ", "url_file", p.urlFile, "database.url_file")
	w.line("")
	w.note("", "Tables that could hold the attempts:")
	for _, c := range p.Candidates {
		w.note("", fmt.Sprintf("  %s (%d): %s", c.Table, c.Points, strings.Join(c.Reasons, ", ")))
	}
	w.attempts()
	w.events()
	w.business()
	w.line("")
	w.line("providers:")
	for i := range p.Providers {
		w.provider(&p.Providers[i])
	}
	return w.text.String()
}

type writer struct {
	p    *Proposal
	text strings.Builder
}

func (w *writer) line(text string) { w.text.WriteString(text + "\n") }

// note is a comment; what it says came from the database.
func (w *writer) note(indent, text string) { w.line(indent + "# " + ui.Clean(text).String()) }

// value writes a key unless it is empty and not asked for.
func (w *writer) value(indent, key, value, place string) {
	asked := w.asked(place)
	if value == "" && asked == nil {
		if why := w.p.reasons[place]; why != "" {
			w.note(indent, key+": "+why)
		}
		return
	}
	w.line(indent + key + ": " + scalar(value) + w.comment(place))
}

// asked is the question of a place that nobody answered.
func (w *writer) asked(place string) *Question {
	for i := range w.p.Questions {
		if q := &w.p.Questions[i]; q.Key == place && !q.done {
			return q
		}
	}
	return nil
}

func (w *writer) comment(place string) string {
	var parts []string
	if q := w.asked(place); q != nil {
		text := Blank + " " + q.Ask
		if len(q.Options) > 0 {
			text += " (" + strings.Join(q.Options, ", ") + ")"
		}
		if q.Suggest != "" {
			text += " Likely " + q.Suggest + "."
		}
		parts = append(parts, text, q.Why)
	} else if why := w.p.reasons[place]; why != "" {
		parts = append(parts, why)
	}
	if len(parts) == 0 {
		return ""
	}
	return "  # " + ui.Clean(strings.Join(parts, " ")).String()
}

func (w *writer) attempts() {
	a := &w.p.Attempts
	w.line("attempts:")
	w.value("  ", "read", a.Read, "attempts.read")
	w.value("  ", "write", a.Write, "attempts.write")
	if len(a.Joins) > 0 {
		w.line("  joins:" + w.comment("attempts.joins"))
		for _, j := range a.Joins {
			w.line(fmt.Sprintf("    - {table: %s, here: %s, there: %s}", scalar(j.Table), scalar(j.Here), scalar(j.There)))
		}
	}
	w.value("  ", "timezone", a.Timezone, "attempts.timezone")
	w.columns()
	if len(a.References) > 0 {
		w.line("  references:")
		for _, r := range a.References {
			w.line(fmt.Sprintf("    - {here: %s, there: %s, scope: %s}%s", scalar(r.Here), scalar(r.There), scalar(r.Scope), w.comment("attempts.references."+r.Here)))
		}
	}
	w.status()
	w.operations()
	w.reserves()
	w.value("  ", "provider", a.Provider, "attempts.provider")
	w.value("  ", "currency", a.Currency, "attempts.currency")
	w.value("  ", "operation", a.Operation, "attempts.operation")
}

func (w *writer) columns() {
	c := &w.p.Attempts.Columns
	w.line("  columns:")
	for _, v := range []struct{ key, value string }{
		{"id", c.ID},
		{"charge", c.Charge},
		{"key", c.Key},
		{"provider", c.Provider},
		{"account", c.Account},
		{"status", c.Status},
		{"provider_charge_id", c.ProviderChargeID},
		{"amount", c.Amount},
		{"unit", c.Unit},
		{"charge_amount", c.ChargeAmount},
		{"currency", c.Currency},
		{"created_at", c.CreatedAt},
		{"updated_at", c.UpdatedAt},
		{"last_sent", c.LastSent},
		{"resolved_at", c.ResolvedAt},
		{"last_error", c.LastError},
		{"operation", c.Operation},
		{"payload_hash", c.PayloadHash},
		{"reserve", c.Reserve},
		{"version", c.Version},
	} {
		w.value("    ", v.key, v.value, "attempts.columns."+v.key)
	}
}

func (w *writer) status() {
	s := &w.p.Attempts.Status
	w.line("  status:")
	for _, v := range []struct {
		key   string
		words []string
	}{{"pending", s.Pending}, {"unknown", s.Unknown}, {"succeeded", s.Succeeded}, {"failed", s.Failed}} {
		w.line("    " + v.key + ": " + list(v.words) + w.comment("attempts.status."+v.key))
	}
	for _, word := range w.p.strange {
		if q := w.asked("attempts.status." + word); q != nil {
			w.note("    ", fmt.Sprintf("%s %q: put it into one of %s; %s", Blank, word, strings.Join(q.Options, ", "), q.Why))
		}
	}
}

// mapping is one list of a section that maps words.
type mapping struct {
	key   string
	words []string
}

func (w *writer) operations() {
	o := &w.p.Attempts.Operations
	w.mappings("operations", []mapping{
		{"charge", o.Charge},
		{"authorize", o.Authorize},
		{"capture", o.Capture},
		{"refund", o.Refund},
		{"transfer", o.Transfer},
		{"bill_payment", o.BillPayment},
	})
}

func (w *writer) reserves() {
	r := &w.p.Attempts.Reserves
	w.mappings("reserves", []mapping{{"held", r.Held}, {"released", r.Released}, {"consumed", r.Consumed}})
	for _, word := range w.p.reserved {
		if q := w.asked("attempts.reserves." + word); q != nil {
			w.note("  ", fmt.Sprintf("%s reserves, %q: put it into one of %s; %s", Blank, word, strings.Join(q.Options, ", "), q.Why))
		}
	}
}

// mappings writes the lists that hold words, each with its reason.
func (w *writer) mappings(section string, all []mapping) {
	first := true
	for _, v := range all {
		if len(v.words) == 0 {
			continue
		}
		if first {
			w.line("  " + section + ":")
			first = false
		}
		w.line("    " + v.key + ": " + list(v.words) + w.comment("attempts."+section+"."+v.key))
	}
}

func (w *writer) provider(p *Provider) {
	place := p.place
	comment := w.comment(place + ".name")
	if comment == "" && p.Name == "" {
		comment = "  # the same as attempts.provider"
	}
	w.line("  - name: " + scalar(p.Name) + comment)
	w.value("    ", "account", p.Account, place+".account")
	w.value("    ", "timezone", p.Timezone, place+".timezone")
	w.line("    succeeded_means:")
	for _, m := range p.Means {
		w.value("      ", m.Operation, m.Is, place+".succeeded_means."+m.Operation)
	}
}

var plain = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_./]*$`)

// scalar is a text as YAML reads it back: as it is where no reader could take
// it for anything else, in double quotes otherwise.
func scalar(text string) string {
	switch strings.ToLower(text) {
	case "true", "false", "null", "yes", "no", "on", "off", "y", "n":
	default:
		if plain.MatchString(text) {
			return text
		}
	}
	quoted, err := json.Marshal(text) // YAML's double quotes take every JSON text
	if err != nil {
		return `""`
	}
	var b strings.Builder
	for _, r := range string(quoted) {
		if r >= 0x7f && r < 0xa0 || r == 0xfeff || r == 0xfffe || r == 0xffff { // but what JSON lets stand and YAML does not
			fmt.Fprintf(&b, `\u%04x`, r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

func list(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = scalar(w)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}
