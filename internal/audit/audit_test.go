package audit

import (
	"errors"
	"fmt"
	"reflect"
	"testing"

	"pgregory.net/rapid"
)

func chain(n int) []Entry {
	entries := make([]Entry, n)
	prev := ""
	for i := range entries {
		e := &entries[i]
		*e = Entry{
			Seq: int64(i + 1), Format: Format, OpID: fmt.Sprint("op", i), Kind: Settled, At: 1_700_000_000_000_000, Attempt: "4711",
			Mark: "succeeded", Transition: "succeeded", Unit: "pi_1", Amount: 12990, Currency: "BRL", Operator: "ana", Login: "ana", PrevHash: prev,
		}
		e.Hash = e.Sum()
		prev = e.Hash
	}
	return entries
}

func verify(entries []Entry, against Head) (Head, error) {
	v := NewVerifier(against)
	for i := range entries {
		if err := v.Add(&entries[i]); err != nil {
			return Head{}, err
		}
	}
	return v.End()
}

func TestAWholeChainVerifiesAndGivesItsHead(t *testing.T) {
	t.Parallel()
	entries := chain(5)
	for n := range 6 {
		head, err := verify(entries[:n], Head{})
		if err != nil || head.Count != int64(n) {
			t.Fatalf("%d entries: %v, %v", n, head, err)
		}
		again, err := ParseHead(head.String())
		if err != nil || again != head {
			t.Fatalf("%s reads as %v, %v", head, again, err)
		}
		if _, err := verify(entries, head); err != nil {
			t.Fatalf("the chain does not hold its own head after %d: %v", n, err)
		}
	}
}

// TestAnyChangeIsNamed: whatever field of whatever entry is changed, the chain
// breaks, at that entry or the one after it.
func TestAnyChangeIsNamed(t *testing.T) {
	t.Parallel()
	fields := reflect.TypeFor[Entry]().NumField()
	for at := range 4 {
		for f := range fields {
			entries := chain(4)
			field := reflect.ValueOf(&entries[at]).Elem().Field(f)
			if field.Kind() == reflect.String {
				field.SetString(field.String() + "x")
			} else {
				field.SetInt(field.Int() + 1)
			}
			broken, ok := errors.AsType[*BrokenError](func() error { _, err := verify(entries, Head{}); return err }())
			if !ok || broken.Seq < int64(at+1) || broken.Seq > int64(at+2) {
				t.Errorf("field %s of entry %d was changed: %v", reflect.TypeFor[Entry]().Field(f).Name, at+1, broken)
			}
		}
	}
}

func TestWhatIsRemovedInsertedOrRewrittenIsNamed(t *testing.T) {
	t.Parallel()
	whole := chain(6)
	head := Head{6, whole[5].Hash}
	other := chain(6)
	other[2].Reason = "another story"
	prev := other[1].Hash
	for i := 2; i < 6; i++ { // rewritten by one who holds the table
		other[i].PrevHash = prev
		other[i].Hash = other[i].Sum()
		prev = other[i].Hash
	}
	for name, c := range map[string]struct {
		entries []Entry
		against Head
		seq     int64
	}{
		"removed":   {append(append([]Entry{}, whole[:2]...), whole[3:]...), Head{}, 3},
		"twice":     {append(append([]Entry{}, whole[:3]...), whole[2:]...), Head{}, 4},
		"truncated": {whole[:4], head, 5},
		"emptied":   {nil, head, 1},
		"rewritten": {other, head, 6},
	} {
		_, err := verify(c.entries, c.against)
		if broken, ok := errors.AsType[*BrokenError](err); !ok || broken.Seq != c.seq {
			t.Errorf("%s: %v, want entry %d named", name, err, c.seq)
		}
	}
	if _, err := verify(other, Head{}); err != nil {
		t.Errorf("a chain rewritten whole can only be told by a head kept elsewhere, yet: %v", err)
	}
}

// TestCanonicalBytesAreOneEntrys: moving text from one field to its neighbour
// gives other bytes.
func TestCanonicalBytesAreOneEntrys(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringN(0, 12, -1).Draw(t, "text")
		at := rapid.IntRange(0, len(text)).Draw(t, "at")
		a, b := Entry{Before: text}, Entry{Before: text[:at], After: text[at:]}
		if at < len(text) && a.Sum() == b.Sum() {
			t.Fatalf("%q split at %d has the same hash", text, at)
		}
	})
}

func TestHeadsThatAreNoneAreRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "5", "5:", "x:00", "5:00", "0:ab", "-1:", "1:" + chain(1)[0].Hash + "0"} {
		if h, err := ParseHead(text); err == nil {
			t.Errorf("%q reads as %v", text, h)
		}
	}
}
