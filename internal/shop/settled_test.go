package shop_test

import (
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"desfecho/internal/payment"
	"desfecho/internal/shop"
	"desfecho/internal/store"
	"desfecho/internal/store/sqlite"
	"desfecho/reconcile"
	"desfecho/resolve"
)

// What the shop declares to follow each outcome that desfecho writes: what its
// own code does at the same transition, and guarded in the same way.
const (
	nowHere   = "datetime('now')"
	sayPaid   = "UPDATE charges SET status = CASE provider WHEN 'banco' THEN 'waiting' ELSE 'paid' END WHERE id = $charge AND status = 'open'"
	orderPaid = "UPDATE payments SET state = 'paid' WHERE state = 'awaiting' AND id = (SELECT payment_id FROM charges WHERE id = $charge AND status = 'paid' AND operation = 'charge')"
	giveOnce  = `INSERT INTO ledger_entries (entry_key, payment_id, charge_id, kind, amount_cents, currency, created_at)
SELECT 'charge:' || id, payment_id, id, CASE operation WHEN 'charge' THEN 'credit' ELSE 'debit' END, amount_cents, currency, ` + nowHere + `
FROM charges WHERE id = $charge AND status = 'paid'`
	reserveGone = "UPDATE reserves SET status = 'consumed' WHERE attempt_id = $id"
	reserveFree = "UPDATE reserves SET status = 'released' WHERE attempt_id = $id AND status = 'held'"
)

func declaredFollowUps() []store.Transition {
	may := func(sql, zero string) store.FollowUp { return store.FollowUp{SQL: sql, Rows: "0..1", Zero: zero} }
	consumed := may(reserveGone, "no money was set aside")
	return []store.Transition{
		{To: "succeeded", FollowUp: []store.FollowUp{may(sayPaid, "said already"), may(orderPaid, "paid already"), may(giveOnce, "not paid yet"), consumed}},
		{To: "succeeded_duplicate", FollowUp: []store.FollowUp{consumed}},
		{To: "succeeded_reversed", FollowUp: []store.FollowUp{may(sayPaid, "said already"), may(giveOnce, "not paid yet"), consumed}},
		{To: "failed", FollowUp: []store.FollowUp{may(reserveFree, "no money is held")}},
		{To: "unknown"},
	}
}

// marked is one mark that was written.
type marked struct {
	offer   resolve.Offer
	attempt payment.Attempt // as it was before
}

// settler is who settles what a shop has left: the provider's answers, the rules
// and the real write.
type settler struct {
	*traffic
	twin  shop.Twin
	seed  uint64
	write *sqlite.Store
	books *shop.Books
	asked []payment.Lookup // in the rounds before
	marks []marked
}

func (d *settler) fail(format string, args ...any) {
	d.t.Helper()
	d.t.Fatalf("seed %d of %s: %s\nagain: go test ./internal/shop -run ^TestSettlingWhatIsOfferedDoesNoHarm$ -seed %d", d.seed, d.twin, fmt.Sprintf(format, args...), d.seed)
}

// leave plays a seed until its shop leaves attempts open, lets every horizon
// pass, and gives nil where none is open. Half of the shops have no job that
// would ask: their open attempts may well be charged.
func leave(t *testing.T, twin shop.Twin, seed uint64) *settler {
	t.Helper()
	d := &settler{traffic: newTraffic(t, memory(t), shop.SQLite, twin, seed), twin: twin, seed: seed}
	d.outage = true // the events come at the end
	for range customers {
		d.pass(time.Duration(1+d.dice.IntN(40)) * time.Minute)
		d.customer()
		d.payWaiting()
	}
	d.step.Store(nil)
	d.pass(4 * time.Hour)
	if d.oneIn(2) {
		d.jobs()
	}
	d.pass(26 * time.Hour)
	attempts, err := d.stage.Shop.Attempts(t.Context())
	d.must(err)
	if !slices.ContainsFunc(attempts, func(a payment.Attempt) bool { return a.Status.Open() }) {
		d.close()
		return nil
	}
	d.toFile(t)
	return d
}

