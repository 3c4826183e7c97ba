package asaas

import (
	"encoding/json"
	"testing"

	"desfecho/internal/money"
	"desfecho/internal/payment"
	"desfecho/providers/httpx"
)

// seeds are whole and broken pages of every list.
func seeds(f *testing.F) {
	for _, statement := range []string{Payments, Transfers, Ledger} {
		text, err := json.Marshal(map[string]any{"hasMore": false, "totalCount": 1, "limit": 100, "offset": 0, "data": []any{fullRow(statement)}})
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
		f.Add(text[:len(text)/2])
	}
	f.Add([]byte(`{"hasMore":true,"totalCount":2,"offset":0,"data":[{"id":"pay_1","dateCreated":"9999-12-31","value":1E7,"status":"RECEIVED",
		"installment":"g","installmentNumber":-9,"originalValue":-0.0,"refunds":[{"value":9999999999999.99,"dateCreated":"2026-05-04 00:00:00","status":"DONE"}]}]}`))
	f.Add([]byte(`{"errors":[{"code":"invalid_access_token","description":"?"}]}`))
	f.Add([]byte(`{"hasMore":null,"totalCount":null,"offset":null,"data":null}`))
}

// FuzzPages reads any bytes as a page of each list: what is taken is whole and
// within bounds, and is taken the same again.
func FuzzPages(f *testing.F) {
	seeds(f)
	o := testOwner(f)
	f.Fuzz(func(t *testing.T, body []byte) {
		var payments list[paymentObject]
		if a := decoded(body, &payments); a != nil {
			cutGroups(a.rows, true, true)
			for i := range a.rows {
				units, err := o.payment(&a.rows[i])
				for j := range units {
					soundUnit(t, &units[j], err)
				}
			}
		}
		var transfers list[transferObject]
		if a := decoded(body, &transfers); a != nil {
			for i := range a.rows {
				u, err := o.transfer(&a.rows[i])
				soundUnit(t, &u, err)
			}
		}
		var entries list[entry]
		if a := decoded(body, &entries); a != nil {
			soundLedger(t, o, a.rows)
		}
	})
}

func decoded[T any](body []byte, l *list[T]) *answer[T] {
	if httpx.Decode(body, l) != nil {
		return nil
	}
	a, err := l.answer(0)
	if err != nil {
		return nil
	}
	return a
}

func soundUnit(t *testing.T, u *payment.Unit, err error) {
	t.Helper()
	if err != nil {
		return
	}
	if u.ID == "" || u.CreatedAt == 0 || u.Currency != brl || u.Asked.Minor < 0 || u.Captured.Minor < 0 || u.Captured.Minor > u.Asked.Minor {
		t.Errorf("%+v", u)
	}
	if u.Final && (u.State.Open() || u.State == payment.StateUnmapped) {
		t.Errorf("%s is final", u.State)
	}
}

func soundLedger(t *testing.T, o *owner, rows []entry) {
	t.Helper()
	var lines []payment.Line
	for i := range rows {
		l, err := o.line(&rows[i])
		if err != nil {
			return
		}
		if l.ID == "" || l.Day == 0 || l.Gross != l.Net || money.Magnitude(l.Gross) >= money.Limit || !l.DayOnly {
			t.Errorf("%+v", l)
		}
		lines = append(lines, l)
	}
	opening, closing := chain(rows, lines)
	sum := opening.Minor
	for i := range lines {
		sum += lines[i].Net
	}
	if opening.Known != closing.Known || opening.Known && sum != closing.Minor {
		t.Errorf("from %v to %v, the lines give %d", opening, closing, sum)
	}
}
