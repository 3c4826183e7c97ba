package pagarme

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"desfecho/internal/payment"
	"desfecho/providers/providertest"
)

func TestEveryTypeOfAReceivableIsMapped(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		word, amount string
		kind         payment.Kind
		byType       int64
		written      int64
	}{
		{"credit", "100", payment.KindCharge, 100, 100},
		{"credit", `"100"`, payment.KindCharge, 100, 100},
		{"refund", "100", payment.KindRefund, -100, 100},
		{"refund", "-100", payment.KindRefund, -100, -100},
		{"refund_reversal", "100", payment.KindRefundReversal, 100, 100},
		{"chargeback", "100", payment.KindChargeback, -100, 100},
		{"chargeback", "-100", payment.KindChargeback, -100, -100},
		{"chargeback_refund", "100", payment.KindChargebackReversal, 100, 100},
		{"tomorrow", "-100", payment.KindOther, -100, -100},
		{"", "100", payment.KindOther, 100, 100},
	} {
		for _, written := range []bool{false, true} {
			p := reader(t, nil)
			p.o.SignsAsWritten = written
			l, ok, err := p.settled(decoded[receivable](t, payableOf(1, c.word, "paid", c.amount, "2026-05-05", 1)))
			want := c.byType
			if written {
				want = c.written
			}
			if err != nil || !ok || l.Kind != c.kind || l.Gross != want || l.Net != want-127 || l.Raw != c.word {
				t.Errorf("%s of %s, as written %v: %+v, %v, %v; want %d", c.word, c.amount, written, l, ok, err, want)
			}
		}
	}
	contradiction, ok, err := reader(t, nil).settled(decoded[receivable](t, payableOf(1, "credit", "paid", "-100", "2026-05-05", 1)))
	if err != nil || !ok || contradiction.Kind != payment.KindOther || contradiction.Gross != -100 {
		t.Errorf("an income below zero: %+v, %v", contradiction, err)
	}
}

func TestEveryTypeOfTheBalanceIsMapped(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		word, amount string
		kind         payment.Kind
		gross        int64
	}{
		{"refund", "100", payment.KindFeeReversal, 100},
		{"transfer", "-100", payment.KindPayout, -100},
		{"transfer", "100", payment.KindPayout, -100},
		{"fee_collection", `"-99"`, payment.KindFee, -99},
		{"fee_collection", "99", payment.KindFee, -99},
		{"anticipation", "-5", payment.KindAnticipation, -5},
		{"anticipation", "5", payment.KindAnticipation, 5},
		{"external_settlement", "-5", payment.KindAdjustment, -5},
		{"tomorrow", "-5", payment.KindOther, -5},
	} {
		l, ok, err := reader(t, nil).moved(decoded[operation](t, operationOf(1, c.word, "available", c.amount)))
		if err != nil || !ok || l.Kind != c.kind || l.Gross != c.gross || l.Raw != c.word || l.Unit != c.word+"_60" || l.Still || (l.Payout != "") != (c.kind == payment.KindPayout) {
			t.Errorf("%s of %s: %+v, %v, %v; want %d", c.word, c.amount, l, ok, err, c.gross)
		}
	}
	if l, ok, err := reader(t, nil).moved(decoded[operation](t, operationOf(1, "payable", "available", "100"))); ok || err != nil {
		t.Errorf("a receivable's row would count twice: %+v, %v", l, err)
	}
	if l, ok, err := reader(t, nil).moved(decoded[operation](t, operationOf(1, "transfer", "waiting_funds", "100"))); !ok || err != nil || !l.Still {
		t.Errorf("what waits has moved nothing: %+v, %v, %v", l, ok, err)
	}
}

