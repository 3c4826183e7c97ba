// Package money holds amounts as whole minor units of one ISO 4217 currency.
//
// It adds and compares with overflow checks and prints exactly. It never uses
// floating point, never converts one currency into another and never guesses
// a currency or an exponent it does not know.
package money

import (
	"fmt"
	"strings"
)

// Currency is an ISO 4217 alphabetic code, upper case. The zero value is "no
// currency stated"; it equals no real currency.
type Currency [3]byte

// exponents lists the active codes of ISO 4217 by their number of decimals.
// Providers that count otherwise (Stripe's ISK, UGX, MGA) convert in their own
// adapter.
var exponents = map[int]string{
	0: `BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF`,
	2: `AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BOV BRL BSD BTN BWP BYN BZD
CAD CDF CHE CHF CHW CNY COP COU CRC CUC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP
GMD GTQ GYD HKD HNL HRK HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL
MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR
RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SLL SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD
TZS UAH USD USN UYU UZS VED VES WST XCD YER ZAR ZMW ZWG ZWL`,
	3: `BHD IQD JOD KWD LYD OMR TND`,
	4: `CLF UYW`,
}

var exponentOf = func() map[Currency]int {
	m := map[Currency]int{}
	for exponent, codes := range exponents {
		for code := range strings.FieldsSeq(codes) {
			m[Currency([]byte(code))] = exponent
		}
	}
	return m
}()

// Codes lists the codes of the currencies with so many decimals.
func Codes(exponent int) []string { return strings.Fields(exponents[exponent]) }

// ParseCurrency reads an ISO 4217 code in any case. An unknown code is an
// error: amounts of it cannot be represented.
func ParseCurrency(code string) (Currency, error) {
	upper := strings.ToUpper(strings.TrimSpace(code))
	if len(upper) == 3 {
		c := Currency([]byte(upper))
		if _, ok := exponentOf[c]; ok {
			return c, nil
		}
	}
	return Currency{}, fmt.Errorf("unknown currency %q: want an ISO 4217 code such as BRL", code)
}

// MustCurrency is ParseCurrency for codes written in the program itself.
func MustCurrency(code string) Currency {
	c, err := ParseCurrency(code)
	if err != nil {
		panic(err)
	}
	return c
}

// Exponent is the number of decimals of the currency's minor unit: 2 for BRL,
// 0 for JPY, 3 for KWD. It is 0 for the zero Currency.
func (c Currency) Exponent() int { return exponentOf[c] }

// IsZero tells whether no currency is stated.
func (c Currency) IsZero() bool { return c == Currency{} }

func (c Currency) String() string {
	if c.IsZero() {
		return ""
	}
	return string(c[:])
}

// MarshalText gives the code, so that JSON and map keys read "BRL".
func (c Currency) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText reads what MarshalText wrote; an empty text is the zero Currency.
func (c *Currency) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*c = Currency{}
		return nil
	}
	parsed, err := ParseCurrency(string(text))
	if err != nil {
		return err
	}
	*c = parsed
	return nil
}
