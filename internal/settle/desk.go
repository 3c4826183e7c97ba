// Package settle leads one stuck attempt from the question to its outcome
// (DESIGN §5, on call): it loads what is known, asks the provider by every key,
// lets resolve decide, and, once a person confirmed a mark, looks at both sides
// a last time and makes the one conditional write.
//
// It decides nothing itself, prints nothing, and holds no transaction open
// while a provider is asked or a person reads (law 4). Nothing in it confirms
// in a person's place, and no method takes more than one attempt.
package settle

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"desfecho/internal/audit"
	"desfecho/internal/evidence"
	"desfecho/internal/money"
	"desfecho/internal/payment"
	"desfecho/internal/planted"
	"desfecho/internal/probe"
	"desfecho/internal/store"
	"desfecho/resolve"
)

// Store is what the desk needs of a database.
type Store interface {
	store.Settlements
	View(ctx context.Context) (store.View, error)
	StoreLookups(ctx context.Context, lookups []payment.Lookup) (int, error)
	Approvals(ctx context.Context, attempt string) ([]store.Approval, error)
	Manuals(ctx context.Context, attempt string) ([]store.Manual, error)
}

// Desk is where attempts are looked at and settled, one at a time.
type Desk struct {
	Store    Store
	Askers   []*probe.Asker // one per account that can be asked; none: offline
	Policies []evidence.Policy
	Declared []resolve.Transition
	// ApprovalTTL, ApprovalAbove and Contracts are those of resolve.Case.
	ApprovalTTL   time.Duration
	ApprovalAbove []money.Amount
	Contracts     map[string]map[payment.Operation]resolve.Contract // by provider
	// Login is who the database says is here; Program the version of the program.
	Login   string
	Program string
	// NewID gives a new operation its id.
	NewID func() string
}

// Picture is one attempt as it stands and what may be done about it.
type Picture struct {
	Seen    *store.Seen
	Case    resolve.Case
	Verdict resolve.Verdict
	Manuals []store.Manual
	Asked   []payment.Lookup // this time; none offline
}

// Look loads what is known of an attempt, asks about it where it can be asked,
// keeps the answers, and decides. unit is the one that the operator named, ""
// for none.
func (d *Desk) Look(ctx context.Context, id, unit string) (*Picture, error) {
	c, seen, err := d.see(ctx, id)
	if err != nil {
		return nil, err
	}
	asked, err := d.ask(ctx, c, nil)
	if err != nil {
		return nil, err
	}
	if len(asked) > 0 {
		if _, err := d.Store.StoreLookups(ctx, asked); err != nil {
			return nil, err
		}
		if c, seen, err = d.see(ctx, id); err != nil {
			return nil, err
		}
	}
	return d.decide(ctx, c, seen, unit, asked)
}

// see reads the row as a write must find it, with the charge's other attempts,
// and then the case: what moves between the two stops the write.
func (d *Desk) see(ctx context.Context, id string) (*resolve.Case, *store.Seen, error) {
	seen, err := d.Store.See(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	c, err := d.load(ctx, id)
	return c, seen, err
}

// load reads the case from one snapshot.
func (d *Desk) load(ctx context.Context, id string) (c *resolve.Case, err error) {
	view, err := d.Store.View(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, view.Close()) }()
	loaded, err := view.About(ctx, store.Scope{Now: view.Now(), Policies: d.Policies}, id)
	if err != nil {
		return nil, err
	}
	in := &loaded.Input
	c = &resolve.Case{
		Now: view.Now(), Attempt: id, Operator: d.Login, Policies: d.Policies, Attempts: in.Attempts, Statements: in.Statements,
		Units: in.Units, Lines: in.Lines, Lookups: in.Lookups, Events: in.Events, Declared: d.Declared,
		ApprovalTTL: d.ApprovalTTL, ApprovalAbove: d.ApprovalAbove,
	}
	for _, x := range in.Dismissed {
		c.Dismissed = append(c.Dismissed, resolve.Dismissal{Attempt: x.Attempt, Unit: x.Unit, Reason: x.Reason, By: x.By, At: x.At})
	}
	a := attemptOf(c)
	c.Contracts = d.Contracts[a.Provider]
	for _, charge := range in.Charges {
		if charge.ID == a.Charge {
			c.Wanted = payment.Known(charge.Minor)
		}
	}
	return c, nil
}

func attemptOf(c *resolve.Case) *payment.Attempt {
	i := slices.IndexFunc(c.Attempts, func(a payment.Attempt) bool { return a.ID == c.Attempt })
	return &c.Attempts[i] // About found it
}

