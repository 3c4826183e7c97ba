package fakepsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"desfecho/internal/money"
	"desfecho/internal/payment"
)

// Place says where a reference of the merchant's stands at the provider: the
// metadata key.
type Place struct {
	Name     string // of the reference
	Metadata string
	Scope    payment.Scope
}

// Reader reads what the provider shows into the words of RULES §1. It sends
// GET and nothing else.
type Reader struct {
	Name   string // of the provider, in the merchant's table
	URL    string
	Token  string
	Client *http.Client
	Zone   *time.Location // of statement days
	Places []Place
	Limit  int // rows a page; 0: the provider's own
}

// The names of the statements that a Reader gives.
const (
	ObjectList = "objects"
	LedgerList = "ledger"
)

var errNoSuchObject = errors.New("no such object")

// Objects reads the object list of a creation window to its end. An error
// leaves nothing read.
func (r *Reader) Objects(ctx context.Context, from, to time.Time) (payment.Statement, []payment.Unit, error) {
	st, err := r.statement(ctx, ObjectList, payment.ObjectList, from)
	if err != nil {
		return st, nil, err
	}
	var units []payment.Unit
	err = pages(ctx, r, "objects", from, to, func(pg *page[Object]) error {
		st.Through = payment.InstantOf(earlier(to, pg.Through))
		for i := range pg.Data {
			u, err := r.Unit(&pg.Data[i])
			if err != nil {
				return err
			}
			u.Source, u.Statement, u.ObservedAt = payment.FromList, st.Name, payment.InstantOf(pg.Through)
			units = append(units, u)
		}
		return nil
	})
	return st, units, err
}

// Ledger reads the balance transactions of a window to its end.
func (r *Reader) Ledger(ctx context.Context, from, to time.Time) (payment.Statement, []payment.Line, error) {
	st, err := r.statement(ctx, LedgerList, payment.Ledger, from)
	if err != nil {
		return st, nil, err
	}
	var lines []payment.Line
	err = pages(ctx, r, "ledger", from, to, func(pg *page[Entry]) error {
		st.Through = payment.InstantOf(earlier(to, pg.Through))
		if pg.Opening == nil || pg.Closing == nil || pg.Members != "all" {
			return errors.New("the ledger states no balances or not all members of payouts")
		}
		st.Opening, st.Closing, st.Members = payment.Known(*pg.Opening), payment.Known(*pg.Closing), payment.AllMembers
		for i := range pg.Data {
			l, err := r.Line(&pg.Data[i])
			if err != nil {
				return err
			}
			l.Account = st.Account
			l.Row = int32(len(lines) + 1)
			lines = append(lines, l)
		}
		return nil
	})
	return st, lines, err
}

// statement asks whose account it is and begins a statement of it.
func (r *Reader) statement(ctx context.Context, name string, sort payment.Sort, from time.Time) (payment.Statement, error) {
	var owner struct{ Account, Mode string }
	if err := r.get(ctx, "account", nil, &owner); err != nil {
		return payment.Statement{}, err
	}
	return payment.Statement{
		Name: r.Name + "_" + name, Provider: r.Name, Account: owner.Account, Sort: sort, Grade: payment.Proven, From: payment.InstantOf(from),
	}, nil
}

// LookUp asks about one attempt by one key. Whatever is not a complete answer
// is inconclusive, with its reason (RULES §2, law 5).
func (r *Reader) LookUp(ctx context.Context, attempt *payment.Attempt, key payment.LookupKey, now time.Time) payment.Lookup {
	l := payment.Lookup{Attempt: attempt.ID, Provider: r.Name, Key: key, At: payment.InstantOf(now)}
	objects, err := r.find(ctx, key)
	switch {
	case errors.Is(err, errNoSuchObject):
		l.Outcome = payment.NotFound
		return l
	case err != nil:
		l.Reason = "no_answer"
		return l
	}
	l.Outcome = payment.NotFound
	for i := range objects {
		u, err := r.Unit(&objects[i])
		if err != nil {
			return payment.Lookup{Attempt: l.Attempt, Provider: l.Provider, Key: key, At: l.At, Reason: "unreadable"}
		}
		u.Source, u.ObservedAt = payment.FromLookup, l.At
		l.Outcome, l.Account = payment.Found, u.Account
		l.Units = append(l.Units, u)
	}
	return l
}

func (r *Reader) find(ctx context.Context, key payment.LookupKey) ([]Object, error) {
	query := url.Values{}
	switch key.Kind {
	case payment.KeyUnit:
		var o Object
		if err := r.get(ctx, "objects/"+url.PathEscape(key.Value), nil, &o); err != nil {
			return nil, err
		}
		return []Object{o}, nil
	case payment.KeyIdempotency:
		query.Set("key", key.Value)
	case payment.KeyReference:
		for _, p := range r.Places {
			if p.Name == key.Name {
				query.Set("metadata."+p.Metadata, key.Value)
			}
		}
	}
	if len(query) == 0 {
		return nil, fmt.Errorf("look up %s: no place at the provider is known for it", key.Name)
	}
	var out page[Object]
	err := r.get(ctx, "objects", query, &out)
	return out.Data, err
}

