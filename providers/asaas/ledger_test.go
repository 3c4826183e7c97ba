package asaas

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"desfecho/internal/money"
	"desfecho/internal/payment"
)

// TestTheApiAndTheExportAreReadAlike: the profile for the extrato as a file and
// the adapter must call every one of the provider's 129 types the same.
func TestTheApiAndTheExportAreReadAlike(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../internal/profile/builtin/asaas-extrato.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var profile struct{ Kinds map[string][]string }
	if err := yaml.Unmarshal(text, &profile); err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	for kind, types := range profile.Kinds {
		for _, word := range types {
			named[word] = true
			if got := kindOf(&entry{Type: word}, 0); got.String() != kind {
				t.Errorf("%s is %s here and %s in the profile", word, got, kind)
			}
		}
	}
	if len(named) != 129 {
		t.Errorf("the profile names %d types, the provider has 129", len(named))
	}
	for word := range kinds {
		if !named[word] {
			t.Errorf("%s is not in the profile", word)
		}
	}
}

func TestTheSignOfARowWinsOverItsWord(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		word  string
		split string
		minor int64
		want  payment.Kind
	}{
		{"PAYMENT_RECEIVED", "", 1, payment.KindCharge},
		{"PAYMENT_RECEIVED", "", -1, payment.KindChargeReversal},
		{"PAYMENT_REVERSAL", "", -1, payment.KindRefund},
		{"PAYMENT_REVERSAL", "", 1, payment.KindRefundReversal},
		{"PAYMENT_REFUND_CANCELLED", "", -1, payment.KindRefund},
		{"CHARGEBACK", "", -1, payment.KindChargeback},
		{"CHARGEBACK", "", 1, payment.KindChargebackReversal},
		{"PAYMENT_FEE", "", -1, payment.KindFee},
		{"PAYMENT_FEE", "", 1, payment.KindFeeReversal},
		{"TRANSFER", "", -1, payment.KindTransferOut},
		{"TRANSFER", "", 1, payment.KindTransferReversal},
		{"TRANSFER_REVERSAL", "", -1, payment.KindTransferOut},
		{"INTERNAL_TRANSFER_DEBIT", "", -1, payment.KindTransferOut},
		{"INTERNAL_TRANSFER_DEBIT", "split-1", -1, payment.KindAdjustment},
		{"INTERNAL_TRANSFER_REVERSAL", "split-1", 1, payment.KindAdjustment},
		{"INTERNAL_TRANSFER_CREDIT", "split-1", 1, payment.KindTransferIn},
		{"RECEIVABLE_ANTICIPATION_DEBIT", "", -1, payment.KindAnticipation},
		{"PAYMENT_RECEIVED", "", 0, payment.KindCharge},
		{"SOME_FUTURE_TYPE", "", 17, payment.KindOther},
		{"", "", 17, payment.KindOther},
		{"payment_received", "", 17, payment.KindOther},
	} {
		if got := kindOf(&entry{Type: c.word, SplitID: c.split}, c.minor); got != c.want {
			t.Errorf("%s of %d, split %q, is %s; want %s", c.word, c.minor, c.split, got, c.want)
		}
	}
}

