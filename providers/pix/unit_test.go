package pix

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"desfecho/internal/payment"
	"desfecho/internal/provider"
	"desfecho/providers/httpx"
	"desfecho/providers/providertest"
)

func chargeOf(t testing.TB, text string) *charge {
	t.Helper()
	var v charge
	if err := httpx.Decode([]byte(text), &v); err != nil {
		t.Fatalf("the test's own JSON: %v", err)
	}
	return &v
}

func receivedOf(t testing.TB, text string) *received {
	t.Helper()
	var v received
	if err := httpx.Decode([]byte(text), &v); err != nil {
		t.Fatalf("the test's own JSON: %v", err)
	}
	return &v
}

func TestEveryStatusOfAChargeIsMapped(t *testing.T) {
	t.Parallel()
	paid := `,"pix":[` + pixOf(e2e1, tx1, "110.00", "") + `]`
	for _, c := range []struct {
		status, more string
		state        payment.State
		final        bool
		captured     payment.Stated
	}{
		{"ATIVA", "", payment.StateRequiresAction, false, payment.Stated{}},
		{"CONCLUIDA", paid, payment.StateCaptured, true, payment.Known(11000)},
		{"REMOVIDA_PELO_USUARIO_RECEBEDOR", "", payment.StateCanceled, true, payment.Stated{}},
		{"REMOVIDO_PELO_USUARIO_RECEBEDOR", "", payment.StateCanceled, true, payment.Stated{}},
		{"REMOVIDA_PELO_PSP", "", payment.StateCanceled, true, payment.Stated{}},
		{"REMOVIDO_PELO_PSP", "", payment.StateCanceled, true, payment.Stated{}},
		{"ATIVA", paid, payment.StateCaptured, true, payment.Known(11000)}, // money dominates a word
		{"REMOVIDA_PELO_PSP", paid, payment.StateCaptured, true, payment.Known(11000)},
		{"AMANHA", "", payment.StateUnmapped, false, payment.Stated{}},
		{"", "", payment.StateUnmapped, false, payment.Stated{}},
	} {
		units, err := reader(t).charge(chargeOf(t, cobOf(tx1, c.status, c.more)), instant(4, 15))
		if err != nil || len(units) != 1 || units[0].State != c.state || units[0].Final != c.final || units[0].Captured != c.captured || units[0].RawState != c.status {
			t.Errorf("%q: %+v, %v; want %s, final %v, %v", c.status, units, err, c.state, c.final, c.captured)
		}
	}
	for word := range chargeStates {
		if !strings.HasPrefix(word, "REMOVID") && word != "ATIVA" {
			t.Errorf("%s has no test", word)
		}
	}
}

func TestAnActiveChargeEndsByTheClock(t *testing.T) {
	t.Parallel()
	dated := func(days string) string {
		return strings.Replace(cobOf(tx1, "ATIVA", ""), `"expiracao":3600`, `"dataDeVencimento":"2026-05-08"`+days, 1)
	}
	created := time.Date(2026, 5, 4, 14, 29, 0, 0, time.UTC)
	due := func(days int) time.Time { return time.Date(2026, 5, 9+days, 3, 0, 0, 0, time.UTC) } // the day after, in São Paulo
	for name, c := range map[string]struct {
		text  string
		end   time.Time
		grace time.Duration
	}{
		"an hour":               {cobOf(tx1, "ATIVA", ""), created.Add(time.Hour), 24 * time.Hour},
		"an hour, as a text":    {strings.Replace(cobOf(tx1, "ATIVA", ""), "3600", `"3600"`, 1), created.Add(time.Hour), 24 * time.Hour},
		"a day where none said": {strings.Replace(cobOf(tx1, "ATIVA", ""), `,"expiracao":3600`, "", 1), created.Add(24 * time.Hour), 24 * time.Hour},
		"ten days after due":    {dated(`,"validadeAposVencimento":10`), due(10), 7 * 24 * time.Hour},
		"on its due date":       {dated(`,"validadeAposVencimento":0`), due(0), 7 * 24 * time.Hour},
		"thirty where none":     {dated(""), due(30), 7 * 24 * time.Hour},
	} {
		for _, step := range []struct {
			at    time.Time
			state payment.State
			final bool
		}{
			{c.end.Add(-time.Second), payment.StateRequiresAction, false},
			{c.end, payment.StateExpired, false},
			{c.end.Add(c.grace - time.Second), payment.StateExpired, false},
			{c.end.Add(c.grace), payment.StateExpired, true},
			{time.Time{}, payment.StateRequiresAction, false}, // a clock that is not told
		} {
			now := payment.Instant(0)
			if !step.at.IsZero() {
				now = payment.InstantOf(step.at)
			}
			units, err := reader(t).charge(chargeOf(t, c.text), now)
			if err != nil || units[0].State != step.state || units[0].Final != step.final {
				t.Errorf("%s at %s: %+v, %v; want %s, final %v", name, step.at, units, err, step.state, step.final)
			}
		}
	}
}

