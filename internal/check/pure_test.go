package check

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"desfecho/internal/payment"
)

func keyed(keys ...string) []payment.Attempt {
	var all []payment.Attempt
	for i := 0; i+1 < len(keys); i += 2 {
		all = append(all, payment.Attempt{ID: itoa(int64(i/2 + 1)), Charge: keys[i], Key: keys[i+1]})
	}
	return all
}

func TestKeysMadeFromTheOrderAreTold(t *testing.T) {
	t.Parallel()
	const uuid1, uuid2 = "5b0e4a52-6b5d-4c55-9f52-0e9a4c1d7a01", "91f5de0a-e539-4b2b-8177-d1d3b04e0c17"
	for _, c := range []struct {
		name                        string
		attempts                    []payment.Attempt
		personal, derived, fromName int64
	}{
		{"random", keyed("1", uuid1, "17", uuid2), 0, 0, 0},
		{"the id itself", keyed("ord_9x", "ord_9x"), 0, 1, 0},
		{"a word and the id", keyed("17", "pedido-17"), 0, 1, 0},
		{"glued", keyed("17", "pedido17"), 0, 1, 0},
		{"with a counter", keyed("17", "charge-17-2"), 0, 1, 0},
		{"padded in a UUID", keyed("4", "00000000-0000-4000-8000-000000000004", "4000", "00000000-0000-4000-8000-000000004000", "18", "00000000-0000-4000-8000-000000000018"), 0, 2, 0},
		{"a hash", keyed("17", "70efdf2ec9b086079795c442636b55fb"), 0, 1, 0},
		{"a hash as UUID", keyed("17", "70efdf2e-c9b0-8607-9795-c442636b55fb"), 0, 1, 0},
		{"the id beside something random", keyed("17", "17-k3J9xQ2mVbT7", "18", "18-Zp0QnR4sLw8c"), 0, 0, 0},
		{"a tenant that is called like the charge", keyed("5", "5-"+uuid1, "6", "5-"+uuid2), 0, 0, 0},
		{"short random with the id in it", keyed("8", "V1StGXR8_Z5jdHi6B-myT"), 0, 0, 0},
		{"by a name", keyed("1", "5b0e4a52-6b5d-5c55-9f52-0e9a4c1d7a01"), 0, 0, 1},
		{"e-mail", keyed("1", "maria@example.com-2025"), 1, 0, 0},
		{"CPF with dots", keyed("1", "529.982.247-25"), 1, 0, 0},
		{"CPF", keyed("1", "52998224725"), 1, 0, 0},
		{"no key", keyed("1", ""), 0, 0, 0},
		{"no charge", keyed("", "pedido-17"), 0, 0, 0},
	} {
		personal, derived, fromName := keyForms(c.attempts)
		if personal.n != c.personal || derived.n != c.derived || fromName.n != c.fromName {
			t.Errorf("%s: personal %d, derived %d, from a name %d; want %d, %d, %d", c.name, personal.n, derived.n, fromName.n, c.personal, c.derived, c.fromName)
		}
	}
}

// One in a hundred running numbers of eleven digits has the check digits of a
// CPF, by chance.
func TestRunningNumbersAreNoPersonalData(t *testing.T) {
	t.Parallel()
	var keys []string
	for i := range 2000 {
		keys = append(keys, "", itoa(int64(10_000_000_000+i)))
	}
	if personal, _, _ := keyForms(keyed(keys...)); personal.n > 0 {
		t.Errorf("%d of 2000 running numbers are taken for a CPF", personal.n)
	}
}

func TestRandomKeysAreNeverTakenForMade(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var keys []string
		for range rapid.IntRange(1, 40).Draw(t, "n") {
			b := rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "random")
			b[6], b[8], b[0] = b[6]&0x0f|0x40, b[8]&0x3f|0x80, b[0]|0xa0
			keys = append(keys, fmt.Sprint(rapid.IntRange(1, 99).Draw(t, "charge")), fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:]))
		}
		distinct := map[string]bool{}
		for i := 1; i < len(keys); i += 2 {
			distinct[keys[i][:18]] = true
		}
		if len(distinct) < len(keys)/2 { // the shrinker's favourites are not random
			return
		}
		if _, derived, _ := keyForms(keyed(keys...)); derived.n > 0 {
			t.Fatalf("%d made, attempt %s, of %v", derived.n, derived.example, keys)
		}
	})
}

func zonePairs(gaps ...time.Duration) []Pair {
	at := payment.InstantOf(time.Date(2025, 11, 29, 12, 0, 0, 0, time.UTC))
	var all []Pair
	for i, g := range gaps {
		all = append(all, Pair{Attempt: &payment.Attempt{ID: itoa(int64(i)), CreatedAt: at.Add(g)}, UnitMade: at.Add(time.Duration(i) * time.Second)})
	}
	return all
}

