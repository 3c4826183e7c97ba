package profile

import (
	"context"
	"strings"
	"testing"

	"desfecho/internal/tabular"
)

// readBy reads a text by a profile, and gives the error with its hint.
func readBy(t *testing.T, text, yaml, kind string) (message, hint string) {
	t.Helper()
	var p *Profile
	if yaml != "" {
		var err error
		if p, err = Parse("own.yaml", []byte(yaml)); err != nil {
			t.Fatalf("%v (%s)", err, HintOf(err))
		}
	}
	s, err := NewSource(strings.NewReader(text), SourceOptions{Name: "f.csv", Kind: kind, Profile: p})
	if err != nil {
		t.Fatal(err)
	}
	field := "occurred_at"
	if kind == KindAttempts {
		field = "created_at"
	}
	var moment *DateColumn
	_, err = s.Each(context.Background(), func(b *Binding) error {
		moment = b.Date(field)
		return nil
	}, func(row tabular.Row) (bool, error) {
		_, _, err := moment.Read(row)
		if err != nil && !IsUnproven(err) {
			err = moment.cells.Fault("f.csv", row, err.Error(), HintOf(err))
		}
		return true, err
	})
	if err == nil {
		return "", ""
	}
	return err.Error(), HintOf(err)
}

const ownGeneric = "profile: ours\nextends: generic\ncolumns: {id: ref, unit: sale, type: what, gross: value, status: state, occurred_at: when}\n"

// TestAHintNamesTheKeysOfTheProfileInUse, not those of another: a user's own
// profile is mended where it is, and only a built-in one can be extended.
func TestAHintNamesTheKeysOfTheProfileInUse(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text, yaml string
		want, not  []string // in the hint
	}{
		"a heading of no list, own": {
			"ref,sale,reference,what,value,fee,net,currency,state,when,colour\n", ownGeneric,
			[]string{"add it to `ignore: [\"colour\"]` in own.yaml"},
			[]string{"extends"},
		},
		"a heading of no list, built in": {
			"line_id,provider_charge_id,reference,type,gross,fee,net,currency,status,occurred_at,colour\n", "",
			[]string{"`extends: generic` and `ignore: [\"colour\"]`"},
			[]string{"in own.yaml"},
		},
		"fees are rows of their own": {
			"ref,sale,reference,what,value,state,when\n", ownGeneric,
			[]string{"own.yaml requires the headings ref, sale, reference, what, value, fee, net, currency, state, when", "no column for fee, net, currency", "`required: [id, unit, reference, type, gross, status, occurred_at]`", "`amounts: {currency: BRL}`"},
			[]string{"line_id"},
		},
		"the currency is said": {
			"ref,sale,reference,what,value,fee,net,state,when\n", ownGeneric + "amounts: {currency: BRL}\n",
			[]string{"`required: [id, unit, reference, type, gross, fee, net, status, occurred_at]`"},
			[]string{"BRL"},
		},
		"the column that makes a row": {
			"ref,sale,reference,what,fee,net,currency,state,when,sum\n", ownGeneric,
			[]string{"say under `columns:` which heading has gross"},
			[]string{"write `required"},
		},
		"the headings of the profile that is extended": {
			"line_id,provider_charge_id,reference,type,gross,fee,net,status,occurred_at\n", "extends: generic\nprovider: acme\n",
			[]string{"the headings of `generic` are line_id", "`required: [id, unit, reference, type, gross, fee, net, status, occurred_at]`", "BRL"},
			[]string{"own.yaml requires"},
		},
		"the user's own words": {
			"ref,sale,reference,what,value,fee,net,state,when\n", ownGeneric + "hint: ask Ana for the export\n",
			[]string{"ask Ana for the export: "},
			nil,
		},
	} {
		_, hint := readBy(t, c.text, c.yaml, KindStatement)
		for _, want := range c.want {
			if !strings.Contains(hint, want) {
				t.Errorf("%s: %q lacks %q", name, hint, want)
			}
		}
		for _, not := range c.not {
			if strings.Contains(hint, not) {
				t.Errorf("%s: %q has %q", name, hint, not)
			}
		}
	}
}

