package file

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // the tests must not depend on the machine's zones

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"desfecho/internal/payment"
	"desfecho/internal/profile"
	"desfecho/internal/tabular"
)

const (
	header = "id,charge_id,idempotency_key,provider,status,provider_charge_id,amount_cents,currency,created_at"
	good   = header + "\n1,c1,k1,acme,succeeded,p1,12990,BRL,2025-03-10T10:00:00Z\n2,c2,k2,acme,unknown,,5000,BRL,2025-03-12T10:00:00Z\n"
)

func fixture(name string) string {
	return filepath.Join("..", "..", "..", "testdata", "attempts", name)
}

func attemptText(a *payment.Attempt) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s %s %s %s at %s sent %s", a.ID, a.Operation, a.Status, a.Direction(), a.Amount, a.CreatedAt, a.LastSent)
	for _, part := range [...]struct{ name, value string }{
		{"charge", a.Charge},
		{"key", a.Key},
		{"provider", a.Provider},
		{"account", a.Account},
		{"object", a.ProviderID},
		{"error", a.LastError.String()},
		{"reserve", a.Reserve.String()},
		{"version", a.Version},
		{"hash", a.PayloadHash},
	} {
		if part.value != "" {
			b.WriteString(" " + part.name + " " + part.value)
		}
	}
	for _, r := range a.References {
		fmt.Fprintf(&b, " %s/%s=%s", r.Name, r.Scope, r.Value)
	}
	return b.String()
}

func texts(all []payment.Attempt) []string {
	var out []string
	for i := range all {
		out = append(out, attemptText(&all[i]))
	}
	return out
}

type attemptsFile struct {
	file, profile, detected string
	want                    []string
	covers                  string
}

// attemptsFiles are files of attempts and what each must be read as.
func attemptsFiles() []attemptsFile {
	return []attemptsFile{
		{
			file: "attempts.csv", detected: "attempts", covers: "[2025-03-10T00:00:00Z, 2025-03-12T00:00:00Z)",
			want: []string{
				"9 charge succeeded in 129.90 BRL at 2025-03-10T10:00:00Z sent 2025-03-10T10:00:09Z charge c1 key k-1 provider acme account acct_1 object p1 version 3 hash h1 reference/attempt=r-1 attempt/attempt=9 charge/charge=c1",
				"10 charge failed in 200.00 BRL at 2025-03-10T10:59:58.123456Z sent 2025-03-10T10:59:58.123456Z charge c2 key k-2 provider acme account acct_1 error card_refused version 1 hash h2 reference/attempt=k-2 attempt/attempt=10 charge/charge=c2",
				"11 charge unknown in 50.00 BRL at 2025-03-10T11:59:58Z sent 2025-03-10T11:59:58Z charge c3 key k-3 provider acme error timeout reference/attempt=k-3 attempt/attempt=11 charge/charge=c3",
				"12 transfer pending out 2,500.00 BRL at 2025-03-11T10:00:00Z sent 2025-03-11T10:00:00Z charge c4 key k-4 provider acme reserve held reference/attempt=k-4 attempt/attempt=12 charge/charge=c4",
				"13 refund succeeded out 29.90 BRL at 2025-03-12T11:59:00Z sent 2025-03-12T11:59:00Z charge c5 key k-5 provider acme object re_1 reference/attempt=k-5 attempt/attempt=13 charge/charge=c5",
			},
		},
		{
			file: "cobranca.csv", detected: "cobranca", covers: "[2026-05-04T00:00:00Z, 2026-05-06T00:00:00Z)",
			want: []string{
				"1 charge succeeded in 129.90 BRL at 2026-05-04T10:00:00Z sent 2026-05-04T10:00:00Z charge 1001 key 7c0d-1 object pay_exemplo000000001 error ok reference/attempt=7c0d-1 attempt/attempt=1 charge/charge=1001",
				"2 charge failed in 89.90 BRL at 2026-05-05T11:00:00Z sent 2026-05-05T11:00:00Z charge 1002 key 7c0d-2 error card_refused reference/attempt=7c0d-2 attempt/attempt=2 charge/charge=1002",
				"3 charge pending in 50.00 BRL at 2026-05-06T12:00:00Z sent 2026-05-06T12:00:00Z charge 1003 key 7c0d-3 error http_5xx reference/attempt=7c0d-3 attempt/attempt=3 charge/charge=1003",
				"4 charge pending in 50.00 BRL at 2026-05-06T12:05:00Z sent 2026-05-06T12:05:00Z charge 1003 key 7c0d-4 reference/attempt=7c0d-4 attempt/attempt=4 charge/charge=1003",
			},
		},
		{
			file: "tentativas.csv", profile: "tentativas.yaml", detected: "tentativas", covers: "[2025-03-10T03:00:00Z, 2025-03-11T03:00:00Z)",
			want: []string{
				"1 charge succeeded in 1,234.56 BRL at 2025-03-10T13:00:00Z sent 2025-03-10T13:00:00Z charge P-1 key ch-1 reference/attempt=ch-1 charge/charge=P-1",
				"2 charge unknown in 50.00 BRL at 2025-03-10T14:00:00Z sent 2025-03-10T14:00:00Z charge P-2 key ch-2 reference/attempt=ch-2 charge/charge=P-2",
				"3 charge failed in 7.50 BRL at 2025-03-11T15:00:00Z sent 2025-03-11T15:00:00Z charge P-3 key ch-3 reference/attempt=ch-3 charge/charge=P-3",
			},
		},
	}
}