func TestRowsNameTheUnitTheyMove(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		row          string
		unit, parent string
	}{
		{`{"type":"PAYMENT_RECEIVED","value":1,"paymentId":"pay_1"}`, "pay_1", ""},
		{`{"type":"PAYMENT_FEE","value":-1,"paymentId":"pay_1"}`, "pay_1", ""},
		{`{"type":"PAYMENT_REVERSAL","value":-1,"paymentId":"pay_1"}`, "pay_1/refunds", "pay_1"},
		{`{"type":"PAYMENT_REFUND_CANCELLED","value":1,"paymentId":"pay_1"}`, "pay_1/refunds", "pay_1"},
		{`{"type":"PIX_TRANSACTION_CREDIT_REFUND","value":-1}`, "", ""},
		{`{"type":"CHARGEBACK","value":-1,"paymentId":"pay_1"}`, "pay_1", ""},
		{`{"type":"TRANSFER","value":-1,"transferId":"tra_1"}`, "tra_1", ""},
		{`{"type":"TRANSFER_FEE","value":-1,"transferId":"tra_1"}`, "tra_1", ""},
		{`{"type":"BILL_PAYMENT","value":-1,"billId":"bill_1"}`, "bill_1", ""},
		{`{"type":"PIX_TRANSACTION_DEBIT","value":-1}`, "", ""},
		{`{"type":"RECEIVABLE_ANTICIPATION_GROSS_CREDIT","value":1,"anticipationId":"ant_1","paymentId":"pay_1"}`, "ant_1", ""},
		{`{"type":"RECEIVABLE_ANTICIPATION_FEE","value":-1,"anticipationId":"ant_1","paymentId":"pay_1"}`, "pay_1", ""},
		{`{"type":"INTERNAL_TRANSFER_DEBIT","value":-1,"splitId":"spl_1","paymentId":"pay_1"}`, "pay_1", ""},
		{`{"type":"CREDIT_BUREAU_REPORT","value":-1,"creditBureauReportId":"cbr_1"}`, "cbr_1", ""},
		{`{"type":"INVOICE_FEE","value":-1,"invoiceId":"inv_1"}`, "inv_1", ""},
		{`{"type":"PAYMENT_DUNNING_REQUEST_FEE","value":-1,"paymentDunningId":"dun_1"}`, "dun_1", ""},
		{`{"type":"SOME_FUTURE_TYPE","value":1,"paymentId":"pay_1"}`, "pay_1", ""},
		{`{"type":"SOME_FUTURE_TYPE","value":1}`, "", ""},
	} {
		e := read[entry](t, c.row)
		e.ID, e.Date = "ftn_1", "2026-05-04"
		l, err := testOwner(t).line(e)
		if err != nil || l.Unit != c.unit || l.Parent != c.parent {
			t.Errorf("%s moves %q of %q, %v; want %q of %q", c.row, l.Unit, l.Parent, err, c.unit, c.parent)
		}
	}
}

// TestAnAnticipatedSaleIsOneSale: 300.00 advanced on the 10th and paid by the
// issuer on the 4th of the next month is one sale of 300.00 that cost 9.46 and
// 6.10.
func TestAnAnticipatedSaleIsOneSale(t *testing.T) {
	t.Parallel()
	rows := *read[[]entry](t, `[
		{"id":"ftn_201","value":290.54,"balance":1290.54,"type":"RECEIVABLE_ANTICIPATION_GROSS_CREDIT","date":"2026-05-10","anticipationId":"ant-1","paymentId":"pay_31"},
		{"id":"ftn_202","value":-6.10,"balance":1284.44,"type":"RECEIVABLE_ANTICIPATION_FEE","date":"2026-05-10","anticipationId":"ant-1","paymentId":"pay_31"},
		{"id":"ftn_203","value":300.00,"balance":1584.44,"type":"PAYMENT_RECEIVED","date":"2026-06-04","paymentId":"pay_31"},
		{"id":"ftn_204","value":-9.46,"balance":1574.98,"type":"PAYMENT_FEE","date":"2026-06-04","paymentId":"pay_31"},
		{"id":"ftn_205","value":-290.54,"balance":1284.44,"type":"RECEIVABLE_ANTICIPATION_DEBIT","date":"2026-06-04","anticipationId":"ant-1","paymentId":"pay_31"}]`)
	sums := map[payment.Kind]int64{}
	var net int64
	lines := linesOf(t, rows)
	for _, l := range lines {
		sums[l.Kind] += l.Gross
		net += l.Net
	}
	want := map[payment.Kind]int64{payment.KindCharge: 30000, payment.KindFee: -1556, payment.KindAnticipation: 0}
	if diff := cmp.Diff(want, sums); diff != "" || net != 28444 {
		t.Errorf("net %d, want 28444; %s", net, diff)
	}
	opening, closing := chain(rows, lines)
	if opening != payment.Known(100000) || closing != payment.Known(128444) {
		t.Errorf("the balance goes from %v to %v", opening, closing)
	}
}

func linesOf(t interface{ Fatal(...any) }, rows []entry) []payment.Line {
	o := owner{name: "asaas", account: "wallet-1", zone: time.UTC}
	var lines []payment.Line
	for i := range rows {
		l, err := o.line(&rows[i])
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, l)
	}
	return lines
}