// TestAFileForTheOtherSideAsksWhetherTheyWereSwapped, and names both flags.
func TestAFileForTheOtherSideAsksWhetherTheyWereSwapped(t *testing.T) {
	t.Parallel()
	attempts := "id,charge_id,idempotency_key,provider,status,provider_charge_id,amount_cents,currency,created_at\n"
	generic := "line_id,provider_charge_id,reference,type,gross,fee,net,currency,status,occurred_at\n"
	doubtful := "balance_transaction_id,created_utc,currency,gross,fee,net,reporting_category,charge_id,automatic_payout_id,automatic_payout_effective_at_utc\n"
	page := `{"data":[{"id":"f","value":1.00,"balance":1.00,"type":"PAYMENT_RECEIVED","date":"2026-06-01"}]}`
	for name, c := range map[string]struct{ text, yaml, kind, want string }{
		"attempts as a statement":       {attempts, "", KindStatement, "our attempts (profile attempts)"},
		"by a profile of one's own":     {attempts, ownGeneric, KindStatement, "our attempts (profile attempts)"},
		"a statement as attempts":       {generic, "", KindAttempts, "a provider's statement (profile generic)"},
		"one of two that fit":           {doubtful, "", KindAttempts, "a provider's statement (profile stripe-"},
		"pages as attempts":             {page, "", KindAttempts, "a provider's statement (profile asaas-extrato)"},
		"what fits neither":             {"a,b\n1,2\n", "", KindStatement, ""},
		"a statement that lacks little": {strings.Replace(generic, "fee,", "", 1), "", KindStatement, ""},
	} {
		_, hint := readBy(t, c.text, c.yaml, c.kind)
		asks := strings.HasPrefix(hint, "swapped? ") && strings.Contains(hint, "--attempts") && strings.Contains(hint, "--statement")
		if asks != (c.want != "") || !strings.Contains(hint, c.want) || hint == "" {
			t.Errorf("%s: %q, want %q", name, hint, c.want)
		}
	}
}

// TestAWrongSeparatorIsNamed with how to say another.
func TestAWrongSeparatorIsNamed(t *testing.T) {
	t.Parallel()
	header := "ref,sale,reference,what,value,fee,net,currency,state,when\n"
	row := "l1,p1,k1,charge,1.00,0.00,1.00,BRL,captured,2025-03-10T10:00:00Z\n"
	for name, c := range map[string]struct{ text, yaml, message, hint string }{
		"another than the profile says": {header + row, ownGeneric + "text: {delimiter: \";\"}\n", "cut at ';'", "`text: {delimiter: \";\"}`"},
		"found out":                     {strings.ReplaceAll(header+row, ",", "~"), ownGeneric, "cut at ','", "text: {delimiter:"},
		"headings cut otherwise":        {strings.ReplaceAll(header, "value,", "") + row, ownGeneric, "no column value; the file has ref, sale, reference, what, fee, net, currency, state, when (cut at ',')", "own.yaml"},
		"a row cut otherwise":           {header + "l1,p1,k1,charge,1,00,0.00,1.00,BRL,captured,2025-03-10T10:00:00Z\n", ownGeneric, "the row has 11 cells, the heading row 10 (cut at ',')", "text: {delimiter:"},
	} {
		message, hint := readBy(t, c.text, c.yaml, KindStatement)
		if !strings.Contains(message, c.message) || !strings.Contains(hint, c.hint) {
			t.Errorf("%s: %q (%s)", name, message, hint)
		}
	}
}

// TestADateThatIsNoneHasItsPlace, and says where its row is too short: then it
// is another column's cell, and no layout would read it.
func TestADateThatIsNoneHasItsPlace(t *testing.T) {
	t.Parallel()
	header := "ref,sale,reference,what,value,fee,net,currency,state,when\n"
	row := func(when string) string { return "l1,p1,k1,charge,1.00,0.00,1.00,BRL,captured," + when + "\n" }
	for name, c := range map[string]struct{ text, yaml, message, hint string }{
		"two layouts": {header + row("25/03/2025") + row("03/26/2025"), ownGeneric, `f.csv:3:10: when "03/26/2025": two date layouts in one column: line 2 has`, "export it again"},
		"ambiguous":   {header + row("2025-03-01") + row("03/04/2025"), ownGeneric, `f.csv:3:10: when "03/04/2025": ambiguous`, "dd/mm/yyyy"},
		"a number":    {header + row("1764400000"), ownGeneric, `f.csv:2:10: when "1764400000": line 2 has`, "unix"},
		"no date":     {header + row("soon"), ownGeneric, `f.csv:2:10: when "soon": line 2 has`, "is it the date's column?"},
		"a ragged line": {
			"ref,when,sale,reference,what,value,fee,net,currency,state\n2025-03-10,p1,k1,charge,1.00,0.00,1.00,BRL,captured\n", ownGeneric,
			`f.csv:2:2: when "p1": line 2 has "p1", which is no date in a layout that a file can prove; the row has 9 cells (cut at ','), the heading row 10`, "is it the date's column?",
		},
	} {
		message, hint := readBy(t, c.text, c.yaml, KindStatement)
		if !strings.Contains(message, c.message) || !strings.Contains(hint, c.hint) {
			t.Errorf("%s: %q (%s)", name, message, hint)
		}
	}
}
