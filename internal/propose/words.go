package propose

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"desfecho/internal/catalog"
	"desfecho/internal/store"
)

// words sorts the status words into the four lists: by what is known of them,
// and by the index of open attempts, which says which ones are open.
func (b *builder) words(ctx context.Context) error {
	column, _ := b.t.Column(b.columns["status"])
	open := b.openWords(column.Name)
	all, counts, err := b.said(ctx, b.t, column, open...)
	if err != nil {
		return err
	}
	for _, w := range all {
		status := means(w)
		if status == "" || (status == "succeeded" || status == "failed") && slices.Contains(open, w) {
			b.askWord(w, counts[w], slices.Contains(open, w))
			continue
		}
		b.put(status, w)
		b.tell("attempts.status."+status, fmt.Sprintf("%q: %s", w, counts[w]))
	}
	b.noWord()
	return nil
}

// noWord asks for the statuses of which no word was seen, but for unknown, for
// which a table may have none.
func (b *builder) noWord() {
	s := &b.p.Attempts.Status
	for _, v := range []struct {
		status string
		list   *[]string
	}{{"pending", &s.Pending}, {"succeeded", &s.Succeeded}, {"failed", &s.Failed}} {
		if !slices.Contains(b.p.strange, v.status) {
			b.askList("attempts.status."+v.status, fmt.Sprintf("Which words of the status mean %s?", v.status), "no row says it", v.list)
		}
	}
	if len(s.Unknown) == 0 {
		b.because("attempts.status.unknown", "no word for it was seen: a pending attempt older than orphan_after is unknown (RULES §1)")
	}
}

// said lists the words of a column in order, each with the number of its rows:
// those of rows, those that its type allows, its default, and further ones.
func (b *builder) said(ctx context.Context, t *catalog.Table, column catalog.Column, further ...string) (all []string, counts map[string]string, err error) {
	rows, err := b.values(ctx, t.Name, column.Name)
	if err != nil {
		return nil, nil, err
	}
	counts = map[string]string{}
	for _, r := range rows {
		all = append(all, r[0].Value)
		counts[r[0].Value] = inRows(r[1].Value)
	}
	if column.Default != "" && counts[column.Default] == "" {
		all, counts[column.Default] = append(all, column.Default), "no row yet, a new one says it"
	}
	for _, w := range append(slices.Clone(column.Words), further...) {
		if counts[w] == "" {
			all, counts[w] = append(all, w), "no row yet"
		}
	}
	slices.Sort(all)
	return slices.Compact(all), counts, nil
}

func inRows(count string) string {
	if count == "1" {
		return "1 row"
	}
	return count + " rows"
}

// tell adds a reason to those of a place.
func (b *builder) tell(key, text string) {
	if b.p.reasons[key] != "" {
		text = b.p.reasons[key] + "; " + text
	}
	b.p.reasons[key] = text
}

func (b *builder) put(status, word string) {
	s := &b.p.Attempts.Status
	list := map[string]*[]string{"pending": &s.Pending, "unknown": &s.Unknown, "succeeded": &s.Succeeded, "failed": &s.Failed}[status]
	if !slices.Contains(*list, word) {
		*list = append(*list, word)
	}
}

func (b *builder) askWord(word, count string, open bool) {
	options, why := statuses(), "the word is not known; "+count
	if open {
		options, why = []string{"pending", "unknown"}, "an index says that it is open; "+count
	}
	b.ask(Question{
		Key: "attempts.status." + word, Ask: fmt.Sprintf("What does the status %q mean?", word), Why: why, Options: options,
		put: func(v string) {
			b.put(v, word)
			b.because("attempts.status."+v, "%q was answered", word)
		},
	})
	b.p.strange = append(b.p.strange, word)
}

// openWords are those of a unique index on open attempts.
func (b *builder) openWords(status string) []string {
	for _, x := range b.t.Indexes {
		if h, ok := catalog.Demands(x.Predicate, status); ok && x.Unique && !h.Negated {
			return h.Words
		}
	}
	return nil
}