// ask asks every account that may hold the attempt; only the questions named,
// where some are.
func (d *Desk) ask(ctx context.Context, c *resolve.Case, only []resolve.Question) ([]payment.Lookup, error) {
	a := attemptOf(c)
	subject := probe.About(a, c.Units, c.Lines, c.Events)
	var all []payment.Lookup
	for _, asker := range d.Askers {
		if a.Provider != "" && asker.Name != a.Provider || a.Account != "" && asker.Account != "" && asker.Account != a.Account {
			continue
		}
		answers, err := asker.Ask(ctx, subject, func(key payment.LookupKey) bool {
			return only == nil || slices.ContainsFunc(only, func(q resolve.Question) bool {
				return q.Key == key && (q.Account == "" || q.Account == asker.Account)
			})
		})
		if err != nil {
			return nil, fmt.Errorf("ask %s about attempt %s: %w", asker.Name, a.ID, err)
		}
		all = append(all, answers...)
	}
	return all, nil
}

// decide adds what people said, and lets resolve decide about the row as it was
// seen.
func (d *Desk) decide(ctx context.Context, c *resolve.Case, seen *store.Seen, unit string, asked []payment.Lookup) (*Picture, error) {
	p := &Picture{Seen: seen, Asked: asked}
	var err error
	if p.Manuals, err = d.Store.Manuals(ctx, c.Attempt); err != nil {
		return nil, err
	}
	approvals, err := d.Store.Approvals(ctx, c.Attempt)
	if err != nil {
		return nil, err
	}
	*attemptOf(c) = p.Seen.Attempt
	c.Unit = unit
	c.Now = max(c.Now, p.Seen.At)
	for _, m := range p.Manuals {
		seen, err := seenState(m.Seen)
		if err != nil {
			return nil, err
		}
		c.Manual = append(c.Manual, payment.Manual{Attempt: m.Attempt, Seen: seen, Where: m.Place, By: m.Operator, At: m.ObservedAt})
	}
	for _, a := range approvals {
		c.Approvals = append(c.Approvals, resolve.Approval{Attempt: a.Attempt, Digest: a.Digest, By: a.Login, At: a.At})
	}
	p.Case = *c
	p.Verdict = resolve.Decide(p.Case)
	return p, nil
}

// policy of a provider, nil where none is configured.
func (d *Desk) policy(provider string) *evidence.Policy {
	for i := range d.Policies {
		if d.Policies[i].Provider == provider {
			return &d.Policies[i]
		}
	}
	return nil
}

// The words of manual evidence.
const (
	SeenCaptured = "captured"
	SeenDeclined = "declined"
	SeenAbsent   = "absent"
)

func seenState(word string) (payment.State, error) {
	switch word {
	case SeenCaptured:
		return payment.StateCaptured, nil
	case SeenDeclined:
		return payment.StateDeclined, nil
	case SeenAbsent:
		return payment.StateNone, nil
	}
	return 0, fmt.Errorf("stored manual evidence says %q: want captured, declined or absent", word)
}

// Confirmation is what a person confirmed on the terminal.
type Confirmation struct {
	Mark     resolve.Mark
	Operator string // as the person said to be
	Reason   string
}

// Outcome is what became of a confirmed mark.
type Outcome struct {
	Entry audit.Entry // of the audit
	// Claimed: the reply was lost, and the operation's outcome found out.
	Claimed bool
}

// ErrDiffers says that the last look right before the write does not say what was
// confirmed. Nothing was written; look at the new picture.
var ErrDiffers = errors.New("what is known has changed since the screen: nothing was written")

// ErrStale says that what the screen showed is too old to be confirmed (evidence_max_age).
// Nothing was written; the picture is a new one.
var ErrStale = errors.New("the evidence on the screen is too old: nothing was written")

// Settle writes the confirmed mark: it looks at the row and the decisive
// look-ups once more, records the intent, and makes the write of RULES §7.
// ErrStale, ErrDiffers or a *store.MovedError: nothing was written. store.ErrUnconfirmed:
// it is not known; any later run finds out.
func (d *Desk) Settle(ctx context.Context, p *Picture, confirmed Confirmation) (Outcome, error) {
	offer := p.Verdict.Offers(confirmed.Mark)
	if err := d.offered(p, offer); err != nil {
		return Outcome{}, err
	}
	last, err := d.lastLook(ctx, p, offer)
	if err != nil {
		return Outcome{}, err
	}
	if policy := d.policy(p.Seen.Attempt.Provider); policy != nil && last.Case.Now.Sub(p.Case.Now) > policy.EvidenceMaxAge && !planted.In(planted.AnyAge) {
		*p = *last
		return Outcome{}, ErrStale
	}
	now := last.Verdict.Offers(confirmed.Mark)
	if !now.Allowed || now.Digest != offer.Digest && !planted.In(planted.AnyDigest) || unapproved(now) {
		*p = *last
		return Outcome{}, ErrDiffers
	}
	write := d.settlement(last, now, confirmed)
	if err := d.Store.Intend(ctx, write.Intent); err != nil {
		return Outcome{}, err
	}
	entry, err := d.Store.Settle(ctx, write)
	if !errors.Is(err, store.ErrUnconfirmed) {
		return Outcome{Entry: entry}, err
	}
	if planted.In(planted.AssumeLanded) {
		return Outcome{Entry: write.Entry(""), Claimed: true}, nil
	}
	return d.claim(ctx, write.Intent)
}

