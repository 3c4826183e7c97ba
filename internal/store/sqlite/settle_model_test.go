package sqlite

import (
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"desfecho/internal/audit"
	"desfecho/internal/payment"
	"desfecho/internal/store"
)

// The tables of a merchant that sets money aside, and whose orders can be
// closed under an attempt.
const modelTables = `
CREATE TABLE orders (id INTEGER PRIMARY KEY, state TEXT NOT NULL);
CREATE TABLE credits (order_id INTEGER NOT NULL, by_operation TEXT NOT NULL);
CREATE TABLE attempts (id INTEGER PRIMARY KEY, order_id INTEGER NOT NULL, status TEXT NOT NULL, unit TEXT NOT NULL, reserve TEXT NOT NULL, note TEXT NOT NULL, rev INTEGER NOT NULL,
  cents INTEGER NOT NULL, made TEXT NOT NULL);`

func modelDescription(version string) *store.Description {
	return &store.Description{
		Read: "attempts", Timezone: "UTC", Provider: "loja", Currency: "BRL", Operation: "transfer",
		Columns: store.Columns{
			ID: "id", Charge: "order_id", Status: "status", ProviderChargeID: "unit", Amount: "cents", Unit: "minor", CreatedAt: "made",
			Reserve: "reserve", PayloadHash: "note", Version: version,
		},
		Status:   store.StatusWords{Pending: []string{"pending"}, Unknown: []string{"unknown"}, Succeeded: []string{"succeeded"}, Failed: []string{"failed"}},
		Reserves: store.ReserveWords{Held: []string{"held"}, Released: []string{"released"}, Consumed: []string{"consumed"}},
		Transitions: []store.Transition{
			{To: "unknown"},
			{To: "failed", AlsoSet: []store.SetAlso{{Column: "reserve", Value: "released"}}},
			{To: "succeeded", AlsoSet: []store.SetAlso{{Column: "reserve", Value: "consumed"}}, FollowUp: []store.FollowUp{
				{SQL: "UPDATE orders SET state = 'paid' WHERE id = $charge AND state = 'open'"},
				{SQL: "INSERT INTO credits VALUES ($charge, $op_id)"},
			}},
		},
	}
}

// modelRow is one attempt as it must stand.
type modelRow struct {
	Status, Unit, Reserve, Note string
	Rev                         int
	Order                       string
	Sibling                     string // status of the order's other attempt
	Credits, Entries            int
}

// hand is what one operator has seen and is about to write.
type hand struct {
	write  store.Settlement
	saw    modelRow
	given  bool // the operation was given up
	landed bool
}

// model is one attempt, the application and several operators.
type model struct {
	db        *sql.DB
	store     *Store
	versioned bool
	id        string
	row       modelRow
	told      map[store.Cause]int
	hands     [2]*hand
	ops       int
}

func (m *model) exec(t *rapid.T, statement string, args ...any) {
	if _, err := m.db.Exec(statement, args...); err != nil {
		t.Fatal(err)
	}
}

// put writes the row as the application does: all of it, in one transaction.
func (m *model) put(t *rapid.T, next modelRow) {
	m.exec(t, "UPDATE attempts SET status = ?, unit = ?, reserve = ?, note = ?, rev = ? WHERE id = ?", next.Status, next.Unit, next.Reserve, next.Note, next.Rev, m.id)
	m.row = next
}

func open(status string) bool { return status == "pending" || status == "unknown" }

// bumped is the next version, now and then forgotten.
func (m *model) bumped(t *rapid.T) int { return m.row.Rev + rapid.IntRange(0, 1).Draw(t, "bump") }

// applicationEnds is the application's own conditional write, with its credit.
func (m *model) applicationEnds(t *rapid.T) {
	next := m.row
	if !open(next.Status) {
		return
	}
	next.Rev = m.bumped(t)
	if rapid.Bool().Draw(t, "paid") && next.Order == "open" {
		next.Status, next.Unit, next.Reserve, next.Order = "succeeded", "u1", "consumed", "paid"
		next.Credits++
		m.exec(t, "UPDATE orders SET state = 'paid' WHERE id = ?", m.id)
		m.exec(t, "INSERT INTO credits VALUES (?, 'webhook')", m.id)
	} else {
		next.Status, next.Reserve = "failed", "released"
	}
	m.put(t, next)
}

func (m *model) applicationAdopts(t *rapid.T) {
	if m.row.Status != "pending" {
		return
	}
	next := m.row
	next.Status, next.Rev = "unknown", m.bumped(t)
	m.put(t, next)
}

func (m *model) applicationNotes(t *rapid.T) {
	next := m.row
	if rapid.Bool().Draw(t, "object") {
		next.Unit = rapid.SampledFrom([]string{"", "u1", "u2"}).Draw(t, "unit")
	} else {
		next.Note = rapid.SampledFrom([]string{"a", "b"}).Draw(t, "note")
	}
	next.Rev = m.bumped(t)
	m.put(t, next)
}

