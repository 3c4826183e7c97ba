package propose

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"desfecho/internal/catalog"
	"desfecho/internal/store"
)

var (
	settling = regexp.MustCompile(`paid|pago|paga|succeeded|captured|approved|aprovad|confirmed|received|recebid|declined|recusad|refused|failed|falh|expired|expirad|vencid|cancel`)
	waiting  = names("received recebido recebida queued na_fila")
	handled  = names("processed processado processada handled tratado tratada")
	modeName = regexp.MustCompile(`(?i)^(is_?)?(live_?mode|live|mode)$`)
	modeWord = regexp.MustCompile(`^(live|test|true|false|1|0)$`)
)

func eventPatterns() map[string]pattern {
	return map[string]pattern{
		"external_id":  {names: names("external_id event_id provider_event_id id_externo evento_id id_evento")},
		"provider":     {names: names("provider gateway psp provedor source origem")},
		"type":         {names: names("type event_type tipo evento event kind")},
		"status":       {names: names("status state situacao estado")},
		"payload":      {names: names("payload body data corpo dados conteudo")},
		"created_at":   {names: names("created_at criado_em criada_em received_at recebido_em inserted_at"), types: timeType},
		"processed_at": {names: names("processed_at processado_em processada_em handled_at"), types: timeType},
	}
}

// events looks for the table of stored webhook events.
func (b *builder) events(ctx context.Context) error {
	at := slices.IndexFunc(b.tables, func(t *catalog.Table) bool {
		external, _ := eventPatterns()["external_id"].column(t, nil)
		return told(t) && t.Primary() != "" && external != ""
	})
	if at < 0 {
		return nil
	}
	t := b.tables[at]
	e := &store.EventsTable{Read: t.Name, Columns: store.EventColumns{ID: t.Primary()}}
	for field, to := range map[string]*string{
		"external_id": &e.Columns.ExternalID, "provider": &e.Columns.Provider, "type": &e.Columns.Type, "status": &e.Columns.Status,
		"payload": &e.Columns.Payload, "created_at": &e.Columns.CreatedAt, "processed_at": &e.Columns.ProcessedAt,
	} {
		*to, _ = eventPatterns()[field].column(t, []string{t.Primary()})
	}
	b.p.Events = e
	b.because("events.read", "it holds payloads and %s", e.Columns.ExternalID)
	for _, step := range []func(context.Context, *catalog.Table, *store.EventsTable) error{b.eventWords, b.eventTypes, b.paths} {
		if err := step(ctx, t, e); err != nil {
			return err
		}
	}
	return nil
}

// eventWords sorts the words of the status column: those of rows, those that
// the column's type allows, and the one that a new row has.
func (b *builder) eventWords(ctx context.Context, t *catalog.Table, e *store.EventsTable) error {
	column, has := t.Column(e.Columns.Status)
	if !has {
		return nil
	}
	all, counts, err := b.said(ctx, t, column)
	if err != nil {
		return err
	}
	var left []string
	for _, w := range all {
		low := strings.ToLower(w)
		switch {
		case means(low) == "pending", slices.Contains(waiting, low):
			e.Pending = append(e.Pending, w)
			b.tell("events.pending", fmt.Sprintf("%q: %s", w, counts[w]))
		case means(low) == "succeeded", slices.Contains(handled, low):
			e.Processed = append(e.Processed, w)
			b.tell("events.processed", fmt.Sprintf("%q: %s", w, counts[w]))
		default:
			left = append(left, fmt.Sprintf("%q: %s", w, counts[w]))
		}
	}
	why := "no row says it"
	if len(left) > 0 {
		why = "not known: " + strings.Join(left, "; ")
	}
	b.askList("events.pending", "Which words of "+column.Name+" does an event have that waits?", why, &e.Pending)
	b.askList("events.processed", "Which words of "+column.Name+" does an event have that was processed?", why, &e.Processed)
	return nil
}

// askList asks for words where none was found; an answer has blanks or commas
// between them, and is - where there are none.
func (b *builder) askList(key, ask, why string, list *[]string) {
	if len(*list) > 0 {
		return
	}
	b.ask(Question{Key: key, Ask: ask, Why: why + ". Answer - where there is none", put: func(v string) {
		*list = nil
		if v != "-" {
			*list = strings.FieldsFunc(v, func(r rune) bool { return r == ' ' || r == ',' })
		}
	}})
}

func (b *builder) eventTypes(ctx context.Context, _ *catalog.Table, e *store.EventsTable) error {
	if e.Columns.Type == "" {
		return nil
	}
	rows, err := b.values(ctx, e.Read, e.Columns.Type)
	if err != nil {
		return err
	}
	for _, r := range rows {
		if settling.MatchString(strings.ToLower(r[0].Value)) {
			e.Settles = append(e.Settles, r[0].Value)
		}
	}
	slices.Sort(e.Settles)
	if len(e.Settles) > 0 {
		b.because("events.settles", "by their names: events of these types end an attempt")
	}
	why := "no event is stored yet"
	if len(rows) > 0 {
		why = "the name of none that is stored says it"
	}
	b.askList("events.settles", "Which types of events end an attempt?", why, &e.Settles)
	return nil
}