func TestAZoneIsMeasuredNotGuessed(t *testing.T) {
	t.Parallel()
	const h = time.Hour
	for _, c := range []struct {
		name  string
		gaps  []time.Duration
		fires bool
		by    time.Duration
	}{
		{"all agree", []time.Duration{0, 0, 0, 0, 0, 0}, false, 0},
		{"three hours off", []time.Duration{-3 * h, -3 * h, -3 * h, -3 * h, -3 * h}, true, -3 * h},
		{"half an hour", []time.Duration{5*h + h/2, 5*h + h/2, 5*h + h/2, 5*h + h/2, 5*h + h/2}, true, 5*h + h/2},
		{"too few", []time.Duration{-3 * h, -3 * h}, false, -3 * h},
		{"objects made late say nothing", []time.Duration{0, 0, 0, 0, 0, -7 * time.Minute, -23 * time.Minute}, false, 0},
		{"one stray", append(make([]time.Duration, 40), -3*h), false, 0},
		{"one stray of few", append(make([]time.Duration, 6), -3*h), false, 0},
		{"two programs", []time.Duration{0, 0, 0, 0, 0, 0, -3 * h, -3 * h}, true, 0},
		{"days apart", []time.Duration{-72 * h, -72 * h, -72 * h, -72 * h, -72 * h}, false, 0},
	} {
		o := PairsOf(zonePairs(c.gaps...)).ZoneOffset("America/Sao_Paulo")
		if o.Fires() != c.fires || o.By != c.by {
			t.Errorf("%s: fires %v by %s (%+v)", c.name, o.Fires(), o.By, o)
		}
		if v := o.verdict(); (v.level == Fault) != c.fires {
			t.Errorf("%s: %+v", c.name, v)
		}
	}
}

// A call that is made again after half an hour makes its object then; what was
// written after it shows that the clock is right.
func TestObjectsOfALaterCallDoNotMeasureAZone(t *testing.T) {
	t.Parallel()
	all := zonePairs(0, 0, 0, 0, 0, -30*time.Minute, -30*time.Minute, -30*time.Minute)
	if o := PairsOf(all).ZoneOffset("UTC"); !o.Fires() {
		t.Errorf("nothing tells them from two zones: %+v", o)
	}
	for i := range all {
		all[i].Attempt.ResolvedAt = all[i].UnitMade.Add(time.Second)
	}
	if o := PairsOf(all).ZoneOffset("UTC"); o.Fires() || o.Pairs != 5 {
		t.Errorf("%+v", o)
	}
}

func TestDayOnlyTimesDoNotMeasureAZone(t *testing.T) {
	t.Parallel()
	all := zonePairs(-3*time.Hour, -3*time.Hour, -3*time.Hour, -3*time.Hour, -3*time.Hour)
	for i := range all {
		all[i].Precision = 24 * time.Hour
	}
	if o := PairsOf(all).ZoneOffset("UTC"); o.Pairs != 0 {
		t.Errorf("%+v", o)
	}
}

// One reference is enough to link a line by; of the providers the worst counts.
func TestLinesAreLinkedByTheBestReferenceOfEachProvider(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		links []Link
		level Level
		says  string
	}{
		{nil, Unknown, "no lines"},
		{[]Link{{Provider: "p", Reference: "r"}}, Unknown, "no lines"},
		{[]Link{{"p", "r", 100, 100, 100}}, OK, "0 % of 100 lines of p"},
		{[]Link{{"p", "r", 100, 59, 59}, {"a", "r", 100, 100, 100}}, Warning, "41 % of 100 lines of p carry no reference that you store (r 41 %)"},
		{[]Link{{"p", "r", 100, 59, 59}, {"z", "q", 10, 10, 0}}, Fault, "none is in the column described"},
		{[]Link{{"p", "r", 100, 0, 0}, {"p", "q", 100, 98, 98}}, OK, "2 % of 100 lines of p carry no reference that you store (q 2 %, r 100 %)"},
		{[]Link{{"p", "r", 9, 9, 9}, {"a", "r", 10, 10, 10}}, OK, "lines of a carry no reference that you store (r 0 %); 0 % of 9 lines of p"},
		{[]Link{{"z", "q", 10, 0, 0}}, Fault, "no line carries one at all"},
	} {
		if v := linkRate(c.links); v.level != c.level || !strings.Contains(v.says, c.says) {
			t.Errorf("%v: %+v", c.links, v)
		}
	}
}

func TestAStandbyIsTold(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		standby bool
		seconds string
		replica bool
		level   Level
	}{
		{false, "", false, OK},
		{false, "", true, Warning},
		{true, "3", true, OK},
		{true, "601", true, Warning},
		{true, "0", false, Warning},
		{true, "", true, Unknown},
	} {
		if v := lag("the replica", c.standby, c.seconds, c.replica); v.level != c.level {
			t.Errorf("%+v: %+v", c, v)
		}
	}
}

func TestUnknownIsNoFault(t *testing.T) {
	t.Parallel()
	r := Report{Findings: []Finding{{Level: Unknown}, {Level: OK}}}
	if r.Worst() != OK {
		t.Errorf("worst is %s", r.Worst())
	}
	r.Findings = append(r.Findings, Finding{Level: Warning})
	if r.Worst() != Warning {
		t.Errorf("worst is %s", r.Worst())
	}
}
