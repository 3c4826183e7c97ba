package asaas

import "desfecho/internal/payment"

// kinds are the types of ledger rows. What is not here is other: counted,
// summed and named. The provider explains none of the words; which are doubtful
// is said in Capabilities. The sign of the amount wins over the word.
var kinds = kindsOf(map[payment.Kind][]string{
	payment.KindCharge: {"PAYMENT_RECEIVED", "PARTIAL_PAYMENT", "CARD_SALE_RECEIVED", "PIX_TRANSACTION_CREDIT"},
	payment.KindRefund: {"PAYMENT_REVERSAL", "REVERSAL", "CARD_SALE_REVERSAL", "PIX_TRANSACTION_CREDIT_REFUND"},
	payment.KindRefundReversal: {
		"PAYMENT_REFUND_CANCELLED", "PIX_TRANSACTION_CREDIT_REFUND_CANCELLATION", "REFUND_REQUEST_CANCELLED",
	},
	payment.KindChargeback:         {"CHARGEBACK"},
	payment.KindChargebackReversal: {"CHARGEBACK_REVERSAL"},
	payment.KindFee: {
		"PAYMENT_FEE", "TRANSFER_FEE", "PIX_TRANSACTION_CREDIT_FEE", "PIX_TRANSACTION_DEBIT_FEE", "CARD_SALE_ITEM_FEE",
		"PHONE_CALL_NOTIFICATION_FEE", "PAYMENT_MESSAGING_NOTIFICATION_FEE", "PAYMENT_SMS_NOTIFICATION_FEE",
		"INSTANT_TEXT_MESSAGE_FEE", "POSTAL_SERVICE_FEE", "BILL_PAYMENT_FEE", "PAYMENT_DUNNING_REQUEST_FEE",
		"PAYMENT_DUNNING_RECEIVED_FEE", "PAYMENT_DUNNING_RECEIVED_IN_CASH_FEE", "PAYMENT_DUNNING_CANCELLATION_FEE",
		"REFUND_REQUEST_FEE", "INVOICE_FEE", "PRODUCT_INVOICE_FEE", "CONSUMER_INVOICE_FEE", "CREDIT_BUREAU_REPORT",
		"CONTRACTED_CUSTOMER_PLAN_FEE", "ACCOUNT_INACTIVITY_FEE", "PAYMENT_ORIGIN_CHANNEL_FEE",
		"ACCOUNT_OWNER_PAYMENT_CUSTODY_CONFIG_FEE", "CUSTOMER_PAYMENT_CUSTODY_CONFIG_FEE",
		"CHILD_ACCOUNT_KNOWN_YOUR_CUSTOMER_BATCH_FEE", "ASAAS_DEBIT_CARD_REQUEST_FEE", "ASAAS_PREPAID_CARD_REQUEST_FEE",
		"FLAPP_STORE_PLAN_CHARGE_FEE", "CUSTOMER_ACCOUNT_PAYMENT_BONUS_FEE", "DEBT_RECOVERY_NEGOTIATION_FINANCIAL_CHARGES",
		"RECEIVABLE_ANTICIPATION_FEE", "RECEIVABLE_ANTICIPATION_PAYMENT_FEE",
	},
	payment.KindFeeReversal: {
		"PAYMENT_FEE_REVERSAL", "CHARGED_FEE_REFUND", "REFUND_REQUEST_FEE_REVERSAL", "CARD_SALE_ITEM_FEE_REVERSAL",
		"BILL_PAYMENT_FEE_CANCELLED", "FLAPP_STORE_PLAN_CHARGE_FEE_CREDIT",
	},
	payment.KindTransferOut: {"TRANSFER", "PIX_TRANSACTION_DEBIT", "INTERNAL_TRANSFER_DEBIT", "BILL_PAYMENT", "MOBILE_PHONE_RECHARGE"},
	payment.KindTransferIn:  {"INTERNAL_TRANSFER_CREDIT"},
	payment.KindTransferReversal: {
		"TRANSFER_REVERSAL", "PIX_TRANSACTION_DEBIT_REFUND", "INTERNAL_TRANSFER_REVERSAL", "BILL_PAYMENT_CANCELLED",
		"BILL_PAYMENT_REFUNDED", "REFUND_MOBILE_PHONE_RECHARGE", "CANCEL_MOBILE_PHONE_RECHARGE",
	},
	// Financing of sales that are booked again, whole, as PAYMENT_RECEIVED on
	// the day when the payer's money comes: never a sale, or it counts twice.
	payment.KindAnticipation: {
		"RECEIVABLE_ANTICIPATION_GROSS_CREDIT", "RECEIVABLE_ANTICIPATION_CREDIT", "RECEIVABLE_ANTICIPATION_DEBIT",
		"RECEIVABLE_ANTICIPATION_PARTNER_SETTLEMENT",
	},
	payment.KindReserveHold: {"PAYMENT_CUSTODY_BLOCK", "PAYMENT_SPLIT_DIVERGENCE_BLOCK", "BACEN_JUDICIAL_LOCK"},
	payment.KindReserveRelease: {
		"PAYMENT_CUSTODY_BLOCK_REVERSAL", "PAYMENT_SPLIT_DIVERGENCE_BLOCK_REVERSAL", "BACEN_JUDICIAL_UNLOCK",
	},
	payment.KindAdjustment: {
		"CREDIT", "DEBIT", "DEBIT_REVERSAL", "PROMOTIONAL_CODE_CREDIT", "PROMOTIONAL_CODE_DEBIT", "FREE_PAYMENT_USE",
		"BACEN_JUDICIAL_TRANSFER", "CONTRACTUAL_EFFECT_SETTLEMENT", "CONTRACTUAL_EFFECT_SETTLEMENT_REVERSAL",
		"EXTERNAL_SETTLEMENT_CONTRACTUAL_EFFECT_BATCH_CREDIT", "EXTERNAL_SETTLEMENT_CONTRACTUAL_EFFECT_BATCH_REVERSAL",
		"CUSTOMER_COMMISSION_SETTLEMENT_CREDIT", "CUSTOMER_COMMISSION_SETTLEMENT_DEBIT", "CUSTOMER_COMMISSION_CHECKOUT",
	},
})

func kindsOf(words map[payment.Kind][]string) map[string]payment.Kind {
	kinds := map[string]payment.Kind{}
	for kind, list := range words {
		for _, word := range list {
			kinds[word] = kind
		}
	}
	return kinds
}

// opposites are the kinds that undo each other: what brings money to the
// account, and what takes it.
var opposites = [...]struct{ in, out payment.Kind }{
	{payment.KindCharge, payment.KindChargeReversal},
	{payment.KindRefundReversal, payment.KindRefund},
	{payment.KindChargebackReversal, payment.KindChargeback},
	{payment.KindFeeReversal, payment.KindFee},
	{payment.KindTransferReversal, payment.KindTransferOut},
}

// kindOf is what a row is, by its word and what it did to the balance. Money
// that a split took from a sale, or gave back, is part of that sale's price and
// no transfer that somebody must have asked for.
func kindOf(e *entry, minor int64) payment.Kind {
	kind, known := kinds[e.Type]
	if !known {
		return payment.KindOther
	}
	if e.SplitID != "" && (kind == payment.KindTransferOut || kind == payment.KindTransferReversal) {
		return payment.KindAdjustment
	}
	for _, pair := range opposites {
		switch {
		case kind != pair.in && kind != pair.out || minor == 0:
		case minor > 0:
			return pair.in
		default:
			return pair.out
		}
	}
	return kind
}
