package settle_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"pgregory.net/rapid"

	"desfecho/internal/audit"
	"desfecho/internal/evidence"
	"desfecho/internal/money"
	"desfecho/internal/payment"
	"desfecho/internal/probe"
	"desfecho/internal/provider"
	"desfecho/internal/settle"
	"desfecho/internal/store"
	"desfecho/internal/store/sqlite"
	"desfecho/resolve"
)

const tables = `CREATE TABLE attempts (id INTEGER PRIMARY KEY, ref TEXT NOT NULL, charge TEXT NOT NULL, status TEXT NOT NULL, unit TEXT, note TEXT, rev INTEGER NOT NULL DEFAULT 1,
  cents INTEGER NOT NULL, made TEXT NOT NULL);`

// psp is a provider that shows what is put into it, by reference.
type psp struct {
	provider.Provider
	shown  map[string]payment.Unit
	silent bool
}

func (p *psp) Capabilities() provider.Capabilities {
	return provider.Capabilities{Lookups: []provider.Lookup{{Key: payment.LookupKey{Kind: payment.KeyReference, Name: "ref"}, Endpoint: "list"}}}
}

func (p *psp) LookUp(_ context.Context, q provider.Question) (provider.Answer, error) {
	if p.silent {
		return provider.Answer{}, &provider.Error{Reason: provider.Timeout}
	}
	u, ok := p.shown[q.Key.Value]
	if !ok {
		return provider.Answer{Outcome: payment.NotFound}, nil
	}
	return provider.Answer{Outcome: payment.Found, Units: []payment.Unit{u}, Canonical: []byte(u.ID)}, nil
}

func (p *psp) captures(ref, id string) {
	p.shown[ref] = payment.Unit{
		ID: id, State: payment.StateCaptured, Final: true, Captured: payment.Known(500), Currency: money.MustCurrency("BRL"), CreatedAt: 1,
		References: []payment.Reference{{Name: "ref", Value: ref}},
	}
}

// line is the way to the database, on which a reply can be lost.
type line struct {
	store.Store
	lost string // "", before, after the write
	// meanwhile is done once the last look is over, right before the write.
	meanwhile func()
}

func (l *line) Intend(ctx context.Context, intent store.Intent) error {
	if l.meanwhile != nil {
		l.meanwhile()
	}
	return l.Store.Intend(ctx, intent)
}

func (l *line) Settle(ctx context.Context, w store.Settlement) (audit.Entry, error) {
	switch l.lost {
	case "before":
		return audit.Entry{}, store.ErrUnconfirmed
	case "after":
		if _, err := l.Store.Settle(ctx, w); err != nil {
			return audit.Entry{}, err
		}
		return audit.Entry{}, store.ErrUnconfirmed
	}
	return l.Store.Settle(ctx, w)
}

// failer is what a test and a drawn one have in common.
type failer interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
	Context() context.Context
}

// bench is a desk over a database of its own.
type bench struct {
	*settle.Desk
	db       *sql.DB
	line     *line
	psp      *psp
	attempts int
}

