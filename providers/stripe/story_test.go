package stripe

import (
	"strings"
	"testing"
	"time"

	"desfecho/internal/money"
	"desfecho/internal/payment"
	"desfecho/providers/providertest"
)

// story is one thing that happened at Stripe, and what a run over it must say:
// the classes of all divergences, in order.
type story struct {
	ids      string // of the objects of testdata/account that it is about
	attempts []payment.Attempt
	want     string
}

// all stands for everything of testdata/account.
const all = "*"

// try is an attempt of testdata/account that is named by its metadata.
func try(id string, status payment.Status, amount int64, currency string) payment.Attempt {
	return payment.Attempt{
		ID: id, Charge: "charge of " + id, Provider: "stripe", Account: "acct_1", Status: status,
		Amount:    money.Amount{Minor: amount, Currency: money.MustCurrency(currency)},
		CreatedAt: payment.InstantOf(at), LastSent: payment.InstantOf(at),
		References: []payment.Reference{{Name: "attempt", Scope: payment.ScopeAttempt, Value: id}},
	}
}

func refundOf(id string, amount int64, status payment.Status) payment.Attempt {
	a := try(id, status, amount, "USD")
	a.Operation = payment.Refund
	return a
}

// TestWhatARunSaysOfStripe: the answers of Stripe through the whole comparison,
// one story at a time.
func TestWhatARunSaysOfStripe(t *testing.T) {
	t.Parallel()
	const sent, lost, ended = payment.Succeeded, payment.Unknown, payment.Failed
	for name, s := range map[string]story{
		"paid":                            {"pi_A ch_A txn_A", []payment.Attempt{try("att_1", sent, 4999, "USD")}, ""},
		"paid and not known here":         {"pi_A ch_A txn_A", []payment.Attempt{try("att_1", lost, 4999, "USD")}, "unknown_charged"},
		"paid and called failed":          {"pi_A ch_A txn_A", []payment.Attempt{try("att_1", ended, 4999, "USD")}, "failed_but_charged"},
		"paid, nobody asked":              {"pi_A ch_A txn_A", nil, "unrecorded_charge"},
		"not there":                       {"", []payment.Attempt{try("att_1", sent, 4999, "USD")}, "missing_at_provider"},
		"another amount":                  {"pi_A ch_A txn_A", []payment.Attempt{try("att_1", sent, 5999, "USD")}, "amount_mismatch"},
		"another currency":                {"pi_A ch_A txn_A", []payment.Attempt{try("att_1", sent, 4999, "BRL")}, "currency_mismatch"},
		"settled in another currency":     {"pi_B1 ch_B1 txn_B1", []payment.Attempt{try("att_2", sent, 1000, "EUR")}, ""},
		"charged twice":                   {"pi_B1 ch_B1 txn_B1 pi_B2 ch_B2", []payment.Attempt{try("att_2", sent, 1000, "EUR")}, "duplicate_charge"},
		"refused, then paid with one id":  {"pi_C ch_C1 ch_C2 txn_C", []payment.Attempt{try("att_3", sent, 1500, "USD")}, "refund_unrecorded"},
		"refunded by an attempt of ours":  {"pi_C ch_C1 ch_C2 txn_C re_C txn_Cr", []payment.Attempt{try("att_3", sent, 1500, "USD"), refundOf("att_r3", 1500, sent)}, ""},
		"a refund that is not known here": {"pi_C ch_C1 ch_C2 txn_C re_C txn_Cr", []payment.Attempt{try("att_3", sent, 1500, "USD"), refundOf("att_r3", 1500, lost)}, "unknown_charged"},
		"a refund that is not there":      {"pi_A ch_A txn_A", []payment.Attempt{try("att_1", sent, 4999, "USD"), refundOf("att_r9", 1500, sent)}, "missing_at_provider"},
		"a refund that failed":            {"pi_A ch_A txn_A re_P1", []payment.Attempt{try("att_1", sent, 4999, "USD"), refundOf("att_p1", 100, lost)}, "unknown_declined"},
		"captured in part":                {"pi_E ch_E txn_E1 txn_E2 re_E", []payment.Attempt{try("att_5", sent, 1000, "USD")}, ""},
		"disputed":                        {"pi_F ch_F txn_F du_F txn_dF", []payment.Attempt{try("att_F", sent, 4000, "USD")}, "chargeback_unrecorded"},
		"disputed, no ledger row yet":     {"pi_F ch_F txn_F du_F", []payment.Attempt{try("att_F", sent, 4000, "USD")}, "chargeback_unrecorded"},
		"a dispute that was won":          {"pi_G ch_G txn_G du_G txn_dG txn_wG", []payment.Attempt{try("att_G", sent, 4000, "USD")}, ""},
		"a QR code nobody paid":           {"pi_H", []payment.Attempt{try("att_7", lost, 8000, "BRL")}, "unknown_open"},
		"authorized":                      {"pi_I ch_I", []payment.Attempt{try("att_8", lost, 3000, "USD")}, "unknown_open"},
		"pending in the balance":          {"pi_J py_J txn_J", []payment.Attempt{try("att_9", lost, 3000, "EUR")}, "unknown_open"},
		"pending and called paid":         {"pi_J py_J txn_J", []payment.Attempt{try("att_9", sent, 3000, "EUR")}, "succeeded_but_open"},
		"canceled":                        {"pi_K ch_K", []payment.Attempt{try("att_10", lost, 700, "USD")}, "unknown_declined"},
		"canceled and called paid":        {"pi_K ch_K", []payment.Attempt{try("att_10", sent, 700, "USD")}, "declined_at_provider"},
		"canceled and called failed":      {"pi_K ch_K", []payment.Attempt{try("att_10", ended, 700, "USD")}, ""},
		"the authorisation expired":       {"pi_L ch_L", []payment.Attempt{try("att_11", lost, 700, "USD")}, "unknown_declined"},
		"a charge without an intent":      {"ch_M txn_M", []payment.Attempt{try("att_12", sent, 5000, "JPY")}, ""},
		"three decimals":                  {"pi_N ch_N txn_N", []payment.Attempt{try("att_13", sent, 1230, "KWD")}, ""},
		"booked, then failed":             {"pi_O py_O txn_O1 txn_O2", []payment.Attempt{try("att_14", sent, 3000, "USD")}, "chargeback_unrecorded"},
		"booked, then failed, and known":  {"pi_O py_O txn_O1 txn_O2", []payment.Attempt{try("att_14", ended, 3000, "USD")}, "failed_but_charged"},
		"a transfer of ours":              {"tr_1 txn_T1", []payment.Attempt{transfer("att_t1", 700, sent)}, ""},
		"a transfer of nobody":            {"tr_1 txn_T1", nil, "unrecorded_outflow"},
		"a payout of ours":                {"po_2 txn_po_2", []payment.Attempt{transfer("att_po", 5000, sent)}, ""},
		"payouts, fees and what is new":   {"po_3 txn_po_3 txn_po_2 txn_U txn_V", nil, ""},
		"a payout that is not its rows":   {"po_1 txn_po_1 txn_U", nil, "payout_mismatch"},
		"a payout and all its rows": {all, []payment.Attempt{
			try("att_1", sent, 4999, "USD"), try("att_3", sent, 1500, "USD"), refundOf("att_r3", 1500, sent), try("att_5", sent, 1000, "USD"),
			try("att_F", sent, 4000, "USD"), try("att_G", sent, 4000, "USD"), try("att_12", sent, 5000, "JPY"), try("att_13", sent, 1230, "KWD"),
			try("att_2", sent, 1000, "EUR"), transfer("att_t1", 700, sent), transfer("att_po", 5000, sent),
		}, "chargeback_unrecorded duplicate_charge outflow_returned unrecorded_charge"},
		"refused, and it may be tried yet": {"pi_D ch_D", []payment.Attempt{try("att_4", lost, 2500, "USD")}, "unknown_open"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s.run(t)
		})
	}
}

func transfer(id string, amount int64, status payment.Status) payment.Attempt {
	a := try(id, status, amount, "USD")
	a.Operation = payment.Transfer
	return a
}

func (s *story) run(t *testing.T) {
	t.Helper()
	f := serve(t)
	if s.ids != all {
		f.keep(strings.Fields(s.ids)...)
	}
	p := f.provider(Options{})
	told := providertest.Story{
		Provider: p, Name: "stripe", Account: "acct_1", Mode: payment.Test, Zone: p.zone, Whole: payment.Interval{From: payment.InstantOf(first), To: payment.InstantOf(last)},
		Now: payment.InstantOf(at.Add(20 * time.Hour)), Attempts: s.attempts, Want: strings.Fields(s.want),
	}
	told.Run(t)
}
