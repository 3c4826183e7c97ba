package report

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"desfecho/internal/money"
	"desfecho/internal/payment"
	"desfecho/internal/ui"
	"desfecho/resolve"
)

// nightAttempt is the screen of DESIGN §6: a timeout at night, and the card was
// charged.
func nightAttempt() *Attempt {
	now := at("2025-11-30T10:14")
	self := payment.Attempt{
		ID: "4711", Charge: "993", Key: "8a1f2c3d-0b5e-4c57-9a51-0d9a5f4f7a11", Provider: "stripe", Account: "acct_1", Status: payment.Unknown,
		Operation: payment.Charge, Amount: money.Amount{Minor: 12990, Currency: brl}, CreatedAt: at("2025-11-30T01:14"), LastSent: at("2025-11-30T01:14"),
		References: []payment.Reference{{Name: "charge_id", Value: "993", Scope: payment.ScopeCharge}},
	}
	unit := payment.Unit{
		ID: "pi_3QdesfA000000000000001", Provider: "stripe", State: payment.StateCaptured, Final: true,
		Captured: payment.Known(12990), Currency: brl, Key: self.Key,
	}
	look := func(kind payment.KeyKind, name, value string) payment.Lookup {
		return payment.Lookup{
			Attempt: "4711", Provider: "stripe", Key: payment.LookupKey{Kind: kind, Name: name, Value: value},
			At: now.Add(-4 * time.Second), Outcome: payment.Found, Units: []payment.Unit{unit},
		}
	}
	verdict := &resolve.Verdict{Attempt: "4711", Status: payment.Unknown, Advice: resolve.Advice{Sentence: "the provider holds an object of it: settle that first"}}
	verdict.Marks[resolve.Succeeded] = resolve.Offer{
		Mark: resolve.Succeeded, Allowed: true, Basis: resolve.BasisLookup, Transition: resolve.ToSucceeded, Unit: unit.ID, Amount: self.Amount,
		Sentence: "one captured object, same amount, on no other attempt",
	}
	verdict.Marks[resolve.Failed] = resolve.Offer{Mark: resolve.Failed, Reason: resolve.ReasonCaptured, Sentence: "the provider holds a captured object"}
	verdict.Marks[resolve.Unknown] = resolve.Offer{Mark: resolve.Unknown, Sentence: "it is unknown already"}
	return &Attempt{
		Now: now, Zone: saoPaulo(), Word: "unknown", Verdict: verdict,
		Case: &resolve.Case{
			Now: now, Attempt: "4711", Attempts: []payment.Attempt{self},
			Lookups: []payment.Lookup{look(payment.KeyIdempotency, "", self.Key), look(payment.KeyReference, "charge_id", "993")},
		},
		Effects: map[resolve.Mark][]Effect{resolve.Succeeded: {
			{Statement: "UPDATE charges SET status = 'paid' WHERE id = '993' AND status <> 'paid'", Optional: "already paid"},
			{Statement: "INSERT INTO ledger_entries (charge_id, kind, amount_cents) VALUES ('993', 'credit', '12990')"},
		}},
		Business: []Stated{{"", "awaiting payment"}, {"", "129.90 BRL"}},
		Links:    []Stated{{"dashboard", "https://dashboard.example/payments/pi_3QdesfA000000000000001"}},
	}
}

