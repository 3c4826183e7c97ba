package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"desfecho/internal/audit"
	"desfecho/internal/money"
	"desfecho/internal/payment"
	"desfecho/internal/pgtest"
	"desfecho/internal/store"
)

const weighedTables = `CREATE TABLE tries (id bigint PRIMARY KEY, order_id bigint, psp text NOT NULL DEFAULT 'stripe', kind text NOT NULL DEFAULT 'charge',
  status text NOT NULL DEFAULT 'unknown', object text, cents bigint NOT NULL DEFAULT 100, error text, note text, made timestamptz NOT NULL);
CREATE TABLE notes (try bigint, words text);`

func weighedDescription() *store.Description {
	note := []store.FollowUp{{SQL: "INSERT INTO notes VALUES ($id, $reason)"}}
	return &store.Description{
		Read: "tries", WriteBy: store.ByFunction, Currency: "BRL",
		Columns: store.Columns{
			ID: "id", Charge: "order_id", Provider: "psp", Operation: "kind", Status: "status", ProviderChargeID: "object", Amount: "cents", Unit: "minor",
			CreatedAt: "made", LastError: "error",
		},
		Status: store.StatusWords{Pending: []string{"pending"}, Unknown: []string{"unknown"}, Succeeded: []string{"paid"}, Failed: []string{"failed"}},
		Transitions: []store.Transition{
			{To: "unknown"}, {To: "failed", FollowUp: note}, {To: "succeeded", FollowUp: note, AlsoSet: []store.SetAlso{{Column: "note", Value: "$reason"}}},
		},
	}
}

// scales is a database in which evidence is weighed, and the login that settles.
type scales struct {
	*testing.T
	database
	*Store
	owner *Store
	next  int
	// settled and noted count the writes, and those with a follow-up.
	settled, noted int
}

func newScales(t *testing.T) *scales {
	d := database{url: pgtest.Database(t)}
	d.Exec(t, weighedTables)
	owner := opened(t, Options{URL: d.url})
	if _, err := owner.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	terms := usualTerms()
	terms.ApprovalAbove = []money.Amount{{Minor: 1000, Currency: money.MustCurrency("BRL")}}
	login := resolverOf(t, d, weighedDescription(), terms)
	return &scales{t, d, opened(t, Options{URL: pgtest.Server(t).URL(login, nameOf(t, d.url)), Attempts: weighedDescription(), Terms: &terms}), owner, 0, 0, 0}
}

// said is one look-up: how long ago, what it answered, and of which object.
type said struct {
	ago     time.Duration
	outcome payment.Outcome
	state   payment.State
	open    bool // the provider may still change it
	unit    string
	key     string
	blind   bool // no positive control
}

func no(ago time.Duration) said { return said{ago: ago, outcome: payment.NotFound} }

func yes(state payment.State) said {
	return said{outcome: payment.Found, state: state, unit: "pi", key: "pi"}
}

// weighed is one attempt to settle an attempt.
type weighed struct {
	columns string // of the row, such as "kind, cents", with values
	values  string
	age     time.Duration // 0: thirty days
	said    []said
	mark    payment.Status
	unit    string
	change  func(*scales, *store.Settlement) // before it is settled
	cause   store.Cause                      // "": it is settled
	says    string
}

func (s *scales) weigh(c weighed) {
	s.Helper()
	s.next++
	id := fmt.Sprint(s.next)
	own := func(unit string) string {
		return strings.TrimSuffix(strings.Replace(unit+"!", "pi!", "pi-"+id, 1), "!")
	}
	if c.age == 0 {
		c.age = 30 * 24 * time.Hour
	}
	s.Exec(s, fmt.Sprintf("INSERT INTO tries (id, made%s) VALUES (%s, now() - interval '%d seconds'%s)", c.columns, id, int64(c.age/time.Second), c.values))
	seen, err := s.See(s.Context(), id)
	if err != nil {
		s.Fatal(err)
	}
	w := store.Settlement{
		Intent: store.Intent{OpID: "op-" + id, Attempt: id, Mark: c.mark.String(), Digest: "d-" + id, Operator: "ana"},
		Seen:   seen, Status: c.mark, Transition: c.mark.String(), Unit: own(c.unit), Reason: `it's "so" \ ação 💸`, Program: "test",
	}
	var lookups []payment.Lookup
	var hashes []string
	for n, x := range c.said {
		l := payment.Lookup{
			Attempt: id, Provider: "stripe", Key: payment.LookupKey{Value: x.key}, At: seen.At.Add(-x.ago), Outcome: x.outcome, NoControl: x.blind,
			Canonical: fmt.Sprintf("h%s-%d", id, n),
		}
		if x.outcome == payment.Found {
			l.Units = []payment.Unit{{ID: own(x.unit), State: x.state, Final: !x.open}}
		}
		lookups, hashes = append(lookups, l), append(hashes, l.Canonical)
	}
	w.Evidence = strings.Join(hashes, ",")
	if _, err := s.StoreLookups(s.Context(), lookups); err != nil {
		s.Fatal(err)
	}
	if err := s.Intend(s.Context(), w.Intent); err != nil {
		s.Fatal(err)
	}
	if c.change != nil {
		c.change(s, &w)
	}
	_, err = s.Settle(s.Context(), w)
	moved, _ := errors.AsType[*store.MovedError](err)
	switch {
	case c.cause == "" && err != nil:
		s.Errorf("it is refused: %v", err)
	case c.cause == "" && c.mark == payment.Unknown:
		s.settled++
	case c.cause == "":
		s.settled++
		s.noted++
	case c.cause != "" && (moved == nil || moved.Cause != c.cause || !strings.Contains(err.Error(), c.says)):
		s.Errorf("told %v, want %s: %s", err, c.cause, c.says)
	}
	if now, err := s.See(s.Context(), id); c.cause != "" && (err != nil || now.Word != seen.Word && c.cause != store.CauseSettled) {
		s.Errorf("refused, yet it is %v (%v)", now, err)
	}
}

