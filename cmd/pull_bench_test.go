//go:build unix && !race

package cmd

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"desfecho/internal/pgtest"
)

const (
	pulledPage  = 100
	pulledDelay = 50 * time.Millisecond
)

// pulledDay is the first of the days that are pulled, each of them one slice.
var pulledDay = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)

// BenchmarkPull lets the program read a provider of 50 ms a page into an empty
// PostgreSQL, up to 32 slices at once, without a limit: small rows of the
// loopback provider, and Stripe's balance transactions with their charges in
// them. It tells the lines a second, for how long of each line the program, the
// server and the played provider had a processor, and the program's most
// memory, and how much that grew with the lines (make bench-pull).
func BenchmarkPull(b *testing.B) {
	pulls := []struct {
		of          string
		days, pages int
	}{{"loopback", 32, 32}, {"loopback", 64, 157}, {"stripe", 32, 32}, {"stripe", 64, 157}}
	smaller := map[string]int64{}
	for _, size := range pulls {
		lines := size.days * size.pages * pulledPage
		b.Run(fmt.Sprintf("%s/%d", size.of, lines), func(b *testing.B) {
			p := newPulls(b, size.of, size.days, size.pages)
			most := int64(0)
			for b.Loop() {
				most = max(most, p.pull())
			}
			perLine := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 / float64(lines*b.N) }
			b.ReportMetric(float64(lines*b.N)/b.Elapsed().Seconds(), "lines/s")
			b.ReportMetric(perLine(p.program), "µs-program/line")
			b.ReportMetric(perLine(p.server), "µs-server/line")
			b.ReportMetric(perLine(p.provider), "µs-provider/line")
			b.ReportMetric(float64(most)/1024, "MiB")
			if before := smaller[size.of]; before > 0 {
				b.ReportMetric(float64(most)/float64(before), "times-the-memory")
			}
			smaller[size.of] = most
		})
	}
}

const pulledConfig = `attempts:
  read: charge_attempts
  columns: {id: id, charge: charge_id, key: idempotency_key, provider: provider, status: status, provider_charge_id: provider_charge_id,
    amount: amount_cents, unit: minor, currency: currency, created_at: created_at, resolved_at: resolved_at}
  references: [{here: charge_id, there: metadata.charge, scope: charge}]
  status: {pending: [pending], unknown: [unknown], succeeded: [succeeded], failed: [failed]}
providers:
  - {name: acme, type: %s, %s account: acct_1, timezone: UTC, succeeded_means: {charge: captured}, key_file: %s}
`

// pulls is a provider and a program that reads it.
type pulls struct {
	*testing.B
	lines       int
	until       time.Time
	env         []string
	config, key string

	program, server, provider time.Duration // for which each had a processor
}

func newPulls(b *testing.B, of string, days, pages int) *pulls {
	b.Helper()
	p := &pulls{B: b, lines: days * pages * pulledPage, until: pulledDay.AddDate(0, 0, days)}
	folder := b.TempDir()
	played := httptest.NewServer(tells(of, pages))
	b.Cleanup(played.Close)
	p.key, p.config = filepath.Join(folder, "key"), filepath.Join(folder, "desfecho.yaml")
	if err := os.WriteFile(p.key, []byte("rk_live_x\n"), 0o600); err != nil {
		b.Fatal(err)
	}
	address := ""
	if of == "loopback" {
		address = "base_url: " + played.URL + "/v1,"
	}
	if err := os.WriteFile(p.config, fmt.Appendf(nil, pulledConfig, of, address, p.key), 0o600); err != nil {
		b.Fatal(err)
	}
	addresses, err := json.Marshal(map[string]string{"https://api.stripe.com": played.URL})
	if err != nil {
		b.Fatal(err)
	}
	p.env = append(os.Environ(), "DESFECHO_CONFIG="+p.config, askedAt+"="+string(addresses))
	return p
}