// absentAttempt was found nowhere, and not everything that a `failed` needs is
// there; its charge was tried many times.
func absentAttempt() *Attempt {
	a := nightAttempt()
	self := &a.Case.Attempts[0]
	a.Business, a.Effects, a.Links = nil, nil, nil
	self.ID, self.Key, a.Case.Attempt = "0197f1c2-7a55-7e6b-b1d4-0d4c6f8a9e21", "order-8841-0197f1c2-7a55-7e6b-b1d4-0d4c6f8a9e21", "0197f1c2-7a55-7e6b-b1d4-0d4c6f8a9e21"
	self.Reserve = payment.ReserveHeld
	a.Case.Lookups = nil
	for round, ago := range []time.Duration{4 * time.Second, 10 * time.Hour, 26 * time.Hour} {
		for _, key := range []payment.LookupKey{{Kind: payment.KeyIdempotency, Value: self.Key}, {Kind: payment.KeyReference, Name: "charge_id", Value: "993"}} {
			l := payment.Lookup{Attempt: self.ID, Provider: "stripe", Key: key, At: a.Now.Add(-ago), Outcome: payment.NotFound}
			if round == 1 {
				l.Outcome, l.Reason = payment.Inconclusive, "http_5xx"
			}
			a.Case.Lookups = append(a.Case.Lookups, l)
		}
	}
	for i := range 14 {
		sibling := *self
		sibling.ID, sibling.Status, sibling.CreatedAt = fmt.Sprintf("0197f1c2-7a55-7e6b-b1d4-0d4c6f8a9e%02d", i+40), payment.Failed, self.CreatedAt.Add(-time.Duration(i+1)*time.Hour)
		a.Case.Attempts = append(a.Case.Attempts, sibling)
	}
	a.Case.Events = []payment.Event{{Provider: "stripe", At: at("2025-11-30T01:15"), Unit: "pi_3QdesfA000000000000007", State: payment.StateProcessing}}
	v := &resolve.Verdict{Attempt: self.ID, Status: payment.Unknown, Advice: resolve.Advice{Sentence: "both may complete: query instead"}}
	v.Marks[resolve.Succeeded] = resolve.Offer{Sentence: "nothing was found that would fulfil it", Reason: "not_found"}
	v.Marks[resolve.Failed] = resolve.Offer{
		Mark: resolve.Failed, Sentence: "two look-ups 10m apart are needed after the horizon", Reason: "one_lookup", ChangesAt: at("2025-12-01T01:16"),
	}
	v.Marks[resolve.Unknown] = resolve.Offer{Mark: resolve.Unknown}
	v.Gate = []resolve.Condition{
		{Name: "lookups", Sentence: v.Marks[resolve.Failed].Sentence},
		{Name: "coverage", Sentence: "the provider's list of objects was read, but its end is only claimed"},
		{Name: "events", Sentence: "a stored event of 29 Nov 22:15 names it, and pi_3QdesfA000000000000007 was not found"},
	}
	a.Verdict = v
	return a
}

// severalAttempt has two captured objects, the first for the asking, a sibling
// that was paid, and a Pix' long ids.
func severalAttempt() *Attempt {
	a := nightAttempt()
	first := a.Case.Lookups[0].Units[0]
	first.ID = "E18236120202511300114s0471d2b0a9f"
	second := first
	second.ID, second.Captured = "E18236120202511300116s04b8c7d6e51", payment.Known(12990)
	for i := range a.Case.Lookups {
		a.Case.Lookups[i].Units = []payment.Unit{first, second}
	}
	o := a.Verdict.Offers(resolve.Succeeded)
	o.Transition, o.Unit, o.ApprovalDue = resolve.ToSucceededDuplicate, first.ID, true
	o.Sentence = "the operator named this one of two captured objects"
	a.Verdict.Surplus = 12990
	paid := a.Case.Attempts[0]
	paid.ID, paid.Status, paid.ProviderID = "4709", payment.Succeeded, "E18236120202511300110s0471d2b0001"
	a.Case.Attempts = append(a.Case.Attempts, paid)
	a.Business = []Stated{{"state", "paid"}, {"amount", "129.90 BRL"}, {"reserve", "none"}, {"customer", "told at 01:20"}}
	a.Manuals = []Stated{{"ana", "captured at dashboard of the bank, ticket 88"}}
	return a
}

// hostileAttempt has in every text what would move a cursor, turn the reading
// direction, or never end.
func hostileAttempt() *Attempt {
	const evil = "\x1b[2J\x1b]0;x\x07\u202ella\r\n\tx\x00"
	a := nightAttempt()
	self := &a.Case.Attempts[0]
	self.Charge, self.Key, self.ProviderID, self.Provider = evil, evil, strings.Repeat("W", 120), "str"+evil
	a.Word = "unknown" + evil
	u := payment.Unit{ID: strings.Repeat("長", 60) + evil, State: payment.StateUnmapped, RawState: evil, Currency: brl}
	for i := range a.Case.Lookups {
		a.Case.Lookups[i].Units, a.Case.Lookups[i].Key.Value = []payment.Unit{u}, evil
	}
	a.Case.Events = []payment.Event{{Unit: evil, At: a.Now}}
	a.Case.Lines = []payment.Line{{ID: evil, Unit: evil, At: a.Now, Currency: brl, Gross: -1}}
	a.Business = []Stated{{evil, evil}}
	a.Links = []Stated{{"l" + evil, "https://" + evil}}
	a.Manuals = []Stated{{evil, evil}}
	a.Effects[resolve.Succeeded] = []Effect{{Statement: "UPDATE " + evil, Optional: evil}}
	a.Verdict.Marks[resolve.Succeeded].Unit = u.ID
	a.Verdict.Marks[resolve.Failed].Sentence = "the provider's word is " + evil
	return a
}