func TestAttemptsAreReadByTheirProfiles(t *testing.T) {
	t.Parallel()
	for _, c := range attemptsFiles() {
		t.Run(c.file, func(t *testing.T) {
			t.Parallel()
			var o Options
			if c.profile != "" {
				p, err := profile.Load(fixture(c.profile))
				if err != nil {
					t.Fatal(err)
				}
				o.Profile = p
			}
			a, err := ReadAttempts(t.Context(), fixture(c.file), o)
			if err != nil {
				t.Fatalf("%v (%s)", err, profile.HintOf(err))
			}
			if a.Profile.Name != c.detected {
				t.Errorf("read by %s", a.Profile.Name)
			}
			if diff := cmp.Diff(c.want, texts(a.Attempts)); diff != "" {
				t.Error(diff)
			}
			if got := fmt.Sprint(a.Cover[0]); got != c.covers || a.CoverGrade != payment.Assumed {
				t.Errorf("covers %s (%s), want %s", got, a.CoverGrade, c.covers)
			}
			if a.Tally != (profile.Tally{Rows: len(c.want), Movements: len(c.want)}) {
				t.Errorf("tally %+v", a.Tally)
			}
		})
	}
}

func TestNDJSONIsReadByTheSameNames(t *testing.T) {
	t.Parallel()
	text := `{"id":"1","charge_id":"c1","idempotency_key":"k1","provider":"acme","status":"unknown","provider_charge_id":null,"amount_cents":12990,"currency":"BRL","created_at":"2025-03-10T10:00:00Z"}` + "\n" +
		`{"id":"2","charge_id":"c2","idempotency_key":"k2","provider":"acme","status":"succeeded","provider_charge_id":"p2","amount_cents":500,"currency":"BRL","created_at":"2025-03-10T10:00:00Z"}` + "\n"
	a, err := ReadAttemptsFrom(t.Context(), strings.NewReader(text), "-", Options{})
	if err != nil {
		t.Fatalf("%v (%s)", err, profile.HintOf(err))
	}
	if len(a.Attempts) != 2 || a.Attempts[0].Amount.String() != "129.90 BRL" || a.Attempts[1].ProviderID != "p2" {
		t.Errorf("%v", texts(a.Attempts))
	}
}