const (
	minute = time.Minute
	gone   = 30 * minute
)

// weighedCases are what was said of an attempt, the mark that is asked for, and the cause of the refusal.
func weighedCases(captured, declined said) map[string]weighed {
	const refused = store.CauseRefused
	return map[string]weighed{
		"an object that is shown":             {said: []said{captured}, mark: payment.Succeeded, unit: "pi"},
		"by nobody's word":                    {mark: payment.Succeeded, unit: "pi", cause: refused, says: "shows object pi"},
		"another object":                      {said: []said{captured}, mark: payment.Succeeded, unit: "pi_2", cause: refused, says: "shows object pi_2"},
		"an object that is declined":          {said: []said{declined}, mark: payment.Succeeded, unit: "pi", cause: refused, says: "shows object"},
		"shown too long ago":                  {said: []said{{6 * minute, payment.Found, payment.StateCaptured, false, "pi", "pi", false}}, mark: payment.Succeeded, unit: "pi", cause: refused, says: "shows object"},
		"shown, and then not":                 {said: []said{{minute, payment.Found, payment.StateCaptured, false, "pi", "", false}, no(0)}, mark: payment.Succeeded, unit: "pi", cause: refused, says: "shows object"},
		"not found twice":                     {said: []said{no(gone), no(0)}, mark: payment.Failed},
		"not found once":                      {said: []said{no(0)}, mark: payment.Failed, cause: refused, says: "two look-ups"},
		"not found twice at once":             {said: []said{no(5 * minute), no(0)}, mark: payment.Failed, cause: refused, says: "two look-ups"},
		"not found before the horizon":        {age: 24*time.Hour + 20*minute, said: []said{no(gone), no(0)}, mark: payment.Failed, cause: refused, says: "two look-ups"},
		"not found after a 5xx":               {columns: ", error", values: ", 'HTTP 503'", age: 48 * time.Hour, said: []said{no(gone), no(0)}, mark: payment.Failed, cause: refused, says: "two look-ups"},
		"not found after a refusal":           {columns: ", error", values: ", 'connection refused'", age: 48 * time.Hour, said: []said{no(gone), no(0)}, mark: payment.Failed},
		"not found, asked too long ago":       {said: []said{no(2 * gone), no(gone)}, mark: payment.Failed, cause: refused, says: "two look-ups"},
		"no answer":                           {said: []said{no(gone), {}}, mark: payment.Failed, cause: refused, says: "two look-ups"},
		"without positive control":            {said: []said{no(gone), {outcome: payment.NotFound, blind: true}}, mark: payment.Failed, cause: refused, says: "two look-ups"},
		"failed against money":                {said: []said{no(gone), no(0), captured}, mark: payment.Failed, cause: refused, says: "shows money"},
		"failed against money not named":      {said: []said{no(gone), no(0), captured}, mark: payment.Failed, change: dropLast, cause: refused, says: "shows money"},
		"failed against what is open":         {said: []said{no(gone), no(0), yes(payment.StateProcessing)}, mark: payment.Failed, cause: refused, says: "has not ended"},
		"finally declined":                    {said: []said{declined}, mark: payment.Failed},
		"declined, and may change":            {said: []said{{outcome: payment.Found, state: payment.StateDeclined, open: true, unit: "pi"}}, mark: payment.Failed, cause: refused, says: "has not ended"},
		"an object of another attempt":        {said: []said{no(gone), {outcome: payment.Found, state: payment.StateCaptured, unit: "pi_other"}}, mark: payment.Failed, change: holds2("pi_other")},
		"success on another attempt's object": {said: []said{{outcome: payment.Found, state: payment.StateCaptured, unit: "pi_held"}}, mark: payment.Succeeded, unit: "pi_held", change: holds2("pi_held"), cause: store.CauseUnitHeld, says: "another attempt"},
		"evidence of nothing": {said: []said{captured}, mark: payment.Succeeded, unit: "pi", cause: refused, says: "no observation of this attempt", change: func(_ *scales, w *store.Settlement) {
			w.Evidence += ",made up"
		}},
		"an orphan":       {columns: ", status", values: ", 'pending'", mark: payment.Unknown},
		"a young orphan":  {columns: ", status", values: ", 'pending'", age: 10 * minute, mark: payment.Unknown, cause: store.CauseIllegal, says: "may still be running"},
		"nobody's policy": {columns: ", psp", values: ", 'asaas'", said: []said{captured}, mark: payment.Succeeded, unit: "pi", cause: store.CauseIllegal, says: "no provider asaas"},
		"follow-ups of another mark": {said: []said{no(gone), no(0)}, mark: payment.Failed, cause: store.CauseIllegal, says: "no write that desfecho makes", change: func(s *scales, w *store.Settlement) {
			s.Exec(s, "UPDATE desfecho.intents SET mark = 'succeeded' WHERE op_id = '"+w.OpID+"'")
		}},
		"another amount than stands there": {said: []said{captured}, mark: payment.Succeeded, unit: "pi", cause: store.CauseChanged, change: func(_ *scales, w *store.Settlement) {
			w.Seen.Row[6].Value = "999999"
		}},
		"kept back by a trigger": {said: []said{captured}, mark: payment.Succeeded, unit: "pi", cause: store.CauseHidden, change: func(s *scales, w *store.Settlement) {
			s.Exec(s, "CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'; "+
				"CREATE TRIGGER keep BEFORE UPDATE ON tries FOR EACH ROW WHEN (OLD.id = "+w.Attempt+") EXECUTE FUNCTION keep()")
		}},
		"while another entry is made": {said: []said{captured}, mark: payment.Succeeded, unit: "pi", cause: store.CauseLocked, change: func(s *scales, _ *store.Settlement) {
			tx, err := s.owner.begin(s.Context(), s.owner.primary, pgx.TxOptions{})
			if err != nil {
				s.Fatal(err)
			}
			s.Cleanup(func() { tx.rollback(context.WithoutCancel(s.Context())) })
			if _, err := tx.Exec(s.Context(), "SELECT pg_advisory_xact_lock($1)", int64(auditLock)); err != nil {
				s.Error(err)
			}
		}},
		"without intent": {said: []said{captured}, mark: payment.Succeeded, unit: "pi", cause: refused, says: "no intent", change: func(_ *scales, w *store.Settlement) { w.OpID = "never" }},
		"by another's intent": {said: []said{captured}, mark: payment.Succeeded, unit: "pi", cause: refused, says: "no intent", change: func(s *scales, w *store.Settlement) {
			w.OpID = "owner's"
			if err := s.owner.Intend(s.Context(), w.Intent); err != nil {
				s.Error(err)
			}
		}},
	}
}

