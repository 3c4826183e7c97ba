package profile

import (
	"errors"
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // the tests must not depend on the machine's zones

	"github.com/google/go-cmp/cmp"

	"desfecho/internal/payment"
	"desfecho/internal/tabular"
)

const minimal = "profile: loja\nkind: statement\ncolumns: {id: id, gross: valor, occurred_at: data}\n"

func TestEveryBuiltinLoads(t *testing.T) {
	t.Parallel()
	want := []string{"asaas-extrato", "attempts", "cobranca", "generic", "stripe-balance", "stripe-payout"}
	if diff := cmp.Diff(want, Builtins()); diff != "" {
		t.Error(diff)
	}
	for _, name := range Builtins() {
		p, err := Load(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if p.Name != name || p.Title == "" || p.Hint == "" || len(p.Required) == 0 {
			t.Errorf("%s lacks name, title, hint or required columns: %+v", name, p)
		}
		if p.Kind == KindAttempts && len(p.Attempts.SucceededMeans) != 6 {
			t.Errorf("%s says what succeeded means of %d operations", name, len(p.Attempts.SucceededMeans))
		}
	}
}

// TestCobrancaHasNoWordForUnknown, so an old pending attempt is one (RULES §1).
func TestCobrancaHasNoWordForUnknown(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{"cobranca": true, "attempts": false} {
		p, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		if p.Attempts.NoUnknownWord != want {
			t.Errorf("%s: no unknown word %t, want %t", name, p.Attempts.NoUnknownWord, want)
		}
	}
}

func TestAnExtendedProfileKeepsWhatItDoesNotSay(t *testing.T) {
	t.Parallel()
	p, err := Parse("meu.yaml", []byte("profile: meu\nextends: stripe-balance\nkind: statement\nprovider: stripe-br\ndates: {zone: America/Sao_Paulo}\ncolumns: {id: codigo}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if p.Name != "meu" || p.Provider != "stripe-br" || p.Dates.Zone.String() != "America/Sao_Paulo" || len(p.Dates.Layouts) == 0 ||
		len(p.Columns["fee"]) == 0 || p.Columns["id"][0].Heading != "codigo" || !p.Statement.SignWins {
		t.Errorf("%+v", p)
	}
}

// TestTwoLinesMakeAProfile: what a refused column's hint advises is enough.
func TestTwoLinesMakeAProfile(t *testing.T) {
	t.Parallel()
	p, err := Parse("meu.yaml", []byte("extends: attempts\nignore: [\"customer\"]\n"))
	if err != nil || p.Kind != KindAttempts || len(p.Ignore) != 1 || !p.RefuseOthers {
		t.Errorf("%+v, %v", p, err)
	}
}

type mistake struct {
	text string
	line int
	want string // in message and hint
}

// mistakes are profiles with one mistake each, by its name.
func mistakes() map[string]mistake {
	return map[string]mistake{
		"unknown key":             {minimal + "delimeter: \";\"\n", 4, "unknown key"},
		"unknown key, nearest":    {minimal + "reference: []\n", 4, "did you mean references?"},
		"unknown nested key":      {minimal + "amounts: {marks: \",\"}\n", 4, "did you mean mark?"},
		"key twice":               {minimal + "kind: attempts\n", 4, "already on line 2"},
		"unknown field":           {"profile: x\nkind: statement\ncolumns:\n  gross: v\n  ocured_at: d\n", 5, "did you mean occurred_at?"},
		"unknown kind of line":    {minimal + "kinds:\n  sale: [venda]\n", 5, "unknown kind"},
		"kind, nearest":           {minimal + "kinds:\n  chargback: [venda]\n", 5, "did you mean chargeback?"},
		"state, nearest":          {minimal + "states:\n  captred: [pago]\n", 5, "did you mean captured?"},
		"kind of file, nearest":   {"profile: x\nkind: statemant\ncolumns: {gross: v, occurred_at: d}\n", 2, "did you mean statement?"},
		"word, nearest":           {minimal + "sort: object\n", 4, "did you mean objects?"},
		"scope, nearest":          {minimal + "references: [{name: r, scope: atempt, columns: r}]\n", 4, "did you mean attempt?"},
		"kind of units, nearest":  {minimal + "units: [{kinds: [refnd], unit: u}]\n", 4, "did you mean refund?"},
		"status, nearest":         {"profile: x\nextends: attempts\nstatus:\n  sucseeded: [ok]\n", 4, "did you mean succeeded?"},
		"operation, nearest":      {"profile: x\nextends: attempts\noperations:\n  refunds: [ok]\n", 4, "did you mean refund?"},
		"means, nearest":          {"profile: x\nextends: attempts\nsucceeded_means:\n  charge: capture\n", 4, "did you mean captured?"},
		"a word of two kinds":     {minimal + "kinds:\n  charge: [venda]\n  refund: [VENDA]\n", 6, "under charge and under refund"},
		"unknown state":           {minimal + "states:\n  paid: [pago]\n", 5, "unknown state"},
		"unknown scope":           {minimal + "references: [{name: r, scope: order, columns: r}]\n", 4, "unknown scope"},
		"reference without name":  {minimal + "references: [{columns: r}]\n", 4, "needs a name"},
		"star without star":       {minimal + "references: [{name: \"*\", columns: r}]\n", 4, "cannot take its name"},
		"unknown layout":          {minimal + "dates:\n  layouts: [yesterday]\n", 5, "unknown date layout"},
		"unknown zone":            {minimal + "dates:\n  zone: America/Sao_Paolo\n", 5, "unknown zone"},
		"this machine's zone":     {minimal + "dates:\n  zone: Local\n", 5, "no zone of a file"},
		"unknown currency":        {minimal + "amounts:\n  currency: REAL\n", 5, "unknown currency"},
		"two marks":               {minimal + "amounts: {mark: \".,\"}\n", 4, "want one of"},
		"exponent of major units": {minimal + "amounts:\n  exponents: {ISK: 2}\n", 5, "unit: minor"},
		"long delimiter":          {minimal + "text: {delimiter: \"||\"}\n", 4, "one character"},
		"bad duration":            {minimal + "books_after: soon\n", 4, "no duration"},
		"unknown required":        {minimal + "required: [id, valor]\n", 4, "unknown field"},
		"required, no column":     {minimal + "required: [fee]\n", 4, "has no column"},
		"no date":                 {"profile: x\nkind: statement\ncolumns: {gross: v}\n", 3, "no column for occurred_at"},
		"no status":               {"profile: x\nkind: attempts\ncolumns: {id: i, status: s, amount: a, created_at: c}\n", 1, "needs a status map"},
		"side without words":      {"profile: x\nkind: statement\ncolumns: {gross: v, occurred_at: d, side: dc}\n", 1, "mean debit"},
		"kinds of attempts":       {"profile: x\nkind: attempts\ncolumns: {id: i, status: s, amount: a, created_at: c}\nstatus: {failed: [f]}\nkinds: {charge: [c]}\n", 2, "belong to"},
		"unknown kind of file":    {"profile: x\nkind: extrato\ncolumns: {gross: v, occurred_at: d}\n", 2, "unknown kind"},
		"no name":                 {"kind: statement\ncolumns: {gross: v, occurred_at: d}\n", 1, "needs a name"},
		"a list":                  {"- a\n- b\n", 0, "key: value"},
		"no YAML":                 {"profile: [\n", 0, "no YAML"},
		"an anchor":               {"profile: &a x\nkind: statement\ncolumns: {gross: v, occurred_at: d}\n", 1, "anchors"},
		"a list for a word":       {"profile: [x]\nkind: statement\n", 0, "line 1"},
		"unknown base":            {"profile: x\nkind: statement\nextends: generics\n", 3, "did you mean generic?"},
	}
}

// TestAMistakeInAProfileIsNamed: file, line, key, and what was meant.
func TestAMistakeInAProfileIsNamed(t *testing.T) {
	t.Parallel()
	for name, c := range mistakes() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := Parse("loja.yaml", []byte(c.text))
			fault, ok := errors.AsType[*tabular.Error](err)
			if p != nil || !ok {
				t.Fatalf("%v, %T: %v", p, err, err)
			}
			if fault.File != "loja.yaml" || fault.Line != c.line {
				t.Errorf("%s:%d, want line %d (%v)", fault.File, fault.Line, c.line, err)
			}
			if text := err.Error() + " " + fault.Hint; !strings.Contains(text, c.want) {
				t.Errorf("%q lacks %q", text, c.want)
			}
		})
	}
}