func TestEveryNatureAndStatusOfAReturnIsMapped(t *testing.T) {
	t.Parallel()
	for nature, want := range map[string]struct {
		kind  payment.Kind
		state payment.State
	}{
		"ORIGINAL": {payment.KindRefund, payment.StateCaptured}, "RETIRADA": {payment.KindRefund, payment.StateCaptured}, "": {payment.KindRefund, payment.StateCaptured},
		"MED_OPERACIONAL": {payment.KindChargeback, payment.StateDisputed}, "MED_FRAUDE": {payment.KindChargeback, payment.StateDisputed},
		"MED_PIX_AUTOMATICO": {payment.KindChargeback, payment.StateDisputed}, "AMANHA": {payment.KindOther, payment.StateUnmapped},
	} {
		r := receivedOf(t, pixOf(e2e1, tx1, "110.00", `,"devolucoes":[`+backOf("1", "10.00", nature, "DEVOLVIDO")+`]`))
		u, err := reader(t).returned(e2e1, &r.Returns[0])
		if err != nil || u.State != want.state || u.Parent != e2e1 || u.Captured.Known != want.state.Money() {
			t.Errorf("%q: %+v, %v; want %s", nature, u, err, want.state)
		}
		l, done, err := reader(t).outgo(e2e1, &r.Returns[0])
		if err != nil || !done || l.Kind != want.kind || l.Gross != -1000 || l.Net != -1000 || l.At != providertest.At("2026-05-06T10:00:03Z") || l.Raw != nature && nature != "" {
			t.Errorf("%q: %+v, %v, %v; want %v", nature, l, done, err, want.kind)
		}
	}
	for status, want := range map[string]meaning{
		"EM_PROCESSAMENTO": {payment.StateProcessing, false}, "DEVOLVIDO": {payment.StateCaptured, true},
		"NAO_REALIZADO": {payment.StateDeclined, true}, "AMANHA": {payment.StateUnmapped, false},
	} {
		r := receivedOf(t, pixOf(e2e1, tx1, "110.00", `,"devolucoes":[`+backOf("1", "10.00", "ORIGINAL", status)+`]`))
		u, err := reader(t).returned(e2e1, &r.Returns[0])
		_, done, lineErr := reader(t).outgo(e2e1, &r.Returns[0])
		if err != nil || lineErr != nil || (meaning{u.State, u.Final}) != want || done != (status == "DEVOLVIDO") || u.RawState != status {
			t.Errorf("%s: %+v, line %v, %v, %v; want %+v", status, u, done, err, lineErr, want)
		}
	}
}

// TestEachPixOfATxIDIsMoneyOfItsOwn: the earliest paid the charge, whatever the
// order in which they are listed; the others nobody asked for.
func TestEachPixOfATxIDIsMoneyOfItsOwn(t *testing.T) {
	t.Parallel()
	later := strings.Replace(pixOf(e2e2, "", "110.00", ""), "14:30:05", "14:31:05", 1)
	for _, both := range []string{pixOf(e2e1, tx1, "110.00", "") + "," + later, later + "," + pixOf(e2e1, tx1, "110.00", "")} {
		units, err := reader(t).charge(chargeOf(t, cobOf(tx1, "CONCLUIDA", `,"pix":[`+both+`]`)), 0)
		if err != nil || len(units) != 2 || units[0].ID != tx1 || units[0].Aliases[0] != e2e1 || units[1].ID != e2e2 ||
			units[1].References[0].Value != tx1 || units[1].Captured != payment.Known(11000) {
			t.Errorf("%+v, %v", units, err)
		}
	}
}

