package pull

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"desfecho/internal/money"
	"desfecho/internal/payment"
	"desfecho/internal/pgtest"
	"desfecho/internal/provider"
	"desfecho/internal/store"
	"desfecho/internal/store/postgres"
	"desfecho/internal/store/sqlite"
)

var (
	brl   = money.MustCurrency("BRL")
	start = payment.DayOfDate(2020, time.May, 4).Start(time.UTC)
	end   = start.Add(3 * day)
)

// book is a provider that lists rows it was given, and goes wrong where told.
type book struct {
	able     provider.Capabilities
	identity provider.Identity
	rows     []row
	size     int
	date     payment.Instant
	// wrong changes or refuses the n-th answer, from 1.
	wrong func(n int, ask provider.Request, page *provider.Page) error

	mu    sync.Mutex
	asked []provider.Request
}

type row struct {
	id  string
	at  payment.Instant
	net int64
}

const account = "acct_1"

// newBook has one ledger, n rows spread over three days, pages of seven.
func newBook(n int) *book {
	b := &book{
		able: provider.Capabilities{
			Type: "book", LineIDsUnique: true,
			Statements: []provider.Statement{{Name: "ledger", Sort: payment.Ledger, PublishLag: time.Minute, Parallel: 2, Reread: 2 * day}},
		},
		identity: provider.Identity{Account: "at the provider"}, size: 7, date: end.Add(time.Hour),
	}
	for i := range n {
		b.rows = append(b.rows, row{fmt.Sprintf("r%03d", i), start.Add(3 * day * time.Duration(i) / time.Duration(n)), int64(100 + i)})
	}
	return b
}

func (b *book) ledger() *provider.Statement { return &b.able.Statements[0] }

func (b *book) Capabilities() provider.Capabilities { return b.able }

func (b *book) Identity(context.Context) (provider.Identity, error) { return b.identity, nil }

func (b *book) LookUp(context.Context, provider.Question) (provider.Answer, error) {
	return provider.Answer{}, errors.New("a pull looks nothing up")
}

func (b *book) Page(_ context.Context, ask provider.Request) (provider.Page, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.asked = append(b.asked, ask)
	page := b.page(ask)
	if b.wrong != nil {
		if err := b.wrong(len(b.asked), ask, &page); err != nil {
			return provider.Page{}, err
		}
	}
	return page, nil
}

func (b *book) page(ask provider.Request) provider.Page {
	page := provider.Page{Date: b.date}
	from, balance, inside := 0, int64(0), 0
	if ask.Cursor != "" {
		from, _ = strconv.Atoi(ask.Cursor)
	}
	for _, r := range b.rows {
		if !ask.Slice.Contains(r.at) {
			if r.at < ask.Slice.From {
				balance += r.net
			}
			continue
		}
		inside++
		switch {
		case inside <= from:
			balance += r.net
		case len(page.Rows) == b.size:
			page.Next = strconv.Itoa(from + b.size)
		case page.Next == "":
			if len(page.Rows) == 0 {
				page.Opening = payment.Known(balance)
			}
			balance += r.net
			page.Closing = payment.Known(balance)
			page.Rows = append(page.Rows, r.id)
			page.Lines = append(page.Lines, b.line(r))
			page.Units = append(page.Units, payment.Unit{
				ID: "u" + r.id, Provider: "book", Account: account, State: payment.StateCaptured, Currency: brl,
				CreatedAt: r.at, Source: payment.FromLedger, Statement: "ledger",
			})
		}
	}
	page.Total = payment.Known(int64(inside))
	return page
}

func (b *book) line(r row) payment.Line {
	l := payment.Line{
		ID: r.id, Provider: "book", Account: account, Statement: "ledger", Kind: payment.KindCharge, Gross: r.net, Net: r.net,
		Currency: brl, At: r.at, Day: payment.DayOf(r.at, time.UTC),
	}
	if !b.able.LineIDsUnique {
		l.ID = ""
	}
	return l
}

// shelf is a database under test.
type shelf struct {
	store.Store
	lease store.Lease
	// kill ends the pull at the n-th page, from 1: before it is stored, or right
	// after.
	kill   int
	stored int
	after  bool
	mu     sync.Mutex
}