// pages walks a list from its first page to its last; take gets each page. A
// cursor that comes twice ends it with an error.
func pages[T any](ctx context.Context, r *Reader, path string, from, to time.Time, take func(*page[T]) error) error {
	query := url.Values{"from": {from.Format(time.RFC3339Nano)}, "to": {to.Format(time.RFC3339Nano)}}
	if r.Limit > 0 {
		query.Set("limit", fmt.Sprint(r.Limit))
	}
	seen := map[string]bool{}
	for {
		var pg page[T]
		if err := r.get(ctx, path, query, &pg); err != nil {
			return err
		}
		if err := take(&pg); err != nil {
			return fmt.Errorf("read %s of %s: %w", path, r.Name, err)
		}
		if pg.Next == "" {
			return nil
		}
		if seen[pg.Next] {
			return fmt.Errorf("read %s of %s: cursor %q came twice", path, r.Name, pg.Next)
		}
		seen[pg.Next] = true
		query.Set("cursor", pg.Next)
	}
}

func (r *Reader) get(ctx context.Context, path string, query url.Values, into any) error {
	ask, err := http.NewRequestWithContext(ctx, http.MethodGet, r.URL+"/v1/"+path+"?"+query.Encode(), http.NoBody)
	if err != nil {
		return fmt.Errorf("ask %s: %w", r.Name, err)
	}
	if r.Token != "" {
		ask.Header.Set("Authorization", "Bearer "+r.Token)
	}
	got, err := r.Client.Do(ask)
	if err != nil {
		return fmt.Errorf("ask %s: %w", r.Name, err)
	}
	defer got.Body.Close() //nolint:errcheck // it was read to its end, or the error is told already
	body, err := io.ReadAll(io.LimitReader(got.Body, 8*maxBody))
	switch {
	case err != nil:
		return fmt.Errorf("ask %s: read the answer: %w", r.Name, err)
	case got.Header.Get("Content-Type") != "application/json":
		return fmt.Errorf("ask %s: status %d with %q, no JSON", r.Name, got.StatusCode, got.Header.Get("Content-Type"))
	case got.StatusCode == http.StatusNotFound:
		return fmt.Errorf("ask %s for %s: %w", r.Name, path, errNoSuchObject)
	case got.StatusCode != http.StatusOK:
		return fmt.Errorf("ask %s for %s: status %d", r.Name, path, got.StatusCode)
	}
	if err := json.Unmarshal(body, into); err != nil {
		return fmt.Errorf("ask %s for %s: %w", r.Name, path, err)
	}
	return nil
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

var states = map[string]payment.State{
	Waiting: payment.StateRequiresAction, Processing: payment.StateProcessing, Authorized: payment.StateAuthorized,
	Paid: payment.StateCaptured, Declined: payment.StateDeclined, Canceled: payment.StateCanceled, Expired: payment.StateExpired,
	Refunded: payment.StateRefunded, ChargedBack: payment.StateDisputed, Returned: payment.StateRefunded,
}

// Unit is what an object says of a unit; the reader needs its Name and Places.
func (r *Reader) Unit(o *Object) (payment.Unit, error) {
	currency, err := money.ParseCurrency(o.Currency)
	if err != nil {
		return payment.Unit{}, fmt.Errorf("object %s: %w", o.ID, err)
	}
	state, ok := states[o.State]
	if !ok {
		state = payment.StateUnmapped
	}
	u := payment.Unit{
		ID: o.ID, Provider: r.Name, Account: o.Account, Key: o.Key, References: r.references(o.Metadata), Parent: o.Parent,
		State: state, RawState: o.State, Final: o.Final, Asked: payment.Known(o.Amount), Currency: currency, Method: o.Method,
		CreatedAt: payment.InstantOf(o.CreatedAt), Precision: time.Microsecond, Reason: o.Reason,
	}
	if state.Money() {
		u.Captured = payment.Known(o.Captured)
	}
	return u, nil
}

func (r *Reader) references(metadata map[string]string) []payment.Reference {
	var out []payment.Reference
	for _, p := range r.Places {
		if v := metadata[p.Metadata]; v != "" {
			out = append(out, payment.Reference{Name: p.Name, Scope: p.Scope, Value: v})
		}
	}
	return out
}

var kinds = map[string]payment.Kind{
	"charge": payment.KindCharge, "fee": payment.KindFee, "refund": payment.KindRefund, "transfer": payment.KindTransferOut,
	"transfer_return": payment.KindTransferReversal, "chargeback": payment.KindChargeback, "payout": payment.KindPayout,
}

// Line is what a ledger entry says, likewise, by days of Zone.
func (r *Reader) Line(e *Entry) (payment.Line, error) {
	currency, err := money.ParseCurrency(e.Currency)
	if err != nil {
		return payment.Line{}, fmt.Errorf("entry %s: %w", e.ID, err)
	}
	at := payment.InstantOf(e.At)
	l := payment.Line{
		ID: e.ID, Unit: e.Object, Parent: e.Parent, Provider: r.Name, Statement: r.Name + "_" + LedgerList,
		References: r.references(e.Metadata), Payout: e.Payout, Raw: e.Type, Gross: e.Amount, Net: e.Amount, Currency: currency,
		At: at, Day: payment.DayOf(at, r.Zone), Kind: kinds[e.Type],
	}
	if e.Method == MethodStatic {
		l.Raw = MethodStatic
	}
	return l, nil
}