func TestWhatWasGivenBackTellsOnThePix(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		returns []string
		want    payment.State
	}{
		{nil, payment.StateCaptured},
		{[]string{backOf("1", "109.99", "ORIGINAL", "DEVOLVIDO")}, payment.StateCaptured},
		{[]string{backOf("1", "110.00", "ORIGINAL", "EM_PROCESSAMENTO")}, payment.StateCaptured},
		{[]string{backOf("1", "110.00", "ORIGINAL", "NAO_REALIZADO")}, payment.StateCaptured},
		{[]string{backOf("1", "110.00", "ORIGINAL", "DEVOLVIDO")}, payment.StateRefunded},
		{[]string{backOf("1", "60.00", "ORIGINAL", "DEVOLVIDO"), backOf("2", "50.00", "RETIRADA", "DEVOLVIDO")}, payment.StateRefunded},
		{[]string{backOf("1", "110.00", "MED_FRAUDE", "DEVOLVIDO")}, payment.StateDisputed},
		{[]string{backOf("1", "10.00", "MED_FRAUDE", "DEVOLVIDO")}, payment.StateCaptured},
		{[]string{backOf("1", "110.00", "AMANHA", "DEVOLVIDO")}, payment.StateUnmapped},
		{[]string{backOf("1", "110.00", "ORIGINAL", "AMANHA")}, payment.StateUnmapped},
	} {
		units, err := reader(t).received(receivedOf(t, pixOf(e2e1, tx1, "110.00", `,"devolucoes":[`+strings.Join(c.returns, ",")+`]`)))
		if err != nil || units[0].State != c.want || units[0].Captured != payment.Known(11000) || len(units) != 1+len(c.returns) {
			t.Errorf("%v: %+v, %v; want %s", c.returns, units, err, c.want)
		}
	}
}

func TestAPixSaysWhatIsKnownOfIt(t *testing.T) {
	t.Parallel()
	p := reader(t)
	r := receivedOf(t, pixOf(e2e1, tx1, "112.30", `,"componentesValor":{"original":{"valor":"110.00"},"juros":{"valor":"2.30"}}`))
	units, err := p.received(r)
	if err != nil {
		t.Fatal(err)
	}
	moment := payment.InstantOf(time.Date(2026, 5, 4, 14, 30, 5, 123e6, time.UTC))
	want := payment.Unit{
		ID: e2e1, Provider: "pix", Account: "loja", State: payment.StateCaptured, RawState: "pix", Final: true, Currency: brl, Method: "pix",
		References: []payment.Reference{{Name: "try", Value: tx1}}, Asked: payment.Known(11230), Captured: payment.Known(11230),
		Principal: payment.Known(11000), CreatedAt: moment, Precision: time.Second,
	}
	if diff := cmp.Diff([]payment.Unit{want}, units); diff != "" {
		t.Error(diff)
	}
	l, err := p.income(r)
	wantLine := payment.Line{
		ID: e2e1, Unit: e2e1, Provider: "pix", Account: "loja", Kind: payment.KindCharge, Raw: "pix", Gross: 11230, Net: 11230, Currency: brl,
		At: moment, AvailableAt: moment, Day: payment.DayOfDate(2026, 5, 4), References: []payment.Reference{{Name: "try", Value: tx1}},
	}
	if diff := cmp.Diff(wantLine, l); diff != "" || err != nil {
		t.Error(diff, err)
	}
	for txid, method := range map[string]string{"": methodPrinted, "mesa7": methodPrinted, "***": methodPrinted, tx1: "pix"} {
		r.TxID = txid
		units, _ := p.received(r)
		if l, _ := p.income(r); units[0].Method != method || l.Raw != method {
			t.Errorf("txid %q: %s, %s; want %s", txid, units[0].Method, l.Raw, method)
		}
	}
	cash := receivedOf(t, pixOf(e2e1, tx1, "112.30", `,"componentesValor":{"original":{"valor":"12.30"},"saque":{"valor":"100.00"}}`))
	if units, err := p.received(cash); err != nil || units[0].Principal != payment.Known(11230) {
		t.Errorf("a withdrawal's principal is %+v, %v", units, err)
	}
}

func TestAmountsAreReaisWithTwoDecimals(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{
		"110.00": 11000, "0.01": 1, "0.00": 0, "9999999999.99": 999999999999, "007.50": 750,
		"110": -1, "110.0": -1, "110.000": -1, "-1.00": -1, "1e3": -1, "": -1, "110,00": -1, "1.000,00": -1, "10000000000.00": -1, "1.00\n": -1, "٣.٠٠": -1,
		"+1.00": -1,
	} {
		got, err := minorOf(text)
		if (err != nil) != (want < 0) || err == nil && got != want {
			t.Errorf("%q: %d, %v; want %d", text, got, err, want)
		}
	}
}

