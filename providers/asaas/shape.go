package asaas

import "encoding/json"

// The shapes of the answers, as far as they are read. What holds personal data
// (customer, description, bank account, card) is not named here and so never
// gets into a value. Null and a missing key are one.

// list is the envelope of every list. A pointer that stays nil says that the
// answer is no list.
type list[T any] struct {
	Data       *[]T    `json:"data"`
	HasMore    *bool   `json:"hasMore"`
	TotalCount *int64  `json:"totalCount"`
	Offset     *int64  `json:"offset"`
	Errors     []fault `json:"errors"`
}

// fault is one entry of an error body. Its description is the provider's text.
type fault struct {
	Code        string `json:"code"`
	Description string `json:"description"`
}

// paymentObject is a cobrança.
type paymentObject struct {
	ID                  string         `json:"id"`
	DateCreated         string         `json:"dateCreated"`
	Installment         string         `json:"installment"`
	InstallmentNumber   int64          `json:"installmentNumber"`
	Value               json.Number    `json:"value"`
	OriginalValue       json.Number    `json:"originalValue"`
	BillingType         string         `json:"billingType"`
	PixQrCodeID         string         `json:"pixQrCodeId"`
	Status              string         `json:"status"`
	CreditDate          string         `json:"creditDate"`
	EstimatedCreditDate string         `json:"estimatedCreditDate"`
	ExternalReference   string         `json:"externalReference"`
	Deleted             bool           `json:"deleted"`
	Refunds             []refundObject `json:"refunds"`
	Errors              []fault        `json:"errors"`
}

// refundObject is an estorno: it has no id of its own.
type refundObject struct {
	DateCreated string      `json:"dateCreated"`
	Status      string      `json:"status"`
	Value       json.Number `json:"value"`
}

// transferObject is money sent to a bank account, a Pix key or another wallet.
type transferObject struct {
	ID                string      `json:"id"`
	DateCreated       string      `json:"dateCreated"`
	Value             json.Number `json:"value"`
	Status            string      `json:"status"`
	OperationType     string      `json:"operationType"`
	EndToEnd          string      `json:"endToEndIdentifier"`
	FailReason        string      `json:"failReason"`
	ExternalReference string      `json:"externalReference"`
	Errors            []fault     `json:"errors"`
}

// pixObject is a Pix transaction: a transfer by Pix, or a QR code that was paid
// and has no transfer.
type pixObject struct {
	ID                string      `json:"id"`
	TransferID        string      `json:"transferId"`
	EndToEnd          string      `json:"endToEndIdentifier"`
	Value             json.Number `json:"value"`
	Type              string      `json:"type"`
	Status            string      `json:"status"`
	RefusalReason     string      `json:"refusalReason"`
	ExternalReference string      `json:"externalReference"`
	Errors            []fault     `json:"errors"`
}

// billObject is the payment of somebody else's bill. It tells no creation.
type billObject struct {
	ID                string      `json:"id"`
	Value             json.Number `json:"value"`
	Status            string      `json:"status"`
	ExternalReference string      `json:"externalReference"`
	FailReasons       []string    `json:"failReasons"`
	Errors            []fault     `json:"errors"`
}

// entry is one row of the ledger.
type entry struct {
	ID        string      `json:"id"`
	Value     json.Number `json:"value"`
	Balance   json.Number `json:"balance"`
	Type      string      `json:"type"`
	Date      string      `json:"date"`
	PaymentID string      `json:"paymentId"`
	SplitID   string      `json:"splitId"`
	Transfer  string      `json:"transferId"`
	Advance   string      `json:"anticipationId"`
	Bill      string      `json:"billId"`
	Invoice   string      `json:"invoiceId"`
	Dunning   string      `json:"paymentDunningId"`
	Bureau    string      `json:"creditBureauReportId"`
}

// wallet is the account as others name it.
type wallet struct {
	ID string `json:"id"`
}
