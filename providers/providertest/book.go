package providertest

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"desfecho/internal/payment"
)

// Row is an object as a provider's API sends it.
type Row = map[string]any

// Object reads a row; a text that is none is a mistake of the test's own.
func Object(text string) Row {
	var row Row
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&row); err != nil {
		panic(err.Error() + ": " + text)
	}
	return row
}

// Book is what a provider has: rows by the name of their list. Its methods
// filter, page and tell of them as the API of each provider does.
type Book struct {
	Lists map[string][]Row
	Page  int // rows of a page at most, however many are asked for
}

// fit are the rows of a list that pass.
func (b *Book) fit(list string, passes func(Row) bool) []Row {
	return slices.DeleteFunc(append([]Row{}, b.Lists[list]...), func(row Row) bool { return !passes(row) })
}

// find is the row of a list with a value in a field; nil: there is none.
func (b *Book) find(list, field, value string) Row {
	i := slices.IndexFunc(b.Lists[list], func(row Row) bool { return row[field] == value })
	if i < 0 {
		return nil
	}
	return b.Lists[list][i]
}

// cut is a page of rows, and whether more follow.
func (b *Book) cut(rows []Row, from, size int) (page []Row, more bool) {
	from = min(from, len(rows))
	to := min(from+min(size, b.Page), len(rows))
	return rows[from:to], to < len(rows)
}

// Say answers with a status and a body, where there is one.
func Say(w http.ResponseWriter, status int, body any) {
	if body != nil {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
	}
	w.WriteHeader(status)
	if body != nil {
		_ = json.NewEncoder(w).Encode(body)
	}
}

// At is the instant of an RFC 3339 text of the test's own, or of a request.
func At(text string) payment.Instant {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		panic(err)
	}
	return payment.InstantOf(t)
}

// during tells whether a row's own time lies between two instants, ends and all.
// One that is no time lies everywhere: what a provider writes there is what the
// reader is to be shown.
func during(text string, from, to payment.Instant) bool {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return true
	}
	at := payment.InstantOf(t)
	return at >= from && (to == 0 || at <= to)
}

func number(text string) int {
	n, _ := strconv.Atoi(text)
	return n
}
