package stripe

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"desfecho/internal/payment"
)

// Every reporting category and type, with the kind of a row that comes in and
// of one that goes out; one word where both are the same.
const wantCategories = `
charge                        charge
charge_failure                charge_reversal
partial_capture_reversal      charge_reversal
refund                        refund_reversal / refund
refund_failure                refund_reversal / refund
dispute                       chargeback_reversal / chargeback
dispute_reversal              chargeback_reversal / chargeback
fee                           fee_reversal / fee
network_cost                  fee_reversal / fee
tax                           tax
payout                        payout_reversal / payout
payout_reversal               payout_reversal / payout
transfer                      transfer_reversal / transfer_out
transfer_reversal             transfer_reversal
topup                         transfer_in / transfer_reversal
topup_reversal                transfer_reversal
connect_collection_transfer   transfer_reversal / transfer_out
connect_reserved_funds        reserve_release / reserve_hold
risk_reserved_funds           reserve_release / reserve_hold
anticipation_repayment        anticipation
advance                       adjustment
advance_funding               adjustment
climate_order_purchase        adjustment
climate_order_refund          adjustment
contribution                  adjustment
financing_paydown             adjustment
financing_paydown_reversal    adjustment
financing_payout              adjustment
financing_payout_reversal     adjustment
issuing_authorization_hold    adjustment
issuing_authorization_release adjustment
issuing_dispute               adjustment
issuing_transaction           adjustment
other_adjustment              adjustment
platform_earning              adjustment
platform_earning_refund       adjustment
unreconciled_customer_funds   adjustment
a_category_of_next_year       other
`

const wantTypes = `
charge                                charge
payment                               charge
payment_failure_refund                charge_reversal
payment_reversal                      charge_reversal
refund                                refund_reversal / refund
payment_refund                        refund_reversal / refund
refund_failure                        refund_reversal / refund
stripe_fee                            fee_reversal / fee
stripe_fx_fee                         fee_reversal / fee
tax_fee                               tax
payout                                payout_reversal / payout
payout_cancel                         payout_reversal / payout
payout_failure                        payout_reversal / payout
payout_minimum_balance_hold           reserve_release / reserve_hold
payout_minimum_balance_release        reserve_release / reserve_hold
transfer                              transfer_reversal / transfer_out
transfer_cancel                       transfer_reversal
transfer_failure                      transfer_reversal
transfer_refund                       transfer_reversal
connect_collection_transfer           transfer_reversal / transfer_out
inbound_transfer                      transfer_in / transfer_reversal
inbound_transfer_reversal             transfer_reversal
topup                                 transfer_in / transfer_reversal
topup_reversal                        transfer_reversal
reserve_transaction                   reserve_release / reserve_hold
reserved_funds                        reserve_release / reserve_hold
reserve_hold                          reserve_release / reserve_hold
reserve_release                       reserve_release / reserve_hold
payment_network_reserve_hold          reserve_release / reserve_hold
payment_network_reserve_release       reserve_release / reserve_hold
anticipation_repayment                anticipation
adjustment                            adjustment
advance                               adjustment
advance_funding                       adjustment
application_fee                       adjustment
application_fee_refund                adjustment
climate_order_purchase                adjustment
climate_order_refund                  adjustment
contribution                          adjustment
fee_credit_funding                    adjustment
tax_fund                              adjustment
issuing_authorization_hold            adjustment
issuing_authorization_release         adjustment
issuing_dispute                       adjustment
issuing_transaction                   adjustment
obligation_outbound                   adjustment
obligation_reversal_inbound           adjustment
payment_unreconciled                  adjustment
stripe_balance_payment_debit          adjustment
stripe_balance_payment_debit_reversal adjustment
balance_transfer_inbound              other
a_type_of_next_year                   other
`

