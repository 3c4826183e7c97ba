package cmd

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"desfecho/internal/payment"
	"desfecho/internal/store"
)

// mostStrangers is how many attempts of providers that are not configured are
// counted one by one.
const mostStrangers = 100_000

// strangers says in words how many attempts of the window name a provider that
// is not configured: nothing compares them, and nobody else would tell.
func (r *databaseRun) strangers(ctx context.Context, view store.View, window payment.Interval) (string, error) {
	if window.Empty() {
		return "", nil
	}
	total, of := 0, map[string]int{}
	see := func(a *payment.Attempt) {
		total++
		of[a.Provider]++
	}
	err := view.Attempts(ctx, store.AttemptFilter{
		Providers: r.config.providerNames(), Others: true, Created: &window, Limit: mostStrangers,
		Bad: func(a payment.Attempt, _ error) error {
			see(&a)
			return nil
		},
	}, func(a payment.Attempt) error {
		see(&a)
		return nil
	})
	if errors.Is(err, store.ErrMore) {
		return fmt.Sprintf("more than %d attempts name a provider that is not configured, and were not compared: `desfecho check` names them", mostStrangers), nil
	}
	if err != nil || total == 0 {
		return "", err
	}
	var each []string
	for _, name := range slices.Sorted(maps.Keys(of)) {
		each = append(each, fmt.Sprintf("%s (%d)", name, of[name]))
	}
	what := "attempts name a provider that is not configured, and were not compared: "
	if total == 1 {
		what = "attempt names a provider that is not configured, and was not compared: "
	}
	return fmt.Sprintf("%d %s%s", total, what, strings.Join(each, ", ")), nil
}
