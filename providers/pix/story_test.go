package pix

import (
	"strings"
	"testing"

	"desfecho/internal/evidence"
	"desfecho/internal/money"
	"desfecho/internal/payment"
	"desfecho/providers/providertest"
)

// story is one thing that happened at the participant, and what a run over it
// must say: the classes of all divergences, in order.
type story struct {
	cob, cobv, pix []string
	attempts       []payment.Attempt
	expected       []string
	scopes         []string
	means          evidence.Means
	want           []string
}

// TestWhatARunSaysOfPix: the answers of the participant through the whole
// comparison, one story at a time.
func TestWhatARunSaysOfPix(t *testing.T) {
	t.Parallel()
	for name, s := range stories() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s.run(t)
		})
	}
}

func (s *story) run(t *testing.T) {
	t.Helper()
	server := serve(t)
	for list, rows := range map[string][]string{"cob": s.cob, "cobv": s.cobv, "pix": s.pix} {
		for _, text := range rows {
			server.Lists[list] = append(server.Lists[list], providertest.Object(text))
		}
	}
	o := server.options()
	o.Scopes, o.MaxWindow = s.scopes, 7*day
	p := server.provider(t, o)
	told := providertest.Story{
		Provider: p, Name: "pix", Account: "loja", Zone: p.zone, Whole: payment.Interval{From: instant(1, 3), To: instant(12, 3)},
		Attempts: s.attempts, Expected: s.expected, Means: s.means, Want: s.want,
	}
	told.Run(t)
}

func tried(id string, o payment.Operation, status payment.Status, minor int64, providerID string, refs ...payment.Reference) payment.Attempt {
	created := providertest.At("2026-05-04T14:29:00Z")
	if o == payment.Refund {
		created = providertest.At("2026-05-06T10:00:00Z")
	}
	return payment.Attempt{
		ID: id, Charge: "c" + id, Provider: "pix", Account: "loja", Operation: o, Status: status, ProviderID: providerID,
		Amount: money.Amount{Minor: minor, Currency: brl}, CreatedAt: created, LastSent: created, ResolvedAt: created, References: refs,
	}
}

func try(value string) payment.Reference { return payment.Reference{Name: "try", Value: value} }