func TestOwnCoverageIsClaimedOrTheFilesOwnDays(t *testing.T) {
	t.Parallel()
	claimed := []payment.Interval{{From: 1, To: 2}, {From: 3, To: 4}}
	a, err := ReadAttemptsFrom(t.Context(), strings.NewReader(good), "x", Options{Covers: claimed, Now: 9})
	if err != nil || a.CoverGrade != payment.Claimed || len(a.Cover) != 2 {
		t.Fatalf("%+v, %v", a, err)
	}
	oneDay := strings.Join(strings.Split(good, "\n")[:2], "\n")
	a, err = ReadAttemptsFrom(t.Context(), strings.NewReader(oneDay), "x", Options{})
	if err != nil || a.Cover == nil || len(a.Cover) != 0 {
		t.Fatalf("one day covers %v (nil would be all), %v", a.Cover, err)
	}
}

// TestBadAttemptsAreRefusedWhole names the cell and what to do.
func TestBadAttemptsAreRefusedWhole(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text string
		o    Options
		want string // in message and hint
		line int
	}{
		"unknown status":    {text: strings.Replace(good, "unknown", "enviada", 1), want: "knows failed, pending, succeeded, unknown", line: 3},
		"its profile line":  {text: strings.Replace(good, "unknown", "enviada", 1), want: `["enviada", …]`, line: 3},
		"missing column":    {text: strings.NewReplacer("charge_id,id", "id", "c1,", "", "c2,", "").Replace(good), want: "no column charge_id"},
		"extra column":      {text: strings.NewReplacer("created_at", "created_at,customer", "00Z", "00Z,x").Replace(good), want: "knows no such column", line: 1},
		"how to allow it":   {text: strings.NewReplacer("created_at", "created_at,customer", "00Z", "00Z,x").Replace(good), want: "`extends: attempts` and `ignore: [\"customer\"]`", line: 1},
		"id twice":          {text: strings.Replace(good, "\n2,", "\n1,", 1), want: "already on line 2", line: 3},
		"no id":             {text: strings.Replace(good, "\n2,", "\n,", 1), want: "without id", line: 3},
		"negative amount":   {text: strings.Replace(good, "5000", "-5000", 1), want: "negative", line: 3},
		"decimals in cents": {text: strings.Replace(good, "5000", "50.00", 1), want: "minor units", line: 3},
		"unknown currency":  {text: strings.Replace(good, "BRL", "R$", 1), want: "unknown currency", line: 2},
		"no time":           {text: strings.Replace(good, "2025-03-10T10:00:00Z", "", 1), want: "no creation time", line: 2},
		"direction":         {text: strings.NewReplacer("created_at", "created_at,operation,direction", "00Z", "00Z,refund,in").Replace(good), want: "a refund goes out", line: 2},
		"operation":         {text: strings.NewReplacer("created_at", "created_at,operation", "00Z", "00Z,steal").Replace(good), want: "unknown operation", line: 2},
		"reserve":           {text: strings.NewReplacer("created_at", "created_at,reserve", "00Z", "00Z,lost").Replace(good), want: "unknown reserve", line: 2},
		"login page":        {text: "<html><body>login</body></html>", want: "web page"},
		"future period":     {text: good, o: Options{Covers: []payment.Interval{{From: 1, To: 9}}, Now: 5}, want: "in the future"},
		"a statement":       {text: good, o: Options{Profile: statementProfile(t)}, want: "a provider's statement"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, err := ReadAttemptsFrom(t.Context(), strings.NewReader(c.text), "attempts.csv", c.o)
			if err == nil || a != nil {
				t.Fatalf("read: %+v, %v", a, err)
			}
			if text := err.Error() + " " + profile.HintOf(err); !strings.Contains(text, c.want) {
				t.Errorf("%q lacks %q", text, c.want)
			}
			fault, isFault := errors.AsType[*tabular.Error](err)
			if c.line != 0 && (!isFault || fault.Line != c.line || fault.File != "attempts.csv") {
				t.Errorf("fault %+v, want line %d", fault, c.line)
			}
			if _, isUsage := errors.AsType[*profile.UsageError](err); !isFault && !isUsage {
				t.Errorf("%T", err)
			}
		})
	}
}