func (m *model) orderCloses(t *rapid.T) {
	if m.row.Order != "open" {
		return
	}
	m.exec(t, "UPDATE orders SET state = 'closed' WHERE id = ?", m.id)
	m.row.Order = "closed"
}

// siblingMoves: the application works on the order's other attempt.
func (m *model) siblingMoves(t *rapid.T) {
	m.row.Sibling = rapid.SampledFrom([]string{"unknown", "failed", "succeeded"}).Draw(t, "sibling")
	m.exec(t, "UPDATE attempts SET status = ? WHERE order_id = ? AND id <> ?", m.row.Sibling, m.id, m.id)
}

func (m *model) operator(t *rapid.T) **hand {
	return &m.hands[rapid.IntRange(0, len(m.hands)-1).Draw(t, "operator")]
}

// operatorLooks sees the row and states its intent: any mark, mostly a legal one.
func (m *model) operatorLooks(t *rapid.T) { *m.operator(t) = m.looks(t) }

func (m *model) looks(t *rapid.T) *hand {
	seen, err := m.store.See(t.Context(), m.id)
	if err != nil {
		t.Fatal(err)
	}
	likely := []payment.Status{payment.Succeeded, payment.Failed, payment.Succeeded, payment.Failed, payment.Unknown}
	if m.row.Status == "pending" {
		likely = []payment.Status{payment.Unknown, payment.Unknown, payment.Unknown, payment.Succeeded, payment.Failed}
	}
	status := rapid.SampledFrom(likely).Draw(t, "mark")
	m.ops++
	h := &hand{saw: m.row, write: store.Settlement{
		Intent: store.Intent{OpID: fmt.Sprintf("op-%s-%d", m.id, m.ops), Attempt: m.id, Mark: status.String(), Digest: "d", Operator: "ana"},
		Seen:   seen, Status: status, Transition: status.String(), Reason: "seen", Program: "test",
	}}
	if status == payment.Succeeded {
		h.write.Unit = "u1"
	}
	if err := m.store.Intend(t.Context(), h.write.Intent); err != nil {
		t.Fatal(err)
	}
	return h
}

// operatorIsOvertaken: the application does something between the look and the
// write.
func (m *model) operatorIsOvertaken(t *rapid.T) {
	if !open(m.row.Status) {
		return
	}
	h := m.looks(t)
	rapid.SampledFrom([]func(*rapid.T){m.applicationNotes, m.applicationAdopts, m.applicationEnds, m.orderCloses, m.siblingMoves}).Draw(t, "by")(t)
	m.writes(t, h)
}

// allowed says why a write must not be made, "" where it must.
func (m *model) allowed(h *hand) store.Cause {
	legal := h.saw.Status == "unknown" && h.write.Status.Final() || h.saw.Status == "pending" && h.write.Status == payment.Unknown
	unitAfter := h.saw.Unit
	if h.write.Unit != "" {
		unitAfter = h.write.Unit
	}
	same := m.row.Rev == h.saw.Rev
	if !m.versioned {
		same = m.row.Note == h.saw.Note && m.row.Unit == h.saw.Unit && m.row.Reserve == h.saw.Reserve // rev is not described then
	}
	switch {
	case !legal:
		return store.CauseIllegal
	case m.row.Sibling != h.saw.Sibling:
		return store.CauseSibling
	case m.row.Status != h.saw.Status || !same || m.row.Unit != "" && m.row.Unit != unitAfter:
		return store.CauseChanged
	case h.write.Status == payment.Succeeded && m.row.Order != "open":
		return store.CauseFollowUp
	case h.given || h.landed:
		return store.CauseAbandoned
	}
	return ""
}

// operatorWrites sends what an operator has in hand, also for a second time,
// as a retry does.
func (m *model) operatorWrites(t *rapid.T) {
	if h := *m.operator(t); h != nil {
		m.writes(t, h)
	}
}

func (m *model) writes(t *rapid.T, h *hand) {
	want := m.allowed(h)
	m.told[want]++
	_, err := m.store.Settle(t.Context(), h.write)
	moved, stopped := errors.AsType[*store.MovedError](err)
	switch {
	case want == "" && err != nil:
		t.Fatalf("%s of what stands as it was seen: %v", h.write.Mark, err)
	case want != "" && !stopped:
		t.Fatalf("%s was written, or refused without a cause (%v); saw %+v, stands %+v, want %s", h.write.Mark, err, h.saw, m.row, want)
	case want == store.CauseIllegal && moved.Cause != want, want == store.CauseSibling && moved.Cause != want, want == store.CauseFollowUp && moved.Cause != want, want == store.CauseAbandoned && moved.Cause != want:
		t.Fatalf("told as %s, want %s", moved.Cause, want)
	case want != "":
		return
	}
	h.landed = true
	m.row.Status, m.row.Entries = h.write.Status.String(), m.row.Entries+1
	switch h.write.Status {
	case payment.Succeeded:
		m.row.Unit, m.row.Reserve, m.row.Order, m.row.Credits = "u1", "consumed", "paid", m.row.Credits+1
	case payment.Failed:
		m.row.Reserve = "released"
	case payment.Unknown, payment.Pending, payment.StatusNone:
	}
}

