package overdb

import (
	"fmt"
	"slices"
	"time"

	"go.yaml.in/yaml/v3"

	"desfecho/internal/payment"
	"desfecho/internal/store"
	"desfecho/reconcile"
)

// configuration is what a merchant with that policy would have written; more
// adds to the entry of an account.
func configuration(in *reconcile.Input, url string, d *store.Description, more func(account string, entry map[string]any), settled map[string]any) ([]byte, error) {
	var providers []map[string]any
	p := &in.Policies[0]
	accounts := slices.Clone(p.Accounts)
	if len(accounts) == 0 {
		accounts = []string{""}
	}
	for _, account := range accounts {
		entry := settings(p)
		if account != "" {
			entry["account"] = account
		}
		more(account, entry)
		providers = append(providers, entry)
	}
	all := map[string]any{"database": map[string]any{"url": url}, "attempts": d, "providers": providers}
	if d.Events != nil {
		all["events"] = d.Events
	}
	if settled != nil {
		all["resolve"] = settled
	}
	text, err := yaml.Marshal(all)
	if err != nil {
		return nil, fmt.Errorf("write the configuration: %w", err)
	}
	return text, nil
}

func settings(p *reconcile.Policy) map[string]any {
	entry := map[string]any{"name": p.Provider, "mode": p.Mode.String(), "timezone": p.Zone.String(), "succeeded_means": means(p)}
	if p.CapacityMany {
		entry["charge_capacity"] = "many"
	}
	for key, length := range map[string]time.Duration{
		"orphan_after": p.OrphanAfter, "visible_after": p.VisibleAfter, "visible_after_5xx": p.VisibleAfter5xx, "publish_lag": p.PublishLag,
		"recheck_gap": p.RecheckGap, "skew": p.Skew, "evidence_max_age": p.EvidenceMaxAge,
		"look_alike_window": p.LookAlikeWindow, "open_limit": p.OpenLimit, "review_after": p.ReviewAfter,
	} {
		if length > 0 {
			entry[key] = length.String()
		}
	}
	books := []map[string]any{{"after": p.BooksAfter.String()}}
	for method, after := range p.BooksAfterBy {
		books = append(books, map[string]any{"method": method, "after": after.String()})
	}
	entry["books_after"] = books
	var keys []string
	for _, key := range p.LookupBy {
		keys = append(keys, keyWord(key))
	}
	entry["lookup_by"] = keys
	return entry
}

func keyWord(key payment.LookupKey) string {
	switch key.Kind {
	case payment.KeyUnit:
		return "unit"
	case payment.KeyIdempotency:
		return "key"
	case payment.KeyReference:
	}
	return key.Name
}

func means(p *reconcile.Policy) map[string]string {
	said := map[string]string{}
	for operation, m := range p.SucceededMeans {
		for _, word := range []string{"created", "authorized", "captured"} {
			if is, err := reconcile.ParseMeans(word); err == nil && is == m {
				said[operation.String()] = word
			}
		}
	}
	return said
}
