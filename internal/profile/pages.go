package profile

import (
	"fmt"
	"strconv"

	"desfecho/internal/tabular"
)

// PageKeys name what each page of a JSON file says of the list that it is a
// part of, as dot paths from the top of the page; "": it does not say it.
type PageKeys struct {
	More  string // whether more pages follow: false, 0 or nothing on the last
	Total string // how many rows all pages of the list have
}

// End is what the pages of a JSON file say of its end. The zero value says
// nothing: a CSV file cannot, nor can a page without these keys.
type End struct {
	Reached bool   // each list's last page says so, and the list has as many rows as it says
	Lists   int    // lists in the file, one after the other
	Missing string // what shows that rows are missing or may be; "" where nothing does
}

// listing follows the pages of a file.
type listing struct {
	keys   PageKeys
	pages  int // of the list that is being read
	rows   int
	total  string // what its pages count, "" where none does
	more   string // what its last page says, "" where none follows
	line   int    // of its last page
	lists  int
	unsaid bool // a page said nothing of its place
	fault  string
}

func (l *listing) take(p tabular.Page) {
	if l.keys == (PageKeys{}) {
		return
	}
	more, saysMore := p.Around.Field(l.keys.More)
	total, saysTotal := p.Around.Field(l.keys.Total)
	l.unsaid = l.unsaid || !saysMore || !saysTotal
	if saysTotal && l.total != "" && total != l.total {
		l.fail(fmt.Sprintf("%s is %s, and %s on the page of line %d: the list changed while it was read", l.keys.Total, shownValue(l.total), shownValue(total), p.Around.Line))
	}
	if saysTotal {
		l.total = total
	}
	l.pages++
	l.rows += p.Rows
	l.line, l.more = p.Around.Line, more
	if more == "false" || more == "0" {
		l.more = ""
	}
	if saysMore && l.more == "" {
		l.close()
	}
}

// close ends a list; another may follow.
func (l *listing) close() {
	if l.total != "" && l.total != strconv.Itoa(l.rows) {
		l.fail(fmt.Sprintf("%s is %s, and the pages up to line %d have %d rows", l.keys.Total, shownValue(l.total), l.line, l.rows))
	}
	l.lists++
	l.pages, l.rows, l.total, l.more = 0, 0, "", ""
}

func (l *listing) fail(problem string) {
	if l.fault == "" {
		l.fault = problem
	}
}

// end is what all pages together say.
func (l *listing) end() End {
	if l.more != "" {
		l.fail(fmt.Sprintf("the last page, of line %d, says %s: %s", l.line, l.keys.More, shownValue(l.more)))
	} else if l.pages > 0 {
		l.close()
	}
	return End{Reached: l.fault == "" && l.lists > 0 && !l.unsaid, Lists: l.lists, Missing: l.fault}
}

// shownValue shows a value of a file in a message.
func shownValue(text string) string {
	if _, err := strconv.Atoi(text); err == nil || text == "true" {
		return text
	}
	return fmt.Sprintf("%.40q", text)
}

// page takes what a page says. The first pages may be read before it is known
// by which profile.
func (s *Source) page(p tabular.Page) {
	if s.binding == nil {
		s.early = append(s.early, p)
		return
	}
	s.listing.take(p)
}

// follow begins to follow the pages, with those that were read already.
func (s *Source) follow() {
	s.listing = listing{keys: s.binding.Profile.Pages}
	for _, p := range s.early {
		s.listing.take(p)
	}
	s.early = nil
}

// End is what the file's pages say of its end, after Each.
func (s *Source) End() End {
	pages := s.listing
	return pages.end()
}

// NotWhole is the error of a period that was claimed for a file whose own
// pages say that rows are missing. It is a *UsageError.
func NotWhole(file, flag string, end End) error {
	return &UsageError{
		Problem: fmt.Sprintf("%s: %s: the file is not whole, and %s says that it is", file, end.Missing, flag),
		Advice:  "fetch all pages of the list anew, into one file; without " + flag + " the file is read, and covers nothing",
	}
}
