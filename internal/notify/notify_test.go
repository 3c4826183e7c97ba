package notify_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"desfecho/internal/money"
	"desfecho/internal/notify"
	"desfecho/internal/payment"
	"desfecho/internal/store"
	"desfecho/reconcile"
)

// divergence is one of a saved run.
func divergence(id string, class reconcile.Class, severity reconcile.Severity) reconcile.Divergence {
	return reconcile.Divergence{
		ID: id, Class: class, Severity: severity, Provider: "acme", Account: "acct_1", Currency: money.MustCurrency("BRL"), Amount: 100,
		Subject: reconcile.Subject{Kind: reconcile.SubjectAttempt, IDs: []string{"a" + id}}, Attempts: []string{"a" + id},
	}
}

func everybody(name string, from reconcile.Severity, owners ...notify.Owner) notify.Target {
	return notify.Target{Name: name, From: from, Owners: owners, Owner: notify.OwnerOf}
}

// A divergence is told once, and again when it is worse; never when a person
// put it aside, when it is less severe than asked for or another's.
func TestWhatIsNewIsToldOnce(t *testing.T) {
	t.Parallel()
	aside := divergence("aside", reconcile.UnknownCharged, reconcile.P1)
	aside.Attributes = []string{reconcile.AttributeAccepted}
	ended := divergence("ended", reconcile.UnknownCharged, reconcile.P1)
	ended.LifeState = reconcile.LifeResolved
	r := &reconcile.Result{Divergences: []reconcile.Divergence{
		divergence("small", reconcile.AmountAdjusted, reconcile.P4), divergence("late", reconcile.UnknownWaiting, reconcile.P3),
		divergence("1", reconcile.UnknownCharged, reconcile.P1), divergence("2", reconcile.UnknownCharged, reconcile.P1),
		divergence("3", reconcile.DuplicateCharge, reconcile.P1), aside, ended,
	}}
	told := func(notes []store.Note, target notify.Target) (groups []string, more []store.Note) {
		news := notify.Of("r1", r, notes, target)
		for _, g := range news.Groups {
			groups = append(groups, fmt.Sprintf("%s %s %d of %d, %d worse, %s's", g.Severity, g.Class, g.Count, g.Minor, g.Escalated, g.Owner))
		}
		return groups, append(notes, news.Notes...)
	}
	steps := func(name string, target notify.Target, notes []store.Note, want ...string) []store.Note {
		t.Helper()
		got, notes := told(notes, target)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +told)\n%s", name, diff)
		}
		return notes
	}
	notes := []store.Note{{Divergence: "1", Kind: store.NoteText, Text: "ops P1"}}
	notes = steps("first", everybody("ops", reconcile.P3), notes,
		"P1 unknown_charged 2 of 200, 0 worse, on-call's", "P1 duplicate_charge 1 of 100, 0 worse, finance's", "P3 unknown_waiting 1 of 100, 0 worse, on-call's")
	notes = steps("again", everybody("ops", reconcile.P3), notes)
	r.Divergences[1].Severity = reconcile.P2
	notes = steps("worse", everybody("ops", reconcile.P3), notes, "P2 unknown_waiting 1 of 100, 1 worse, on-call's")
	r.Divergences[1].Severity = reconcile.P3
	notes = steps("better", everybody("ops", reconcile.P3), notes)
	r.Divergences[1].Severity = reconcile.P2
	notes = steps("as bad as before", everybody("ops", reconcile.P3), notes)
	notes = steps("another", everybody("fin", reconcile.P1, notify.Finance), notes, "P1 duplicate_charge 1 of 100, 0 worse, finance's")
	steps("nobody", everybody("none", 0), notes)
}

// What a provider wrote means nothing to a chat, and a flood is one message.
func TestAChatIsToldInPlainWords(t *testing.T) {
	t.Parallel()
	r := &reconcile.Result{}
	for i := range 3000 {
		d := divergence(fmt.Sprint(i), reconcile.UnrecordedCharge, reconcile.P1)
		d.Account = fmt.Sprintf("acct_%d <!channel> & \x1b[31m\u202e`x`", i%60)
		r.Divergences = append(r.Divergences, d)
	}
	news := notify.Of("r1", r, nil, everybody("ops", reconcile.P1))
	body, err := news.Slack()
	if err != nil {
		t.Fatal(err)
	}
	var told struct {
		Text   string
		Mrkdwn bool
	}
	if err := json.Unmarshal(body, &told); err != nil {
		t.Fatal(err)
	}
	if lines := strings.Split(told.Text, "\n"); len(lines) != 22 || told.Mrkdwn || lines[0] != "desfecho: 3000 divergences are new or worse (run r1)" || lines[21] != "and 2000 more: desfecho report" {
		t.Errorf("told %d lines: %s … %s", len(lines), lines[0], lines[len(lines)-1])
	}
	if strings.ContainsAny(told.Text, "<>\x1b\u202e") || !strings.Contains(told.Text, "&lt;!channel&gt; &amp; ") || !strings.Contains(told.Text, "P1 unrecorded_charge · 50 × · 50.00 BRL · acme acct_0") {
		t.Errorf("told %q", told.Text[:300])
	}
	if len(news.Notes) != 3000 {
		t.Errorf("%d of 3000 are remembered as told", len(news.Notes))
	}
}

// The signature is of the body and of its moment.
func TestASignatureIsOfTheBodyAndItsMoment(t *testing.T) {
	t.Parallel()
	at := payment.InstantOf(time.Unix(1_764_500_000, 0))
	sum := hmac.New(sha256.New, []byte("key"))
	sum.Write([]byte(`1764500000.{"a":1}`))
	want := "t=1764500000,v1=" + hex.EncodeToString(sum.Sum(nil))
	if got := notify.Sign("key", at, []byte(`{"a":1}`)); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for _, other := range []string{notify.Sign("kez", at, []byte(`{"a":1}`)), notify.Sign("key", at+1_000_000, []byte(`{"a":1}`)), notify.Sign("key", at, []byte(`{"a":2}`))} {
		if other == want {
			t.Error("another secret, moment or body has the same signature")
		}
	}
}

// Every class has an owner.
func TestEveryClassHasAnOwner(t *testing.T) {
	t.Parallel()
	seen := map[notify.Owner]int{}
	for _, class := range reconcile.Classes() {
		seen[notify.OwnerOf(class)]++
	}
	for _, owner := range notify.Owners() {
		if seen[owner] == 0 {
			t.Errorf("%s owns nothing", owner)
		}
	}
}
