package propose

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"desfecho/internal/catalog"
	"desfecho/internal/check"
	"desfecho/internal/store"
)

var (
	settling = regexp.MustCompile(`paid|pago|paga|succeeded|captured|approved|aprovad|confirmed|received|recebid|declined|recusad|refused|failed|falh|expired|expirad|vencid|cancel`)
	bookish  = regexp.MustCompile(`ledger|lancamento|lançamento|entries|entry|credit|extrato|razao`)
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
	if err := b.eventWords(ctx, e); err != nil {
		return err
	}
	return b.paths(ctx, e)
}

func (b *builder) eventWords(ctx context.Context, e *store.EventsTable) error {
	if e.Columns.Status != "" {
		rows, err := b.values(ctx, e.Read, e.Columns.Status)
		if err != nil {
			return err
		}
		for _, r := range rows {
			word := strings.ToLower(r[0].Value)
			switch {
			case means(word) == "pending", word == "received", word == "recebido":
				e.Pending = append(e.Pending, r[0].Value)
			case strings.HasPrefix(word, "process"), means(word) == "succeeded", word == "handled":
				e.Processed = append(e.Processed, r[0].Value)
			}
		}
		if len(e.Pending) == 0 {
			b.because("events.pending", "no word for it was seen; write those of events that wait")
		}
	}
	if e.Columns.Type == "" {
		return nil
	}
	rows, err := b.values(ctx, e.Read, e.Columns.Type)
	for _, r := range rows {
		if settling.MatchString(strings.ToLower(r[0].Value)) {
			e.Settles = append(e.Settles, r[0].Value)
		}
	}
	slices.Sort(e.Settles)
	b.because("events.settles", "by their names: events of these types end an attempt")
	return err
}

// paths finds where payloads hold what stands in the attempts: whose values
// are keys, charges or provider ids there. It looks at the newest payloads.
func (b *builder) paths(ctx context.Context, e *store.EventsTable) error {
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
	if path != "" {
		e.References = append(e.References, store.EventReference{Path: path, Here: c.Key})
	}
	if e.Unit != "" || path != "" {
		b.because("events.unit", "the newest payloads hold there what stands in the attempts")
	}
	return err
}

// leaves gathers the texts and numbers of a JSON value by their path. Lists are
// left out: a path leads to one value.
func leaves(path string, value any, into map[string][]string) {
	switch v := value.(type) {
	case map[string]any:
		for key, inner := range v {
			if !strings.Contains(key, ".") {
				leaves(strings.TrimPrefix(path+"."+key, "."), inner, into)
			}
		}
	case string:
		into[path] = append(into[path], v)
	case json.Number:
		into[path] = append(into[path], v.String())
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

// business looks for the table of ledger entries: a charge, and a kind that
// tells credits from debits or a key of its own.
func (b *builder) business(ctx context.Context) error {
	charge := b.p.Attempts.Columns.Charge
	for _, t := range b.tables {
		_, there := t.Column(charge)
		if !there || charge == "" || t == b.t || t.View || t.Primary() == "" || !bookish.MatchString(strings.ToLower(t.Name)) {
			continue
		}
		taken := []string{t.Primary(), charge}
		kind, _ := pattern{names: names("kind type tipo natureza entry_type direction")}.column(t, taken)
		key, _ := pattern{names: names("entry_key key chave unique_key idempotency_key dedup_key"), forms: regexp.MustCompile(`_key$|^chave_`)}.column(t, taken)
		e := &check.BusinessTable{Read: t.Name, Columns: check.BusinessColumns{ID: t.Primary(), Charge: charge, Kind: kind, Key: key}}
		if kind != "" {
			rows, err := b.values(ctx, t.Name, kind)
			if err != nil {
				return err
			}
			for _, r := range rows {
				if strings.HasPrefix(strings.ToLower(r[0].Value), "cr") { // credit, crédito, CR
					e.Credits = append(e.Credits, r[0].Value)
				}
			}
		}
		b.p.Business = e
		b.because("business.read", "its name, and it holds %s", charge)
		return nil
	}
	return nil
}
