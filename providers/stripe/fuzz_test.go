package stripe

import (
	"os"
	"testing"

	"desfecho/providers/httpx"
)

// FuzzLedger feeds pages of balance transactions: whatever comes, every row
// that is read keeps its sums, and a row that cannot be read is an error.
func FuzzLedger(f *testing.F) {
	for _, name := range []string{"charges", "returns", "others"} {
		text, err := os.ReadFile("testdata/ledger/" + name + ".json")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte(`{"object":"list","has_more":false,"data":[{"id":"","amount":-9223372036854775808,"fee":1,"net":1,"created":1,"currency":"mga"}]}`))
	f.Add([]byte(`{"object":"list","data":[{"source":{"source":{"source":{"object":"charge","latest_charge":[]}}}}]}`))
	a := testAccount()
	f.Fuzz(func(t *testing.T, text []byte) {
		var l list[entry]
		if httpx.Decode(text, &l) != nil {
			return
		}
		for i := range l.Data {
			row := &l.Data[i]
			line, units, err := a.booked(row)
			if err != nil {
				continue
			}
			for _, sum := range []struct{ got, want int64 }{{line.Gross, *row.Amount}, {line.Fee + line.Tax, *row.Fee}, {line.Net, *row.Net}} {
				if want, _, err := a.exponents.minor(sum.want, row.Currency); err != nil || sum.got != want {
					t.Errorf("%d became %d (%v)", sum.want, sum.got, err)
				}
			}
			for _, u := range units {
				if u.Captured.Known && u.Currency.IsZero() || u.Captured.Minor < 0 {
					t.Errorf("captured %+v", u)
				}
			}
		}
	})
}

// FuzzObjects feeds pages of objects of every kind: no panic, and no unit that
// states an amount without a currency or below nothing.
func FuzzObjects(f *testing.F) {
	for _, name := range []string{"payment_intents", "charges", "refunds", "disputes", "transfers", "payouts"} {
		text, err := os.ReadFile("testdata/account/" + name + ".json")
		if err != nil {
			f.Fatal(err)
		}
		for _, o := range splitLines(string(text)) {
			f.Add([]byte(`{"object":"list","has_more":false,"data":[` + o + `]}`))
		}
	}
	f.Add([]byte(`{"data":[{"object":"payment_intent","status":"canceled","amount_received":-1,"latest_charge":{"object":"charge","status":"succeeded","amount_captured":9}}]}`))
	a := testAccount()
	f.Fuzz(func(t *testing.T, text []byte) {
		var l list[row]
		if httpx.Decode(text, &l) != nil {
			return
		}
		for i := range l.Data {
			o := &l.Data[i].object
			refund, _ := a.refundUnit(o)
			dispute, _ := a.disputeUnit(o)
			for _, u := range append(a.told(o), a.intentUnit(o, l.Data), a.chargeUnit(o, l.Data), refund, dispute, a.transferUnit(o), a.payoutUnit(o)) {
				if (u.Captured.Known || u.Asked.Known) && u.Currency.IsZero() || u.Captured.Minor < 0 || u.Asked.Minor < 0 {
					t.Errorf("%+v", u)
				}
			}
		}
	})
}
