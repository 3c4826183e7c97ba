package providertest

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Stripe is a book that answers as Stripe does: lists by path, newest first,
// with ids expanded where that is asked for; searches.
type Stripe struct {
	Book
	Members map[string][]string // transactions by payout
	Lags    bool                // searches find nothing yet
	// Wrong is told of what Stripe would not know. Expands tells whether a
	// field of a kind of object can be expanded.
	Wrong   func(format string, arguments ...any)
	Expands func(kind, field string) bool
}

var inStripe = regexp.MustCompile(`^(/v1/[a-z_]+)/([^/]+)$`)

// Answer answers one request.
func (s *Stripe) Answer(path string, q url.Values) (status int, body any) {
	searching, search := strings.CutSuffix(path, "/search")
	switch {
	case path == "/v1/account" || path == "/v1/balance":
		return http.StatusOK, s.Lists[path][0]
	case search:
		return http.StatusOK, s.search(searching, q)
	case s.Lists[path] != nil:
		return s.list(path, q)
	}
	if m := inStripe.FindStringSubmatch(path); m != nil {
		if o := s.find(m[1], "id", m[2]); o != nil {
			return http.StatusOK, s.expanded(o, q["expand[]"], "")
		}
	}
	return stripeError(http.StatusNotFound, Row{"type": "invalid_request_error", "code": "resource_missing", "param": "id", "message": "No such object: '" + path + "'"})
}

func stripeError(status int, fields Row) (int, any) { return status, Row{"error": fields} }

func (s *Stripe) list(path string, q url.Values) (status int, body any) {
	all := s.fit(path, func(o Row) bool { return s.within(o, q) })
	slices.SortStableFunc(all, func(a, b Row) int { return int(whole(b["created"]) - whole(a["created"])) })
	if after := q.Get("starting_after"); after != "" {
		i := slices.IndexFunc(all, func(o Row) bool { return o["id"] == after })
		if i < 0 {
			return stripeError(http.StatusBadRequest, Row{"type": "invalid_request_error", "code": "resource_missing", "param": "starting_after", "message": "No such object"})
		}
		all = all[i+1:]
	}
	return http.StatusOK, s.paged(all, "list", path, q)
}

func (s *Stripe) paged(all []Row, kind, path string, q url.Values) Row {
	page, more := s.cut(all, 0, number(q.Get("limit")))
	data := make([]Row, 0, len(page))
	for _, o := range page {
		data = append(data, s.expanded(o, q["expand[]"], "data."))
	}
	return Row{"object": kind, "url": path, "has_more": more, "data": data}
}

// within applies the filters that Stripe has.
func (s *Stripe) within(o Row, q url.Values) bool {
	for name, values := range q {
		v := values[0]
		n, _ := strconv.ParseInt(v, 10, 64)
		fits := true
		switch name {
		case "created[gte]":
			fits = whole(o["created"]) >= n
		case "created[lt]":
			fits = whole(o["created"]) < n
		case "charge", "payment_intent":
			fits = o[name] == v
		case "payout":
			fits = slices.Contains(s.Members[v], o["id"].(string))
		case "types[]":
			fits = slices.Contains(values, o["type"].(string))
		case "limit", "starting_after", "expand[]":
		default:
			s.Wrong("there is no filter %q", name)
		}
		if !fits {
			return false
		}
	}
	return true
}

var searched = regexp.MustCompile(`^metadata\['((?:[^'\\]|\\.)*)'\]:'((?:[^'\\]|\\.)*)'$`)

// search compares as Stripe does: without regard to case.
func (s *Stripe) search(path string, q url.Values) Row {
	m := searched.FindStringSubmatch(q.Get("query"))
	if m == nil {
		s.Wrong("query %q", q.Get("query"))
		return Row{}
	}
	plain := strings.NewReplacer(`\\`, `\`, `\'`, `'`, `\"`, `"`)
	all := s.fit(path, func(o Row) bool {
		metadata, _ := o["metadata"].(Row)
		value, _ := metadata[plain.Replace(m[1])].(string)
		return !s.Lags && strings.EqualFold(value, plain.Replace(m[2]))
	})
	out := s.paged(all, "search_result", path+"/search", q)
	out["next_page"] = nil
	return out
}

// expanded replaces ids by the objects they name, along the paths that are
// asked for.
func (s *Stripe) expanded(o Row, paths []string, prefix string) Row {
	out := maps.Clone(o)
	for _, path := range paths {
		rest, ok := strings.CutPrefix(path, prefix)
		if !ok {
			s.Wrong("expand %q of a list", path)
			continue
		}
		field, deeper, more := strings.Cut(rest, ".")
		kind, _ := o["object"].(string)
		if s.Expands != nil && !s.Expands(kind, field) {
			s.Wrong("%s has no field %q to expand", kind, field)
		}
		id, ok := o[field].(string)
		if !ok {
			continue
		}
		for list := range s.Lists {
			full := s.find(list, "id", id)
			if full == nil {
				continue
			}
			if more {
				full = s.expanded(full, []string{deeper}, "")
			}
			out[field] = full
		}
	}
	return out
}

func whole(v any) int64 {
	n, _ := v.(json.Number)
	i, _ := n.Int64()
	return i
}
