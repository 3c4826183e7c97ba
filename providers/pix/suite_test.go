package pix

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"desfecho/internal/payment"
	"desfecho/internal/provider"
	"desfecho/internal/secret"
	"desfecho/providers/httpx"
	"desfecho/providers/providertest"
)

// listOf is a page of a list as the API sends it: without its array where it is
// empty.
func listOf(array string, page, pages, total int, rows ...string) string {
	text := ""
	if len(rows) > 0 {
		text = fmt.Sprintf(`,%q:[%s]`, array, strings.Join(rows, ","))
	}
	return fmt.Sprintf(`{"parametros":{"inicio":"2026-05-04T03:00:00Z","fim":"2026-05-05T03:00:00Z","paginacao":{"paginaAtual":%d,
		"itensPorPagina":1,"quantidadeDePaginas":%d,"quantidadeTotalDeItens":%d}}%s}`, page, pages, total, text)
}

func query(within payment.Interval, page string, more ...string) url.Values {
	q := url.Values{
		"inicio": {within.From.Time().Format(time.RFC3339)}, "fim": {within.To.Time().Format(time.RFC3339)},
		"paginacao.paginaAtual": {page}, "paginacao.itensPorPagina": {"1000"},
	}
	for i := 0; i < len(more); i += 2 {
		q.Set(more[i], more[i+1])
	}
	return q
}

func attempt(o payment.Operation) *payment.Attempt {
	return &payment.Attempt{
		ID: "a", Operation: o, CreatedAt: instant(4, 14), LastSent: instant(4, 15),
		References: []payment.Reference{{Name: "sale", Value: e2e1}},
	}
}

