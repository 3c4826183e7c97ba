package pull

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"desfecho/internal/payment"
	"desfecho/internal/pgtest"
	"desfecho/internal/provider"
	"desfecho/internal/store"
	"desfecho/internal/store/postgres"
	"desfecho/providers/httpx"
	"desfecho/providers/loopback"
)

const (
	benchSlices = 32
	benchPages  = 40 // of each slice
	benchRows   = 100
	benchDelay  = 50 * time.Millisecond
)

// ledgerOnly is the loopback provider with one statement, whose slices are
// hours.
type ledgerOnly struct{ *loopback.Provider }

func (l ledgerOnly) Capabilities() provider.Capabilities {
	able := l.Provider.Capabilities()
	able.Statements = able.Statements[1:]
	able.Statements[0].Slice.Aim = time.Hour
	return able
}

// listing answers any hour with pages of rows of its own, after a delay.
func listing(delay time.Duration) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if strings.HasSuffix(r.URL.Path, "/account") {
			_, _ = w.Write([]byte(`{"account":"` + account + `","mode":"live"}`))
			return
		}
		timer := time.NewTimer(delay)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-r.Context().Done():
			return
		}
		from, _ := time.Parse(time.RFC3339Nano, r.URL.Query().Get("from"))
		page, _ := strconv.Atoi(strings.TrimPrefix(r.URL.Query().Get("cursor"), "c"))
		var b strings.Builder
		b.WriteString(`{"data":[`)
		for i := range benchRows {
			n := page*benchRows + i
			fmt.Fprintf(&b, `{"id":"bt_%d_%06d","type":"charge","object":"pay_%d_%06d","amount":%d,"currency":"BRL","balance":%d,"metadata":{"charge":"c%d_%d"},"at":"%s"},`,
				from.Unix(), n, from.Unix(), n, 1000, 1000*(n+1), from.Unix(), n, from.Add(time.Duration(n)*time.Microsecond).Format(time.RFC3339Nano))
		}
		text := strings.TrimSuffix(b.String(), ",") + `],`
		if page+1 < benchPages {
			text += fmt.Sprintf(`"next":"c%d",`, page+1)
		}
		_, _ = w.Write([]byte(text + `"through":"2021-01-01T00:00:00Z"}`))
	}
}

// BenchmarkPullIntoPostgres reads 32 slices at once at 50 ms a page.
func BenchmarkPullIntoPostgres(b *testing.B) {
	server := httptest.NewServer(listing(benchDelay))
	defer server.Close()
	client, err := httpx.New(httpx.Options{BaseURL: server.URL, Loopback: true, UserAgent: "desfecho/test", Now: time.Now}) //nolint:forbidigo // a benchmark's clock
	if err != nil {
		b.Fatal(err)
	}
	p, err := loopback.New(loopback.Options{Name: "book", Account: account, Zone: time.UTC}, client)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		b.StopTimer()
		s, err := postgres.Open(b.Context(), postgres.Options{URL: pgtest.Database(b)})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := s.Migrate(b.Context()); err != nil {
			b.Fatal(err)
		}
		lease, err := s.Acquire(b.Context(), "book", account, "test", time.Minute)
		if err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		pullAll(b, s, lease, ledgerOnly{p})
		b.StopTimer()
		_ = s.Close()
		b.StartTimer()
	}
	b.ReportMetric(float64(benchSlices*benchPages*benchRows*b.N)/b.Elapsed().Seconds(), "lines/s")
}

func pullAll(b *testing.B, s store.Store, lease store.Lease, p provider.Provider) {
	b.Helper()
	report, err := Pull(b.Context(), Options{
		Store: s, Provider: p, Lease: lease, Zone: time.UTC, Relook: day, Since: func() time.Duration { return 0 },
		Window: payment.Interval{From: start, To: start.Add(benchSlices * time.Hour)},
	})
	if err != nil || !report.Whole() || report.Counts.New != benchSlices*benchPages*benchRows {
		b.Fatalf("%+v, %v", report, err)
	}
}
