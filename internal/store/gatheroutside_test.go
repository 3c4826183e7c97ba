package store

import (
	"fmt"
	"testing"

	"desfecho/internal/partition"
	"desfecho/internal/payment"
	"desfecho/reconcile"
)

// However many candidates come, those that a row asks for are kept and no
// others.
func TestSiftingKeepsWhatIsAskedFor(t *testing.T) {
	t.Parallel()
	rows := partition.New(partition.Options{})
	defer rows.Close()
	for i := range 3000 {
		kind := payment.KindCharge
		if i%3 == 0 {
			kind = payment.KindFee
		}
		l := &payment.Line{ID: fmt.Sprint("l", i), Unit: fmt.Sprint("u", i), Kind: kind}
		if err := rows.Line(int64(i), l, versionsOf(l), judged(kind)); err != nil {
			t.Fatal(err)
		}
	}
	look := &sifting{rows: rows}
	kept := 0
	for i := range 4 * siftFrom {
		keys := reconcile.LineKeys(nil, &payment.Line{Unit: fmt.Sprint("u", i%9000)})
		err := look.candidate(keys, 0, func() error {
			kept++
			if n := i % 9000; n >= 3000 || n%3 == 0 {
				t.Errorf("u%d is not asked for", n)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := look.sift(); err != nil {
		t.Fatal(err)
	}
	want := 0
	for i := range 4 * siftFrom {
		if n := i % 9000; n < 3000 && n%3 != 0 {
			want++
		}
	}
	if look.sieve == nil || kept != want {
		t.Errorf("kept %d of %d, with a sieve: %t", kept, want, look.sieve != nil)
	}
}
