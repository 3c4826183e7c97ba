package propose

import (
	"context"
	"regexp"
	"strings"

	"desfecho/internal/catalog"
	"desfecho/internal/check"
)

var bookish = regexp.MustCompile(`ledger|lancamento|lançamento|entries|entry|credit|extrato|razao`)

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
			b.askList("business.credits", "Which words of "+kind+" give a credit?", creditless(rows), &e.Credits)
		}
		b.p.Business = e
		b.because("business.read", "its name, and it holds %s", charge)
		return nil
	}
	return nil
}

func creditless(rows []catalog.Row) string {
	if len(rows) == 0 {
		return "no entry is stored yet"
	}
	return "none of those that are stored says it by its name"
}