func TestALineIsADayOfTheAccount(t *testing.T) {
	t.Parallel()
	l, err := testOwner(t).line(read[entry](t, `{"object":"financialTransaction","id":"ftn_1","value":-1.99,"balance":1148.01,
		"type":"PAYMENT_FEE","date":"2026-05-04","description":"Taxa do Pix - Maria da Silva","paymentId":"pay_1"}`))
	if err != nil {
		t.Fatal(err)
	}
	want := payment.Line{
		ID: "ftn_1", Unit: "pay_1", Provider: "asaas", Account: "wallet-1", Raw: "PAYMENT_FEE", Gross: -199, Net: -199, Currency: brl,
		Kind: payment.KindFee, Day: payment.DayOfDate(2026, 5, 4), At: payment.DayOfDate(2026, 5, 4).Start(saoPaulo(t)), DayOnly: true,
	}
	if diff := cmp.Diff(want, l); diff != "" {
		t.Error(diff)
	}
	for _, bad := range []entry{{}, {ID: "f", Value: "1"}, {ID: "f", Date: "2026-05-04"}, {Value: "1", Date: "2026-05-04"}, {ID: "f", Value: "1.001", Date: "2026-05-04"}} {
		if l, err := testOwner(t).line(&bad); err == nil {
			t.Errorf("%v: taken as %v", bad, l)
		}
	}
}

// drawRows draws a ledger whose balance ties. Amounts are not zero: a row that
// moves nothing cannot be missed in a balance.
func drawRows(t *rapid.T, least int) []entry {
	moved := rapid.Int64Range(-1<<40, 1<<40).Filter(func(v int64) bool { return v != 0 })
	values := rapid.SliceOfN(moved, least, 60).Draw(t, "values")
	balance := rapid.Int64Range(-1<<40, 1<<40).Draw(t, "opening")
	rows := make([]entry, len(values))
	for i, v := range values {
		balance += v
		rows[i] = entry{ID: fmt.Sprint("ftn_", i), Type: "CREDIT", Date: "2026-05-04", Value: reais(v), Balance: reais(balance)}
	}
	return rows
}

func reais(minor int64) json.Number {
	return json.Number(money.Amount{Minor: minor, Currency: brl}.Decimal())
}

func TestALostOrDoubledRowBreaksTheBalance(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		rows := drawRows(t, 3)
		opening, closing := chain(rows, linesOf(t, rows))
		last, _ := minorOf(rows[len(rows)-1].Balance)
		if !opening.Known || closing != payment.Known(last) {
			t.Fatalf("a whole chain goes from %v to %v, want %d at the end", opening, closing, last)
		}
		at := rapid.IntRange(1, len(rows)-2).Draw(t, "at")
		lost := slices.Delete(slices.Clone(rows), at, at+1)
		doubled := slices.Insert(slices.Clone(rows), at, rows[at])
		for what, broken := range map[string][]entry{"lost": lost, "doubled": doubled} {
			if opening, closing := chain(broken, linesOf(t, broken)); opening.Known || closing.Known {
				t.Fatalf("row %d %s, and the chain goes from %v to %v", at, what, opening, closing)
			}
		}
	})
}

func TestPagesOfAChainMeet(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		rows := drawRows(t, 2)
		opening, closing := chain(rows, linesOf(t, rows))
		cut := rapid.IntRange(1, len(rows)-1).Draw(t, "cut")
		from, middle := chain(rows[:cut], linesOf(t, rows[:cut]))
		again, to := chain(rows[cut:], linesOf(t, rows[cut:]))
		if from != opening || to != closing || middle != again {
			t.Fatalf("cut at %d: %v to %v, %v to %v; whole: %v to %v", cut, from, middle, again, to, opening, closing)
		}
	})
}

func TestAPageWithoutBalancesStatesNone(t *testing.T) {
	t.Parallel()
	for _, rows := range [][]entry{nil, {{ID: "f", Type: "CREDIT", Date: "2026-05-04", Value: "1"}}, {{ID: "f", Type: "CREDIT", Date: "2026-05-04", Value: "1", Balance: "x"}}} {
		if opening, closing := chain(rows, linesOf(t, rows)); opening.Known || closing.Known {
			t.Errorf("%v: from %v to %v", rows, opening, closing)
		}
	}
}