// TestTheContractOfAdapters holds Pix to what every adapter must do. Tokens come
// from a server of their own, the only one that is posted to.
func TestTheContractOfAdapters(t *testing.T) {
	t.Parallel()
	var token atomic.Value
	tokens := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"access_token":%q,"token_type":"bearer","expires_in":"3600"}`, token.Load())
	}))
	t.Cleanup(tokens.Close)
	hour := payment.Interval{From: instant(7, 11), To: instant(7, 12)}
	providertest.Run(t, providertest.Adapter{
		New: func(client *httpx.Client) (provider.Provider, error) {
			return New(Options{
				Name: "pix", Account: "loja", References: places(), MaxWindow: 7 * day,
				Token: Token{URL: tokens.URL, Credential: credential}, Now: now,
			}, client)
		},
		Headers: func(key secret.Secret) map[string]secret.Secret {
			token.Store(key.Reveal())
			return map[string]secret.Secret{"Authorization": "Bearer " + key}
		},
		Identity:   providertest.Talk{{Path: "/pix", Query: query(hour, "0"), Body: listOf("pix", 0, 0, 0)}},
		Want:       provider.Identity{Account: "loja"},
		Errors:     []string{providertest.PixNotFound, `{"type":"x/PixConsultaInvalida","title":"x","status":400}`},
		Statements: suiteStatements(), Lookups: suiteLookups(),
	})
}

func suiteStatements() []providertest.Statement {
	dated := strings.Replace(cobOf(tx2, "ATIVA", receiver), `"expiracao":3600`, `"dataDeVencimento":"2026-06-01","validadeAposVencimento":10`, 1)
	back := `,"devolucoes":[` + backOf("1", "10.00", "ORIGINAL", "DEVOLVIDO") + `]`
	paid := cobOf(tx1, "CONCLUIDA", `,"pix":[`+pixOf(e2e1, tx1, "110.00", "")+`]`)
	of := func(name, path, array, first, second string, lines, units int, filter ...string) providertest.Statement {
		return providertest.Statement{
			Name: name, Slice: wholeDay, Rows: 2, Lines: lines, Units: units,
			Pages: []providertest.Talk{
				{{Path: path, Query: query(wholeDay, "0", filter...), Body: listOf(array, 0, 2, 2, first)}},
				{{Path: path, Query: query(wholeDay, "1", filter...), Body: listOf(array, 1, 2, 2, second)}},
			},
			Empty: providertest.Talk{{Path: path, Query: query(wholeDay, "0", filter...), Body: listOf(array, 0, 0, 0)}},
		}
	}
	all := []providertest.Statement{
		of(Charges, "/cob", "cobs", paid, cobOf(tx2, "ATIVA", ""), 0, 2),
		of(Dues, "/cobv", "cobs", dated, cobOf(tx1, "REMOVIDO_PELO_PSP", ""), 0, 2),
		of(Received, "/pix", "pix", pixOf(e2e1, tx1, "110.00", back), pixOf(e2e2, "", "5.00", ""), 2, 2),
		of(Returns, "/pix", "pix", pixOf(e2e1, tx1, "110.00", back), pixOf(e2e2, "", "5.00", back), 2, 4, "devolucaoPresente", "true"),
	}
	all[0].Variants = []providertest.Variant{{
		Name: "AnUnknownStatusIsUnmapped",
		Talk: providertest.Talk{{Path: "/cob", Query: query(wholeDay, "0"), Body: listOf("cobs", 0, 1, 1, cobOf(tx1, "AMANHA", ""))}},
		Check: func(t *testing.T, page provider.Page) {
			t.Helper()
			if u := page.Units[0]; u.State != payment.StateUnmapped || u.RawState != "AMANHA" {
				t.Errorf("%+v", u)
			}
		},
	}, {
		Name: "APaidChargeThatDoesNotSayByWhatIsAskedForByItself",
		Talk: providertest.Talk{
			{Path: "/cob", Query: query(wholeDay, "0"), Body: listOf("cobs", 0, 1, 1, cobOf(tx1, "CONCLUIDA", ""))}, {Path: "/cob/" + tx1, Body: paid},
		},
		Check: func(t *testing.T, page provider.Page) {
			t.Helper()
			if u := page.Units[0]; len(page.Units) != 1 || u.State != payment.StateCaptured || u.Aliases[0] != e2e1 {
				t.Errorf("%+v", page.Units)
			}
		},
	}}
	all[3].Variants = []providertest.Variant{{
		Name: "AnUnknownNatureIsOther",
		Talk: providertest.Talk{{Path: "/pix", Query: query(wholeDay, "0", "devolucaoPresente", "true"), Body: listOf("pix", 0, 1, 1,
			pixOf(e2e1, tx1, "110.00", `,"devolucoes":[`+backOf("1", "10.00", "MED_NOVO", "DEVOLVIDO")+`]`))}},
		Check: func(t *testing.T, page provider.Page) {
			t.Helper()
			if l := page.Lines[0]; l.Kind != payment.KindOther || l.Raw != "MED_NOVO" || l.Gross != -1000 || page.Units[1].State != payment.StateUnmapped {
				t.Errorf("%+v, %+v", l, page.Units)
			}
		},
	}}
	return all
}

func suiteLookups() []providertest.Lookup {
	question := func(o payment.Operation, kind payment.KeyKind, name, value string) provider.Question {
		return provider.Question{Attempt: attempt(o), Key: payment.LookupKey{Kind: kind, Name: name, Value: value}}
	}
	get := func(path, body string) providertest.Exchange { return providertest.Exchange{Path: path, Body: body} }
	no := func(path string) providertest.Exchange {
		return providertest.Exchange{Path: path, Status: 404, Body: providertest.PixNotFound, Header: map[string]string{"Content-Type": "application/problem+json"}}
	}
	back := backOf("dev1", "10.00", "ORIGINAL", "DEVOLVIDO")
	paid := cobOf(tx1, "CONCLUIDA", `,"pix":[`+pixOf(e2e1, tx1, "110.00", `,"devolucoes":[`+back+`]`)+`]`)
	around := payment.Interval{From: instant(4, 13), To: instant(5, 15)}
	ever := payment.Interval{From: instant(4, 13), To: instant(7, 12)}
	list := func(path string, within payment.Interval, body string, filter ...string) providertest.Exchange {
		return providertest.Exchange{Path: path, Query: query(within, "0", filter...), Body: body}
	}
	unrelated := strings.Replace(cobOf(tx2, "ATIVA", ""), `"valor":"1001"`, `"valor":"1002"`, 1)
	return []providertest.Lookup{
		{
			Name: "ByTxID", Question: question(payment.Charge, payment.KeyReference, "try", tx1), Units: []string{e2e1 + "/dev1", tx1},
			Found:    providertest.Talk{no("/cob/" + tx1), get("/cobv/"+tx1, paid)},
			NotFound: providertest.Talk{no("/cob/" + tx1), no("/cobv/" + tx1)},
			Other:    providertest.Talk{get("/cob/"+tx1, cobOf(tx2, "ATIVA", ""))},
		},
		{
			Name: "ByPrintedTxID", Question: question(payment.Charge, payment.KeyReference, "try", "mesa7"), Units: []string{e2e1, e2e2},
			Found:    providertest.Talk{list("/pix", ever, listOf("pix", 0, 1, 2, pixOf(e2e2, "mesa7", "5.00", ""), pixOf(e2e1, "mesa7", "5.00", "")), "txid", "mesa7")},
			NotFound: providertest.Talk{list("/pix", ever, listOf("pix", 0, 0, 0), "txid", "mesa7")},
			Other:    providertest.Talk{list("/pix", ever, listOf("pix", 0, 1, 1, pixOf(e2e2, "mesa8", "5.00", "")), "txid", "mesa7")},
		},
		{
			Name: "ByEndToEnd", Question: question(payment.Charge, payment.KeyUnit, "", e2e1), Units: []string{e2e1},
			Found:    providertest.Talk{get("/pix/"+e2e1, pixOf(e2e1, tx1, "110.00", ""))},
			NotFound: providertest.Talk{no("/pix/" + e2e1)},
			Other:    providertest.Talk{get("/pix/"+e2e1, pixOf(e2e2, tx1, "110.00", ""))},
		},
		{
			Name: "ByAdditionalField", Question: question(payment.Charge, payment.KeyReference, "order", "1001"), Units: []string{tx1},
			Found: providertest.Talk{
				list("/cob", around, listOf("cobs", 0, 1, 2, unrelated, cobOf(tx1, "ATIVA", ""))), list("/cobv", around, listOf("cobs", 0, 0, 0)),
			},
			NotFound: providertest.Talk{list("/cob", around, listOf("cobs", 0, 1, 1, unrelated)), list("/cobv", around, listOf("cobs", 0, 0, 0))},
		},
		{
			Name: "AReturnByItsID", Question: question(payment.Refund, payment.KeyReference, "return", "dev1"), Units: []string{e2e1 + "/dev1"},
			Found:    providertest.Talk{get("/pix/"+e2e1+"/devolucao/dev1", back)},
			NotFound: providertest.Talk{no("/pix/" + e2e1 + "/devolucao/dev1")},
			Other:    providertest.Talk{get("/pix/"+e2e1+"/devolucao/dev1", backOf("dev2", "1.00", "", "DEVOLVIDO"))},
		},
		{
			Name: "AReturnByItsUnit", Question: question(payment.Refund, payment.KeyUnit, "", e2e1+"/dev1"), Units: []string{e2e1 + "/dev1"},
			Found: providertest.Talk{get("/pix/"+e2e1+"/devolucao/dev1", back)},
		},
		{
			Name: "ReturnsByTheirPix", Question: question(payment.Refund, payment.KeyReference, "sale", e2e1), Units: []string{e2e1 + "/dev1"},
			Found:    providertest.Talk{get("/pix/"+e2e1, pixOf(e2e1, tx1, "110.00", `,"devolucoes":[`+back+`]`))},
			NotFound: providertest.Talk{get("/pix/"+e2e1, pixOf(e2e1, tx1, "110.00", ""))},
			Other:    providertest.Talk{no("/pix/" + e2e1)},
		},
	}
}
