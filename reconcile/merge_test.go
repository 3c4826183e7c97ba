package reconcile_test

import (
	"encoding/json"
	"runtime"
	"testing"

	"desfecho/reconcile"
)

// However many workers judge, the result is the same to the byte.
func TestWorkersChangeNoByte(t *testing.T) { // not parallel: it sets how many processors there are
	in := plainMonth(90_000)
	for i := range in.Lines {
		if i%3000 == 0 {
			in.Lines[i].Gross++ // a mismatch here and there
			in.Lines[i].Payout = "po_1"
		}
	}
	before := runtime.GOMAXPROCS(1)
	defer runtime.GOMAXPROCS(before)
	var want []byte
	for _, processors := range []int{1, 2, 4} {
		runtime.GOMAXPROCS(processors)
		got, err := json.Marshal(reconcile.Match(in))
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = got
		} else if string(got) != string(want) {
			t.Errorf("%d workers give other bytes than one", processors)
		}
	}
}