// pull reads all into a database of its own, and gives the most memory that the
// program held, in KiB.
func (p *pulls) pull() int64 {
	p.Helper()
	p.StopTimer()
	database, c := pgtest.Database(p.B), pgtest.Server(p.B)
	env := append(p.env, "DESFECHO_DATABASE_URL="+database) //nolint:gocritic // for this pull
	run := func(args ...string) *exec.Cmd {
		run := exec.CommandContext(p.Context(), "desfecho", args...)
		run.Env = env
		if out, err := run.CombinedOutput(); err != nil {
			p.Fatalf("desfecho %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return run
	}
	c.SQL(p.B, databaseName(p.B, database), strings.Replace(monthTable, `\copy charge_attempts FROM '%s' CSV HEADER`, "", 1))
	run("schema", "--apply")
	server, provider := c.Busy(p.B), busy()
	p.StartTimer()
	ran := run("pull", "--since", pulledDay.Format(time.DateOnly), "--until", p.until.Format(time.DateOnly))
	p.StopTimer()
	p.server += c.Busy(p.B) - server
	p.provider += busy() - provider
	p.program += ran.ProcessState.UserTime() + ran.ProcessState.SystemTime()
	if got := c.SQL(p.B, databaseName(p.B, database), "SELECT count(*) FROM desfecho.lines"); got != strconv.Itoa(p.lines) {
		p.Fatalf("%s lines are stored, want %d", got, p.lines)
	}
	c.SQL(p.B, "postgres", "DROP DATABASE "+databaseName(p.B, database))
	used, ok := ran.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		p.Fatal("the system does not tell how much memory a process held")
	}
	p.StartTimer()
	return used.Maxrss
}

// busy is how long this process, which plays the provider, has had a processor.
func busy() time.Duration {
	var used syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &used) != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// tells answers as the provider does.
func tells(of string, pages int) http.HandlerFunc {
	answer := map[string]func(url.Values, int) []byte{"loopback": loopbackPage, "stripe": stripePage}[of]
	ledger := map[string]string{"loopback": "/ledger", "stripe": "/balance_transactions"}[of]
	others := map[string]string{
		"/account":  `{"account":"acct_1","mode":"live","object":"account","id":"acct_1"}`,
		"/balance":  `{"object":"balance","livemode":true}`,
		"/objects":  `{"data":[],"through":"2027-01-01T00:00:00Z"}`,
		"any other": `{"object":"list","has_more":false,"data":[]}`,
	}
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		path := r.URL.Path[strings.LastIndexByte(r.URL.Path, '/'):]
		if path != ledger {
			text, ok := others[path]
			if !ok {
				text = others["any other"]
			}
			_, _ = w.Write([]byte(text))
			return
		}
		timer := time.NewTimer(pulledDelay)
		defer timer.Stop()
		select {
		case <-timer.C:
			_, _ = w.Write(answer(r.URL.Query(), pages))
		case <-r.Context().Done():
		}
	}
}

// appendNumber appends the nth row's own number of a day.
func appendNumber(b []byte, day int64, n int) []byte {
	return strconv.AppendInt(append(strconv.AppendInt(b, day, 10), '_'), int64(n), 10)
}

// loopbackPage is a page of rows of up to 300 bytes.
func loopbackPage(q url.Values, pages int) []byte {
	from, _ := time.Parse(time.RFC3339Nano, q.Get("from"))
	page, _ := strconv.Atoi(strings.TrimPrefix(q.Get("cursor"), "c"))
	b := append(make([]byte, 0, 32<<10), `{"data":[`...)
	for i := range pulledPage {
		n, day := page*pulledPage+i, from.Unix()
		if i > 0 {
			b = append(b, ',')
		}
		b = appendNumber(append(b, `{"id":"bt_`...), day, n)
		b = appendNumber(append(b, `","type":"charge","object":"pay_`...), day, n)
		b = strconv.AppendInt(append(b, `","amount":1000,"currency":"BRL","balance":`...), int64(1000*(n+1)), 10)
		b = appendNumber(append(b, `,"metadata":{"charge":"c`...), day, n)
		b = from.Add(time.Duration(n)*time.Second).AppendFormat(append(b, `"},"at":"`...), time.RFC3339Nano)
		b = append(b, `"}`...)
	}
	b = append(b, ']')
	if page+1 < pages {
		b = strconv.AppendInt(append(b, `,"next":"c`...), int64(page+1), 10)
		b = append(b, '"')
	}
	return append(b, `,"through":"2027-01-01T00:00:00Z"}`...)
}

// stripePage is a page of rows of about 1.9 KB, newest first.
func stripePage(q url.Values, pages int) []byte {
	from, _ := strconv.ParseInt(q.Get("created[gte]"), 10, 64)
	first := 0
	if _, last, ok := strings.Cut(q.Get("starting_after"), fmt.Sprintf("txn_%d_", from)); ok {
		before, _ := strconv.Atoi(last)
		first = before + 1
	}
	b := append(make([]byte, 0, 256<<10), `{"object":"list","data":[`...)
	for i := range pulledPage {
		n := first + i
		if i > 0 {
			b = append(b, ',')
		}
		b = appendNumber(append(b, `{"id":"txn_`...), from, n)
		b = strconv.AppendInt(append(b, `","object":"balance_transaction","amount":4999,"available_on":1793232000,"currency":"brl","description":"Order","exchange_rate":null,"fee":175,"fee_details":[{"amount":175,"application":null,"currency":"brl","description":"Stripe processing fees","type":"stripe_fee"}],"net":4824,"reporting_category":"charge","status":"available","type":"charge","created":`...), from+int64(pages*pulledPage-n), 10)
		b = appendNumber(append(b, `,"source":{"id":"ch_`...), from, n)
		for f := range 18 {
			b = strconv.AppendInt(append(b, `","unread_field_of_a_charge_`...), int64(f), 10)
			b = append(b, `":"some text of Stripe's and some more of it`...)
		}
		b = appendNumber(append(b, `","object":"charge","amount":4999,"amount_captured":4999,"amount_refunded":0,"captured":true,"created":1793091660,"currency":"brl","disputed":false,"livemode":true,"paid":true,"refunded":false,"status":"succeeded","payment_method_details":{"type":"card","card":{"brand":"visa","last4":"4242","checks":{"cvc_check":"pass"}}},"metadata":{"charge":"c`...), from, n)
		b = appendNumber(append(b, `"},"payment_intent":"pi_`...), from, n)
		b = append(b, `"}}`...)
	}
	more := first+pulledPage < pages*pulledPage
	return append(strconv.AppendBool(append(b, `],"has_more":`...), more), '}')
}