// toFile moves the shop's database to a file, which the write needs: it opens
// its own connections.
func (d *settler) toFile(t *testing.T) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "shop.db")
	_, err := d.db.ExecContext(t.Context(), sqlite.Schema())
	d.must(err)
	_, err = d.db.ExecContext(t.Context(), "VACUUM INTO ?", path)
	d.must(err)
	as := describe(t).Attempts
	as.Timezone, as.Transitions = "UTC", declaredFollowUps()
	d.write, err = sqlite.Open(t.Context(), sqlite.Options{URL: "sqlite://" + path, Attempts: &as})
	d.must(err)
	d.must(d.db.Close())
	d.db, err = sql.Open("sqlite", "file:"+path+"?_txlock=immediate&_pragma=foreign_keys(1)&_pragma=synchronous(0)&_pragma=busy_timeout(5000)")
	d.must(err)
	d.db.SetMaxOpenConns(1)
	d.stage.Shop.DB = d.db
}

// round looks at both sides and asks about every open attempt.
func (d *settler) round() {
	var err error
	if d.books != nil {
		d.asked = append(d.asked, d.books.Lookups...)
	}
	d.books, err = d.stage.Books(d.t.Context())
	d.must(err)
	d.books.Lookups = append(slices.Clone(d.asked), d.books.Lookups...)
}

// settle takes Decide at its word: every attempt that is open is decided on
// what is known, approved where that is due, and written as it is offered.
// What one mark changes the next decision sees.
func (d *settler) settle(ctx context.Context) {
	for i := range d.books.Attempts {
		a := d.books.Attempts[i]
		if !a.Status.Open() || a.Provider == shop.Caixa {
			continue
		}
		v := resolve.Decide(d.about(a.ID, nil))
		for _, mark := range []resolve.Mark{resolve.Succeeded, resolve.Failed, resolve.Unknown} {
			if offer := v.Offers(mark); offer.Allowed {
				d.confirm(ctx, a, offer)
				break
			}
		}
	}
}

func (d *settler) about(id string, approvals []resolve.Approval) resolve.Case {
	b := d.books
	return resolve.Case{
		Now: b.Now, Attempt: id, Operator: "ana", Policies: policies(d.t), Attempts: b.Attempts, Statements: b.Statements, Units: b.Units, Lines: b.Lines,
		Lookups: b.Lookups, Declared: resolve.Transitions(), Approvals: approvals,
	}
}

func (d *settler) confirm(ctx context.Context, a payment.Attempt, offer *resolve.Offer) {
	if offer.ApprovalDue {
		v := resolve.Decide(d.about(a.ID, []resolve.Approval{{Attempt: a.ID, Digest: offer.Digest, By: "bia", At: d.books.Now}}))
		again := v.Offers(offer.Mark)
		if !again.Allowed || again.ApprovedBy != "bia" || again.Digest != offer.Digest {
			d.fail("attempt %s: %s is not what was approved: %+v", a.ID, offer.Mark, again)
		}
	}
	seen, err := d.write.See(ctx, a.ID)
	d.must(err)
	if seen.Attempt.Status != a.Status || seen.Attempt.ProviderID != a.ProviderID {
		d.fail("attempt %s is read as %+v and as %+v", a.ID, a, seen.Attempt)
	}
	w := store.Settlement{
		Intent: store.Intent{OpID: fmt.Sprint("op-", a.ID, "-", len(d.marks), "-", int64(d.books.Now)), Attempt: a.ID, Mark: offer.Mark.String(), Digest: offer.Digest, Operator: "ana"},
		Seen:   seen, Status: map[resolve.Mark]payment.Status{resolve.Succeeded: payment.Succeeded, resolve.Failed: payment.Failed, resolve.Unknown: payment.Unknown}[offer.Mark],
		Transition: offer.Transition.String(), Unit: offer.Unit, Reason: "as offered", Program: "test",
	}
	d.must(d.write.Intend(ctx, w.Intent))
	_, err = d.write.Settle(ctx, w)
	if moved, ok := errors.AsType[*store.MovedError](err); ok && moved.Cause == store.CauseRefused && d.givenBack(&a) {
		return // the credit of a sibling that was given back stands there under the same key
	}
	if err != nil {
		d.fail("attempt %s, %s: %v", a.ID, offer.Mark, err)
	}
	d.marks = append(d.marks, marked{*offer, a})
	for i := range d.books.Attempts { // as the next one finds it
		if b := &d.books.Attempts[i]; b.ID == a.ID {
			b.Status = w.Status
			b.ProviderID = w.UnitAfter()
		}
	}
}