// fileAttempt is one that a second person has to approve, where nobody can.
func fileAttempt() *Attempt {
	a := severalAttempt()
	a.NoLogins = true
	return a
}

// TestAFileAdvisesNoApproval: where the database cannot tell two people apart.
func TestAFileAdvisesNoApproval(t *testing.T) {
	t.Parallel()
	rows := stuckRows(fileAttempt())
	rows[0].Mark, rows[0].Approval = resolve.Succeeded, true
	var list, screen bytes.Buffer
	o := Options{Terminal: true, Width: 80}
	if err := errors.Join(WriteStuck(&list, rows, rows[0].Now, o), WriteAttempt(&screen, rows[0].Attempt, o, true)); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"stuck": list.String(), "show": screen.String()} {
		if strings.Contains(text, "desfecho approve") || !strings.Contains(text, "file") {
			t.Errorf("%s says\n%s", name, text)
		}
	}
}

func stuckRows(attempts ...*Attempt) (rows []StuckRow) {
	for _, a := range attempts {
		rows = append(rows, StuckRow{Attempt: a, Mark: resolve.Keep})
	}
	return rows
}

// nightList is a short list, longList one that does not fit eighty columns.
func nightList() []StuckRow {
	second := nightAttempt()
	second.Case.Attempt, second.Case.Attempts[0].ID, second.Case.Lookups = "4688", "4688", nil
	second.Case.Attempts[0].Amount.Minor, second.Case.Attempts[0].CreatedAt = 8000, at("2025-11-28T09:14")
	rows := stuckRows(nightAttempt(), second)
	rows[0].Mark, rows[1].Ask = resolve.Succeeded, true
	return rows
}

func longList() []StuckRow {
	rows := stuckRows(absentAttempt(), severalAttempt(), nightAttempt(), hostileAttempt())
	rows[0].AgingOut, rows[0].Until = true, at("2025-12-01T01:16")
	rows[1].Mark, rows[1].Approval = resolve.Succeeded, true
	rows[2].Mark = resolve.Succeeded
	rows[2].Case.Attempts[0].Amount = money.Amount{Minor: 4990, Currency: money.MustCurrency("USD")}
	rows[3].Act = true
	return rows
}

// layouts are the terminals that people have.
func layouts() map[string]Options {
	return map[string]Options{
		"80.txt": {Terminal: true, Width: 80}, "140.txt": {Terminal: true, Width: 140}, "40.txt": {Terminal: true, Width: 40, ASCII: true},
		"color.txt": {Terminal: true, Width: 80, Color: true}, "plain.txt": {},
	}
}

// drawings are the screens about single attempts, drawn.
func drawings() map[string]func(*bytes.Buffer, Options) error {
	whole := func(build func() *Attempt) func(*bytes.Buffer, Options) error {
		return func(w *bytes.Buffer, o Options) error { return WriteAttempt(w, build(), o, true) }
	}
	list := func(build func() []StuckRow) func(*bytes.Buffer, Options) error {
		return func(w *bytes.Buffer, o Options) error {
			rows := build()
			return WriteStuck(w, rows, rows[0].Now, o)
		}
	}
	return map[string]func(*bytes.Buffer, Options) error{
		"show.night": whole(nightAttempt), "show.absent": whole(absentAttempt), "show.several": whole(severalAttempt), "show.file": whole(fileAttempt), "show.hostile": whole(hostileAttempt),
		"resolve.night":   func(w *bytes.Buffer, o Options) error { return WriteAttempt(w, nightAttempt(), o, false) },
		"resolve.several": func(w *bytes.Buffer, o Options) error { return WriteAttempt(w, severalAttempt(), o, false) },
		"stuck.night":     list(nightList), "stuck.long": list(longList),
	}
}

func TestTheScreensOfOneAttempt(t *testing.T) {
	t.Parallel()
	for name, draw := range drawings() {
		for suffix, o := range layouts() {
			t.Run(name+"."+suffix, func(t *testing.T) {
				t.Parallel()
				var out bytes.Buffer
				if err := draw(&out, o); err != nil {
					t.Fatal(err)
				}
				path := filepath.Join("testdata", name+"."+suffix)
				if *update {
					if err := os.WriteFile(path, out.Bytes(), 0o600); err != nil {
						t.Fatal(err)
					}
				}
				want, err := os.ReadFile(path)
				if err != nil {
					t.Fatalf("%v: run go test ./report -update and read what it wrote", err)
				}
				if diff := cmp.Diff(string(want), out.String()); diff != "" {
					t.Errorf("%s changed (-golden +now):\n%s", path, diff)
				}
			})
		}
	}
}

