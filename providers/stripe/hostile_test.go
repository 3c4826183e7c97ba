package stripe

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"desfecho/internal/payment"
	"desfecho/internal/provider"
)

// payloads are texts that do harm where they are printed, linked or run.
var payloads = []string{
	"\x1b[31mred\x1b[0m\a\b\x7f\u0085", "\u202e0052 yrO\u2066", "=HYPERLINK(\"https://x\")", "@SUM(A1)", "a\r\nb\tc",
	"<script>alert(1)</script>", "'; DROP TABLE attempts; --", "../../etc/passwd", "a&after=b&part=refund", "%2e%2e%00", "$(reboot)`id`", "\\u0000",
}

// words are fields whose text has a meaning for the adapter: another one is
// another object, or none.
var words = []string{"id", "object", "currency", "payment_intent", "charge", "latest_charge", "balance_transaction", "source", "transfer"}

// poison replaces every text of an object but those of words.
func poison(v any, payload string) any {
	switch v := v.(type) {
	case thing:
		out := maps.Clone(v)
		for name, inner := range v {
			if _, text := inner.(string); text && slices.Contains(words, name) {
				continue
			}
			out[name] = poison(inner, payload)
		}
		return out
	case []any:
		out := slices.Clone(v)
		for i := range v {
			out[i] = poison(v[i], payload)
		}
		return out
	case string:
		return payload
	}
	return v
}

// TestHostileTextsComeOutAsTheyAre: an adapter neither runs, shortens nor mends
// a text; what prints it escapes it. A status that is none is unmapped, a type
// that is none is other.
func TestHostileTextsComeOutAsTheyAre(t *testing.T) {
	t.Parallel()
	for _, payload := range payloads {
		f := serve(t)
		f.strange = true
		for path, all := range f.Lists {
			if path == "/v1/account" || path == "/v1/balance" {
				continue
			}
			for i := range all {
				all[i] = poison(all[i], payload).(thing)
			}
		}
		p := f.provider(Options{})
		for _, page := range slice(t, p, Objects, first, last) {
			for _, u := range page.Units {
				if u.State != payment.StateNone && u.State != payment.StateUnmapped && u.ID != "tr_1" || u.Asked.Known && u.Currency.IsZero() {
					t.Errorf("%q: %+v", payload, u)
				}
				for _, r := range u.References {
					if r.Value != payload {
						t.Errorf("%q became %q", payload, r.Value)
					}
				}
			}
		}
		for _, page := range slice(t, p, Balance, first, last) {
			for _, l := range page.Lines {
				if l.Kind != payment.KindOther || l.Raw != payload {
					t.Errorf("%q: %+v", payload, l)
				}
			}
		}
		answer, err := p.LookUp(t.Context(), provider.Question{Attempt: attempt(payment.Transfer, at.Add(1000e9)), Key: byAttempt(payload)})
		if err != nil || answer.Outcome != payment.Found || !json.Valid(answer.Raw) || !json.Valid(answer.Canonical) {
			t.Errorf("%q: %s %v", payload, writtenAnswer(answer), err)
		}
	}
}

// TestHostileIDsAreIDs: pages begin where they must whatever the id is, and
// every row is read once.
func TestHostileIDsAreIDs(t *testing.T) {
	t.Parallel()
	f := serve(t)
	f.strange = true
	for path, all := range f.Lists {
		for i, o := range all {
			if id, ok := o["id"].(string); ok && path != "/v1/account" && path != "/v1/payouts" {
				o["id"] = id + payloads[i%len(payloads)]
			}
		}
	}
	for _, statement := range []string{Objects, Balance} {
		f.cap(100)
		p := f.provider(Options{})
		whole := written(slice(t, p, statement, first, last))
		f.cap(1)
		if single := written(slice(t, p, statement, first, last)); !sameLines(single, whole) {
			t.Errorf("%s: pages of one row tell something else", statement)
		}
	}
	id := "pi_" + payloads[0]
	answer, err := f.provider(Options{}).LookUp(t.Context(), provider.Question{Attempt: attempt(payment.Charge, at), Key: byUnit(id)})
	if err == nil && answer.Outcome != payment.NotFound {
		t.Errorf("%+v %v", answer, err)
	}
}

func splitLines(text string) []string {
	return strings.Split(strings.TrimSpace(text), "\n")
}