func TestAReceivableIsMoneyOnItsDay(t *testing.T) {
	t.Parallel()
	p := reader(t, nil)
	text := payableOf(80, "credit", "prepaid", "3334", "2026-06-05", 2)
	text = strings.Replace(text, `"anticipation_fee":0,"fraud_coverage_fee":null`, `"anticipation_fee":58,"fraud_coverage_fee":"5"`, 1)
	l, ok, err := p.settled(decoded[receivable](t, text))
	moment := providertest.At("2026-06-05T03:00:00Z")
	want := payment.Line{
		ID: "payable_80", Unit: "ch_1", Provider: "pagarme", Account: "loja", Kind: payment.KindCharge, Raw: "credit", Status: "prepaid",
		Gross: 3334, Fee: 190, Net: 3144, Currency: brl, At: moment, AvailableAt: moment, Day: payment.DayOfDate(2026, 6, 5), DayOnly: true, N: 2,
	}
	if diff := cmp.Diff(want, l); diff != "" || !ok || err != nil {
		t.Error(diff, ok, err)
	}
	for status, want := range map[string][2]bool{ // it is there; it moved nothing yet
		"paid": {true, false}, "prepaid": {true, false}, "waiting_funds": {false, true}, "suspended": {true, true}, "tomorrow": {true, true},
	} {
		l, ok, err := p.settled(decoded[receivable](t, payableOf(1, "credit", status, "1", "2026-05-05", 1)))
		if err != nil || ok != want[0] || l.Still != want[1] {
			t.Errorf("%s: %v, %+v, %v", status, ok, l, err)
		}
	}
	back, _, err := p.settled(decoded[receivable](t, payableOf(1, "refund", "paid", "-5", "2026-05-05", 1)))
	if err != nil || back.Unit != "ch_1/refunds" || back.Parent != "ch_1" || back.N != 0 {
		t.Errorf("%+v, %v", back, err)
	}
	shared, _, err := p.settled(decoded[receivable](t, strings.Replace(payableOf(1, "credit", "paid", "5", "2026-05-05", 1), `"split_id":null`, `"split_id":"sp_1"`, 1)))
	if err != nil || shared.Recipient != "re_1" {
		t.Errorf("%+v, %v", shared, err)
	}
	plain, _, err := p.settled(decoded[receivable](t, strings.Replace(payableOf(1, "credit", "paid", "5", "2026-05-05", 1), "credit_card", "pix", 1)))
	if err != nil || plain.N != 1 || plain.Of != 1 {
		t.Errorf("a Pix has one parcel: %+v, %v", plain, err)
	}
}

func TestAPlanIsAllParcelsOfACharge(t *testing.T) {
	t.Parallel()
	p := reader(t, nil)
	var rows []receivable
	for n := 1; n <= 2; n++ {
		rows = append(rows, *decoded[receivable](t, payableOf(n, "credit", "waiting_funds", "5000", fmt.Sprintf("2026-0%d-05", 5+n), n)))
	}
	u, err := p.plan("ch_1", rows)
	want := []payment.Parcel{{N: 1, Due: payment.DayOfDate(2026, 6, 5), Minor: 5000}, {N: 2, Due: payment.DayOfDate(2026, 7, 5), Minor: 5000}}
	if diff := cmp.Diff(want, u.Plan); diff != "" || err != nil || u.ID != "ch_1" || u.State != payment.StateNone {
		t.Error(diff, u, err)
	}
	rows[1].Split = "sp_1"
	if u, err := p.plan("ch_1", rows); err != nil || len(u.Plan) > 0 {
		t.Errorf("a shared sale's parcels are shares: %+v, %v", u, err)
	}
}

func TestARowOfTheBalanceThatSaysTooLittleIsRefused(t *testing.T) {
	t.Parallel()
	p := reader(t, nil)
	for _, change := range []string{
		`"id":1|"id":null`, `"amount":5|"amount":null`, `"amount":5|"amount":"5.00"`, `"fee":"127"|"fee":"x"`, `"installment":1|"installment":1.5`,
		`"installment":1|"installment":-1`, `"installment":1|"installment":99999`, `"charge_id":"ch_1"|"charge_id":null`, `T03:00:00.000Z|`, `"2026-05-05T03:00:00.000Z"|null`,
	} {
		from, to, _ := strings.Cut(change, "|")
		whole := payableOf(1, "credit", "paid", "5", "2026-05-05", 1)
		if !strings.Contains(whole, from) {
			t.Fatalf("%s: nothing to change", change)
		}
		var r receivable
		if decodeInto(strings.Replace(whole, from, to, 1), &r) != nil {
			continue
		}
		if l, _, err := p.settled(&r); err == nil {
			t.Errorf("%s: taken as %+v", change, l)
		}
	}
	for _, change := range []string{`"id":1,|"id":null,`, `"amount":5|"amount":null`, `"fee":0|"fee":true`, `"type":"transfer","amount"|"type":null,"amount"`, `"2026-05-07T09:00:00Z"|"2026-05-07"`} {
		from, to, _ := strings.Cut(change, "|")
		whole := operationOf(1, "transfer", "transferred", "5")
		if !strings.Contains(whole, from) {
			t.Fatalf("%s: nothing to change", change)
		}
		var o operation
		if decodeInto(strings.Replace(whole, from, to, 1), &o) != nil {
			continue
		}
		if l, _, err := p.moved(&o); err == nil {
			t.Errorf("%s: taken as %+v", change, l)
		}
	}
}