func TestWhatSaysTooLittleIsRefused(t *testing.T) {
	t.Parallel()
	whole := cobOf(tx1, "CONCLUIDA", `,"pix":[`+pixOf(e2e1, tx1, "110.00", `,"devolucoes":[`+backOf("dev1", "10.00", "ORIGINAL", "DEVOLVIDO")+`]`)+`]`)
	active := cobOf(tx1, "ATIVA", "")
	for _, change := range []string{
		`"txid":"` + tx1 + `","revisao"|"txid":null,"revisao"`, `"original":"110.00"|"original":null`, `"original":"110.00"|"original":"110"`,
		`"criacao":"2026-05-04T14:29:00.000Z"|"criacao":"2026-05-04 14:29:00"`, `"criacao":"2026-05-04T14:29:00.000Z"|"criacao":null`,
		`"endToEndId":"` + e2e1 + `"|"endToEndId":null`, `"txid":"` + tx1 + `","valor"|"txid":"` + tx2 + `","valor"`, `"valor":"110.00","chave"|"valor":"0,10","chave"`,
		`"horario":"2026-05-04T14:30:05.123Z"|"horario":"x"`, `"id":"dev1"|"id":null`, `"valor":"10.00"|"valor":null`,
		`"horario":{"solicitacao":"2026-05-06T10:00:00.000Z"|"horario":{"solicitacao":"never"`,
	} {
		from, to, _ := strings.Cut(change, "|")
		if !strings.Contains(whole, from) {
			t.Fatalf("%s: nothing to change", change)
		}
		if units, err := reader(t).charge(chargeOf(t, strings.Replace(whole, from, to, 1)), 0); err == nil {
			t.Errorf("%s: taken as %+v", change, units)
		}
	}
	for _, calendar := range []string{
		`"expiracao":-1`, `"expiracao":1.5`, `"expiracao":999999999999`, `"dataDeVencimento":"amanhã"`, `"dataDeVencimento":"1970-01-01"`,
		`"dataDeVencimento":"2026-06-01","validadeAposVencimento":99999`,
	} {
		if units, err := reader(t).charge(chargeOf(t, strings.Replace(active, `"expiracao":3600`, calendar, 1)), instant(4, 15)); err == nil {
			t.Errorf("%s: taken as %+v", calendar, units)
		}
	}
	if units, err := reader(t).charge(chargeOf(t, cobOf(tx1, "CONCLUIDA", "")), 0); err == nil {
		t.Errorf("paid by nothing: taken as %+v", units)
	}
}

// TestNothingOfAnybodyIsKept: payers, documents, keys and messages are in no
// unit and no line, and no hostile text changes whose they are.
func TestNothingOfAnybodyIsKept(t *testing.T) {
	t.Parallel()
	p := reader(t)
	c := chargeOf(t, cobOf(tx1, "CONCLUIDA", `,"pix":[`+pixOf(e2e1, tx1, "110.00", `,"devolucoes":[`+backOf("1", "10.00", "MED_FRAUDE", "DEVOLVIDO")+`]`)+`]`))
	units, err := p.charge(c, 0)
	if err != nil {
		t.Fatal(err)
	}
	in, _ := p.income(&c.Received[0])
	out, _, _ := p.outgo(e2e1, &c.Received[0].Returns[0])
	kept, err := json.Marshal([]any{units, in, out})
	if err != nil {
		t.Fatal(err)
	}
	for _, personal := range []string{"Maria", "maria", "529.982", "52998"} {
		if strings.Contains(string(kept), personal) {
			t.Errorf("%q is kept in %s", personal, kept)
		}
	}
	for _, hostile := range []string{"\x1b[2J", "\u202e", "\x00", "=cmd|'", "../../x", "'; DROP TABLE attempts; --", strings.Repeat("A", 1<<16)} {
		quoted, _ := json.Marshal(hostile)
		text := strings.NewReplacer(fmt.Sprintf("%q", tx1), string(quoted), fmt.Sprintf("%q", e2e1), string(quoted)).Replace(cobOf(tx1, "ATIVA", `,"pix":[`+pixOf(e2e1, tx1, "110.00", "")+`]`))
		units, err := p.charge(chargeOf(t, text), 0)
		if err != nil || len(units) != 1 || units[0].ID != hostile || units[0].Captured != payment.Known(11000) || units[0].Account != "loja" || units[0].Mode != payment.Live {
			t.Errorf("%q: %+v, %v", hostile, units, err)
		}
		if _, err := p.LookUp(t.Context(), provider.Question{Attempt: attempt(payment.Charge), Key: payment.LookupKey{Kind: payment.KeyUnit, Value: hostile}}); err == nil {
			t.Errorf("%q was asked for", hostile)
		}
	}
}
