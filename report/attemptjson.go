package report

import (
	"bufio"
	"io"

	"desfecho/internal/payment"
	"desfecho/internal/ui"
	"desfecho/resolve"
)

// The words of docs/json.md. Amounts are minor units, instants RFC 3339 in UTC.
type (
	wireAttempt struct {
		Schema     int               `json:"schema"`
		Kind       string            `json:"kind"`
		Now        payment.Instant   `json:"now"`
		ID         string            `json:"id"`
		Charge     string            `json:"charge,omitempty"`
		Provider   string            `json:"provider,omitempty"`
		Account    string            `json:"account,omitempty"`
		Status     string            `json:"status"`
		Stored     string            `json:"stored_status"`
		Operation  string            `json:"operation"`
		Amount     int64             `json:"amount"`
		Currency   string            `json:"currency"`
		Object     string            `json:"object,omitempty"`
		Reserve    string            `json:"reserve,omitempty"`
		CreatedAt  payment.Instant   `json:"created_at"`
		LastSent   payment.Instant   `json:"last_sent"`
		Original   string            `json:"original_call"`
		Marks      []wireOffer       `json:"marks"`
		Retry      wireAdvice        `json:"retry"`
		Units      []wireObject      `json:"objects"`
		Lookups    []wireLookup      `json:"lookups"`
		Related    []string          `json:"related_attempts"`
		Lines      []string          `json:"lines"`
		Events     int               `json:"events"`
		Offline    bool              `json:"offline"`
		Business   map[string]string `json:"business,omitempty"`
		AgingOut   bool              `json:"aging_out,omitempty"`
		NextChange payment.Instant   `json:"next_change,omitzero"`
	}
	wireOffer struct {
		Mark        string          `json:"mark"`
		Allowed     bool            `json:"allowed"`
		ApprovalDue bool            `json:"approval_due"`
		ApprovedBy  string          `json:"approved_by,omitempty"`
		Transition  string          `json:"transition,omitempty"`
		Object      string          `json:"object,omitempty"`
		Reason      string          `json:"reason,omitempty"`
		Sentence    string          `json:"sentence"`
		ChangesAt   payment.Instant `json:"changes_at,omitzero"`
		Digest      string          `json:"digest,omitempty"`
		Statements  []string        `json:"statements,omitempty"`
		Gate        []wireCondition `json:"gate,omitempty"`
	}
	wireCondition struct {
		Name      string          `json:"name"`
		Met       bool            `json:"met"`
		Reason    string          `json:"reason,omitempty"`
		Sentence  string          `json:"sentence,omitempty"`
		ChangesAt payment.Instant `json:"changes_at,omitzero"`
	}
	wireAdvice struct {
		Advice   string          `json:"advice"`
		At       payment.Instant `json:"at,omitzero"`
		Sentence string          `json:"sentence"`
	}
	wireObject struct {
		ID       string `json:"id"`
		State    string `json:"state"`
		RawState string `json:"raw_state,omitempty"`
		Final    bool   `json:"final"`
		Captured *int64 `json:"captured,omitempty"`
		Currency string `json:"currency,omitempty"`
	}
	wireLookup struct {
		At       payment.Instant `json:"at"`
		By       string          `json:"by"`
		Endpoint string          `json:"endpoint,omitempty"`
		Outcome  string          `json:"outcome"`
		Reason   string          `json:"reason,omitempty"`
		Control  bool            `json:"positive_control"`
		Objects  []wireObject    `json:"objects,omitempty"`
	}
)

// WriteAttemptJSON writes the attempt as one JSON object.
func WriteAttemptJSON(w io.Writer, a *Attempt) error {
	out := bufio.NewWriter(w)
	if err := writeValue(out, wiredAttempt(a)); err != nil {
		return err
	}
	return out.Flush()
}