func newBench(t *testing.T) *bench {
	t.Helper()
	path := filepath.Join(t.TempDir(), "shop.db")
	s, err := sqlite.Open(t.Context(), sqlite.Options{URL: "sqlite://" + path, Attempts: &store.Description{
		Read: "attempts", Timezone: "UTC", Provider: "loja", Currency: "BRL", Operation: "charge",
		Columns: store.Columns{
			ID: "id", Charge: "charge", Status: "status", ProviderChargeID: "unit", Amount: "cents", Unit: "minor", CreatedAt: "made", Version: "rev",
		},
		References:  []store.ReferenceAt{{Here: "ref", There: "ref", Scope: "attempt"}},
		Status:      store.StatusWords{Pending: []string{"pending"}, Unknown: []string{"unknown"}, Succeeded: []string{"succeeded"}, Failed: []string{"failed"}},
		Transitions: []store.Transition{{To: "succeeded"}, {To: "failed"}, {To: "unknown"}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	b := &bench{line: &line{Store: s}, psp: &psp{shown: map[string]payment.Unit{}}}
	if b.db, err = sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(5000)"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.db.Close() })
	b.exec(t, tables)
	if _, err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	policy := evidence.NewPolicy("loja")
	policy.SucceededMeans = map[payment.Operation]evidence.Means{payment.Charge: evidence.MeansCaptured}
	policy.LookupBy = []payment.LookupKey{{Kind: payment.KeyReference, Name: "ref"}}
	policy.BooksAfter = 30 * 24 * time.Hour // look-ups alone tell
	b.psp.captures("known", "u0")
	known := b.psp.shown["known"]
	operations := 0
	b.Desk = &settle.Desk{
		Store: b.line, Policies: []evidence.Policy{policy}, Declared: resolve.Transitions(), Program: "test",
		NewID: func() string { operations++; return fmt.Sprint("op-", operations) },
		Askers: []*probe.Asker{{
			Provider: b.psp, Name: "loja", Now: func() payment.Instant { return b.now(t) },
			Known: func(context.Context, provider.Lookup, payment.Interval) ([]probe.Control, error) {
				return []probe.Control{{Unit: known}}, nil
			},
		}},
	}
	return b
}

func (b *bench) exec(t failer, statement string, args ...any) {
	t.Helper()
	if _, err := b.db.ExecContext(t.Context(), statement, args...); err != nil {
		t.Fatal(err)
	}
}

// now is the database's clock.
func (b *bench) now(t failer) payment.Instant {
	t.Helper()
	view, err := b.line.View(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := view.Close(); err != nil {
		t.Fatal(err)
	}
	return view.Now()
}

// attempt is a new one of two days ago, of whose reference the provider knew
// nothing twenty minutes ago.
func (b *bench) attempt(t failer) (id, ref string) {
	t.Helper()
	b.attempts++
	id, ref = fmt.Sprint(b.attempts), fmt.Sprint("r", b.attempts)
	b.exec(t, "INSERT INTO attempts (id, ref, charge, status, cents, made) VALUES (?1, ?2, ?1, 'unknown', 500, datetime('now', '-50 hours'))", id, ref)
	_, err := b.line.StoreLookups(t.Context(), []payment.Lookup{{
		Attempt: id, Provider: "loja", Key: payment.LookupKey{Kind: payment.KeyReference, Name: "ref", Value: ref},
		At: b.now(t).Add(-20 * time.Minute), Outcome: payment.NotFound, Endpoint: "list",
	}})
	if err != nil {
		t.Fatal(err)
	}
	return id, ref
}

func (b *bench) look(t failer, id string) *settle.Picture {
	t.Helper()
	p, err := b.Look(t.Context(), id, "")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// stands gives the attempt's status, its intents and its entries.
func (b *bench) stands(t failer, id string) (status string, intents, entries int) {
	t.Helper()
	err := b.db.QueryRowContext(t.Context(), `SELECT status, (SELECT count(*) FROM desfecho_intents WHERE attempt = ?1),
		(SELECT count(*) FROM desfecho_audit WHERE attempt = ?1 AND kind = ?2) FROM attempts WHERE CAST(id AS TEXT) = ?1`, id, string(audit.Settled)).
		Scan(&status, &intents, &entries)
	if err != nil {
		t.Fatal(err)
	}
	return status, intents, entries
}

func (b *bench) untouched(t failer, id string) {
	t.Helper()
	if status, _, entries := b.stands(t, id); status != "unknown" || entries != 0 {
		t.Fatalf("it is %s, with %d entries", status, entries)
	}
}

var failed = settle.Confirmation{Mark: resolve.Failed, Operator: "ana", Reason: "the provider knows nothing of it"}

func TestWhatTheProviderShowsSinceTheScreenIsNotWrittenOver(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	id, ref := b.attempt(t)
	p := b.look(t, id)
	b.psp.captures(ref, "u1")
	if _, err := b.Settle(t.Context(), p, failed); !errors.Is(err, settle.ErrDiffers) {
		t.Errorf("failed, and captured since: %v", err)
	}
	b.untouched(t, id)
	if !p.Verdict.Offers(resolve.Succeeded).Allowed {
		t.Error("the picture is not the new one")
	}
}

func TestARowThatChangedSinceTheScreenIsNotConfirmed(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	id, _ := b.attempt(t)
	p := b.look(t, id)
	b.exec(t, "UPDATE attempts SET rev = rev + 1 WHERE id = ?", id)
	if _, err := b.Settle(t.Context(), p, failed); !errors.Is(err, settle.ErrDiffers) {
		t.Errorf("another version than the screen's: %v", err)
	}
	b.untouched(t, id)
}

// TestAChargeThatASiblingPaysAtTheLastMomentIsNotCreditedAgain: between the last
// look and the write, when nothing is asked any more.
func TestAChargeThatASiblingPaysAtTheLastMomentIsNotCreditedAgain(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	id, ref := b.attempt(t)
	sibling, _ := b.attempt(t)
	b.exec(t, "UPDATE attempts SET charge = ? WHERE id = ?", id, sibling)
	b.psp.captures(ref, "u1")
	p := b.look(t, id)
	b.line.meanwhile = func() { b.exec(t, "UPDATE attempts SET status = 'succeeded', unit = 'u2' WHERE id = ?", sibling) }
	_, err := b.Settle(t.Context(), p, settle.Confirmation{Mark: resolve.Succeeded, Operator: "ana", Reason: "seen"})
	if moved, ok := errors.AsType[*store.MovedError](err); !ok || moved.Cause != store.CauseSibling || moved.By != sibling {
		t.Errorf("told as %v", err)
	}
	b.untouched(t, id)
	if offer := b.look(t, id).Verdict.Offers(resolve.Succeeded); offer.Transition == resolve.ToSucceeded {
		t.Errorf("offered again as %s", offer.Transition)
	}
}

func TestAnOldScreenIsNotConfirmed(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	id, _ := b.attempt(t)
	p := b.look(t, id)
	p.Case.Now = p.Case.Now.Add(-6 * time.Minute)
	if _, err := b.Settle(t.Context(), p, failed); !errors.Is(err, settle.ErrStale) {
		t.Errorf("a screen of six minutes ago: %v", err)
	}
	b.untouched(t, id)
}

func TestWithoutASecondPersonNothingIsWritten(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.ApprovalAbove = []money.Amount{{Minor: 1, Currency: money.MustCurrency("BRL")}}
	id, _ := b.attempt(t)
	if _, err := b.Settle(t.Context(), b.look(t, id), failed); !errors.Is(err, settle.ErrApprovalDue) {
		t.Errorf("above the limit: %v", err)
	}
	b.untouched(t, id)
}

func TestALostReplyIsFoundOut(t *testing.T) {
	t.Parallel()
	for lost, want := range map[string]audit.Kind{"before": audit.Abandoned, "after": audit.Settled} {
		b := newBench(t)
		id, _ := b.attempt(t)
		b.line.lost = lost
		outcome, err := b.Settle(t.Context(), b.look(t, id), failed)
		if err != nil || !outcome.Claimed || outcome.Entry.Kind != want {
			t.Errorf("lost %s the write: %+v, %v", lost, outcome, err)
		}
		if status, _, _ := b.stands(t, id); (status == "failed") != (want == audit.Settled) {
			t.Errorf("lost %s the write: it is %s", lost, status)
		}
	}
}

// between is what happens after the screen was read and before it is confirmed.
type between struct {
	name string
	does func(b *bench, t failer, id, ref string)
}

func betweens() []between {
	return []between{
		{"nothing", func(*bench, failer, string, string) {}},
		{"the provider shows something else", func(b *bench, _ failer, _, ref string) {
			if _, ok := b.psp.shown[ref]; ok {
				delete(b.psp.shown, ref)
			} else {
				b.psp.captures(ref, "u-"+ref)
			}
		}},
		{"the provider is silent", func(b *bench, _ failer, _, _ string) { b.psp.silent = true }},
		{"the row has another version", func(b *bench, t failer, id, _ string) {
			b.exec(t, "UPDATE attempts SET rev = rev + 1 WHERE id = ?", id)
		}},
		{"the application settles it", func(b *bench, t failer, id, _ string) {
			b.exec(t, "UPDATE attempts SET status = 'failed' WHERE id = ?", id)
		}},
	}
}

// Whatever happens between the screen and the write: what is written is what
// was confirmed, on facts that still stand, with its intent and its entry; and
// what is told is what is there.
func TestOnlyWhatStillStandsIsWrittenAndWhatIsToldIsTrue(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	rapid.Check(t, func(t *rapid.T) {
		b.psp.silent, b.line.lost, b.ApprovalAbove = false, "", nil
		id, ref := b.attempt(t)
		right := resolve.Failed
		if rapid.Bool().Draw(t, "captured") {
			b.psp.captures(ref, "u-"+ref)
			right = resolve.Succeeded
		}
		due := rapid.IntRange(0, 3).Draw(t, "approval due") == 0
		if due {
			b.ApprovalAbove = []money.Amount{{Minor: 1, Currency: money.MustCurrency("BRL")}}
		}
		p := b.look(t, id)
		mark := rapid.SampledFrom([]resolve.Mark{right, right, right, resolve.Succeeded, resolve.Failed, resolve.Unknown}).Draw(t, "mark")
		old := rapid.IntRange(0, 3).Draw(t, "old") == 0
		if old {
			p.Case.Now = p.Case.Now.Add(-6 * time.Minute)
		}
		since := rapid.SampledFrom(append(betweens(), betweens()[0], betweens()[0], betweens()[0])).Draw(t, "since")
		since.does(b, t, id, ref)
		before, _, _ := b.stands(t, id)
		b.line.lost = rapid.SampledFrom([]string{"", "", "before", "after"}).Draw(t, "lost")
		outcome, err := b.Settle(t.Context(), p, settle.Confirmation{Mark: mark, Operator: "ana", Reason: "seen"})
		want := mark == right && !due && !old && since.name == "nothing"
		written := want && b.line.lost != "before"
		status, intents, entries := b.stands(t, id)
		told := err == nil && outcome.Entry.Kind == audit.Settled
		if told != written || (err == nil) != want {
			t.Fatalf("%s, old %v, due %v, since %s, lost %q: told %s, %v", mark, old, due, since.name, b.line.lost, outcome.Entry.Kind, err)
		}
		if written && (status != mark.String() || intents != 1 || entries != 1) || !written && (status != before || entries != 0) {
			t.Fatalf("written %v: it is %s, was %s, with %d intents and %d entries", written, status, before, intents, entries)
		}
	})
}