// operatorClaims ends an operation whose reply was lost, before it lands or
// after.
func (m *model) operatorClaims(t *rapid.T) {
	if h := *m.operator(t); h != nil {
		m.claims(t, h)
	}
}

// operatorLandsLate: the operation is given up before it reaches the database.
func (m *model) operatorLandsLate(t *rapid.T) {
	if !open(m.row.Status) {
		return
	}
	h := m.looks(t)
	m.claims(t, h)
	m.writes(t, h)
}

func (m *model) claims(t *rapid.T, h *hand) {
	e, err := m.store.Claim(t.Context(), h.write.Intent, "test")
	if err != nil {
		t.Fatal(err)
	}
	if landed := e.Kind == audit.Settled; landed != h.landed {
		t.Fatalf("claimed as %s, and it landed: %v", e.Kind, h.landed)
	}
	h.given = h.given || !h.landed
}

// stands compares the database with the model, whatever was just done: one
// winner, one entry, the effects once.
func (m *model) stands(t *rapid.T) {
	got := modelRow{}
	err := m.db.QueryRow(`SELECT a.status, a.unit, a.reserve, a.note, a.rev, o.state, (SELECT count(*) FROM credits WHERE order_id = a.id),
		(SELECT count(*) FROM desfecho_audit WHERE attempt = CAST(a.id AS TEXT) AND kind = ?),
		(SELECT s.status FROM attempts s WHERE s.order_id = a.order_id AND s.id <> a.id) FROM attempts a JOIN orders o ON o.id = a.id WHERE a.id = ?`, string(audit.Settled), m.id).
		Scan(&got.Status, &got.Unit, &got.Reserve, &got.Note, &got.Rev, &got.Order, &got.Credits, &got.Entries, &got.Sibling)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(m.row, got); diff != "" {
		t.Fatalf("(-must stand +stands)\n%s", diff)
	}
	if got.Credits > 1 || open(got.Status) && got.Reserve != "held" {
		t.Fatalf("a credit given twice, or a reserve that an open attempt does not hold: %+v", got)
	}
}

// modelDatabase is one file with two descriptions of it: with a version column,
// and without.
func modelDatabase(t *testing.T) (db *sql.DB, stores map[bool]*Store) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "shop.db")
	database{path}.Exec(t, modelTables)
	stores = map[bool]*Store{}
	for versioned, column := range map[bool]string{true: "rev", false: ""} {
		s, err := Open(t.Context(), Options{URL: "sqlite://" + path, Attempts: modelDescription(column)})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		if _, err := s.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		stores[versioned] = s
	}
	db, err := sql.Open("sqlite", dsn(path))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db, stores
}

// Several operators and the application on one attempt, in any order, with
// operations that are sent twice, given up and land late: the write is made
// where the row stands as it was seen, and nowhere else (RULES §7).
func TestTheWriteDoesWhatItsModelSays(t *testing.T) {
	t.Parallel()
	db, stores := modelDatabase(t)
	n, told := 0, map[store.Cause]int{}
	rapid.Check(t, func(t *rapid.T) {
		n++
		versioned := rapid.Bool().Draw(t, "versioned")
		m := &model{
			db: db, told: told, store: stores[versioned], versioned: versioned, id: fmt.Sprint(n),
			row: modelRow{Status: rapid.SampledFrom([]string{"unknown", "pending"}).Draw(t, "status"), Reserve: "held", Note: "a", Rev: 1, Order: "open", Sibling: "failed"},
		}
		m.exec(t, "INSERT INTO orders VALUES (?, 'open')", m.id)
		m.exec(t, `INSERT INTO attempts VALUES (?1, ?1, ?2, '', 'held', 'a', 1, 500, '2025-03-10 09:00:00'),
			(-?1, ?1, 'failed', '', 'released', 'a', 1, 500, '2025-03-10 08:00:00')`, n, m.row.Status)
		t.Repeat(map[string]func(*rapid.T){
			"":                   m.stands,
			"application ends":   m.applicationEnds,
			"application adopts": m.applicationAdopts,
			"application notes":  m.applicationNotes,
			"order closes":       m.orderCloses,
			"sibling moves":      m.siblingMoves,
			"operator looks":     m.operatorLooks,
			"is overtaken":       m.operatorIsOvertaken,
			"operator writes":    m.operatorWrites,
			"written as well":    m.operatorWrites,
			"operator claims":    m.operatorClaims,
			"lands late":         m.operatorLandsLate,
		})
	})
	t.Logf("%d attempts; written, and what stopped a write: %v", n, told)
}
