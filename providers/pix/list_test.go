package pix

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"desfecho/internal/payment"
	"desfecho/internal/provider"
	"desfecho/providers/httpx"
	"desfecho/providers/providertest"
)

// TestPagesOfAnySizeTellTheSame: where pages end has no influence on what is
// known.
func TestPagesOfAnySizeTellTheSame(t *testing.T) {
	t.Parallel()
	s := serve(t)
	p := s.provider(t, s.options())
	read := func(t *rapid.T) (units []payment.Unit) {
		for cursor := ""; ; {
			page, err := p.Page(t.Context(), provider.Request{Statement: Received, Slice: wholeDay, Cursor: cursor})
			if err != nil || page.Total != payment.Known(int64(len(s.Lists["pix"]))) {
				t.Fatalf("from %q: %v, total %v", cursor, err, page.Total)
			}
			units = append(units, page.Units...)
			if cursor = page.Next; cursor == "" {
				return units
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		s.Lists["pix"] = nil
		for i := range rapid.IntRange(0, 20).Draw(t, "rows") {
			s.Lists["pix"] = append(s.Lists["pix"], providertest.Object(pixOf(fmt.Sprintf("E12345678202605041430%011d", i), tx1, "110.00", "")))
		}
		s.Page = 100
		want := read(t)
		s.Page = rapid.IntRange(1, 9).Draw(t, "size")
		if diff := gocmp.Diff(want, read(t)); diff != "" {
			t.Fatalf("by %d rows: %s", s.Page, diff)
		}
	})
}

// TestARowAtTheEdgeOfTwoSlicesIsInBoth: better twice than not at all.
func TestARowAtTheEdgeOfTwoSlicesIsInBoth(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.Lists["pix"] = []map[string]any{providertest.Object(strings.Replace(pixOf(e2e1, tx1, "110.00", ""), "14:30:05.123Z", "14:30:05Z", 1))}
	p, edge := s.provider(t, s.options()), providertest.At("2026-05-04T14:30:05Z")
	for _, slice := range []payment.Interval{{From: wholeDay.From, To: edge}, {From: edge, To: wholeDay.To}} {
		page, err := p.Page(t.Context(), provider.Request{Statement: Received, Slice: slice})
		if err != nil || len(page.Lines) != 1 || page.Lines[0].ID != e2e1 {
			t.Errorf("%s: %+v, %v", slice, page.Lines, err)
		}
	}
}

// fixed answers every list so.
func fixed(t *testing.T, body string) *Provider {
	t.Helper()
	s := serve(t)
	front := s.Config.Handler
	s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			front.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(body))
	})
	return s.provider(t, s.options())
}

