package stripe

import "desfecho/internal/payment"

// kindOf says what a balance transaction is: by its reporting category, which
// Stripe made for that, else by its type, else it is other. The sign wins
// where it says the opposite of the word.
func kindOf(t *object) payment.Kind {
	kind, known := byCategory[t.Category]
	narrower, typed := byType[t.Type]
	switch {
	case !known:
		kind = narrower // KindOther where the type is not known either
	case kind == payment.KindAdjustment && typed && narrows(narrower):
		kind = narrower
	}
	if t.Amount == nil || *t.Amount == 0 {
		return kind
	}
	if turned, both := opposite[kind]; both && (*t.Amount > 0) != credits(kind) {
		return turned
	}
	return kind
}

// narrows tells whether a type says more than the catch-all category of
// adjustments. What moves one payment's money is left to categories alone.
func narrows(k payment.Kind) bool {
	return k == payment.KindReserveHold || k == payment.KindReserveRelease || k == payment.KindAnticipation || k == payment.KindTransferIn
}

// credits tells whether rows of the kind come in.
func credits(k payment.Kind) bool {
	switch k { //nolint:exhaustive // only the kinds with an opposite are asked for
	case payment.KindRefundReversal, payment.KindChargebackReversal, payment.KindFeeReversal, payment.KindPayoutReversal,
		payment.KindReserveRelease, payment.KindTransferIn:
		return true
	default:
		return false
	}
}

// opposite is what a kind is with the other sign: a bank that returns a refund
// books it as payment_refund again, reserves and fees come back under one word.
var opposite = map[payment.Kind]payment.Kind{
	payment.KindRefund:             payment.KindRefundReversal,
	payment.KindRefundReversal:     payment.KindRefund,
	payment.KindChargeback:         payment.KindChargebackReversal,
	payment.KindChargebackReversal: payment.KindChargeback,
	payment.KindFee:                payment.KindFeeReversal,
	payment.KindFeeReversal:        payment.KindFee,
	payment.KindPayout:             payment.KindPayoutReversal,
	payment.KindPayoutReversal:     payment.KindPayout,
	payment.KindReserveHold:        payment.KindReserveRelease,
	payment.KindReserveRelease:     payment.KindReserveHold,
	payment.KindTransferOut:        payment.KindTransferReversal,
	payment.KindTransferIn:         payment.KindTransferReversal,
}

// byCategory maps reporting_category.
var byCategory = map[string]payment.Kind{
	"charge":                        payment.KindCharge,
	"charge_failure":                payment.KindChargeReversal,
	"partial_capture_reversal":      payment.KindChargeReversal,
	"refund":                        payment.KindRefund,
	"refund_failure":                payment.KindRefundReversal,
	"dispute":                       payment.KindChargeback,
	"dispute_reversal":              payment.KindChargebackReversal,
	"fee":                           payment.KindFee,
	"network_cost":                  payment.KindFee,
	"tax":                           payment.KindTax,
	"payout":                        payment.KindPayout,
	"payout_reversal":               payment.KindPayoutReversal,
	"transfer":                      payment.KindTransferOut,
	"transfer_reversal":             payment.KindTransferReversal,
	"topup":                         payment.KindTransferIn,
	"topup_reversal":                payment.KindTransferReversal,
	"connect_collection_transfer":   payment.KindTransferOut,
	"connect_reserved_funds":        payment.KindReserveHold,
	"risk_reserved_funds":           payment.KindReserveHold,
	"anticipation_repayment":        payment.KindAnticipation,
	"advance":                       payment.KindAdjustment,
	"advance_funding":               payment.KindAdjustment,
	"climate_order_purchase":        payment.KindAdjustment,
	"climate_order_refund":          payment.KindAdjustment,
	"contribution":                  payment.KindAdjustment,
	"financing_paydown":             payment.KindAdjustment,
	"financing_paydown_reversal":    payment.KindAdjustment,
	"financing_payout":              payment.KindAdjustment,
	"financing_payout_reversal":     payment.KindAdjustment,
	"issuing_authorization_hold":    payment.KindAdjustment,
	"issuing_authorization_release": payment.KindAdjustment,
	"issuing_dispute":               payment.KindAdjustment,
	"issuing_transaction":           payment.KindAdjustment,
	"other_adjustment":              payment.KindAdjustment,
	"platform_earning":              payment.KindAdjustment,
	"platform_earning_refund":       payment.KindAdjustment,
	"unreconciled_customer_funds":   payment.KindAdjustment,
}

