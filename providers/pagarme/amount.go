package pagarme

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"desfecho/internal/money"
	"desfecho/internal/payment"
)

var brl = money.MustCurrency("BRL")

// minorOf reads centavos, which come as numbers or as texts that hold one.
func minorOf(n json.Number) (int64, error) {
	v, err := strconv.ParseInt(n.String(), 10, 64)
	switch {
	case err != nil:
		return 0, fmt.Errorf("%q is no whole number of centavos", n.String())
	case v >= money.Limit || v <= -money.Limit:
		return 0, money.TooLarge()
	}
	return v, nil
}

// orZero reads an amount that may be left out.
func orZero(n json.Number) (int64, error) {
	if n == "" {
		return 0, nil
	}
	return minorOf(n)
}

// unsigned reads an amount that cannot be below zero.
func unsigned(n json.Number) (int64, error) {
	v, err := minorOf(n)
	if err == nil && v < 0 {
		err = fmt.Errorf("%d is below zero", v)
	}
	return v, err
}

// momentOf reads a time with its zone.
func momentOf(text string) (payment.Instant, error) {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil || t.Unix() <= 0 || t.Year() > 9999 {
		return 0, fmt.Errorf("%q is no time with a zone", text)
	}
	return payment.InstantOf(t), nil
}