func TestTheReadmeShowsTheScreenAsItIs(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	screen, err := os.ReadFile("testdata/resolve.night.80.txt")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(readme, append([]byte("```\n"), screen...)) {
		t.Error("README.md shows another screen than report/testdata/resolve.night.80.txt")
	}
}

// Only an id or a word that is longer than the line itself may be longer than
// the terminal is wide.
func TestNoScreenOfAnAttemptIsWiderThanItsTerminal(t *testing.T) {
	t.Parallel()
	for name, draw := range drawings() {
		for _, width := range []int{60, 80, 100, 140} {
			var out bytes.Buffer
			if err := draw(&out, Options{Terminal: true, Width: width}); err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(out.String()) {
				line = strings.TrimSuffix(line, "\n")
				longest := 0
				for _, word := range strings.Fields(line) {
					longest = max(longest, columns(ui.Clean(word)))
				}
				if n := columns(ui.Clean(line)); n > width && longest < width/3 {
					t.Errorf("%s at %d: %d columns: %s", name, width, n, line)
				}
			}
		}
	}
}

// What came from outside moves no cursor and hides nothing (law 16).
func TestNothingFromOutsideReachesTheScreenRaw(t *testing.T) {
	t.Parallel()
	for name, draw := range drawings() {
		for _, o := range layouts() {
			if o.Color {
				continue // the program's own colours are escapes
			}
			var out bytes.Buffer
			if err := draw(&out, o); err != nil {
				t.Fatal(err)
			}
			if i := strings.IndexFunc(strings.ReplaceAll(out.String(), "\t", ""), func(r rune) bool { return r < ' ' && r != '\n' || r == 0x7f || r == '\u202e' }); i >= 0 {
				t.Errorf("%s: a raw character in %q", name, out.String())
			}
		}
	}
}

// TestWhatIsAnsweredNowStandsBesideWhatWasFound: an object that was found hours
// ago is no answer of now, where the same question found nothing since.
func TestWhatIsAnsweredNowStandsBesideWhatWasFound(t *testing.T) {
	t.Parallel()
	for _, o := range []Options{{Terminal: true, Width: 80}, {Terminal: true, Width: 40}} {
		a := nightAttempt()
		again := a.Case.Lookups[0]
		again.Outcome, again.Reason, again.Units, again.At = payment.Inconclusive, "credentials", nil, a.Now
		for i := range a.Case.Lookups {
			a.Case.Lookups[i].At = a.Now.Add(-3 * time.Hour)
		}
		if text := drawn(t, a, o); strings.Contains(text, "asked again") {
			t.Errorf("width %d: nothing was asked again:\n%s", o.Width, text)
		}
		a.Case.Lookups = append(a.Case.Lookups, again)
		text := strings.Join(strings.Fields(drawn(t, a, o)), " ")
		if !strings.Contains(text, "now asked again by key 0 s ago · no clear answer: credentials") {
			t.Errorf("width %d: %s", o.Width, text)
		}
	}
}

// TestAFinalAttemptIsNotSaidToBeSoSinceItWasMade.
func TestAFinalAttemptIsNotSaidToBeSoSinceItWasMade(t *testing.T) {
	t.Parallel()
	a := nightAttempt()
	a.Word, a.Verdict.Status = "succeeded", payment.Succeeded
	if text := drawn(t, a, Options{Terminal: true, Width: 100}); !strings.HasPrefix(text, "attempt 4711 · charge 993 · succeeded · made 29 Nov 2025 22:14 -03:00 (9 h)\n") {
		t.Error(text)
	}
}

func drawn(t *testing.T, a *Attempt, o Options) string {
	t.Helper()
	var out bytes.Buffer
	if err := WriteAttempt(&out, a, o, false); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// Where the provider cannot be asked the screen says how what a person saw
// there is recorded.
func TestAProviderThatCannotBeAskedLeavesEvidenceByHand(t *testing.T) {
	t.Parallel()
	a := absentAttempt()
	if text := drawn(t, a, Options{Terminal: true, Width: 100}); strings.Contains(text, "evidence add") {
		t.Errorf("evidence by hand is asked for where the provider can be asked:\n%s", text)
	}
	a.Verdict.Marks[resolve.Failed].Reason = resolve.ReasonNoLookup
	if text := drawn(t, a, Options{Terminal: true, Width: 100}); !strings.Contains(strings.Join(strings.Fields(text), " "), "desfecho evidence add "+a.Case.Attempt) {
		t.Errorf("nothing says how to go on:\n%s", text)
	}
}