func TestAProfileThatIsNotThereIsNamedWithTheNearest(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"strip-balance": "did you mean stripe-balance?", "xyz": "want one of asaas-extrato", "./nowhere.yaml": "check --profile", t.TempDir(): "a profile is one YAML file, or one of asaas-extrato"} {
		_, err := Load(name)
		usage, ok := errors.AsType[*UsageError](err)
		if !ok || !strings.Contains(usage.Hint(), want) {
			t.Errorf("%s: %v (%s)", name, err, HintOf(err))
		}
	}
}

func TestDetectFindsTheOneThatFits(t *testing.T) {
	t.Parallel()
	for want, header := range map[string]string{
		"generic":        "OCCURRED AT,line_id,provider charge id,reference,type,gross,fee,net,currency,status",
		"stripe-balance": "balance_transaction_id,created_utc,currency,gross,fee,net,reporting_category,charge_id",
		"asaas-extrato":  "id,value,balance,type,date,description",
	} {
		p, err := Detect(strings.Split(header, ","), KindStatement)
		if err != nil || p.Name != want {
			t.Errorf("%s: %v, %v", want, p, err)
		}
	}
	for want, header := range map[string]string{
		"attempts": "id,charge_id,idempotency_key,provider,status,provider_charge_id,amount,currency,created_at",
		"cobranca": "id,idempotency_key,pedido_id,valor_centavos,status,resposta_http,resposta_corpo,criada_em",
	} {
		p, err := Detect(strings.Split(header, ","), KindAttempts)
		if err != nil || p.Name != want {
			t.Errorf("%s: %v, %v", want, p, err)
		}
	}
}

