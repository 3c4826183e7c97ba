//go:build unix

package cmd

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"desfecho/providers/providertest"
)

// says are the levels of a provider's lines, by audit.
func says(out, name string) map[string]string {
	all := map[string]string{}
	for l := range strings.Lines(out) {
		if f := strings.Split(l, "\t"); len(f) > 4 && strings.HasPrefix(f[3], name+" ") {
			all[f[1]] = strings.TrimPrefix(all[f[1]]+" "+f[0], " ")
		}
	}
	return all
}

// TestCheckAsksEveryProviderWhatItNeeds and leaves everything as it is: before
// the first pull, and after it.
func TestCheckAsksEveryProviderWhatItNeeds(t *testing.T) {
	t.Parallel()
	names := slices.Sorted(maps.Keys(psps()))
	st := openStand(t, sqliteShop(t), false, names...)
	before := st.state()
	out, _ := st.wants(exitDone, "check", "--provider")
	for _, name := range names {
		if got := says(out, name); strings.Trim(got["provider_lookup"], "unkow ") != "" || got["provider_account"] != "ok" {
			t.Errorf("%s before anything is stored: %q\n%s", name, got, out)
		}
	}
	if diff := cmp.Diff(before, st.state()); diff != "" {
		t.Errorf("it wrote (-before +after)\n%s", diff)
	}
	st.wants(exitDivergences, "run")
	before = st.state()
	out, _ = st.wants(exitDone, "check", "--provider")
	for name, want := range map[string]map[string]string{
		"asaas":   {"provider_access": "unknown", "provider_statement": "ok ok ok"},
		"pagarme": {"provider_access": "warning", "provider_statement": "ok ok ok ok"},
		"pix":     {"provider_access": "ok", "provider_statement": "ok ok ok ok"},
		"stripe":  {"provider_access": "unknown", "provider_statement": "ok ok"},
		"zoop":    {"provider_access": "warning", "provider_statement": "ok"},
	} {
		got := says(out, name)
		want["provider_reach"], want["provider_account"], want["provider_clock"] = "ok", "ok", "ok"
		if !strings.Contains(got["provider_lookup"], "ok") || strings.Contains(got["provider_lookup"], "fault") {
			t.Errorf("%s: %s\n%s", name, got["provider_lookup"], out)
		}
		delete(got, "provider_lookup")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", name, diff)
		}
	}
	if diff := cmp.Diff(before, st.state()); diff != "" {
		t.Errorf("it wrote (-before +after)\n%s", diff)
	}
	if out, _ := st.wants(exitDone, "check", "--provider", "zoop", "--json"); !strings.Contains(out, `"answers":[]`) || strings.Contains(out, "stripe") {
		t.Errorf("one of them: %s", out)
	}
	st.wants(exitNotUsable, "check", "--provider", "strype")
}

// TestCheckSaysWhatIsWrongWithAProvider, each with its own exit code.
func TestCheckSaysWhatIsWrongWithAProvider(t *testing.T) {
	t.Parallel()
	st := openStand(t, sqliteShop(t), false, "stripe", "zoop")
	stripe := st.plays["stripe"]
	st.wants(exitDivergences, "run")
	answers := func(status int, body providertest.Row, paths ...string) func(int, *http.Request, providertest.Exchange) http.HandlerFunc {
		return func(_ int, r *http.Request, _ providertest.Exchange) http.HandlerFunc {
			if !slices.ContainsFunc(paths, func(path string) bool { return strings.HasPrefix(r.URL.Path, path) }) {
				return nil
			}
			return func(w http.ResponseWriter, _ *http.Request) { providertest.Say(w, status, body) }
		}
	}
	hostile := providertest.Row{"error": providertest.Row{"message": "\x1b[31m" + stripe.secret}}
	for _, c := range []struct {
		name, audit, level string
		alone, all         exitCode
		wrong              func(int, *http.Request, providertest.Exchange) http.HandlerFunc
	}{
		{"a refused key", "provider_account", "fault", exitCredentials, exitIncomplete, answers(401, hostile, "/")},
		{"nobody answers", "provider_reach", "fault", exitIncomplete, exitIncomplete, answers(502, hostile, "/")},
		{"another account", "provider_account", "fault", exitDivergences, exitDivergences, answers(200, providertest.Row{"id": "acct_2", "object": "account"}, "/v1/account")},
		{"a right that is missing", "provider_statement", "fault ok", exitIncomplete, exitIncomplete, answers(403, hostile, "/v1/balance_transactions")},
		{"an object that is not shown", "provider_lookup", "fault", exitIncomplete, exitIncomplete, answers(500, hostile, "/v1/payment_intents/", "/v1/charges/")},
	} {
		stripe.goesWrong(c.wrong)
		for code, args := range map[exitCode][]string{c.alone: {"stripe"}, c.all: nil} {
			out, told := st.wants(code, append([]string{"check", "--provider", "-v"}, args...)...)
			if got := says(out, "stripe")[c.audit]; !strings.Contains(got, c.level) {
				t.Errorf("%s: %s is %q\n%s", c.name, c.audit, got, out)
			}
			if strings.Contains(out+told, "\x1b") || strings.Contains(out+told, stripe.secret) {
				t.Errorf("%s: told %q", c.name, out+told)
			}
		}
	}
	stripe.goesWrong(nil)
	stripe.date = stripe.date.Add(-time.Hour)
	if out, _ := st.wants(exitDone, "check", "--provider", "stripe"); says(out, "stripe")["provider_clock"] != "warning" {
		t.Errorf("another time: %s", out)
	}
	if out, _ := st.wants(exitDone, "check", "--provider", "zoop"); says(out, "zoop")["provider_clock"] != "ok" {
		t.Errorf("the other's time: %s", out)
	}
	st.file("stripe.key", strings.Replace(stripe.key, "rk_", "sk_", 1))
	if out, _ := st.wants(exitDone, "check", "--provider", "stripe"); says(out, "stripe")["provider_access"] != "warning" {
		t.Errorf("a key that may do everything: %s", out)
	}
}
