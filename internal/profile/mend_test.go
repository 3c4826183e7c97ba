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
	_, err = s.Each(context.Background(), func(b *Binding) error {
		for _, field := range fieldsFor(kind) {
			b.Date(field)
		}
		return nil
	}, func(row tabular.Row) (bool, error) {
		for _, field := range []string{"occurred_at", "created_at"} {
			if d := s.binding.dates[field]; d != nil && d.Has() {
				if _, _, err := d.Read(row); IsUnproven(err) {
					return false, err
				} else if err != nil {
					return false, d.cells.Fault("f.csv", row, err.Error(), HintOf(err))
				}
			}
		}
		return true, nil
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
			[]string{"ask Ana for the export: "}, nil,
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
