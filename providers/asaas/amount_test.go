package asaas

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"desfecho/internal/money"
	"desfecho/internal/payment"
)

func TestAmountsAreReadFromTheirDigits(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{
		"129.9": 12990, "129.90": 12990, "129.900": 12990, "150": 15000, "150.0": 15000, "0": 0, "0.00": 0, "-0.0": 0,
		"-1.99": -199, "0.07": 7, "1.0E7": 1_000_000_000, "1.23456789E7": 1_234_567_890, "1e-2": 1, "-5E-2": -5, "12e0": 1200,
		"9999999999999.99": 999_999_999_999_999, "0.1e1": 100,
	} {
		if got, err := minorOf(json.Number(text)); err != nil || got != want {
			t.Errorf("minorOf(%s) = %d, %v; want %d", text, got, err, want)
		}
	}
}

func TestAnAmountThatIsNoneIsRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "1.999", "1e-3", "1e400", "1e-400", "1e99999999999999999999", "NaN", "0x10", "1,50", "R", "e5", "-", "10000000000000.00",
		"99999999999999999999999", "1.0E20", "0.30000000000000004",
	} {
		if got, err := minorOf(json.Number(text)); err == nil {
			t.Errorf("minorOf(%q) = %d, want an error", text, got)
		}
	}
	if _, err := unsigned("-1"); err == nil {
		t.Error("an amount of an object is below zero and was taken")
	}
}

// TestWritingAnAmountInAnyFormChangesNothing: trailing zeros and exponents are
// ways of writing the same centavos.
func TestWritingAnAmountInAnyFormChangesNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		minor := rapid.Int64Range(-money.Limit+1, money.Limit-1).Draw(t, "minor")
		shift := rapid.IntRange(-6, 6).Draw(t, "shift")
		plain := money.Amount{Minor: minor, Currency: brl}.Decimal()
		digits, negative := strings.CutPrefix(plain, "-")
		whole, fraction, _ := strings.Cut(digits, ".")
		all := strings.Repeat("0", 8) + whole + fraction + strings.Repeat("0", 8)
		point := 8 + len(whole) - shift
		text := fmt.Sprintf("%s.%sE%d", strings.TrimLeft(all[:point-1], "0")+all[point-1:point], all[point:], shift)
		if negative {
			text = "-" + text
		}
		got, err := minorOf(json.Number(text))
		if err != nil || got != minor {
			t.Fatalf("minorOf(%s) = %d, %v; want %d", text, got, err, minor)
		}
	})
}

func TestDatesAreDaysInSaoPaulo(t *testing.T) {
	t.Parallel()
	zone := saoPaulo(t)
	at, precision, err := momentOf("2026-05-04", zone)
	if want := time.Date(2026, 5, 4, 3, 0, 0, 0, time.UTC); err != nil || at != payment.InstantOf(want) || precision != 24*time.Hour {
		t.Errorf("a date is %s ± %s, %v; want %s ± 24h", at, precision, err, want)
	}
	at, precision, err = momentOf("2026-05-06 10:12:13", zone)
	if want := time.Date(2026, 5, 6, 13, 12, 13, 0, time.UTC); err != nil || at != payment.InstantOf(want) || precision != time.Second {
		t.Errorf("a date with a time is %s ± %s, %v; want %s ± 1s", at, precision, err, want)
	}
	for _, text := range []string{"", "04/05/2026", "2026-13-01", "2026-02-30", "2026-5-4", "1970-01-01", "2026-05-04T00:00:00Z", "now"} {
		if at, _, err := momentOf(text, zone); err == nil {
			t.Errorf("momentOf(%q) = %s, want an error", text, at)
		}
	}
}

func saoPaulo(t testing.TB) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation("America/Sao_Paulo")
	if err != nil {
		t.Fatal(err)
	}
	return zone
}
