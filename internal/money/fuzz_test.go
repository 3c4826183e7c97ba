package money

import "testing"

// FuzzAmount holds the laws of reading amounts on any text: no panic; what is
// read prints to a text that reads the same; what is read without knowing the
// mark is what one of the two marks gives.
func FuzzAmount(f *testing.F) {
	for _, cell := range []string{"1.234,56", "R$ -1.500", "(1,00)", "1E+15", "1'234.50 CHF", "5,00 D", "\u2212.5", "１２", "1 234,5-"} {
		f.Add(cell, uint8(0))
		f.Add(cell, uint8(1))
	}
	codes := []string{"BRL", "JPY", "KWD", "CLF"}
	f.Fuzz(func(t *testing.T, cell string, pick uint8) {
		c := MustCurrency(codes[int(pick)%len(codes)])
		proven, observeErr := ObserveMark(cell)
		dot, _, dotErr := ParseText(cell, '.', c)
		comma, _, commaErr := ParseText(cell, ',', c)
		none, _, noneErr := ParseText(cell, 0, c)
		if noneErr == nil && (dotErr != nil || dot != none) && (commaErr != nil || comma != none) {
			t.Errorf("%q without mark is %d, with marks %d and %d", cell, none, dot, comma)
		}
		if proven == '.' && commaErr == nil || proven == ',' && dotErr == nil {
			t.Errorf("%q proves %q, but reads in the other style", cell, proven)
		}
		if observeErr != nil && (dotErr == nil || commaErr == nil) {
			t.Errorf("%q is an amount, but Observe says %v", cell, observeErr)
		}
		for mark, minor := range map[Mark]int64{'.': dot, ',': comma} {
			printed := Amount{minor, c}.Localized("", string(rune(mark)))
			if again, _, err := ParseText(printed, mark, c); err != nil || again != minor {
				t.Errorf("%q prints %q, which reads as %d, %v", cell, printed, again, err)
			}
		}
		if minor, err := ParseMinor(cell); err == nil {
			if again, _, err := ParseText(cell, 0, MustCurrency("JPY")); err != nil || again != minor {
				t.Errorf("%q is %d minor units, but %d yen, %v", cell, minor, again, err)
			}
		}
	})
}