var errKilled = errors.New("killed")

func (s *shelf) StorePage(ctx context.Context, lease store.Lease, page store.Page) (store.Counts, error) {
	s.mu.Lock()
	s.stored++
	nth := s.stored
	s.mu.Unlock()
	if s.kill > 0 && (nth > s.kill || nth == s.kill && !s.after) {
		return store.Counts{}, errKilled
	}
	counts, err := s.Store.StorePage(ctx, lease, page)
	if nth == s.kill && err == nil {
		err = errKilled
	}
	return counts, err
}

// shelves are both databases, empty.
func shelves() map[string]func(*testing.T) *shelf {
	return map[string]func(*testing.T) *shelf{
		"sqlite": newShelf,
		"postgres": func(t *testing.T) *shelf {
			t.Helper()
			s, err := postgres.Open(t.Context(), postgres.Options{URL: pgtest.Database(t)})
			return open(t, s, err)
		},
	}
}

func newShelf(t *testing.T) *shelf {
	t.Helper()
	s, err := sqlite.Open(t.Context(), sqlite.Options{URL: "sqlite://" + t.TempDir() + "/shop.db"})
	return open(t, s, err)
}

func open(t *testing.T, s store.Store, err error) *shelf {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	if _, err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	lease, err := s.Acquire(t.Context(), "book", account, "test", time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	return &shelf{Store: s, lease: lease}
}

func options(s *shelf, p provider.Provider) Options {
	return Options{
		Store: s, Provider: p, Lease: s.lease, Zone: time.UTC, Window: payment.Interval{From: start, To: end},
		Relook: 7 * day, Since: func() time.Duration { return 0 },
	}
}

func pulled(t *testing.T, o Options) *Report {
	t.Helper()
	report, err := Pull(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// content is all that is stored of the provider, in an order of its own.
type content struct {
	Lines    []payment.Line
	Units    []payment.Unit
	Coverage []payment.Statement
}

func (s *shelf) content(t *testing.T) content {
	t.Helper()
	view, err := s.View(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer view.Close()
	source := view.(store.Source)
	var c content
	days := []store.DayRange{{Provider: "book", First: 1, Last: payment.DayOf(view.Now(), time.UTC) + 1}}
	if err := source.Lines(t.Context(), store.LineFilter{Providers: []string{"book"}, Days: days}, func(l store.StoredLine) error {
		c.Lines = append(c.Lines, l.Line)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	created := payment.Interval{From: 1, To: view.Now().Add(day)}
	if err := source.Units(t.Context(), store.UnitFilter{Providers: []string{"book"}, Created: &created}, func(u store.StoredUnit) error {
		u.Unit.ObservedAt, u.Unit.FirstSeen = 0, 0
		c.Units = append(c.Units, u.Unit)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if c.Coverage, err = view.Coverage(t.Context(), []string{"book"}); err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(c.Lines, func(a, b payment.Line) int { return cmp.Or(cmp.Compare(a.At, b.At), strings.Compare(a.ID, b.ID)) })
	slices.SortFunc(c.Units, func(a, b payment.Unit) int { return strings.Compare(a.ID, b.ID) })
	slices.SortFunc(c.Coverage, func(a, b payment.Statement) int { return cmp.Compare(a.From, b.From) })
	return c
}

func (c content) ids() (all []string) {
	for i := range c.Lines {
		all = append(all, c.Lines[i].ID)
	}
	return all
}

// covered tells from when to when without a gap, and how surely.
func (c content) covered() (whole payment.Interval, grade payment.Grade) {
	grade = payment.Proven
	for i, s := range c.Coverage {
		grade = min(grade, s.Grade)
		if i == 0 {
			whole = payment.Interval{From: s.From, To: s.Through}
			continue
		}
		if s.From > whole.To {
			return payment.Interval{}, grade
		}
		whole.To = max(whole.To, s.Through)
	}
	return whole, grade
}

func (b *book) ids() (all []string) {
	for _, r := range b.rows {
		all = append(all, r.id)
	}
	return all
}

// wantAll checks that every row of the book is stored, once.
func wantAll(t *testing.T, b *book, c content) {
	t.Helper()
	if diff := gocmp.Diff(b.ids(), c.ids()); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
}
