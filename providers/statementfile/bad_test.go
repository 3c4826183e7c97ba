package statementfile

import (
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"desfecho/internal/payment"
	"desfecho/internal/profile"
	"desfecho/internal/tabular"
)

var utc = time.UTC

const (
	genericHeader = "line_id,provider_charge_id,reference,type,gross,fee,net,currency,status,occurred_at"
	genericRow    = "l1,p1,k1,charge,129.90,5.57,124.33,BRL,captured,2025-03-10T10:00:08Z\n"
)

type onlyReader struct{ r io.Reader }

func (o onlyReader) Read(p []byte) (int, error) { return o.r.Read(p) }

type badFile struct {
	text string
	o    Options
	want string // in the message
	line int    // of the fault, 0: not asked
}

// badFiles are files with one mistake each, by its name; good has none.
func badFiles(good string) map[string]badFile {
	return map[string]badFile{
		"missing column":      {text: strings.NewReplacer("reference,", "", "k1,", "").Replace(good), want: "no column reference"},
		"extra column":        {text: strings.NewReplacer("status", "status,refunded", "captured", "captured,0.00").Replace(good), want: "knows no such column", line: 1},
		"misspelt column":     {text: strings.Replace(good, "provider_charge_id", "provider_id", 1), want: "no column provider_charge_id"},
		"repeated column":     {text: withColumn(good, "gross", "1.00"), want: "columns 5 and 11 both have this heading", line: 1},
		"extra cell":          {text: good + "l2,p2,k2,charge,1,234.00,0,1234.00,BRL,captured,2025-03-10T10:00:08Z\n", want: "the row has 11 cells, the heading row 10", line: 3},
		"swapped cells":       {text: strings.Replace(good, "BRL,captured", "captured,BRL", 1), want: "unknown currency", line: 2},
		"swapped date":        {text: strings.Replace(good, "129.90", "2025-03-10", 1), want: "gross", line: 2},
		"quote never closed":  {text: good + "l2,\"p2,k2,charge\nl3,p3\n", want: "quote", line: 3},
		"NUL":                 {text: strings.Replace(good, "k1", "k\x001", 1), want: "NUL"},
		"ambiguous amount":    {text: strings.NewReplacer("129.90", "1.500", "5.57", "0", "124.33", "1.500").Replace(good), want: "gross \"1.500\": ambiguous", line: 2},
		"two marks":           {text: good + strings.NewReplacer("l1", "l2", "129.90", "\"129,90\"").Replace(genericRow), want: "line 2", line: 3},
		"too many decimals":   {text: strings.Replace(good, "129.90", "129.9055", 1), want: "more decimals", line: 2},
		"a formula's error":   {text: strings.Replace(good, "129.90", "#REF!", 1), want: "gross", line: 2},
		"overflow":            {text: strings.Replace(good, "129.90", "99999999999999999999.00", 1), want: "gross", line: 2},
		"ambiguous date":      {text: strings.Replace(good, "2025-03-10T10:00:08Z", "03/04/2025", 1), want: "ambiguous"},
		"no such day":         {text: strings.Replace(good, "2025-03-10T", "2025-02-30T", 1), want: "occurred_at"},
		"no date":             {text: strings.Replace(good, "2025-03-10T10:00:08Z", "", 1), want: "no date", line: 2},
		"no amount":           {text: strings.NewReplacer("129.90", "", "124.33", "").Replace(good), want: "no amount", line: 2},
		"unknown currency":    {text: strings.Replace(good, "BRL", "BRX", 1), want: "unknown currency", line: 2},
		"no currency":         {text: strings.Replace(good, "BRL", "", 1), want: "without currency", line: 2},
		"login page":          {text: "<!DOCTYPE html>\n<html><body>Please sign in</body></html>\n", want: "web page"},
		"old workbook":        {text: "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + strings.Repeat("\x00", 512), want: ".xls"},
		"empty file":          {text: "", want: "empty"},
		"another provider":    {text: withColumn(good, "provider", "acme"), o: Options{Provider: "stripe"}, want: `another provider than "stripe"`, line: 2},
		"two accounts":        {text: withColumn(good+strings.Replace(genericRow, "l1", "l2", 1), "account", "acct_1", "acct_2"), want: `"acct_2" here, "acct_1" on line 2`, line: 3},
		"two providers":       {text: withColumn(good+strings.Replace(genericRow, "l1", "l2", 1), "provider", "a", "b"), want: `"b" here, "a" on line 2`, line: 3},
		"a parcel beyond":     {text: withColumn(good, "installment", "4/3"), want: "not a parcel", line: 2},
		"neither live":        {text: withColumn(good, "mode", "staging"), want: "neither live nor test", line: 2},
		"inverted period":     {text: good, o: Options{Covers: &payment.Interval{From: 2, To: 1}}, want: "ends before it begins"},
		"empty period":        {text: good, o: Options{Covers: &payment.Interval{From: 2, To: 2}}, want: "is empty"},
		"future period":       {text: good, o: Options{Covers: &payment.Interval{From: 1, To: 9}, Now: 8}, want: "in the future"},
		"attempts, by detect": {text: "id,charge_id,idempotency_key,provider,status,provider_charge_id,amount_cents,currency,created_at\n1,c,k,p,pending,,1,BRL,2025-03-10T10:00:00Z\n", want: "no heading row"},
	}
}

// TestBadInputIsRefusedWhole: every listed bad input names what is wrong and
// where, and gives nothing of the file.
func TestBadInputIsRefusedWhole(t *testing.T) {
	t.Parallel()
	good := genericHeader + "\n" + genericRow
	for name, c := range badFiles(good) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, err := ReadFrom(t.Context(), strings.NewReader(c.text), c.o)
			if err == nil {
				t.Fatalf("read as %v", texts(f.Lines, lineText))
			}
			if f != nil {
				t.Error("something was returned with the error")
			}
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("message %q lacks %q", err, c.want)
			}
			fault, isFault := errors.AsType[*tabular.Error](err)
			_, isUsage := errors.AsType[*profile.UsageError](err)
			if !isFault && !isUsage {
				t.Errorf("%T is no usage error", err)
			}
			if c.line != 0 && (fault == nil || fault.Line != c.line) {
				t.Errorf("fault %+v, want line %d", fault, c.line)
			}
			if profile.HintOf(err) == "" {
				t.Errorf("no hint beside %q", err)
			}
		})
	}
}