func statementProfile(t *testing.T) *profile.Profile {
	t.Helper()
	p, err := profile.Load("generic")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestLastErrorIsWords: the classes of RULES §6, from what people store.
func TestLastErrorIsWords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]payment.CallError{
		"": payment.ErrorNone, "timeout": payment.ErrorTimeout, "http_5xx": payment.Error5xx, "card_refused": payment.ErrorCardRefused, "ok": payment.ErrorOK,
		"200": payment.ErrorOK, "201": payment.ErrorOK, "400": payment.Error4xx, "402": payment.ErrorCardRefused, "408": payment.ErrorTimeout,
		"409": payment.Error409, "429": payment.Error429, "500": payment.Error5xx, "504": payment.Error5xx, "HTTP 503 Service Unavailable": payment.Error5xx,
		`Post "https://api.acme.example/v1/charges": context deadline exceeded (Client.Timeout exceeded while awaiting headers)`: payment.ErrorTimeout,
		"dial tcp 192.0.2.10:443: connect: connection refused":                                                                   payment.ErrorRefused,
		"dial tcp: lookup api.acme.example: no such host":                                                                        payment.ErrorDNS,
		"read tcp 192.0.2.1:5000->192.0.2.10:443: read: connection reset by peer":                                                payment.ErrorReset,
		"read tcp 10.0.0.5:41500->10.0.0.9:443: i/o timeout":                                                                     payment.ErrorTimeout,
		"EOF": payment.ErrorReset, "unexpected EOF": payment.ErrorReset,
		"504 Gateway Timeout": payment.Error5xx, "cURL error 28: Operation timed out after 30001 milliseconds": payment.ErrorTimeout,
		"card_declined: insufficient_funds": payment.ErrorCardRefused,
		"HTTP 400: card_declined":           payment.ErrorCardRefused,
		"cartão recusado":                   payment.ErrorCardRefused,
		"status 422":                        payment.Error4xx,
		"tempo esgotado":                    payment.ErrorTimeout,
		"algo deu errado":                   payment.ErrorOther,
		"pedido 1500 inválido":              payment.ErrorOther,
		"idempotency_key_in_use":            payment.Error409,
		"cobrança de 200 reais negada":      payment.ErrorOther,
		"server returned status code: 500":  payment.Error5xx, "HTTP/1.1 503": payment.Error5xx, "API error (429)": payment.Error429,
		"Too Many Requests": payment.Error429,
	} {
		if got := Classify(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

// TestAnIdThatStandsTwiceIsFound wherever it stands, in order or not.
func TestAnIdThatStandsTwiceIsFound(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		ids := rapid.SliceOfN(rapid.StringMatching(`[0-9]{1,4}`), 1, 3000).Draw(t, "ids")
		if rapid.Bool().Draw(t, "mostly in order") {
			for i := range ids {
				ids[i] = fmt.Sprint(1000 + i)
			}
			if rapid.Bool().Draw(t, "with a repeat") {
				ids = append(ids, ids[rapid.IntRange(0, len(ids)-1).Draw(t, "which")])
			}
		}
		var set idSet
		var attempts []payment.Attempt
		seen := map[string]int{}
		for i, id := range ids {
			attempts = append(attempts, payment.Attempt{ID: id})
			before, taken := set.add(attempts, i+2)
			first, known := seen[id]
			if taken != known || known && before != first {
				t.Fatalf("id %s on line %d: taken %t on line %d, truly %t on line %d", id, i+2, taken, before, known, first)
			}
			if !known {
				seen[id] = i + 2
			} else {
				return // the file is refused
			}
		}
	})
}

// TestManyIdsInNoOrderAreAllKept, and the one repeat among them is found.
func TestManyIdsInNoOrderAreAllKept(t *testing.T) {
	t.Parallel()
	const many = 9000
	var set idSet
	var attempts []payment.Attempt
	for i := range many {
		attempts = append(attempts, payment.Attempt{ID: fmt.Sprint(i * 7919 % many)})
		if before, taken := set.add(attempts, i+2); taken {
			t.Fatalf("id %s is new, not on line %d", attempts[i].ID, before)
		}
	}
	attempts = append(attempts, payment.Attempt{ID: attempts[4321].ID})
	if before, taken := set.add(attempts, many+2); !taken || before != 4323 {
		t.Errorf("taken %t on line %d", taken, before)
	}
}

