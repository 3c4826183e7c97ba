package asaas

import "desfecho/internal/payment"

// meaning is what a provider's word means; final: it will not change any more.
type meaning struct {
	state payment.State
	final bool
}

// paymentStates are the words of a payment's status. The list of the provider
// is open: what is not here is unmapped. There is no word for a refused one: a
// card that is refused leaves no payment at all.
var paymentStates = map[string]meaning{
	"PENDING":                      {payment.StateRequiresAction, false},
	"AWAITING_RISK_ANALYSIS":       {payment.StateProcessing, false},
	"AUTHORIZED":                   {payment.StateAuthorized, false},
	"CONFIRMED":                    {payment.StateCaptured, true}, // paid, not yet in the balance
	"RECEIVED":                     {payment.StateCaptured, true}, // paid, in the balance
	"RECEIVED_IN_CASH":             {payment.StateCaptured, false},
	"OVERDUE":                      {payment.StateRequiresAction, false}, // boleto and Pix can still be paid
	"REFUND_REQUESTED":             {payment.StateCaptured, false},
	"REFUND_IN_PROGRESS":           {payment.StateCaptured, false},
	"REFUNDED":                     {payment.StateRefunded, true},
	"CHARGEBACK_REQUESTED":         {payment.StateDisputed, false},
	"CHARGEBACK_DISPUTE":           {payment.StateDisputed, false},
	"AWAITING_CHARGEBACK_REVERSAL": {payment.StateDisputed, false}, // won, the money not back yet
	"DUNNING_REQUESTED":            {payment.StateRequiresAction, false},
	"DUNNING_RECEIVED":             {payment.StateCaptured, true},
}

// inCash is the status of what the merchant says was paid outside the
// provider: its ledger never books it.
const inCash = "RECEIVED_IN_CASH"

// refundStates are the words of a refund's status.
var refundStates = map[string]meaning{
	"PENDING":                                  {payment.StateProcessing, false},
	"AWAITING_CRITICAL_ACTION_AUTHORIZATION":   {payment.StateRequiresAction, false},
	"AWAITING_CUSTOMER_EXTERNAL_AUTHORIZATION": {payment.StateRequiresAction, false},
	"CANCELLED":                                {payment.StateCanceled, true},
	"DONE":                                     {payment.StateCaptured, true},
}

// transferStates are the words of a transfer's status.
var transferStates = map[string]meaning{
	"PENDING":         {payment.StateProcessing, false},
	"BANK_PROCESSING": {payment.StateProcessing, false},
	"DONE":            {payment.StateCaptured, true},
	"CANCELLED":       {payment.StateCanceled, true},
	"FAILED":          {payment.StateDeclined, true},
}

// pixStates are the words of a Pix transaction's status.
var pixStates = map[string]meaning{
	"AWAITING_BALANCE_VALIDATION":              {payment.StateProcessing, false},
	"AWAITING_INSTANT_PAYMENT_ACCOUNT_BALANCE": {payment.StateProcessing, false},
	"AWAITING_CRITICAL_ACTION_AUTHORIZATION":   {payment.StateRequiresAction, false},
	"AWAITING_CHECKOUT_RISK_ANALYSIS_REQUEST":  {payment.StateProcessing, false},
	"AWAITING_CASH_IN_RISK_ANALYSIS_REQUEST":   {payment.StateProcessing, false},
	"SCHEDULED":                                {payment.StateProcessing, false},
	"AWAITING_REQUEST":                         {payment.StateProcessing, false},
	"REQUESTED":                                {payment.StateProcessing, false},
	"DONE":                                     {payment.StateCaptured, true},
	"REFUSED":                                  {payment.StateDeclined, true},
	"CANCELLED":                                {payment.StateCanceled, true},
}

// billStates are the words of a bill payment's status.
var billStates = map[string]meaning{
	"PENDING":         {payment.StateProcessing, false},
	"BANK_PROCESSING": {payment.StateProcessing, false},
	"PAID":            {payment.StateCaptured, true},
	"FAILED":          {payment.StateDeclined, true},
	"CANCELLED":       {payment.StateCanceled, true},
	"REFUNDED":        {payment.StateRefunded, true},
	"AWAITING_CHECKOUT_RISK_ANALYSIS_REQUEST": {payment.StateProcessing, false},
}

// meaningOf maps a word; one outside the map is unmapped and never final.
func meaningOf(words map[string]meaning, word string) meaning {
	if m, known := words[word]; known {
		return m
	}
	return meaning{state: payment.StateUnmapped}
}

// methods are the billing types in the words that other providers use too;
// what is not here keeps the provider's word.
var methods = map[string]string{
	"PIX": "pix", "BOLETO": "boleto", "CREDIT_CARD": "card", "DEBIT_CARD": "debit_card",
	"TRANSFER": "transfer", "DEPOSIT": "deposit", "UNDEFINED": "",
}

// The methods that are no billing type.
const (
	methodCash   = "cash"       // marked by the merchant as paid elsewhere
	methodStatic = "pix_static" // a printed QR code: money without a request
)

// methodOf says how a payment is paid.
func methodOf(p *paymentObject) string {
	switch {
	case p.Status == inCash:
		return methodCash
	case p.PixQrCodeID != "" && p.ExternalReference == "":
		return methodStatic
	}
	if word, known := methods[p.BillingType]; known {
		return word
	}
	return p.BillingType
}
