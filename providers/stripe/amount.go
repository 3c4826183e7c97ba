package stripe

import (
	"fmt"
	"strings"

	"desfecho/internal/money"
)

// exponents are the decimals in which Stripe counts a currency, where they are
// not those of ISO 4217.
type exponents map[money.Currency]int

// ownExponents are Stripe's exceptions: it counts ISK and UGX in hundredths,
// which both no longer have, and MGA in whole ariary, which has fifths. HUF and
// TWD are hundredths as in ISO 4217. Its three-decimal currencies (BHD, JOD,
// KWD, OMR, TND) are ISO's, with a last digit of 0.
func ownExponents() exponents {
	return exponents{money.MustCurrency("ISK"): 2, money.MustCurrency("UGX"): 2, money.MustCurrency("MGA"): 0}
}

// unsure lists the currencies with unusual decimals of which Stripe says
// nothing: their amounts are not read until a configuration says how.
const unsure = "IQD LYD UYI CLF UYW"

// minor turns an amount of Stripe's units into ISO 4217 minor units.
func (e exponents) minor(amount int64, code string) (int64, money.Currency, error) {
	currency, err := money.ParseCurrency(code)
	if err != nil {
		return 0, currency, err
	}
	own, told := e[currency]
	if !told {
		own = currency.Exponent()
		if strings.Contains(unsure, currency.String()) {
			return 0, currency, fmt.Errorf("amount in %s: it is not known in which unit Stripe counts it", currency)
		}
	}
	minor := amount
	for ; own > currency.Exponent(); own-- {
		if minor%10 != 0 {
			return 0, currency, fmt.Errorf("amount %d %s is no whole number of its minor unit", amount, currency)
		}
		minor /= 10
	}
	for ; own < currency.Exponent() && money.Magnitude(minor) < money.Limit; own++ {
		minor *= 10
	}
	if money.Magnitude(minor) >= money.Limit {
		return 0, currency, fmt.Errorf("amount %d %s: %w", amount, currency, money.TooLarge())
	}
	return minor, currency, nil
}