// withColumn adds a column with the values row by row.
func withColumn(text, heading string, values ...string) string {
	rows := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	rows[0] += "," + heading
	for i := range rows[1:] {
		rows[i+1] += "," + values[i]
	}
	return strings.Join(rows, "\n") + "\n"
}

// TestARefusedFileCountsItsRows: rows in = movements + information + errors.
func TestARefusedFileCountsItsRows(t *testing.T) {
	t.Parallel()
	text := genericHeader + "\n" + genericRow + strings.Replace(genericRow, "BRL", "???", 1) + genericRow + strings.Replace(genericRow, "2025-03-10T10:00:08Z", "", 1)
	_, err := ReadFrom(t.Context(), strings.NewReader(text), Options{})
	refused, ok := errors.AsType[*profile.Refused](err)
	if !ok {
		t.Fatalf("%T: %v", err, err)
	}
	if want := (profile.Tally{Rows: 4, Movements: 2, Errors: 2}); refused.Tally != want {
		t.Errorf("tally %+v, want %+v", refused.Tally, want)
	}
	if refused.Errors[0].Line != 3 || refused.Errors[1].Line != 5 || !strings.Contains(err.Error(), "1 more") {
		t.Errorf("%v, %+v", err, refused.Errors)
	}
}

// TestStripeWithoutIdsSaysWhichColumnsToChoose: a report without a reference
// and without an object id cannot be matched to anything.
func TestStripeWithoutIdsSaysWhichColumnsToChoose(t *testing.T) {
	t.Parallel()
	header := "balance_transaction_id,created_utc,available_on_utc,currency,gross,fee,net,reporting_category,description\n"
	for name, p := range map[string]*profile.Profile{"detected": nil, "named": mustLoad(t, "stripe-balance")} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := ReadFrom(t.Context(), strings.NewReader(header), Options{Profile: p})
			if err == nil {
				t.Fatal("read")
			}
			hint := profile.HintOf(err)
			for _, column := range []string{"source_id", "charge_id", "payment_intent_id", "payment_metadata[KEY]"} {
				if !strings.Contains(hint, column) {
					t.Errorf("hint %q lacks %s", hint, column)
				}
			}
		})
	}
}

// TestAReportThatMayBeOfTwoKindsIsNotGuessed: the same columns come in the
// report of activity and in that of payouts, and cover other days.
func TestAReportThatMayBeOfTwoKindsIsNotGuessed(t *testing.T) {
	t.Parallel()
	f, err := Read(t.Context(), fixture("stripe-payout.csv"), Options{})
	if err == nil {
		t.Fatalf("read by %s", f.Profile.Name)
	}
	for _, name := range []string{"--profile stripe-balance", "--profile stripe-payout"} {
		if !strings.Contains(profile.HintOf(err), name) {
			t.Errorf("hint %q lacks %s", profile.HintOf(err), name)
		}
	}
}