func TestDetectSaysWhatEachLacks(t *testing.T) {
	t.Parallel()
	_, err := Detect([]string{"Data", "Valor"}, KindStatement)
	for _, want := range []string{"generic lacks line_id", "asaas-extrato lacks id", "stripe-balance lacks balance_transaction_id"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v lacks %q", err, want)
		}
	}
}

func TestDurationsHaveDays(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{"": 0, "90m": 90 * time.Minute, "24h": 24 * time.Hour, "33d": 33 * 24 * time.Hour} {
		if got, err := parseDuration(text); err != nil || got != want {
			t.Errorf("%q: %s, %v", text, got, err)
		}
	}
	for _, text := range []string{"-1h", "d", "1.5d", "-3d", "99999d", "1 week"} {
		if got, err := parseDuration(text); err == nil {
			t.Errorf("%q is %s", text, got)
		}
	}
}

func TestAPeriodMustHaveHappened(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		w   payment.Interval
		now payment.Instant
		ok  bool
	}{
		"past": {payment.Interval{From: 1, To: 5}, 5, true}, "empty": {payment.Interval{From: 1, To: 1}, 5, false},
		"inverted": {payment.Interval{From: 5, To: 1}, 9, false}, "future": {payment.Interval{From: 1, To: 6}, 5, false},
		"no clock": {payment.Interval{From: 1, To: 6}, 0, true},
	} {
		if err := CheckPeriod("--covers", c.w, c.now); (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestTheSignOfAnAmountWins where the provider books both ways under one word.
func TestTheSignOfAnAmountWins(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind  payment.Kind
		gross int64
		want  payment.Kind
	}{
		{payment.KindCharge, 1, payment.KindCharge},
		{payment.KindCharge, -1, payment.KindChargeReversal},
		{payment.KindRefund, -1, payment.KindRefund},
		{payment.KindRefund, 1, payment.KindRefundReversal},
		{payment.KindChargebackReversal, -1, payment.KindChargeback},
		{payment.KindFee, 1, payment.KindFeeReversal},
		{payment.KindPayoutReversal, -1, payment.KindPayout},
		{payment.KindTransferOut, 1, payment.KindTransferReversal},
		{payment.KindTransferReversal, -1, payment.KindTransferReversal},
		{payment.KindCharge, 0, payment.KindCharge},
		{payment.KindAdjustment, -1, payment.KindAdjustment},
	} {
		if got := signed(c.kind, c.gross); got != c.want {
			t.Errorf("%s of %d is %s, want %s", c.kind, c.gross, got, c.want)
		}
	}
}

// Who extends a built-in profile and gives a column another heading gives it
// to the references that are filled from that column, too.
func TestAReferenceFollowsTheColumnItIsFilledFrom(t *testing.T) {
	t.Parallel()
	p, err := Parse("own.yaml", []byte("profile: own\nkind: attempts\nextends: attempts\ncolumns: {key: chave, charge: pedido}\n"))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][]string{}
	for _, r := range p.References {
		for _, c := range r.Columns {
			got[r.Name] = append(got[r.Name], c.Heading)
		}
	}
	want := map[string][]string{"reference": {"reference", "chave"}, "attempt": {"id"}, "charge": {"pedido"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("headings (-want +got):\n%s", diff)
	}
}
