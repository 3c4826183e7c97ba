package asaas

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"desfecho/internal/payment"
	"desfecho/internal/provider"
	"desfecho/providers/providertest"
)

// hostile are texts that break what prints, parses or opens them.
var hostile = []string{
	"\x1b[2J\x1b]0;owned\x07", "\u009b31m", "\u202egnp.exe", "\u0000", "a\r\nb", "=cmd|' /C calc'!A0", "@SUM(1)", "<script>alert(1)</script>",
	"'; DROP TABLE attempts; --", "../../../../etc/passwd", "%2e%2e%2f", "${jndi:ldap://x}", "{{7*7}}", strings.Repeat("A", 1<<16), "\u200b", "🦄", "",
}

// TestHostileTextStaysPlainText puts each text into every string field of each
// list. Either the page is refused, or the text is a value like any other: it
// changes no amount, no count, no account and no mode of anything.
func TestHostileTextStaysPlainText(t *testing.T) {
	t.Parallel()
	for statement, path := range map[string]string{Payments: "payments", Transfers: "transfers", Ledger: "financialTransactions"} {
		plain, s := fullRow(statement), serve(t)
		p := s.provider(t)
		for _, field := range slices.Sorted(maps.Keys(plain)) {
			if _, isText := plain[field].(string); !isText {
				continue
			}
			for _, text := range hostile {
				changed := maps.Clone(plain)
				changed[field] = text
				s.paths["/"+path] = func(w http.ResponseWriter, r *http.Request) {
					if wanted := r.URL.Query().Get("installment"); wanted != "" && wanted != changed["installment"] {
						t.Errorf("%s: the parcels of %q were asked for", field, wanted)
					}
					s.list(w, nil, []map[string]any{changed})
				}
				page, err := p.Page(t.Context(), provider.Request{Statement: statement, Slice: days(t, "2026-05-04", "2026-05-04")})
				if err == nil {
					plainOnly(t, fmt.Sprintf("%s %q in %s", statement, text, field), &page)
				}
			}
		}
	}
}

// fullRow has every field that a row of the statement can have.
func fullRow(statement string) map[string]any {
	switch statement {
	case Payments:
		return sale("pay_1", "2026-05-04", "order-1", fmt.Sprintf(`,"installment":%q,"installmentNumber":1,"creditDate":"2026-06-04",
			"estimatedCreditDate":"2026-06-04","pixQrCodeId":"q","pixTransaction":"p","description":"d","invoiceUrl":"u","nossoNumero":"n",
			"dueDate":"2026-05-05","bankSlipUrl":"b"`, group))
	case Transfers:
		return providertest.Object(`{"object":"transfer","id":"t","type":"BANK_ACCOUNT","dateCreated":"2026-05-04","value":10.5,"status":"DONE","effectiveDate":"x",
			"endToEndIdentifier":"E","failReason":"f","externalReference":"r","operationType":"PIX","description":"d"}`)
	}
	return providertest.Object(`{"object":"financialTransaction","id":"ftn_1","value":10.5,"balance":10.5,"type":"PAYMENT_RECEIVED","date":"2026-05-04","description":"d",
		"paymentId":"p","splitId":"s","transferId":"t","anticipationId":"a","billId":"b","invoiceId":"i","paymentDunningId":"n","creditBureauReportId":"c"}`)
}

func plainOnly(t *testing.T, what string, page *provider.Page) {
	t.Helper()
	if len(page.Rows) != 1 || len(page.Units)+len(page.Lines) != 1 {
		t.Errorf("%s: %d rows, %d units, %d lines", what, len(page.Rows), len(page.Units), len(page.Lines))
		return
	}
	for _, u := range page.Units {
		if u.Asked != payment.Known(1050) || u.Provider != "asaas" || u.Account != "wallet-1" || u.Mode != payment.Live || u.Currency != brl || u.ID == "" {
			t.Errorf("%s: %+v", what, u)
		}
	}
	for _, l := range page.Lines {
		if l.Gross != 1050 || l.Net != 1050 || l.Provider != "asaas" || l.Account != "wallet-1" || l.Mode != payment.Live || l.Currency != brl || l.ID == "" {
			t.Errorf("%s: %+v", what, l)
		}
	}
}

// TestNothingOfAnybodyIsKept: names, documents, addresses, cards and bank
// accounts are in no unit, no line and no error, whatever the answer says.
func TestNothingOfAnybodyIsKept(t *testing.T) {
	t.Parallel()
	const person = `"customer":"cus_1","description":"Maria da Silva 529.982.247-25","customerName":"Maria da Silva",
		"creditCard":{"creditCardNumber":"4242","creditCardHolder":"Maria da Silva"},"failReason":"titular 529.982.247-25 e maria@example.com",
		"bankAccount":{"ownerName":"Maria da Silva","cpfCnpj":"52998224725","pixAddressKey":"maria@example.com"},"companyName":"Maria da Silva ME",`
	for path, object := range map[string]string{
		"payments":              `{` + person + `"id":"pay_1","dateCreated":"2026-05-04","value":1,"status":"RECEIVED","refunds":[{` + person + `"dateCreated":"2026-05-04","value":1,"status":"DONE"}]}`,
		"transfers":             `{` + person + `"id":"t","dateCreated":"2026-05-04","value":1,"status":"FAILED"}`,
		"financialTransactions": `{` + person + `"id":"ftn_1","date":"2026-05-04","value":1,"balance":1,"type":"CREDIT"}`,
	} {
		statement := map[string]string{"payments": Payments, "transfers": Transfers, "financialTransactions": Ledger}[path]
		s := serve(t)
		s.Lists[path] = []map[string]any{providertest.Object(object)}
		page, err := s.provider(t).Page(t.Context(), provider.Request{Statement: statement, Slice: days(t, "2026-05-04", "2026-05-04")})
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		kept, err := json.Marshal(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, personal := range []string{"Maria", "maria", "529.982", "52998", "cus_1", "4242"} {
			if strings.Contains(string(kept), personal) {
				t.Errorf("%s: %q is kept in %s", path, personal, kept)
			}
		}
	}
}
