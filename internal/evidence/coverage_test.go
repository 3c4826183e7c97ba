package evidence

import (
	"testing"

	"pgregory.net/rapid"

	"desfecho/internal/payment"
)

func intervals(t *rapid.T, label string) []payment.Interval {
	var out []payment.Interval
	for range rapid.IntRange(0, 6).Draw(t, label) {
		from := payment.Instant(rapid.IntRange(1, 60).Draw(t, "from"))
		out = append(out, payment.Interval{From: from, To: from + payment.Instant(rapid.IntRange(0, 15).Draw(t, "length"))})
	}
	return out
}

func holds(pieces []payment.Interval, i payment.Instant) bool {
	for _, p := range pieces {
		if p.Contains(i) {
			return true
		}
	}
	return false
}

// What was read and what is unread part every instant of the wanted interval
// between them.
func TestEveryInstantIsEitherReadOrUnread(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		read := intervals(t, "pieces")
		holes := intervals(t, "holes")
		var parts []payment.Statement
		for i, r := range read {
			parts = append(parts, payment.Statement{
				Name: "s", From: r.From, Through: r.To, Holes: holes, Grade: payment.Grade(i % 3),
			})
		}
		if len(parts) == 0 {
			return
		}
		g := NewCoverage(parts).Groups()[0]
		wanted := payment.Interval{From: 5, To: 70}
		unread := g.Unread(wanted)
		for i := wanted.From; i < wanted.To; i++ {
			if want := holds(read, i) && !holds(holes, i); want == holds(unread, i) {
				t.Fatalf("instant %d: read %v, unread %v", i, want, unread)
			}
		}
		if g.Reads(wanted, payment.Assumed) != (len(unread) == 0) {
			t.Fatalf("Reads and Unread differ: %v", unread)
		}
		if g.Reads(wanted, payment.Proven) && !g.Reads(wanted, payment.Claimed) {
			t.Fatal("proven coverage serves a claim, too")
		}
	})
}

func TestAnAttemptWithoutAccountIsCoveredOnlyInAllAccounts(t *testing.T) {
	t.Parallel()
	p := NewPolicy("psp")
	p.Accounts = []string{"a", "b"}
	one := payment.Statement{Name: "a", Provider: "psp", Account: "a", From: 1, Through: 100, Grade: payment.Proven}
	two := payment.Statement{Name: "b", Provider: "psp", Account: "b", From: 1, Through: 50, Grade: payment.Claimed}
	c := NewCoverage([]payment.Statement{one, two})
	for _, test := range []struct {
		account string
		to      payment.Instant
		grade   payment.Grade
		ok      bool
	}{
		{"a", 90, payment.Proven, true},
		{"b", 90, 0, false},
		{"", 40, payment.Claimed, true},
		{"", 90, 0, false},
		{"c", 40, 0, false},
	} {
		grade, ok := c.Covers(&p, test.account, payment.Ledger, payment.Interval{From: 1, To: test.to})
		if grade != test.grade || ok != test.ok {
			t.Errorf("account %q to %d: %v %v, want %v %v", test.account, test.to, grade, ok, test.grade, test.ok)
		}
	}
	if _, ok := c.Covers(&p, "a", payment.ObjectList, payment.Interval{From: 1, To: 2}); ok {
		t.Error("a ledger is no object list")
	}
}

// What a state alone tells is a refund that nobody booked only once everything
// that tells of refunds was read up to the moment at which it was first seen.
func TestARefundIsWaitedForUntilItMustBeTold(t *testing.T) {
	t.Parallel()
	const made, seen = payment.Instant(1000), payment.Instant(2000)
	list := func(from, through payment.Instant, holes ...payment.Interval) payment.Statement {
		return payment.Statement{Name: "objects", Provider: "psp", Sort: payment.ObjectList, Grade: payment.Claimed, From: from, Through: through, Holes: holes}
	}
	ledger := list(500, 3000)
	ledger.Name, ledger.Sort = "ledger", payment.Ledger
	for name, c := range map[string]struct {
		read      []payment.Statement
		firstSeen payment.Instant
		listed    bool // refunds stand in the object list
		told      bool
	}{
		"read beyond":                {[]payment.Statement{list(500, 2001)}, seen, true, true},
		"read up to it":              {[]payment.Statement{list(500, 2000)}, seen, true, true},
		"not read so far":            {[]payment.Statement{list(500, 1999)}, seen, true, false},
		"a page was lost":            {[]payment.Statement{list(500, 3000, payment.Interval{From: 1500, To: 1501})}, seen, true, false},
		"lost before it was made":    {[]payment.Statement{list(500, 3000, payment.Interval{From: 600, To: 601})}, seen, true, true},
		"read from a later day on":   {[]payment.Statement{list(1700, 3000)}, seen, true, true},
		"of an unknown moment":       {[]payment.Statement{list(500, 1999)}, 0, true, true},
		"another list is not enough": {[]payment.Statement{list(500, 1999), ledger}, seen, true, false},
		"the ledger tells":           {[]payment.Statement{list(500, 1999), ledger}, seen, false, true},
		"no page came through":       {nil, seen, true, false},
		"nothing ever tells":         {[]payment.Statement{list(500, 1999)}, seen, false, true},
	} {
		p := NewPolicy("psp")
		p.HasObjectList = true
		if !c.listed {
			p.Unlisted = []payment.Operation{payment.Refund}
		}
		u := &Unit{Unit: payment.Unit{Provider: "psp", CreatedAt: made, FirstSeen: c.firstSeen}}
		if got := NewCoverage(c.read).ReturnsTold(&p, u); got != c.told {
			t.Errorf("%s: told %v", name, got)
		}
	}
}

// A row may wait before it is sent: what says succeeded must be there when it
// was said, not when the row was made.
func TestASucceededAttemptIsCountedFromWhenItWasSaid(t *testing.T) {
	t.Parallel()
	p := NewPolicy("psp")
	p.HasObjectList, p.PublishLag = true, 0
	c := NewCoverage([]payment.Statement{{Name: "objects", Provider: "psp", Sort: payment.ObjectList, Grade: payment.Proven, From: 1, Through: 3_000_000_000_000}})
	for resolved, read := range map[payment.Instant]bool{0: true, 1_500_000_000_000: true, 2_500_000_000_000: true, 3_500_000_000_000: false} {
		a := &Attempt{Attempt: &payment.Attempt{Provider: "psp", CreatedAt: 2_000_000_000_000, ResolvedAt: resolved}, Policy: &p}
		got := c.Succeeded(a, 4_000_000_000_000)
		if got.Read != read || got.Until < resolved || got.Until < a.CreatedAt {
			t.Errorf("said at %s: %+v", resolved, got)
		}
	}
}