func TestWhatIsNotTheListThatWasAskedForIsNoAnswer(t *testing.T) {
	t.Parallel()
	one := pixOf(e2e1, tx1, "110.00", "")
	for name, body := range map[string]string{
		"another day":       listOf("pix", 0, 1, 1, strings.Replace(one, "2026-05-04T14", "2026-05-05T14", 1)),
		"another page":      listOf("pix", 1, 2, 2, one),
		"more of nothing":   listOf("pix", 0, 2, 2),
		"rows left out":     listOf("pix", 0, 1, 1),
		"more than in all":  listOf("pix", 0, 1, 0, one),
		"negative total":    listOf("pix", 0, 1, -1),
		"of another kind":   listOf("cobs", 0, 1, 1, cobOf(tx1, "ATIVA", "")),
		"no parameters":     `{"pix":[` + one + `]}`,
		"paging that lacks": `{"parametros":{"paginacao":{"paginaAtual":0,"quantidadeDePaginas":1}},"pix":[` + one + `]}`,
		"no array":          `{"parametros":{"paginacao":{"paginaAtual":0,"quantidadeDePaginas":1,"quantidadeTotalDeItens":1}},"pix":{}}`,
		"txId for txid":     listOf("pix", 0, 1, 1, strings.Replace(one, `"txid"`, `"txId"`, 1)),
		"an amount":         listOf("pix", 0, 1, 1, strings.Replace(one, `"110.00"`, `110.00`, 1)),
	} {
		_, err := fixed(t, body).Page(t.Context(), provider.Request{Statement: Received, Slice: wholeDay})
		wantReason(t, name, err, provider.Unparsable)
	}
	s := serve(t)
	p := s.provider(t, s.options())
	for name, r := range map[string]provider.Request{
		"cursor":    {Statement: Received, Slice: wholeDay, Cursor: "0"},
		"statement": {Statement: "ledger", Slice: wholeDay},
		"fraction":  {Statement: Received, Slice: payment.Interval{From: instant(4, 0) + 1, To: instant(4, 1)}},
		"too long":  {Statement: Received, Slice: payment.Interval{From: instant(4, 0), To: instant(6, 0)}},
		"empty":     {Statement: Received},
	} {
		if _, err := p.Page(t.Context(), r); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
	if s.posted+len(s.asked) > 0 {
		t.Error("the participant was asked")
	}
}

func TestALookUpReadsItsListsToTheEnd(t *testing.T) {
	t.Parallel()
	key := payment.LookupKey{Kind: payment.KeyReference, Name: "try", Value: "mesa7"}
	s := serve(t)
	for d := 4; d < 7; d++ { // one Pix each day, at the edge of two windows
		text := pixOf(fmt.Sprintf("E12345678202605%02d1300%011d", d, 0), "mesa7", "5.00", "")
		s.Lists["pix"] = append(s.Lists["pix"], providertest.Object(strings.Replace(text, "2026-05-04T14:30:05.123Z", fmt.Sprintf("2026-05-%02dT13:00:00Z", d), 1)))
	}
	answer, err := s.provider(t, s.options()).LookUp(t.Context(), provider.Question{Attempt: attempt(payment.Charge), Key: key})
	if err != nil || len(answer.Units) != 3 || len(s.asked) != 3 {
		t.Errorf("%d units in %v, %v; want each Pix once, in windows of a day", len(answer.Units), s.asked, err)
	}
	_, err = fixed(t, listOf("pix", 0, 1, 2, pixOf(e2e1, "mesa7", "5.00", ""))).LookUp(t.Context(), provider.Question{Attempt: attempt(payment.Charge), Key: key})
	wantReason(t, "fewer than it says", err, provider.Untied)
	o := s.options()
	o.MaxWindow = time.Minute
	_, err = s.provider(t, o).LookUp(t.Context(), provider.Question{Attempt: attempt(payment.Charge), Key: key})
	wantReason(t, "too many windows", err, provider.Partial)
}

func TestWhatCannotBeFoundByAKeyIsNotAskedFor(t *testing.T) {
	t.Parallel()
	s := serve(t)
	p := s.provider(t, s.options())
	unit := func(value string) payment.LookupKey { return payment.LookupKey{Kind: payment.KeyUnit, Value: value} }
	by := func(name, value string) payment.LookupKey {
		return payment.LookupKey{Kind: payment.KeyReference, Name: name, Value: value}
	}
	late := attempt(payment.Charge)
	late.CreatedAt = instant(9, 0)
	for _, q := range []provider.Question{
		{Attempt: attempt(payment.Transfer), Key: unit(e2e1)},
		{Attempt: attempt(payment.Charge), Key: unit("")},
		{Attempt: attempt(payment.Charge), Key: unit("order-1001")},
		{Attempt: attempt(payment.Charge), Key: by("try", "order-1001")},
		{Attempt: attempt(payment.Charge), Key: by("other", tx1)},
		{Attempt: attempt(payment.Charge), Key: by("order", "")},
		{Attempt: attempt(payment.Charge), Key: payment.LookupKey{Kind: payment.KeyIdempotency, Value: tx1}},
		{Attempt: attempt(payment.Refund), Key: by("try", tx1)},
		{Attempt: attempt(payment.Refund), Key: unit("D123")},
		{Attempt: attempt(payment.Refund), Key: unit(e2e1 + "/../x")},
		{Attempt: attempt(payment.Refund), Key: by("sale", "x")},
		{Attempt: &payment.Attempt{Operation: payment.Refund}, Key: by("return", "dev1")},
		{Attempt: late, Key: by("try", "mesa7")},
		{Attempt: &payment.Attempt{}, Key: by("order", "1001")},
	} {
		_, err := p.LookUp(t.Context(), q)
		wantReason(t, fmt.Sprint(q.Attempt.Operation, q.Key), err, provider.OtherReference)
	}
	if len(s.asked) > 0 {
		t.Errorf("asked for %v", s.asked)
	}
}

// TestOnlyTheParticipantsOwnNoIsOne: a gateway says 404 too.
func TestOnlyTheParticipantsOwnNoIsOne(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		status int
		body   string
		want   provider.Reason
	}{
		{404, providertest.PixNotFound, ""},
		{404, `{"type":"https://example.com/erros/cobnaoencontrado","title":"x","status":404}`, ""},
		{404, `{"type":"CobVNaoEncontrada"}`, ""},
		{404, `{"type":"about:blank","title":"Not Found","status":404}`, provider.Unparsable},
		{404, `{"title":"Not Found","status":404}`, provider.Unparsable},
		{404, `{"status":404,"error":"Not Found","path":"/cob"}`, provider.Unparsable},
		{404, `{"type":"https://pix.bcb.gov.br/api/v2/error/RequisicaoInvalida"}`, provider.Unparsable},
		{410, `{"type":"https://pix.bcb.gov.br/api/v2/error/PermanentementeRemovido"}`, provider.PeriodNotHeld},
		{400, `{"type":"https://pix.bcb.gov.br/api/v2/error/CobNaoEncontrado"}`, provider.HTTP4xx},
	} {
		s := serve(t)
		front := s.Config.Handler
		s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost {
				front.ServeHTTP(w, r)
				return
			}
			w.Header().Set("Content-Type", "application/problem+json")
			w.WriteHeader(c.status)
			_, _ = w.Write([]byte(c.body))
		})
		answer, err := s.provider(t, s.options()).LookUp(t.Context(), provider.Question{
			Attempt: attempt(payment.Charge), Key: payment.LookupKey{Kind: payment.KeyReference, Name: "try", Value: tx1},
		})
		if c.want != "" {
			wantReason(t, c.body, err, c.want)
		} else if err != nil || answer.Outcome != payment.NotFound {
			t.Errorf("%s: %+v, %v", c.body, answer, err)
		}
	}
}

