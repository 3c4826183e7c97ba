package cmd

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"desfecho/internal/evidence"
	"desfecho/internal/money"
)

func TestAFeeIsReadToTheLastDecimal(t *testing.T) {
	t.Parallel()
	brl, jpy := money.MustCurrency("BRL"), money.MustCurrency("JPY")
	for _, test := range []struct {
		given FeeConfig
		want  evidence.FeeRule
	}{
		{FeeConfig{Percent: "3.49", Currency: "BRL"}, evidence.FeeRule{Currency: brl, Millionths: 34_900}},
		{FeeConfig{Percent: "0.0001", Currency: "BRL"}, evidence.FeeRule{Currency: brl, Millionths: 1}},
		{FeeConfig{Percent: "100", Currency: "BRL"}, evidence.FeeRule{Currency: brl, Millionths: 1_000_000}},
		{FeeConfig{Percent: "3", Fixed: "40", Currency: "JPY"}, evidence.FeeRule{Currency: jpy, Millionths: 30_000, Fixed: 40}},
		{FeeConfig{Method: "card", Parcels: "2-6", Fixed: "0.39", Per: "parcel", Currency: "BRL"}, evidence.FeeRule{Method: "card", From: 2, To: 6, Currency: brl, Fixed: 39, EachParcel: true}},
		{FeeConfig{Parcels: "1", Percent: "0", Per: "sale", Currency: "BRL"}, evidence.FeeRule{From: 1, To: 1, Currency: brl}},
	} {
		got, err := test.given.rule()
		if err != nil || got != test.want {
			t.Errorf("%+v: %v\n%s", test.given, err, cmp.Diff(test.want, got))
		}
	}
	for _, given := range []FeeConfig{
		{Percent: "3.49"},
		{Currency: "BRL"},
		{Percent: "3.", Currency: "BRL"},
		{Percent: ".5", Currency: "BRL"},
		{Percent: "3,49", Currency: "BRL"},
		{Percent: "3.49123", Currency: "BRL"},
		{Percent: "101", Currency: "BRL"},
		{Percent: "-1", Currency: "BRL"},
		{Percent: "1e1", Currency: "BRL"},
		{Fixed: "-0.39", Currency: "BRL"},
		{Fixed: "R$ 0.39", Currency: "BRL"},
		{Fixed: "0.399", Currency: "BRL"},
		{Fixed: "0.39", Per: "line", Currency: "BRL"},
		{Fixed: "0.39", Parcels: "6-2", Currency: "BRL"},
		{Fixed: "0.39", Parcels: "0", Currency: "BRL"},
		{Fixed: "0.39", Parcels: "2-", Currency: "BRL"},
	} {
		if got, err := given.rule(); err == nil {
			t.Errorf("%+v is read as %+v", given, got)
		}
	}
}
