//go:build unix

package cmd

import (
	"fmt"
	"net/url"
	"time"

	"desfecho/providers/providertest"
)

// psp is a provider that a test plays: how it is configured, and what it tells
// of a sale of 100.00 with a reference.
type psp struct {
	entry, key string
	host       string // that the adapter would ask
	says       func(*providertest.Book) func(path string, query url.Values) (int, any)
	sale       func(n int, at time.Time, reference string) map[string]string // rows by list
	lists      []string                                                      // further ones, empty but for what is here
	fault      string                                                        // its own error, which comes with status 200
}

// psps are all providers that are asked over the network.
func psps() map[string]psp {
	return map[string]psp{"stripe": stripePSP(), "asaas": asaasPSP(), "pagarme": pagarmePSP(), "pix": pixPSP(), "zoop": zoopPSP()}
}

func stripePSP() psp {
	return psp{
		entry: `type: stripe, account: acct_1, references: [{name: try, there: metadata.try}]`, key: "rk_live_CANARY", host: "https://api.stripe.com",
		says: func(b *providertest.Book) func(string, url.Values) (int, any) {
			s := providertest.Stripe{Book: *b, Wrong: func(format string, arguments ...any) { panic(fmt.Sprintf(format, arguments...)) }}
			return s.Answer
		},
		lists: []string{"/v1/refunds", "/v1/disputes", "/v1/transfers", "/v1/payouts", "/v1/events", "/v1/transfer_reversals"},
		sale: func(n int, at time.Time, reference string) map[string]string {
			const open = `{"id":"%s_%d","created":%d,"currency":"brl","livemode":true,"amount":10000,"metadata":{"try":%q},"description":"text",`
			head := func(prefix string) string { return fmt.Sprintf(open, prefix, n, at.Unix(), reference) }
			return map[string]string{
				"/v1/payment_intents": head("pi") + fmt.Sprintf(`"object":"payment_intent","amount_received":10000,"amount_capturable":0,"latest_charge":"ch_%d","status":"succeeded"}`, n),
				"/v1/charges": head("ch") + fmt.Sprintf(`"object":"charge","amount_captured":10000,"amount_refunded":0,"balance_transaction":"txn_%d","captured":true,
					"disputed":false,"paid":true,"payment_intent":"pi_%d","payment_method_details":{"type":"card"},"refunded":false,"status":"succeeded"}`, n, n),
				"/v1/balance_transactions": fmt.Sprintf(`{"id":"txn_%d","object":"balance_transaction","amount":10000,"fee":300,"net":9700,"currency":"brl",
					"created":%d,"available_on":%d,"reporting_category":"charge","type":"charge","status":"available","description":"text","source":"ch_%d"}`, n, at.Unix(), at.Unix(), n),
			}
		},
		fault: `{"error":{"type":"api_error","message":"An unknown error occurred"}}`,
	}
}

func asaasPSP() psp {
	return psp{
		entry: `type: asaas, account: wallet-1, references: [{name: try, there: externalReference}]`, key: "$aact_prod_CANARY", host: "https://api.asaas.com/v3",
		says:  func(b *providertest.Book) func(string, url.Values) (int, any) { return b.Asaas },
		lists: []string{"payments", "transfers", "financialTransactions"},
		sale: func(n int, at time.Time, reference string) map[string]string {
			day := at.In(saoPauloOfTests()).Format(time.DateOnly)
			return map[string]string{
				"payments": fmt.Sprintf(`{"object":"payment","id":"pay_%d","dateCreated":%q,"value":100.0,"netValue":99.0,"billingType":"PIX","status":"RECEIVED",
					"externalReference":%q,"description":"text","deleted":false}`, n, day, reference),
				"financialTransactions": fmt.Sprintf(`{"object":"financialTransaction","id":"ftn_%d","value":100.0,"balance":%d.0,"type":"PAYMENT_RECEIVED","date":%q,"paymentId":"pay_%d","description":"text"}`,
					n, 1000+100*n, day, n),
			}
		},
		fault: `{"errors":[{"code":"invalid_object","description":"Não encontrado"}]}`,
	}
}

