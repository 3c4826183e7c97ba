package likeness

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"desfecho/internal/fakepsp"
)

// asaas tells a provider as Asaas does: payments by day of creation, reais with
// decimals, refunds without an id inside of what they give back, a ledger with
// a running balance by day.
type asaas struct {
	*fakepsp.Provider
	Options
}

// Asaas serves the provider as api.asaas.com/v3 would, to who carries the key.
// The ids of its payments must begin with pay_, and those of transfers must be
// UUIDs.
func Asaas(p *fakepsp.Provider, o Options) http.Handler {
	a := asaas{p, o}
	return speak(p, func(h http.Header) bool { return h.Get("access_token") == o.Key },
		thing{"errors": []thing{{"code": "invalid_access_token", "description": "A chave de API fornecida é inválida"}}}, a.answer)
}

func (a asaas) answer(path string, q url.Values) said {
	name, id, one := strings.Cut(strings.Trim(strings.TrimPrefix(path, "/v3/"), "/"), "/")
	view := fakepsp.InList
	switch {
	case one:
		view = fakepsp.ByID
	case q.Has("externalReference"):
		view = fakepsp.ByReference
	}
	var all []thing
	switch name {
	case "wallets":
		all = []thing{{"object": "wallet", "id": "wallet-" + a.Account()}}
	case "payments":
		all = a.payments(view)
	case "transfers":
		all = a.transfers(view)
	case "financialTransactions":
		all = a.ledger()
	}
	if one {
		if o := find(all, id); o != nil {
			return said{http.StatusOK, o}
		}
		return said{status: http.StatusNotFound}
	}
	return said{http.StatusOK, a.page(all, q)}
}

// page is the rows that fit the filters, from an offset.
func (a asaas) page(all []thing, q url.Values) thing {
	fits := slices.DeleteFunc(all, func(o thing) bool {
		for name, want := range q {
			field, operator, _ := strings.Cut(name, "[")
			value, _ := o[field].(string)
			date, _ := o["date"].(string)
			switch {
			case name == "startDate" && date < want[0], name == "finishDate" && date > want[0],
				operator == "ge]" && value < want[0], operator == "le]" && value > want[0],
				(name == "installment" || name == "externalReference") && value != want[0]:
				return true
			}
		}
		return false
	})
	offset, _ := strconv.Atoi(q.Get("offset"))
	limit := a.limit(q)
	from, to := min(offset, len(fits)), min(offset+limit, len(fits))
	return thing{
		"object": "list", "hasMore": to < len(fits), "totalCount": len(fits), "limit": limit, "offset": offset, "data": append([]thing{}, fits[from:to]...),
	}
}

func (a asaas) day(t time.Time) string { return t.In(a.Zone()).Format(time.DateOnly) }

// payments are the cobranças, newest first.
func (a asaas) payments(v fakepsp.View) (all []thing) {
	shown := a.Shown(v)
	back := map[string][]thing{}
	for _, o := range shown {
		if o.Kind == fakepsp.KindRefund {
			back[o.Parent] = append(back[o.Parent], thing{
				"dateCreated": o.CreatedAt.In(a.Zone()).Format(time.DateTime), "status": "DONE", "value": decimal(o.Amount),
			})
		}
	}
	booked := map[string]bool{}
	for _, e := range a.Booked() {
		booked[e.Object] = true
	}
	for _, o := range slices.Backward(shown) {
		if o.Kind != fakepsp.KindPayment || o.State == fakepsp.Declined { // a refused card leaves no payment
			continue
		}
		t := thing{
			"object": "payment", "id": o.ID, "dateCreated": a.day(o.CreatedAt), "value": decimal(o.Amount), "netValue": decimal(o.Amount),
			"billingType": strings.ToUpper(o.Method), "status": word(&o, booked[o.ID]), "externalReference": o.Metadata[a.Reference],
			"deleted": o.State == fakepsp.Canceled, "refunds": back[o.ID],
		}
		if o.Method == fakepsp.MethodStatic {
			t["billingType"], t["pixQrCodeId"], t["externalReference"] = "PIX", "qr_"+o.ID, nil
		}
		all = append(all, t)
	}
	return all
}

// word is a payment's status: a boleto is confirmed first, and received once it
// is in the balance.
func word(o *fakepsp.Object, booked bool) string {
	switch o.State {
	case fakepsp.Waiting, fakepsp.Processing, fakepsp.Canceled:
		return "PENDING"
	case fakepsp.Authorized:
		return "AUTHORIZED"
	case fakepsp.Expired:
		return "OVERDUE"
	case fakepsp.Refunded:
		return "REFUNDED"
	case fakepsp.ChargedBack:
		return "CHARGEBACK_REQUESTED"
	}
	if booked {
		return "RECEIVED"
	}
	return "CONFIRMED"
}

func (a asaas) transfers(v fakepsp.View) (all []thing) {
	for _, o := range slices.Backward(a.Shown(v)) {
		if o.Kind != fakepsp.KindTransfer {
			continue
		}
		status := "DONE"
		if o.PaidAt == nil || o.State == fakepsp.Returned {
			status = "FAILED"
		}
		all = append(all, thing{
			"object": "transfer", "id": o.ID, "dateCreated": a.day(o.CreatedAt), "value": decimal(o.Amount), "status": status, "operationType": "TED",
			"externalReference": o.Metadata[a.Reference], "failReason": o.Reason,
		})
	}
	return all
}

var types = map[string]string{
	"charge": "PAYMENT_RECEIVED", "fee": "PAYMENT_FEE", "refund": "PAYMENT_REVERSAL", "chargeback": "CHARGEBACK",
	"transfer": "TRANSFER", "transfer_return": "TRANSFER_REVERSAL",
}

// ledger are the rows as they were booked, oldest first.
func (a asaas) ledger() (all []thing) {
	for _, e := range a.Booked() {
		t := thing{
			"object": "financialTransaction", "id": e.ID, "date": a.day(e.At), "type": types[e.Type], "value": decimal(e.Amount), "balance": decimal(e.Balance),
		}
		switch e.Type {
		case "transfer", "transfer_return":
			t["transferId"] = e.Object
		case "refund":
			t["paymentId"] = e.Parent
		default:
			t["paymentId"] = e.Object
		}
		all = append(all, t)
	}
	return all
}
