package shop

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"desfecho/internal/fakepsp"
	"desfecho/internal/payment"
)

// Finding is one divergence that a reconciliation of the story must list, in
// the words of RULES §4, and what happened.
type Finding struct {
	Class    string
	Severity string
	Subject  string // "attempt:17", "charge:9"
	Happened string
}

// Story is two made-up days of a shop and its providers, told to the end:
// 28 and 29 November 2025 in São Paulo, read on the morning after. Its stage
// is open; close it.
type Story struct {
	*Stage
	// Findings is all that a reconciliation on the last morning must list, and
	// nothing else.
	Findings []Finding
	// Expected is how many lines stand there that need no attempt: a Pix over
	// the printed QR code.
	Expected int
	// Unpaid is the attempt of a boleto that nobody paid yet: accepted, and
	// nothing is wrong with it.
	Unpaid string
}

// teller tells the story.
type teller struct {
	*Story
	ctx     context.Context
	morning Morning
	dice    fakepsp.Source
	orders  int
	mishap  mishap
}

// mishap steers the providers during one scene.
type mishap struct {
	mu     sync.Mutex
	faults []fakepsp.Fault // of the next requests that would change something
	silent bool            // webhooks get lost
}

func (m *mishap) plan(silent bool, faults ...fakepsp.Fault) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.silent, m.faults = silent, faults
}

func (m *mishap) fault(r fakepsp.Request) fakepsp.Fault {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r.Method == "GET" || len(m.faults) == 0 {
		return fakepsp.Fault{}
	}
	next := m.faults[0]
	m.faults = m.faults[1:]
	return next
}

// deliveries: every event comes at once and again seven minutes later, but in
// scenes where the webhooks get lost.
func (m *mishap) deliveries(fakepsp.Event) []time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.silent {
		return nil
	}
	return []time.Duration{0, 7 * time.Minute}
}

// scene is something that happens at a time of one of the two days.
type scene struct {
	at   time.Time
	tell func(*teller) error
}

// Morning is called at 06:30 of the 29th and of the 30th, before anything else
// happens on that day: day is the one that has ended, at midnight in São Paulo.
// An error ends the story.
type Morning func(s *Story, day time.Time) error

// StoryZone is where the story happens: the zone of its days.
const StoryZone = "America/Sao_Paulo"

// TellStory plays the story into an empty database. The same database system
// gets the same rows every time. A nil morning is none.
func TellStory(ctx context.Context, db *sql.DB, dialect Dialect, morning Morning) (*Story, error) {
	if morning == nil {
		morning = func(*Story, time.Time) error { return nil }
	}
	zone, err := time.LoadLocation(StoryZone)
	if err != nil {
		return nil, fmt.Errorf("tell the story: %w", err)
	}
	t := &teller{Story: &Story{}, ctx: ctx, morning: morning, dice: fakepsp.Locked(rand.New(rand.NewPCG(28, 11)))}
	t.Stage, err = OpenStage(ctx, StageSettings{
		DB: db, Dialect: dialect, Start: time.Date(2025, time.November, 28, 0, 0, 0, 0, zone), Zone: zone, Columns: zone, Dice: t.dice,
		Tune: func(_ string, s *fakepsp.Settings) {
			s.Faults, s.Webhooks, s.FeePoints, s.Payouts = t.mishap.fault, t.mishap.deliveries, 299, true
		},
	})
	if err != nil {
		return nil, fmt.Errorf("tell the story: %w", err)
	}
	for _, s := range t.scenes(zone) {
		if err := t.play(s); err != nil {
			return nil, errors.Join(fmt.Errorf("tell the story, %s: %w", s.at.Format(time.DateTime), err), t.Close())
		}
	}
	return t.Story, nil
}

func (t *teller) play(s scene) error {
	t.Clock.Set(s.at)
	if err := t.Deliver(t.ctx); err != nil {
		return err
	}
	t.mishap.plan(false)
	return s.tell(t)
}

// scenes are the customers of both days and, at their times, the accidents and
// the mornings; the last one is the morning after.
func (t *teller) scenes(zone *time.Location) []scene {
	at := func(day, hour, minute int) time.Time {
		return time.Date(2025, time.November, day, hour, minute, 0, 0, zone)
	}
	all := []scene{
		{at(28, 9, 12), (*teller).unpaidBoleto},
		{at(28, 14, 31), (*teller).neverArrived},
		{at(28, 17, 5), (*teller).timeoutTakenForNo},
		{at(28, 19, 47), (*teller).staticQR},
		{at(28, 21, 18), (*teller).timeoutThatHealed},
		{at(29, 6, 30), func(t *teller) error { return t.morning(t.Story, at(28, 0, 0)) }},
		{at(29, 7, 30), (*teller).resolve},
		{at(29, 10, 26), (*teller).retryThatDoubled},
		{at(29, 15, 40), (*teller).refundByHand},
		{at(29, 22, 14), (*teller).timeoutThatWasCaptured},
		{at(30, 6, 30), func(t *teller) error { return t.morning(t.Story, at(29, 0, 0)) }},
	}
	for i := range 46 {
		tell := [...]func(*teller) error{
			(*teller).card, (*teller).card, (*teller).pix, (*teller).card, (*teller).secondCard, (*teller).card, (*teller).boleto,
			(*teller).card, (*teller).pix, (*teller).card, (*teller).payout, (*teller).card, (*teller).refund,
		}[i%13]
		all = append(all, scene{at(28+i%2, 8+t.dice.IntN(13), t.dice.IntN(60)), tell})
	}
	slices.SortStableFunc(all, func(a, b scene) int { return a.at.Compare(b.at) })
	return all
}

// find writes down what a reconciliation must list.
func (t *teller) find(class, severity, subject string, id int64, happened string) {
	t.Findings = append(t.Findings, Finding{class, severity, fmt.Sprintf("%s:%d", subject, id), happened})
	slices.SortFunc(t.Findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Severity, b.Severity), cmp.Compare(a.Class, b.Class), cmp.Compare(a.Subject, b.Subject))
	})
}

// As is the same shop with another twin's behaviour: an old version of the
// checkout that is still in use somewhere.
func (s *Shop) As(t Twin) *Shop {
	other := *s
	other.Twin = t
	return &other
}

// ends submits a charge and demands the outcome.
func (t *teller) ends(s *Shop, charge int64, want payment.Status) (attempt int64, err error) {
	attempt, got, err := s.Submit(t.ctx, charge)
	if err == nil && got != want {
		err = fmt.Errorf("charge %d ended %s, want %s", charge, got, want)
	}
	return attempt, err
}

// sale opens an order of so many cents with a charge on it.
func (t *teller) sale(provider, method, token string, cents int64) (charge int64, err error) {
	t.orders++
	order, err := t.Shop.Order(t.ctx, fmt.Sprintf("pedido %d", 1000+t.orders), cents, "BRL")
	if err != nil {
		return 0, err
	}
	return t.Shop.AddCharge(t.ctx, Charge{
		Payment: order, Provider: provider, Method: method, Token: token, Amount: cents, Currency: "BRL",
	})
}

// price is one of a small shop's.
func (t *teller) price() int64 {
	prices := [...]int64{1990, 2990, 4990, 5990, 7990, 9990, 11900, 14990, 18990, 24900, 32900, 45990, 89900}
	return prices[t.dice.IntN(len(prices))]
}