func pagarmePSP() psp {
	return psp{
		entry: `type: pagarme, account: loja, references: [{name: try, there: code}]`, key: "sk_CANARY", host: "https://api.pagar.me/core/v5",
		says:  func(b *providertest.Book) func(string, url.Values) (int, any) { return b.Pagarme },
		lists: []string{"charges", "orders", "payables", "balance/operations"},
		sale: func(n int, at time.Time, reference string) map[string]string {
			text := at.UTC().Format(time.RFC3339)
			charge := fmt.Sprintf(`{"id":"ch_%d","code":%q,"amount":10000,"paid_amount":10000,"status":"paid","currency":"BRL","payment_method":"pix",
				"created_at":%q,"updated_at":%q,"paid_at":%q,"last_transaction":{"status":"paid","success":true},"metadata":{"note":"text"}}`, n, reference, text, text, text)
			return map[string]string{
				"charges": charge,
				"orders":  fmt.Sprintf(`{"id":"or_%d","code":%q,"created_at":%q,"charges":[%s],"metadata":{"note":"text"}}`, n, reference, text, charge),
				"payables": fmt.Sprintf(`{"id":%d,"status":"paid","amount":10000,"fee":100,"anticipation_fee":0,"fraud_coverage_fee":null,"installment":1,
					"charge_id":"ch_%d","split_id":null,"recipient_id":"re_1","payment_date":%q,"type":"credit","payment_method":"pix","created_at":%q}`, n, n, text, text),
			}
		},
		fault: `{"message":"The request is invalid.","errors":{"order.code":["text"]}}`,
	}
}

func pixPSP() psp {
	return psp{
		entry: `type: pix, account: loja, references: [{name: try, there: txid}], ca_file: "$FOLDER/ca.pem", pix: {base_url: "$PIX", token_url: "$PIX/token"}`,
		key:   "client-1:CANARY", host: "https://127.0.0.1",
		says:  func(b *providertest.Book) func(string, url.Values) (int, any) { return b.Pix },
		lists: []string{"cob", "cobv", "pix"},
		sale: func(n int, at time.Time, reference string) map[string]string {
			text, endToEnd := at.UTC().Format(time.RFC3339), fmt.Sprintf("E12345678%s%011d", at.UTC().Format("200601021504"), n)
			pix := fmt.Sprintf(`{"endToEndId":%q,"txid":%q,"valor":"100.00","chave":"text","horario":%q,"infoPagador":"text"}`, endToEnd, reference, text)
			return map[string]string{
				"pix": pix,
				"cob": fmt.Sprintf(`{"calendario":{"criacao":%q,"expiracao":3600},"txid":%q,"revisao":0,"status":"CONCLUIDA","valor":{"original":"100.00"},
					"chave":"text","solicitacaoPagador":"text","pix":[%s]}`, text, reference, pix),
			}
		},
		fault: providertest.PixNotFound,
	}
}

func zoopPSP() psp {
	return psp{
		entry: `type: zoop, account: mkt_1/seller1, references: [{name: try, there: reference_id}]`, key: "zpk_prod_CANARY", host: "https://api.zoop.ws/v1/marketplaces/mkt_1",
		says:  func(b *providertest.Book) func(string, url.Values) (int, any) { return b.Zoop },
		lists: []string{"transactions"},
		sale: func(n int, at time.Time, reference string) map[string]string {
			return map[string]string{"transactions": fmt.Sprintf(`{"id":"t%d","resource":"transaction","status":"succeeded","confirmed":"1","amount":"100.00",
				"original_amount":"100.00","currency":"BRL","description":"text","payment_type":"pix","on_behalf_of":"seller1","fees":"1.00","metadata":{"note":"text"},
				"created_at":%q,"reference_id":%q}`, n, at.UTC().Format(time.RFC3339), reference)}
		},
		fault: `{"error":{"status":"Bad Request","status_code":400,"type":"invalid_request_error","category":"text","message":"text"}}`,
	}
}

func saoPauloOfTests() *time.Location {
	zone, err := time.LoadLocation("America/Sao_Paulo")
	if err != nil {
		panic(err)
	}
	return zone
}