func stories() map[string]story {
	sold := tried("1", payment.Charge, payment.Succeeded, 11000, "", try(tx1))
	unknown := tried("1", payment.Charge, payment.Unknown, 11000, "", try(tx1))
	failed := tried("1", payment.Charge, payment.Failed, 11000, "", try(tx1))
	back := tried("2", payment.Refund, payment.Succeeded, 1000, "", payment.Reference{Name: "return", Value: "1"})
	with := func(nature string) string {
		return pixOf(e2e1, tx1, "110.00", `,"devolucoes":[`+backOf("1", "10.00", nature, "DEVOLVIDO")+`]`)
	}
	paid := pixOf(e2e1, tx1, "110.00", "")
	cob := func(pix ...string) []string {
		return []string{cobOf(tx1, "CONCLUIDA", `,"pix":[`+strings.Join(pix, ",")+`]`)}
	}
	twice := strings.Replace(pixOf(e2e2, tx1, "110.00", ""), "14:30:05", "14:31:05", 1)
	dated := strings.Replace(cobOf(tx1, "CONCLUIDA", receiver+`,"pix":[`+pixOf(e2e1, tx1, "112.30", `,"componentesValor":{"original":{"valor":"110.00"}}`)+`]`), `"expiracao":3600`, `"dataDeVencimento":"2026-05-03","validadeAposVencimento":30`, 1)
	printed := pixOf(e2e1, "", "110.00", "")
	attempts := func(all ...payment.Attempt) []payment.Attempt { return all }
	return map[string]story{
		"a Pix":                           {cob: cob(paid), pix: []string{paid}, attempts: attempts(sold)},
		"a Pix known by its endToEndId":   {cob: cob(paid), pix: []string{paid}, attempts: attempts(tried("1", payment.Charge, payment.Succeeded, 11000, e2e1))},
		"a Pix known by its txid":         {cob: cob(paid), pix: []string{paid}, attempts: attempts(tried("1", payment.Charge, payment.Succeeded, 11000, tx1))},
		"a charge that was read too soon": {cob: []string{cobOf(tx1, "ATIVA", "")}, pix: []string{paid}, attempts: attempts(sold)},
		"a Pix whose answer was lost":     {cob: cob(paid), pix: []string{paid}, attempts: attempts(unknown), want: []string{"unknown_charged"}},
		"a Pix that failed here":          {cob: cob(paid), pix: []string{paid}, attempts: attempts(failed), want: []string{"failed_but_charged"}},
		"a Pix that nobody asked for":     {cob: cob(paid), pix: []string{paid}, want: []string{"unrecorded_charge"}},
		"a Pix of another amount":         {cob: cob(pixOf(e2e1, tx1, "109.00", "")), pix: []string{pixOf(e2e1, tx1, "109.00", "")}, attempts: attempts(sold), want: []string{"amount_mismatch"}},
		"paid twice":                      {cob: cob(paid, twice), pix: []string{paid, twice}, attempts: attempts(sold), want: []string{"duplicate_charge"}},
		"paid late, with interest":        {cobv: []string{dated}, pix: []string{pixOf(e2e1, tx1, "112.30", `,"componentesValor":{"original":{"valor":"110.00"}}`)}, attempts: attempts(sold), want: []string{"amount_adjusted"}},
		"nobody paid until its end":       {cob: []string{cobOf(tx1, "ATIVA", "")}, attempts: attempts(unknown), want: []string{"unknown_declined"}},
		"nobody has paid yet":             {cob: []string{strings.Replace(cobOf(tx1, "ATIVA", ""), "3600", "3600000", 1)}, attempts: attempts(unknown), want: []string{"unknown_open"}},
		"made and not paid, as promised":  {cob: []string{cobOf(tx1, "ATIVA", "")}, attempts: attempts(sold), means: evidence.MeansCreated},
		"removed":                         {cob: []string{cobOf(tx1, "REMOVIDA_PELO_USUARIO_RECEBEDOR", "")}, attempts: attempts(unknown), want: []string{"unknown_declined"}},
		"absent":                          {attempts: attempts(sold), want: []string{"missing_at_provider"}},
		"absent, and nobody asked":        {attempts: attempts(unknown), want: []string{"unknown_waiting"}},
		"absent, by the ledger alone":     {attempts: attempts(sold), scopes: []string{"pix.read"}, want: []string{"missing_at_provider"}},
		"a refund that is recorded":       {cob: cob(with("ORIGINAL")), pix: []string{with("ORIGINAL")}, attempts: attempts(sold, back)},
		"a refund that nobody noted":      {cob: cob(with("ORIGINAL")), pix: []string{with("ORIGINAL")}, attempts: attempts(sold), want: []string{"refund_unrecorded"}},
		"a refund of another amount":      {cob: cob(with("ORIGINAL")), pix: []string{with("ORIGINAL")}, attempts: attempts(sold, tried("2", payment.Refund, payment.Succeeded, 2000, "", payment.Reference{Name: "return", Value: "1"})), want: []string{"amount_mismatch"}},
		"taken as fraud":                  {cob: cob(with("MED_FRAUDE")), pix: []string{with("MED_FRAUDE")}, attempts: attempts(sold), want: []string{"chargeback_unrecorded"}},
		"taken, by a new word":            {cob: cob(with("MED_NOVO")), pix: []string{with("MED_NOVO")}, attempts: attempts(sold), want: []string{"unmapped_status"}},
		"a printed code":                  {pix: []string{printed}, want: []string{"unrecorded_charge"}},
		"a printed code, expected":        {pix: []string{printed}, expected: []string{"pix_static"}},
		"a printed code of a sale":        {pix: []string{pixOf(e2e1, "mesa7", "110.00", "")}, expected: []string{"pix_static"}, attempts: attempts(tried("1", payment.Charge, payment.Unknown, 11000, "", try("mesa7"))), want: []string{"unknown_charged"}},
	}
}