// TestTheFunctionWeighsTheEvidenceItself: whoever calls it, and whatever the
// caller concluded.
func TestTheFunctionWeighsTheEvidenceItself(t *testing.T) {
	t.Parallel()
	s := newScales(t)
	captured, declined := yes(payment.StateCaptured), yes(payment.StateDeclined)
	for name, c := range weighedCases(captured, declined) {
		t.Run(name, func(t *testing.T) {
			one := *s
			one.T = t
			one.weigh(c)
			s.next, s.settled, s.noted = one.next, one.settled, one.noted
		})
	}
	s.tells(t)
}

// tells verifies the chain that the function wrote with the program's own sums,
// and that values reached the tables as they were.
func (s *scales) tells(t *testing.T) {
	v := audit.NewVerifier(audit.Head{})
	if err := s.Audit(t.Context(), "", v.Add); err != nil {
		t.Error(err)
	}
	if head, err := v.End(); err != nil || head.Count != int64(s.settled) {
		t.Errorf("the audit of %d writes ends at %v (%v)", s.settled, head, err)
	}
	if got := pgtest.Server(t).SQL(t, nameOf(t, s.url), `SELECT count(*) FROM notes WHERE words = 'it''s "so" \ ação 💸'`); got != fmt.Sprint(s.noted) {
		t.Errorf("%s of %d follow-ups have the reason as it was said", got, s.noted)
	}
}

func dropLast(_ *scales, w *store.Settlement) {
	w.Evidence = w.Evidence[:strings.LastIndex(w.Evidence, ",")]
}

// holds2 puts an object on an attempt of its own.
func holds2(unit string) func(*scales, *store.Settlement) {
	return func(s *scales, w *store.Settlement) {
		s.Exec(s, "INSERT INTO tries (id, status, object, made) VALUES ("+w.Attempt+"000, 'paid', '"+unit+"', now())")
	}
}
