package fakepsp

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

const maxPage = 100

// page is one page of a list, oldest first. Through is the instant before
// which nothing more will appear; Next is empty on the last page.
type page[T any] struct {
	Data    []T       `json:"data"`
	Next    string    `json:"next,omitempty"`
	Through time.Time `json:"through"`
	// Of the ledger: the balance before and after the whole window.
	Opening *int64 `json:"opening,omitempty"`
	Closing *int64 `json:"closing,omitempty"`
	Members string `json:"members,omitempty"` // all: a payout's rows are all told
}

// read answers a GET. Nothing changes.
func (p *Provider) read(path []string, query url.Values) reply {
	switch {
	case len(path) == 1 && path[0] == "account":
		return answer(http.StatusOK, map[string]string{"account": p.settings.Account, "mode": "live"})
	case len(path) == 1 && path[0] == "ledger":
		return p.ledger(query)
	case len(path) == 1 && path[0] == "objects" && query.Has("key"):
		return p.lookUp(ByKey, func(o *Object) bool { return o.Key == query.Get("key") })
	case len(path) == 1 && path[0] == "objects" && query.Has("reference"):
		return p.lookUp(ByReference, func(o *Object) bool { return o.Reference == query.Get("reference") })
	case len(path) == 1 && path[0] == "objects" && strings.HasPrefix(firstKey(query), "metadata."):
		name := strings.TrimPrefix(firstKey(query), "metadata.")
		return p.lookUp(ByReference, func(o *Object) bool { return o.Metadata[name] == query.Get("metadata."+name) })
	case len(path) == 1 && path[0] == "objects":
		return p.list(query)
	case len(path) == 2 && path[0] == "objects":
		o := p.object(path[1])
		if o == nil || !p.visible(o, ByID, p.at) {
			return failure(http.StatusNotFound, "no_such_object", path[1], nil)
		}
		return answer(http.StatusOK, o)
	default:
		return failure(http.StatusNotFound, "no_such_path", strings.Join(path, "/"), nil)
	}
}

func firstKey(query url.Values) string {
	for key := range query {
		if strings.HasPrefix(key, "metadata.") {
			return key
		}
	}
	return ""
}

// lookUp answers with every object that a view shows; none is an empty list,
// not a 404.
func (p *Provider) lookUp(v View, is func(*Object) bool) reply {
	out := page[*Object]{Data: []*Object{}, Through: p.at.Add(-p.settings.Delay[v])}
	for _, o := range p.s.Objects {
		if is(o) && p.visible(o, v, p.at) {
			out.Data = append(out.Data, o)
		}
	}
	return answer(http.StatusOK, out)
}

// window is what a list was asked for.
type window struct {
	from, to time.Time
	after    int // rows up to this number were given already
	limit    int
}

func windowOf(query url.Values) (w window, err error) {
	w.limit = maxPage
	if w.from, err = time.Parse(time.RFC3339Nano, query.Get("from")); err != nil {
		return w, fmt.Errorf("from: %w", err)
	}
	if w.to, err = time.Parse(time.RFC3339Nano, query.Get("to")); err != nil {
		return w, fmt.Errorf("to: %w", err)
	}
	if s := query.Get("limit"); s != "" {
		if w.limit, err = strconv.Atoi(s); err != nil || w.limit < 1 || w.limit > maxPage {
			return w, fmt.Errorf("limit: want 1 to %d, got %q", maxPage, s)
		}
	}
	if s := query.Get("cursor"); s != "" {
		if w.after, err = strconv.Atoi(strings.TrimPrefix(s, "c")); err != nil || !strings.HasPrefix(s, "c") {
			return w, fmt.Errorf("cursor: not one of ours: %q", s)
		}
	}
	return w, nil
}

// cut fills one page with the rows that the window shows; at tells a row's
// instant. Rows never change their place, so a cursor holds for ever.
func cut[T any](out *page[T], rows []T, w window, at func(T) time.Time) {
	out.Data = []T{}
	for i, row := range rows {
		when := at(row)
		if i < w.after || when.Before(w.from) || !when.Before(w.to) || !when.Before(out.Through) {
			continue
		}
		if len(out.Data) == w.limit {
			out.Next = fmt.Sprintf("c%d", i)
			return
		}
		out.Data = append(out.Data, row)
	}
}

func (p *Provider) list(query url.Values) reply {
	w, err := windowOf(query)
	if err != nil {
		return failure(http.StatusBadRequest, "invalid_window", err.Error(), nil)
	}
	out := page[*Object]{Through: p.at.Add(-p.settings.Delay[InList])}
	cut(&out, p.s.Objects, w, func(o *Object) time.Time { return o.CreatedAt })
	return answer(http.StatusOK, out)
}

func (p *Provider) ledger(query url.Values) reply {
	w, err := windowOf(query)
	if err != nil {
		return failure(http.StatusBadRequest, "invalid_window", err.Error(), nil)
	}
	out := page[Entry]{Through: p.at.Add(-p.settings.Delay[InLedger]), Members: "all"}
	cut(&out, p.s.Ledger, w, func(e Entry) time.Time { return e.At })
	var opening, closing int64
	for _, e := range p.s.Ledger {
		if e.At.Before(w.from) {
			opening = e.Balance
		}
		if e.At.Before(w.to) && e.At.Before(out.Through) {
			closing = e.Balance
		}
	}
	out.Opening, out.Closing = &opening, &closing
	return answer(http.StatusOK, out)
}
