package money

import "strings"

// symbol is a currency's sign and all that it may stand for.
type symbol struct {
	text       string
	currencies []Currency
}

// symbols, longer ones before those they end with.
var symbols = []symbol{
	sign("US$", "USD"), sign("R$", "BRL"), sign("CA$", "CAD"), sign("C$", "CAD NIO"), sign("AU$", "AUD"),
	sign("A$", "AUD"), sign("NZ$", "NZD"), sign("HK$", "HKD"), sign("S$", "SGD"), sign("MX$", "MXN"),
	sign("NT$", "TWD"), sign("$U", "UYU"), sign("RD$", "DOP"),
	sign("$", "USD CAD AUD NZD SGD HKD TWD MXN ARS CLP COP UYU DOP CUP BBD BMD BSD BZD XCD FJD GYD JMD KYD LRD NAD SBD SRD TTD BND"),
	sign("€", "EUR"), sign("£", "GBP EGP FKP GIP SHP LBP SYP SSP"), sign("¥", "JPY CNY"), sign("₦", "NGN"),
	sign("₹", "INR"), sign("₩", "KRW KPW"), sign("₺", "TRY"), sign("₴", "UAH"), sign("₽", "RUB"), sign("₪", "ILS"),
	sign("₫", "VND"), sign("฿", "THB"), sign("₱", "PHP CUP"), sign("₲", "PYG"), sign("₡", "CRC"), sign("₵", "GHS"),
	sign("₸", "KZT"), sign("zł", "PLN"), sign("Kč", "CZK"), sign("S/.", "PEN"), sign("S/", "PEN"),
	sign("Bs", "BOB VES"), sign("Gs", "PYG"), sign("kr", "SEK NOK DKK ISK"), sign("Ft", "HUF"),
}

func sign(text, codes string) symbol {
	var s symbol
	s.text = text
	for code := range strings.FieldsSeq(codes) {
		s.currencies = append(s.currencies, MustCurrency(code))
	}
	return s
}