// paths finds where payloads hold what stands in the attempts: whose values
// are keys, charges or provider ids there. It looks at the newest payloads.
func (b *builder) paths(ctx context.Context, _ *catalog.Table, e *store.EventsTable) error {
	if e.Columns.Payload == "" {
		return nil
	}
	rows, err := b.db.Rows(ctx, fmt.Sprintf("SELECT CAST(%s AS text) FROM %s ORDER BY %s DESC LIMIT 50",
		catalog.Identifier(e.Columns.Payload), catalog.Quote(e.Read), catalog.Identifier(e.Columns.ID)))
	if err != nil {
		return err
	}
	found := map[string][]string{} // path to values
	for _, r := range rows {
		var payload any
		if d := json.NewDecoder(strings.NewReader(r[0].Value)); d != nil {
			d.UseNumber()
			if d.Decode(&payload) == nil {
				leaves("", payload, found)
			}
		}
	}
	c := &b.p.Attempts.Columns
	if e.Unit, err = b.held(ctx, c.ProviderChargeID, found); err != nil {
		return err
	}
	path, err := b.held(ctx, c.Key, found)
	if err != nil {
		return err
	}
	if path != "" {
		e.References = append(e.References, store.EventReference{Path: path, Here: c.Key})
	}
	if e.Unit != "" {
		b.because("events.unit", "the newest payloads hold there what stands in the attempts")
	}
	if len(found) > 0 && path == "" && c.Key != "" {
		b.because("events.references", "none of the newest payloads holds what stands in %s", c.Key)
	}
	b.askPaths(e, found)
	return nil
}

// askPaths asks where payloads name the object and the mode, where the stored
// ones do not show it.
func (b *builder) askPaths(e *store.EventsTable, found map[string][]string) {
	const unit, mode = "events.unit", "events.mode"
	none := "no payload is stored yet"
	if len(found) > 0 {
		none = "none of the newest payloads holds a provider's id of the attempts"
	}
	if e.Unit == "" {
		b.ask(Question{
			Key: unit, Ask: "Under which path does a payload hold the provider's id of the object?", Why: none + ". Keys with dots between them, such as data.object.id; - where it does not",
			put: func(v string) { e.Unit = orNone(v) },
		})
	}
	switch e.Mode = modePath(found); {
	case e.Mode != "":
		b.because(mode, "the newest payloads say there: %s", strings.Join(slices.Compact(slices.Sorted(slices.Values(found[e.Mode]))), ", "))
	case len(found) > 0:
		b.because(mode, "no payload says live or test: an event is of the mode of its provider's account")
	default:
		b.ask(Question{
			Key: mode, Ask: "Under which path does a payload say live or test?", Why: none + ". Such as livemode; - where none does",
			put: func(v string) { e.Mode = orNone(v) },
		})
	}
}

// orNone reads the answer - as nothing.
func orNone(answer string) string {
	if answer == "-" {
		return ""
	}
	return answer
}

// modePath is the path whose name is that of a mode and whose values are all
// words for one; the shortest, for what lies deeper is an object's own.
func modePath(found map[string][]string) string {
	best := ""
	for path, values := range found {
		name := path[strings.LastIndexByte(path, '.')+1:]
		if !modeName.MatchString(name) || slices.ContainsFunc(values, func(v string) bool { return !modeWord.MatchString(v) }) {
			continue
		}
		deep, known := strings.Count(path, "."), strings.Count(best, ".")
		if best == "" || deep < known || deep == known && path < best {
			best = path
		}
	}
	return best
}

// leaves gathers the values of a JSON value by their path. Lists are left out:
// a path leads to one value.
func leaves(path string, value any, into map[string][]string) {
	switch v := value.(type) {
	case map[string]any:
		for key, inner := range v {
			if !strings.Contains(key, ".") {
				leaves(strings.TrimPrefix(path+"."+key, "."), inner, into)
			}
		}
	case string, json.Number, bool:
		into[path] = append(into[path], fmt.Sprint(v))
	}
}

// held is the path of which most values stand in the attempts' column, "" for
// none.
func (b *builder) held(ctx context.Context, column string, found map[string][]string) (best string, _ error) {
	if column == "" {
		return "", nil
	}
	most := 0
	paths := make([]string, 0, len(found))
	for path := range found {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	for _, path := range paths {
		q := &catalog.Query{}
		name := "CAST(" + catalog.Identifier(column) + " AS text)"
		rows, err := b.db.Ask(ctx, q, "SELECT count(*) FROM "+catalog.Quote(b.t.Name)+" WHERE "+q.In(name, found[path]))
		if err != nil {
			return "", err
		}
		n := 0
		if _, err := fmt.Sscan(rows[0][0].Value, &n); err != nil {
			return "", err
		}
		if n > most {
			best, most = path, n
		}
	}
	return best, nil
}