// settled plays a seed of a twin, settles what it leaves as the screen would
// offer it, lets the shop go on, and compares with what really happened.
func settled(t *testing.T, twin shop.Twin, seed uint64, sum *settlements) {
	t.Helper()
	d := leave(t, twin, seed)
	if d == nil {
		return
	}
	defer d.close()
	defer func() { d.must(d.write.Close()) }()
	finals, entries, freed := d.finals(), d.entries(), d.freed()
	for range 2 { // an orphan becomes unknown first, and is settled then
		d.round()
		d.stage.Clock.Advance(11 * time.Minute) // recheck_gap, and no event comes
		d.round()
		d.settle(t.Context())
	}
	d.kept(finals)
	d.truth()
	d.credited(entries)
	d.reserved(freed)
	finals, entries = d.finals(), d.entries()
	d.must(d.stage.DeliverAll(t.Context())) // what the outage held back
	d.jobs()
	d.pass(30 * time.Hour)
	d.jobs()
	d.books = nil
	d.round()
	d.kept(finals)
	d.truth()
	d.reported()
	if twin != shop.CreditPerEvent { // which gives one for every event, whoever settles
		d.credited(entries)
	}
	sum.add(d)
}

// settlements counts what was marked.
type settlements struct {
	shops, kept int
	marks       map[string]int
}

func (s *settlements) add(d *settler) {
	s.shops++
	for i := range d.marks {
		s.marks[d.marks[i].offer.Transition.String()]++
	}
	s.kept += len(named(match(d.t, d.books), reconcile.UnknownNotFound, reconcile.UnknownCharged, reconcile.UnknownWaiting))
}

var (
	settledSeeds = flag.Uint64("settled-seeds", 2000, "how many seeds are settled, each of a twin that it draws")
	onlySeed     = flag.Uint64("seed", 0, "settle this seed alone")
)

// twinOf is the twin that a seed plays.
func twinOf(seed uint64) shop.Twin {
	all := shop.Twins()
	return all[rand.New(rand.NewPCG(seed, 11)).IntN(len(all))]
}

// Whatever a shop does wrong and whatever it meets: who settles every stuck
// attempt as it is offered charges nobody twice unreported, frees no money that
// went out or may have, gives no credit twice, calls nothing failed that was
// carried out, and changes no outcome.
func TestSettlingWhatIsOfferedDoesNoHarm(t *testing.T) {
	t.Parallel()
	if *onlySeed > 0 {
		settled(t, twinOf(*onlySeed), *onlySeed, &settlements{marks: map[string]int{}})
		return
	}
	most := *settledSeeds
	switch {
	case underRace:
		most = min(most, 20)
	case testing.Short():
		most = min(most, 100)
	}
	const lanes = 8 // a write waits for the disk
	sums := make([]settlements, lanes)
	t.Run("seeds", func(t *testing.T) {
		for lane := range uint64(lanes) {
			sums[lane].marks = map[string]int{}
			t.Run(fmt.Sprint(lane), func(t *testing.T) {
				t.Parallel()
				for seed := lane + 1; seed <= most; seed += lanes {
					settled(t, twinOf(seed), seed, &sums[lane])
				}
			})
		}
	})
	total := map[string]int{}
	shops, kept := 0, 0
	for i := range sums {
		shops, kept = shops+sums[i].shops, kept+sums[i].kept
		for name, n := range sums[i].marks {
			total[name] += n
		}
	}
	t.Logf("%d seeds, %d shops with something stuck, marks %v, left open %d", most, shops, total, kept)
	for _, transition := range []resolve.Transition{resolve.ToSucceeded, resolve.ToSucceededDuplicate, resolve.ToFailed, resolve.ToUnknown} {
		if most >= 500 && total[transition.String()] == 0 {
			t.Errorf("nothing was marked %s: %v", transition, total)
		}
	}
}
