package cmd

import (
	"database/sql"
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"desfecho/internal/fakepsp"
	"desfecho/internal/pgtest"
	merchant "desfecho/internal/shop"
)

var (
	marketSeeds = flag.Uint64("market-seeds", 15, "how many markets are played; few under the race detector")
	marketSeed  = flag.Uint64("market-seed", 0, "play this market alone")
)

func markets() uint64 {
	if underRace { // which makes SQLite many times slower
		return min(2, *marketSeeds)
	}
	return *marketSeeds
}

// TestAShopIsToldTheTruthThroughStripeAndAsaas: whatever a shop does wrong,
// while pages are lost, keys are wrong or a provider is down, nothing is called
// missing, absent, failed or anything else that it is not, and no such mark is
// offered; once it can be known, everything that is wrong is listed, and nothing
// else.
func TestAShopIsToldTheTruthThroughStripeAndAsaas(t *testing.T) {
	t.Parallel()
	first, last := uint64(1), markets()
	if *marketSeed > 0 {
		first, last = *marketSeed, *marketSeed
	}
	for seed := first; seed <= last; seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			sqliteMarket(t, seed).play()
		})
	}
}

// TestTheTruthIsTheSameOverPostgreSQL in a few of these markets.
func TestTheTruthIsTheSameOverPostgreSQL(t *testing.T) {
	t.Parallel()
	for seed := uint64(1); seed <= max(1, markets()/8); seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			url := pgtest.Database(t)
			openMarket(t, pgtest.Open(t, url), merchant.PostgreSQL, url, seed).play()
		})
	}
}

// sqliteMarket is a market over a file of its own.
func sqliteMarket(t *testing.T, seed uint64) *market {
	t.Helper()
	path := filepath.Join(t.TempDir(), "shop.db")
	db, err := sql.Open("sqlite", "file:"+path+"?_txlock=immediate&_pragma=busy_timeout(5000)&_pragma=foreign_keys(1)&_pragma=synchronous(0)")
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { db.Close() })
	return openMarket(t, db, merchant.SQLite, "sqlite://"+path, seed)
}

// TestWhatIsOpenThereIsAskedAboutForAsLongAsItIs: an object that the list is no
// longer read again for does not stay open for ever in our books.
func TestWhatIsOpenThereIsAskedAboutForAsLongAsItIs(t *testing.T) {
	t.Parallel()
	m := sqliteMarket(t, 2) // takes no answer for a no
	m.prelude()
	m.next.Store(&fakepsp.SlowAfter)
	m.calm.Store(true)
	m.sell(merchant.Charge{Provider: merchant.Banco, Method: fakepsp.MethodBoleto, Amount: 4200})
	all := m.stage.Providers[merchant.Banco].Objects()
	boleto := all[slices.IndexFunc(all, func(o fakepsp.Object) bool { return o.Amount == 4200 })]
	for range 12 { // far beyond the days that are read again, or asked about for the error
		m.pass(4 * 24 * time.Hour)
		if told := m.told(m.run(exitIncomplete, "run", "--json")); len(told["failed_but_open"]) != 1 {
			m.fail("it is not told that the boleto is open: %v", told)
		}
	}
	m.post(merchant.Banco, "payments/"+boleto.ID+"/cancel", "")
	m.pass(25 * time.Hour)
	if told := m.told(m.run(exitIncomplete, "run", "--json")); len(told) > 0 {
		m.fail("what ended there is not seen to have ended: %v", told)
	}
}

// play is two days of customers and a week in which things come to light.
func (m *market) play() {
	m.prelude()
	for i := range 10 {
		m.pass(time.Duration(1+m.dice.IntN(90)) * time.Minute)
		if i == 5 {
			m.mischief()
		}
		m.customer()
		m.note()
		m.payers()
		if !m.outage && m.oneIn(3) {
			m.jobs()
		}
		if m.oneIn(4) {
			m.look()
		}
	}
	for _, later := range []time.Duration{time.Hour, 5 * time.Hour, 20 * time.Hour, 30 * time.Hour, 48 * time.Hour} {
		m.pass(later)
		if m.oneIn(4) {
			m.jobs()
		}
		m.payers()
		m.look()
	}
	m.pass(5 * 24 * time.Hour)
	m.look()
	for _, later := range []time.Duration{time.Minute, 15 * time.Minute, 25 * time.Hour} {
		m.pass(later)
		m.turns(merchant.Loja, fine)
		m.turns(merchant.Banco, fine)
		m.honest(m.run(exitIncomplete, "run", "--json")) // a slice that was begun long ago is whole up to then
	}
	m.whole(m.run(exitDone, "run", "--json"))
}

// look is a run in some weather.
func (m *market) look() {
	for _, name := range []string{merchant.Loja, merchant.Banco} {
		m.turns(name, []weather{fine, lossy, lossy, denied, down}[m.dice.IntN(5)])
	}
	report := m.run(exitIncomplete, "run", "--json")
	if report == "" && m.judged {
		m.fail("nothing was judged any more")
	}
	m.judged = m.judged || report != ""
	m.honest(report)
}

// whole demands that what a run lists is what is so.
func (m *market) whole(report string) {
	m.t.Helper()
	told := listing{}
	for class, subjects := range m.told(report) {
		for _, s := range subjects {
			if plain, ok := plainly[class]; ok {
				class = plain
			}
			told.add(class, s)
		}
	}
	wanted := m.truth()
	if diff := cmp.Diff(wanted, told); diff != "" {
		tales := ""
		for _, ids := range told {
			for _, id := range ids {
				tales += m.tale(id)
			}
		}
		m.fail("(-so +listed)\n%s\n%s\n%s", diff, tales, report)
	}
}