// ErrRefused says that the mark is not offered.
var ErrRefused = errors.New("this mark is not offered: nothing was written")

// ErrApprovalDue says that a second person has to approve first.
var ErrApprovalDue = errors.New("a second person has to approve this first: nothing was written")

func (d *Desk) offered(p *Picture, offer *resolve.Offer) error {
	switch {
	case !offer.Allowed || offer.Mark == resolve.Keep:
		return fmt.Errorf("attempt %s, %s: %s: %w", p.Verdict.Attempt, offer.Mark, offer.Sentence, ErrRefused)
	case unapproved(offer):
		return fmt.Errorf("attempt %s, %s: %w", p.Verdict.Attempt, offer.Mark, ErrApprovalDue)
	}
	return nil
}

// unapproved tells whether a second person's word is still due.
func unapproved(o *resolve.Offer) bool {
	return o.ApprovalDue && o.ApprovedBy == "" && !planted.In(planted.NoSecondPerson)
}

// lastLook asks once more what the offer rests on, and reads the row again.
func (d *Desk) lastLook(ctx context.Context, p *Picture, offer *resolve.Offer) (*Picture, error) {
	if planted.In(planted.SkipLastLook) {
		return p, nil
	}
	asked, err := d.ask(ctx, &p.Case, append([]resolve.Question{}, offer.Again...))
	if err != nil {
		return nil, err
	}
	if len(asked) > 0 {
		if _, err := d.Store.StoreLookups(ctx, asked); err != nil {
			return nil, err
		}
	}
	c, seen, err := d.see(ctx, p.Case.Attempt)
	if err != nil {
		return nil, err
	}
	return d.decide(ctx, c, seen, p.Case.Unit, asked)
}

func (d *Desk) settlement(p *Picture, offer *resolve.Offer, confirmed Confirmation) store.Settlement {
	return store.Settlement{
		Intent: store.Intent{
			OpID: d.NewID(), Attempt: p.Verdict.Attempt, Mark: offer.Mark.String(), Digest: offer.Digest, Operator: confirmed.Operator,
		},
		Seen: p.Seen, Status: statusOf(offer.Mark), Transition: offer.Transition.String(), Unit: offer.Unit,
		Evidence: evidenceOf(p), Reason: confirmed.Reason, Program: d.Program,
	}
}

func statusOf(m resolve.Mark) payment.Status {
	switch m {
	case resolve.Succeeded:
		return payment.Succeeded
	case resolve.Failed:
		return payment.Failed
	case resolve.Unknown:
		return payment.Unknown
	case resolve.Keep:
	}
	return payment.StatusNone
}

// evidenceOf names the observations that the verdict rests on by the hashes of
// their facts, those of the newest round first.
func evidenceOf(p *Picture) string {
	var hashes []string
	for i := len(p.Case.Lookups) - 1; i >= 0; i-- {
		l := &p.Case.Lookups[i]
		if l.Attempt == p.Case.Attempt && l.Canonical != "" && !slices.Contains(hashes, l.Canonical) {
			hashes = append(hashes, l.Canonical)
		}
	}
	for _, m := range p.Manuals {
		hashes = append(hashes, "manual:"+m.OpID)
	}
	return strings.Join(hashes, ",")
}

// claim finds out what became of an operation whose reply was lost.
func (d *Desk) claim(ctx context.Context, intent store.Intent) (Outcome, error) {
	// The caller may have given up; what was sent is found out all the same.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), claimTime)
	defer cancel()
	entry, err := d.Store.Claim(ctx, intent, d.Program)
	if err != nil {
		return Outcome{}, fmt.Errorf("%w: operation %s: %w", store.ErrUnconfirmed, intent.OpID, err)
	}
	return Outcome{Entry: entry, Claimed: true}, nil
}

// claimTime is how long a lost operation is asked for before it is left to the
// next run.
const claimTime = 30 * time.Second

// youngest is the age from which an intent without entry is nobody's any more.
const youngest = time.Minute

// Intents finds out what became of every older intent without an entry,
// so that no operation stays unknown: any run of anything calls it.
func Intents(ctx context.Context, s store.Settlements, program string) ([]audit.Entry, error) {
	intents, err := s.Unsettled(ctx, youngest)
	if err != nil {
		return nil, err
	}
	entries := make([]audit.Entry, 0, len(intents))
	for _, intent := range intents {
		e, err := s.Claim(ctx, intent, program)
		if err != nil {
			return entries, err
		}
		entries = append(entries, e)
	}
	return entries, nil
}