// WriteStuckJSON writes the review list as one JSON object.
func WriteStuckJSON(w io.Writer, rows []StuckRow, now payment.Instant) error {
	list := struct {
		Schema   int             `json:"schema"`
		Kind     string          `json:"kind"`
		Now      payment.Instant `json:"now"`
		Attempts []wireAttempt   `json:"attempts"`
	}{Schema, "stuck", now, make([]wireAttempt, 0, len(rows))}
	for i := range rows {
		wired := wiredAttempt(rows[i].Attempt)
		wired.AgingOut, wired.NextChange = rows[i].AgingOut, rows[i].Until
		list.Attempts = append(list.Attempts, wired)
	}
	out := bufio.NewWriter(w)
	if err := writeValue(out, list); err != nil {
		return err
	}
	return out.Flush()
}

func writeValue(out *bufio.Writer, value any) error {
	text, err := ui.JSON(value)
	if err != nil {
		return err
	}
	_, err = out.Write(append(text, '\n'))
	return err
}

func wiredAttempt(a *Attempt) wireAttempt {
	self := a.self()
	w := wireAttempt{
		Schema: Schema, Kind: "attempt", Now: a.Now, ID: self.ID, Charge: self.Charge, Provider: self.Provider, Account: self.Account,
		Status: a.Verdict.Status.String(), Stored: a.Word, Operation: self.Operation.String(), Amount: self.Amount.Minor,
		Currency: self.Amount.Currency.String(), Object: self.ProviderID, Reserve: self.Reserve.String(), CreatedAt: self.CreatedAt, LastSent: self.LastSent,
		Original: a.Verdict.Original.String(),
		Retry:    wireAdvice{a.Verdict.Advice.Retry.String(), a.Verdict.Advice.At, a.Verdict.Advice.Sentence},
		Units:    []wireObject{}, Lookups: []wireLookup{}, Related: []string{}, Lines: []string{}, Events: len(a.Case.Events), Offline: a.Offline,
	}
	for mark := range resolve.Keep {
		w.Marks = append(w.Marks, a.wiredOffer(mark))
	}
	units, _, _ := a.units()
	w.Units = wiredObjects(units)
	for _, l := range a.lookups() {
		w.Lookups = append(w.Lookups, wireLookup{
			At: l.At, By: keyWords(l.Key), Endpoint: l.Endpoint, Outcome: l.Outcome.String(), Reason: l.Reason, Control: !l.NoControl, Objects: wiredObjects(l.Units),
		})
	}
	for i := range a.Case.Attempts {
		if id := a.Case.Attempts[i].ID; id != self.ID {
			w.Related = append(w.Related, id)
		}
	}
	for i := range a.Case.Lines {
		w.Lines = append(w.Lines, a.Case.Lines[i].ID)
	}
	for _, b := range a.Business {
		if w.Business == nil {
			w.Business = map[string]string{}
		}
		w.Business[b.Name] = b.Text
	}
	return w
}

func (a *Attempt) wiredOffer(mark resolve.Mark) wireOffer {
	o := a.Verdict.Offers(mark)
	w := wireOffer{
		Mark: mark.String(), Allowed: o.Allowed, ApprovalDue: o.ApprovalDue, ApprovedBy: o.ApprovedBy, Transition: o.Transition.String(),
		Object: o.Unit, Reason: o.Reason, Sentence: o.Sentence, ChangesAt: o.ChangesAt, Digest: o.Digest,
	}
	if o.Allowed {
		for _, e := range a.Effects[mark] {
			w.Statements = append(w.Statements, e.Statement)
		}
	}
	if mark == resolve.Failed {
		for _, c := range a.Verdict.Gate {
			w.Gate = append(w.Gate, wireCondition{c.Name, c.Met, c.Reason, c.Sentence, c.ChangesAt})
		}
	}
	return w
}

func wiredObjects(units []payment.Unit) []wireObject {
	objects := make([]wireObject, 0, len(units))
	for i := range units {
		u := &units[i]
		o := wireObject{ID: u.ID, State: u.State.String(), RawState: u.RawState, Final: u.Final, Currency: u.Currency.String()}
		if u.Captured.Known {
			o.Captured = &u.Captured.Minor
		}
		objects = append(objects, o)
	}
	return objects
}
