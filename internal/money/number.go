package money

import (
	"fmt"
	"strings"
)

// number is an unsigned number's text, cut at its marks.
type number struct {
	body   string
	dots   int
	commas int
	other  byte // group mark that is neither, 0 where there is none
}

// split finds the marks of a text of digits.
func split(body string) (number, *TextError) {
	n := number{body: body}
	digits := 0
	for i := range len(body) {
		switch b := body[i]; {
		case b >= '0' && b <= '9':
			digits++
		case b == '.':
			n.dots++
		case b == ',':
			n.commas++
		case (b == ' ' || b == '\'') && (n.other == 0 || n.other == b) && n.dots+n.commas == 0:
			n.other = b
		default:
			return n, stray(body)
		}
	}
	if digits == 0 {
		return n, &TextError{Problem: "no digits"}
	}
	return n, nil
}

// read gives the digits before and after the decimal mark, in a column of
// that mark; 0 where it is not known.
func (n number) read(mark Mark) (whole, fraction string, problem *TextError) {
	dot, comma := n.as('.'), n.as(',')
	switch {
	case mark == '.' && dot.ok:
		return dot.whole, dot.fraction, nil
	case mark == ',' && comma.ok:
		return comma.whole, comma.fraction, nil
	case !dot.ok && !comma.ok:
		return "", "", &TextError{"its marks fit no style of writing numbers", "is it the right column?"}
	case mark != 0:
		return "", "", &TextError{
			fmt.Sprintf("does not fit a column whose decimal mark is %q", rune(mark)),
			"if that is not the column's mark, say which it is in the profile (amounts: mark)",
		}
	case dot.ok && comma.ok && (dot.whole != comma.whole || dot.fraction != comma.fraction):
		return "", "", &TextError{
			fmt.Sprintf("ambiguous: %s or %s", dot, comma),
			"say which mark the column has in the profile: amounts: {mark: \",\"} or amounts: {mark: \".\"}",
		}
	case dot.ok:
		return dot.whole, dot.fraction, nil
	}
	return comma.whole, comma.fraction, nil
}

// proves is the mark of the only style that reads the number.
func (n number) proves() (Mark, bool) {
	dot, comma := n.as('.'), n.as(',')
	switch {
	case dot.ok && comma.ok:
		return 0, true
	case dot.ok:
		return '.', true
	case comma.ok:
		return ',', true
	}
	return 0, false
}

// reading is a number in one style.
type reading struct {
	whole, fraction string
	ok              bool
}

func (r reading) String() string {
	if r.fraction == "" {
		return r.whole
	}
	return r.whole + "." + r.fraction
}

// as reads the number with mark as the decimal mark and the other one, or
// blank or apostrophe, between groups of three digits.
func (n number) as(mark byte) reading {
	marks, group := n.dots, byte(',')
	if mark == ',' {
		marks, group = n.commas, '.'
	}
	if marks > 1 {
		return reading{}
	}
	if n.other != 0 {
		if n.dots+n.commas > marks {
			return reading{}
		}
		group = n.other
	}
	whole, fraction, _ := strings.Cut(n.body, string(mark))
	if strings.IndexByte(fraction, group) >= 0 {
		return reading{}
	}
	whole, ok := ungroup(whole, group)
	return reading{whole, fraction, ok}
}

// ungroup takes the group marks out, if the groups are those of thousands.
func ungroup(whole string, group byte) (string, bool) {
	if strings.IndexByte(whole, group) < 0 {
		return whole, true
	}
	groups := strings.Split(whole, string(group))
	if len(groups[0]) == 0 || len(groups[0]) > 3 || groups[0][0] == '0' {
		return "", false
	}
	for _, g := range groups[1:] {
		if len(g) != 3 {
			return "", false
		}
	}
	return strings.Join(groups, ""), true
}
