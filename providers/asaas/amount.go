package asaas

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"desfecho/internal/money"
	"desfecho/internal/payment"
)

// brl is the only currency of the API.
var brl = money.MustCurrency("BRL")

var errNoAmount = errors.New("no amount")

// minorOf reads reais with decimals into centavos, from the digits as they
// were sent.
func minorOf(n json.Number) (int64, error) {
	plain, err := plainNumber(n.String())
	if err != nil {
		return 0, err
	}
	minor, _, err := money.ParseText(plain, '.', brl)
	if err != nil {
		return 0, fmt.Errorf("amount %q: %w", n, err)
	}
	return minor, nil
}

// unsigned is minorOf of an amount that says how much, not which way.
func unsigned(n json.Number) (int64, error) {
	minor, err := minorOf(n)
	if err == nil && minor < 0 {
		return 0, fmt.Errorf("amount %q: below zero", n)
	}
	return minor, err
}

// plainNumber writes a JSON number without exponent: servers that hold amounts
// as doubles send 1.0E7. It moves the point and rounds nothing.
func plainNumber(n string) (string, error) {
	if n == "" {
		return "", errNoAmount
	}
	mantissa, power, scientific := strings.Cut(strings.ToLower(n), "e")
	if !scientific {
		return n, nil
	}
	shift, err := strconv.Atoi(power)
	if err != nil || shift < -20 || shift > 20 {
		return "", fmt.Errorf("amount %q: out of range", n)
	}
	digits, negative := strings.CutPrefix(mantissa, "-")
	whole, fraction, _ := strings.Cut(digits, ".")
	if whole == "" {
		return "", fmt.Errorf("amount %q: not a number", n)
	}
	point := len(whole) + shift
	all := strings.Repeat("0", max(0, 1-point)) + whole + fraction
	point = max(1, point)
	all += strings.Repeat("0", max(0, point-len(all)))
	plain := all[:point]
	if point < len(all) {
		plain += "." + all[point:]
	}
	if negative {
		plain = "-" + plain
	}
	return plain, nil
}

// wholeDay is how much a date without time leaves open.
const wholeDay = 24 * time.Hour

// dayOf reads a date without time, a calendar day in São Paulo.
func dayOf(text string) (payment.Day, error) {
	t, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return 0, fmt.Errorf("date %q: want YYYY-MM-DD", text)
	}
	day := payment.DayOfDate(t.Date())
	if day == 0 {
		return 0, fmt.Errorf("date %q: no payment is that old", text)
	}
	return day, nil
}

// momentOf reads a date, or a date with a time in São Paulo's clock; precision
// says how much it leaves open.
func momentOf(text string, zone *time.Location) (at payment.Instant, precision time.Duration, err error) {
	if t, err := time.ParseInLocation(time.DateTime, text, zone); err == nil {
		return payment.InstantOf(t), time.Second, nil
	}
	day, err := dayOf(text)
	if err != nil {
		return 0, 0, err
	}
	return day.Start(zone), wholeDay, nil
}