// TestLastSentIsTheLaterOfCreationAndUpdate (RULES §1), unless a column says it.
func TestLastSentIsTheLaterOfCreationAndUpdate(t *testing.T) {
	t.Parallel()
	text := header + ",updated_at\n1,c,k,acme,pending,,1,BRL,2025-03-10 10:00:00,2025-03-10 09:00:00\n2,c,k,acme,pending,,1,BRL,2025-03-10 10:00:00,2025-03-10 11:00:00\n"
	zone := time.FixedZone("", -3*3600)
	a, err := ReadAttemptsFrom(t.Context(), strings.NewReader(text), "x", Options{Zone: zone})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"2025-03-10T13:00:00Z", "2025-03-10T14:00:00Z"} {
		if got := a.Attempts[i].LastSent.String(); got != want {
			t.Errorf("attempt %d was last sent %s, want %s", i+1, got, want)
		}
	}
}

// TestAPageThatIsNotTheLastHoldsNoDayWhole, whatever was claimed.
func TestAPageThatIsNotTheLastHoldsNoDayWhole(t *testing.T) {
	t.Parallel()
	p, err := profile.Parse("own.yaml", []byte("profile: own\nextends: attempts\npages: {more: next, total: count}\n"))
	if err != nil {
		t.Fatal(err)
	}
	row := `{"id":%d,"charge_id":"c","idempotency_key":"k%[1]d","provider":"acme","status":"failed","provider_charge_id":"p","amount_cents":100,"currency":"BRL","created_at":"2025-11-0%[1]dT10:00:00Z"}`
	page := `{"count":2,"next":"page2","data":[` + fmt.Sprintf(row, 1) + `,` + fmt.Sprintf(row, 2) + `]}`
	a, err := ReadAttemptsFrom(t.Context(), strings.NewReader(page), "own.json", Options{Profile: p})
	if err != nil {
		t.Fatal(err)
	}
	if a.Cover == nil || len(a.Cover) > 0 || !strings.Contains(strings.Join(a.Notes, "\n"), `not whole`) {
		t.Errorf("cover %v, %s", a.Cover, a.Notes)
	}
	covers := []payment.Interval{{From: 1, To: 2}}
	_, err = ReadAttemptsFrom(t.Context(), strings.NewReader(page), "own.json", Options{Profile: p, Covers: covers})
	if usage, ok := errors.AsType[*profile.UsageError](err); !ok || usage.Advice == "" || !strings.Contains(err.Error(), `own.json: the last page, of line 1, says next: "page2"`) {
		t.Errorf("%v", err)
	}
	whole := strings.Replace(page, `"page2"`, "0", 1)
	if a, err = ReadAttemptsFrom(t.Context(), strings.NewReader(whole), "own.json", Options{Profile: p}); err != nil || len(a.Cover) != 1 {
		t.Errorf("%+v, %v", a, err)
	}
}

// TestTheCallersZoneReadsTextThatHasNone, before the profile's: it was said for
// this very file.
func TestTheCallersZoneReadsTextThatHasNone(t *testing.T) {
	t.Parallel()
	own, err := profile.Parse("own.yaml", []byte("extends: attempts\ndates: {zone: America/Sao_Paulo}\n"))
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(good, "T10:00:00Z", " 10:00:00")
	for _, c := range []struct {
		p    *profile.Profile
		zone *time.Location
		want string
	}{
		{nil, nil, "2025-03-10T10:00:00Z"},
		{own, nil, "2025-03-10T13:00:00Z"},
		{own, time.UTC, "2025-03-10T10:00:00Z"},
		{nil, own.Dates.Zone, "2025-03-10T13:00:00Z"},
	} {
		a, err := ReadAttemptsFrom(t.Context(), strings.NewReader(text), "a.csv", Options{Profile: c.p, Zone: c.zone})
		if err != nil {
			t.Fatal(err)
		}
		if got := a.Attempts[0].CreatedAt.String(); got != c.want {
			t.Errorf("zone %v: created at %s, want %s", c.zone, got, c.want)
		}
	}
}
