package stripe

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"desfecho/internal/payment"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestRowsOfTheLedgerAreLines compares every row of testdata/ledger with the
// lines and units beside it.
func TestRowsOfTheLedgerAreLines(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/ledger/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			want, err := os.ReadFile(strings.TrimSuffix(file, ".json") + ".txt")
			if err != nil {
				t.Fatal(err)
			}
			var got strings.Builder
			for _, row := range read[list[entry]](t, string(text)).Data {
				line, units, err := testAccount().booked(&row)
				if err != nil {
					got.WriteString("error: " + err.Error() + "\n")
					continue
				}
				got.WriteString(writtenLine(line) + "\n")
				for _, u := range units {
					got.WriteString("    " + writtenUnit(u) + "\n")
				}
			}
			if *update {
				if err := os.WriteFile(strings.TrimSuffix(file, ".json")+".txt", []byte(got.String()), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(string(want), got.String()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestNoCentOfARowIsLost: gross, net and the whole of fee and tax are what
// Stripe states, whatever the fee details say.
func TestNoCentOfARowIsLost(t *testing.T) {
	t.Parallel()
	amount := rapid.Int64Range(-1e12, 1e12)
	rapid.Check(t, func(t *rapid.T) {
		gross, fee := amount.Draw(t, "gross"), amount.Draw(t, "fee")
		net := gross - fee
		row := entry{object: object{ID: "txn_1", Created: 1, Currency: "usd", Amount: &gross, Category: "charge", Type: "charge"}, Fee: &fee, Net: &net}
		row.FeeDetails = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) feeDetail {
			return feeDetail{
				Type:   rapid.SampledFrom([]string{"stripe_fee", "tax", "withheld_tax", "application_fee", "payment_method_passthrough_fee", "new"}).Draw(t, "type"),
				Amount: amount.Draw(t, "amount"), Currency: rapid.SampledFrom([]string{"usd", "eur", "?"}).Draw(t, "currency"),
			}
		}), 0, 3).Draw(t, "details")
		l, _, err := testAccount().booked(&row)
		if err != nil {
			t.Fatal(err)
		}
		if l.Gross != gross || l.Fee+l.Tax != fee || l.Net != net || l.Net != l.Gross-l.Fee-l.Tax {
			t.Fatalf("gross %d fee %d net %d became %d − %d − %d = %d", gross, fee, net, l.Gross, l.Fee, l.Tax, l.Net)
		}
	})
}

func TestARowWithoutItsAmountsIsNoRow(t *testing.T) {
	t.Parallel()
	for _, fields := range []string{
		`"fee":0,"net":1,"currency":"usd","created":1`, `"amount":1,"net":1,"currency":"usd","created":1`,
		`"amount":1,"fee":0,"currency":"usd","created":1`, `"amount":1,"fee":0,"net":1,"created":1`,
		`"amount":1,"fee":0,"net":1,"currency":"usd"`, `"amount":1,"fee":null,"net":1,"currency":"usd","created":1`,
		`"amount":1,"fee":0,"net":1,"currency":"isk","created":1`,
	} {
		row := read[entry](t, `{"id":"txn_1","object":"balance_transaction","type":"charge","reporting_category":"charge",`+fields+`}`)
		if line, _, err := testAccount().booked(row); err == nil || !strings.Contains(err.Error(), `"txn_1"`) {
			t.Errorf("{%s} became %s, %v", fields, writtenLine(line), err)
		}
	}
}

func TestTheDayIsTheAccountsOwn(t *testing.T) {
	t.Parallel()
	zone, err := time.LoadLocation("America/Sao_Paulo")
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, time.November, 30, 1, 0, 0, 0, time.UTC)
	one, none := int64(100), int64(0)
	row := entry{object: object{ID: "txn_1", Created: at.Unix(), Currency: "brl", Amount: &one}, Fee: &none, Net: &one}
	a := testAccount()
	a.zone = zone
	l, _, err := a.booked(&row)
	if err != nil || l.Day != payment.DayOfDate(2026, time.November, 29) {
		t.Errorf("day %s, %v", l.Day, err)
	}
}