// FuzzList reads any bytes as a page: what is taken is whole and within bounds.
func FuzzList(f *testing.F) {
	f.Add([]byte(listOf("pix", 0, 1, 1, pixOf(e2e1, tx1, "110.00", `,"devolucoes":[`+backOf("1", "10.00", "MED_FRAUDE", "DEVOLVIDO")+`]`))))
	f.Add([]byte(listOf("cobs", 0, 1, 1, cobOf(tx1, "CONCLUIDA", `,"pix":[`+pixOf(e2e1, tx1, "110.00", "")+`]`))))
	f.Add([]byte(strings.Replace(listOf("cobs", 0, 1, 1, cobOf(tx1, "ATIVA", "")), `"expiracao":3600`, `"dataDeVencimento":"9999-12-31"`, 1)))
	f.Add([]byte(providertest.PixNotFound))
	p := reader(f)
	whole := func(t *testing.T, units []payment.Unit) {
		t.Helper()
		for _, u := range units {
			if u.ID == "" || u.CreatedAt <= 0 || u.Asked.Minor < 0 || u.Captured.Minor < 0 || u.Final && u.State.Open() || u.State.Money() && !u.Captured.Known {
				t.Errorf("%+v", u)
			}
		}
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		var l list
		if httpx.Decode(body, &l) != nil {
			return
		}
		for _, path := range []string{pathCob, pathPix} {
			a, err := l.answer(path, 0)
			if err != nil {
				continue
			}
			for i := range a.charges {
				if units, err := p.charge(&a.charges[i], instant(20, 0)); err == nil {
					whole(t, units)
				}
			}
			for i := range a.received {
				if units, err := p.received(&a.received[i]); err == nil {
					whole(t, units)
				}
				if l, err := p.income(&a.received[i]); err == nil && (l.Gross < 0 || l.At.IsZero() || l.Day == 0) {
					t.Errorf("%+v", l)
				}
			}
		}
	})
}