func TestEveryCategoryAndTypeIsOneKind(t *testing.T) {
	t.Parallel()
	check := func(table string, known map[string]payment.Kind, row func(word string, amount int64) *object) {
		seen := 0
		for line := range strings.Lines(strings.TrimSpace(table)) {
			word, kinds, _ := strings.Cut(strings.TrimSpace(line), " ")
			in, out, both := strings.Cut(strings.TrimSpace(kinds), " / ")
			if !both {
				out = in
			}
			if got := kindOf(row(word, 100)).String(); got != in {
				t.Errorf("%s, money in: %s, want %s", word, got, in)
			}
			if got := kindOf(row(word, -100)).String(); got != out {
				t.Errorf("%s, money out: %s, want %s", word, got, out)
			}
			if _, ok := known[word]; ok {
				seen++
			}
		}
		if seen != len(known) {
			t.Errorf("%d of %d words are in the table", seen, len(known))
		}
	}
	check(wantCategories, byCategory, func(word string, amount int64) *object {
		return &object{Category: word, Type: "a_type_of_next_year", Amount: &amount}
	})
	check(wantTypes, byType, func(word string, amount int64) *object {
		return &object{Type: word, Category: "a_category_of_next_year", Amount: &amount}
	})
}

func TestTheCategoryDecidesUnlessItIsTheCatchAll(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		category, kind string
		amount         int64
		want, raw      string
	}{
		{"dispute", "adjustment", -100, "chargeback", "dispute/adjustment"},
		{"dispute_reversal", "adjustment", 100, "chargeback_reversal", "dispute_reversal/adjustment"},
		{"partial_capture_reversal", "refund", -100, "charge_reversal", "partial_capture_reversal/refund"},
		{"charge_failure", "payment_failure_refund", -100, "charge_reversal", "charge_failure/payment_failure_refund"},
		{"refund_failure", "adjustment", 100, "refund_reversal", "refund_failure/adjustment"},
		{"refund", "payment_refund", 100, "refund_reversal", "refund/payment_refund"},
		{"other_adjustment", "reserve_transaction", -100, "reserve_hold", "other_adjustment/reserve_transaction"},
		{"other_adjustment", "payout_minimum_balance_release", 100, "reserve_release", "other_adjustment/payout_minimum_balance_release"},
		{"other_adjustment", "inbound_transfer", 100, "transfer_in", "other_adjustment/inbound_transfer"},
		{"other_adjustment", "charge", 100, "adjustment", "other_adjustment/charge"},
		{"charge", "charge", 100, "charge", "charge"},
		{"charge", "payment", 0, "charge", "charge/payment"},
		{"", "charge", 100, "charge", "charge"},
		{"charge", "", 100, "charge", "charge"},
		{"", "", 100, "other", ""},
		{"new\x1b[31m", "newer", 100, "other", "new\x1b[31m/newer"},
	} {
		o := &object{Category: test.category, Type: test.kind, Amount: &test.amount}
		if got := kindOf(o).String(); got != test.want {
			t.Errorf("%s/%s %d is %s, want %s", test.category, test.kind, test.amount, got, test.want)
		}
		if got := word(o); got != test.raw {
			t.Errorf("%s/%s is called %q, want %q", test.category, test.kind, got, test.raw)
		}
	}
}

// TestEveryPublishedTypeIsKnown holds the table against the list that Stripe
// publishes in its OpenAPI description.
func TestEveryPublishedTypeIsKnown(t *testing.T) {
	t.Parallel()
	for _, published := range published(t).Enums["balance_transaction.type"] {
		if _, ok := byType[published]; !ok {
			t.Errorf("type %s is published and not mapped", published)
		}
	}
}

// publication is what testdata/openapi.json holds of Stripe's OpenAPI
// description: of every endpoint that is asked its parameters, of every
// enumeration that is mapped its values, of every object the fields that can
// be expanded.
type publication struct {
	Source     string                       `json:"source"`
	Endpoints  map[string][]string          `json:"endpoints"`
	Enums      map[string][]string          `json:"enums"`
	Required   map[string][]string          `json:"required"`
	Expandable map[string]map[string]string `json:"expandable"`
}

func published(t testing.TB) publication {
	t.Helper()
	text, err := os.ReadFile("testdata/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	var p publication
	if err := json.Unmarshal(text, &p); err != nil {
		t.Fatal(err)
	}
	return p
}