// byType maps type, for rows whose category is not known.
var byType = map[string]payment.Kind{
	"charge":                                payment.KindCharge,
	"payment":                               payment.KindCharge,
	"payment_failure_refund":                payment.KindChargeReversal,
	"payment_reversal":                      payment.KindChargeReversal,
	"refund":                                payment.KindRefund,
	"payment_refund":                        payment.KindRefund,
	"refund_failure":                        payment.KindRefundReversal,
	"stripe_fee":                            payment.KindFee,
	"stripe_fx_fee":                         payment.KindFee,
	"tax_fee":                               payment.KindTax,
	"payout":                                payment.KindPayout,
	"payout_cancel":                         payment.KindPayoutReversal,
	"payout_failure":                        payment.KindPayoutReversal,
	"transfer":                              payment.KindTransferOut,
	"connect_collection_transfer":           payment.KindTransferOut,
	"transfer_cancel":                       payment.KindTransferReversal,
	"transfer_failure":                      payment.KindTransferReversal,
	"transfer_refund":                       payment.KindTransferReversal,
	"topup":                                 payment.KindTransferIn,
	"topup_reversal":                        payment.KindTransferReversal,
	"inbound_transfer":                      payment.KindTransferIn,
	"inbound_transfer_reversal":             payment.KindTransferReversal,
	"payout_minimum_balance_hold":           payment.KindReserveHold,
	"payout_minimum_balance_release":        payment.KindReserveRelease,
	"reserve_transaction":                   payment.KindReserveHold,
	"reserved_funds":                        payment.KindReserveHold,
	"reserve_hold":                          payment.KindReserveHold,
	"reserve_release":                       payment.KindReserveRelease,
	"payment_network_reserve_hold":          payment.KindReserveHold,
	"payment_network_reserve_release":       payment.KindReserveRelease,
	"anticipation_repayment":                payment.KindAnticipation,
	"adjustment":                            payment.KindAdjustment,
	"advance":                               payment.KindAdjustment,
	"advance_funding":                       payment.KindAdjustment,
	"application_fee":                       payment.KindAdjustment,
	"application_fee_refund":                payment.KindAdjustment,
	"climate_order_purchase":                payment.KindAdjustment,
	"climate_order_refund":                  payment.KindAdjustment,
	"contribution":                          payment.KindAdjustment,
	"fee_credit_funding":                    payment.KindAdjustment,
	"issuing_authorization_hold":            payment.KindAdjustment,
	"issuing_authorization_release":         payment.KindAdjustment,
	"issuing_dispute":                       payment.KindAdjustment,
	"issuing_transaction":                   payment.KindAdjustment,
	"obligation_outbound":                   payment.KindAdjustment,
	"obligation_reversal_inbound":           payment.KindAdjustment,
	"payment_unreconciled":                  payment.KindAdjustment,
	"stripe_balance_payment_debit":          payment.KindAdjustment,
	"stripe_balance_payment_debit_reversal": payment.KindAdjustment,
	"tax_fund":                              payment.KindAdjustment,
}

// word is what the row is called in reports: category and type, once where
// they are the same.
func word(t *object) string {
	switch {
	case t.Category == t.Type || t.Category == "":
		return t.Type
	case t.Type == "":
		return t.Category
	}
	return t.Category + "/" + t.Type
}
