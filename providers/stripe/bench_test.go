package stripe

import (
	"fmt"
	"strings"
	"testing"

	"desfecho/internal/payment"
	"desfecho/providers/httpx"
)

// BenchmarkLedgerPage reads pages of 100 balance transactions with their
// charges expanded, as Stripe sends them: about 1.9 KB a row.
func BenchmarkLedgerPage(b *testing.B) {
	text := []byte(bigPage())
	a := testAccount()
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	lines := make([]payment.Line, 0, pageRows)
	for b.Loop() {
		var l list[entry]
		if err := httpx.Decode(text, &l); err != nil {
			b.Fatal(err)
		}
		lines = lines[:0]
		for i := range l.Data {
			line, _, err := a.booked(&l.Data[i])
			if err != nil {
				b.Fatal(err)
			}
			lines = append(lines, line)
		}
	}
	b.ReportMetric(float64(pageRows*b.N)/b.Elapsed().Seconds(), "lines/s")
}

func bigPage() string {
	var rows []string
	blank := ""
	for i := range 18 {
		blank += fmt.Sprintf(`"unread_field_%d_of_a_charge":"some text of Stripe's",`, i)
	}
	for i := range pageRows {
		rows = append(rows, fmt.Sprintf(`{"id":"txn_%d","object":"balance_transaction","amount":4999,"available_on":1793232000,"created":1793091661,
"currency":"usd","description":"Order","exchange_rate":null,"fee":175,"fee_details":[{"amount":175,"application":null,"currency":"usd","description":"Stripe processing fees","type":"stripe_fee"}],
"net":4824,"reporting_category":"charge","status":"available","type":"charge","source":{"id":"ch_%d","object":"charge",%s"amount":4999,"amount_captured":4999,"amount_refunded":0,"captured":true,
"created":1793091660,"currency":"usd","disputed":false,"livemode":false,"metadata":{"attempt_id":"att_%d"},"paid":true,"payment_intent":"pi_%d","refunded":false,"status":"succeeded",
"payment_method_details":{"type":"card","card":{"brand":"visa","last4":"4242","checks":{"cvc_check":"pass"}}}}}`, i, i, blank, i, i))
	}
	return `{"object":"list","has_more":true,"data":[` + strings.Join(rows, ",") + `]}`
}