// references are what can go out with an attempt; where it stands at the
// provider only the program that sends it knows.
func (b *builder) references(context.Context) error {
	c := &b.p.Attempts.Columns
	for _, r := range []struct{ column, scope, means string }{{c.Charge, "charge", "the attempts of a charge share it"}, {c.Key, "attempt", "each attempt has its own"}} {
		if r.column == "" {
			continue
		}
		name := r.column
		b.ask(Question{
			Key: "attempts.references." + name, Ask: fmt.Sprintf("Under which field does %s go out to the provider?", name),
			Why: "the provider's lines are linked by it; only the program that sends it knows. Answer - where it does not go out", Suggest: "metadata." + name,
			put: func(v string) { b.refer(name, v, r.scope) },
		})
		b.refer(name, "", r.scope)
		b.because("attempts.references."+name, "%s", r.means)
	}
	return nil
}

// refer sets where a column goes out; "-" takes the reference away.
func (b *builder) refer(here, there, scope string) {
	a := &b.p.Attempts
	a.References = slices.DeleteFunc(a.References, func(r store.ReferenceAt) bool { return r.Here == here })
	if there != "-" {
		a.References = append(a.References, store.ReferenceAt{Here: here, There: there, Scope: scope})
		slices.SortStableFunc(a.References, func(x, y store.ReferenceAt) int { return strings.Compare(y.Scope, x.Scope) })
	}
}

// providers are the names of the provider's column.
func (b *builder) providers(ctx context.Context) error {
	a := &b.p.Attempts
	if a.Columns.Provider == "" {
		b.p.Providers = []Provider{{place: "providers.all"}}
		b.ask(Question{
			Key: "attempts.provider", Ask: "Which provider are all attempts with?", Why: "no column says it",
			put: func(v string) { a.Provider, b.p.Providers[0].Name = v, v },
		})
		b.askProvider(0)
		return nil
	}
	rows, err := b.values(ctx, b.t.Name, a.Columns.Provider)
	if err != nil {
		return err
	}
	for i, r := range rows {
		b.p.Providers = append(b.p.Providers, Provider{Name: r[0].Value, place: "providers." + r[0].Value})
		b.because("providers."+r[0].Value+".name", "%s", inRows(r[1].Value))
		b.askProvider(i)
	}
	if len(rows) == 0 {
		b.p.Providers = []Provider{{place: "providers.new"}}
		b.ask(Question{
			Key: "providers.new.name", Ask: fmt.Sprintf("What does %s say of a provider?", a.Columns.Provider), Why: "no row says it",
			put: func(v string) { b.p.Providers[0].Name = v },
		})
		b.askProvider(0)
	}
	return nil
}

func (b *builder) askProvider(i int) {
	at, key := func() *Provider { return &b.p.Providers[i] }, b.p.Providers[i].place
	b.ask(Question{
		Key: key + ".account", Ask: "Which account of the provider is this?", Why: "a statement of another account must not be taken for this one's",
		put: func(v string) { at().Account = v },
	})
	b.ask(Question{
		Key: key + ".timezone", Ask: "In which zone does the provider's day begin?", Why: "a statement's days are days of that zone", Suggest: b.p.Attempts.Timezone,
		put: func(v string) { at().Timezone = v },
	})
	for n, operation := range b.spoken {
		at().Means = append(at().Means, Means{Operation: operation})
		b.ask(Question{
			Key: key + ".succeeded_means." + operation, Ask: fmt.Sprintf("What does succeeded say of a %s: the provider accepted it (created), holds it (authorized), or has the money (captured)?", operation),
			Why: "a claim about money is made only where it is captured; there is no default", Options: []string{"created", "authorized", "captured"},
			put: func(v string) { at().Means[n].Is = v },
		})
	}
}
