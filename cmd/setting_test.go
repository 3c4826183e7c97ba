package cmd

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"desfecho/internal/payment"
	"desfecho/reconcile"
)

func TestALengthOfTimeHasAUnitAndIsPositive(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{
		"15m": 15 * time.Minute, "24h": 24 * time.Hour, "30d": 720 * time.Hour, "1h30m": 90 * time.Minute,
	} {
		if got, err := parseDuration(text); err != nil || got != want {
			t.Errorf("%q: got %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "0", "0s", "0d", "-1h", "-1d", "24", "1 h", "d", "1.5d", "9999999999d", "h", "-200000d", "-9223372036854775808d", "3661d", "87841h"} {
		if got, err := parseDuration(text); err == nil {
			t.Errorf("%q was taken for %v", text, got)
		}
	}
}

func TestASettingOfNoLengthIsRefused(t *testing.T) {
	t.Parallel()
	for _, entry := range []ProviderConfig{
		{OrphanAfter: "0s"},
		{VisibleAfter: "24"},
		{PublishLag: "-1h"},
		{OpenLimit: "soon"},
		{EvidenceMaxAge: "0s"},
		{EvidenceMaxAge: "59s"},
		{EvidenceMaxAge: "30m1s"},
		{EvidenceMaxAge: "5"},
		{BooksAfter: []BooksConfig{{Method: "card"}}},
		{BooksAfter: []BooksConfig{{After: "-1d"}}},
		{Variation: []VariationConfig{{Method: "boleto"}}},
		{Variation: []VariationConfig{{BasisPoints: 3}}},
		{ChargeCapacity: "two"},
		{Mode: "sandbox"},
		{Timezone: "Local"},
		{Fees: []FeeConfig{{Percent: "1"}}},
		{SucceededMeans: MeansConfig{Charge: "paid"}},
	} {
		policy := reconcile.NewPolicy("stripe")
		policy.SucceededMeans = map[payment.Operation]reconcile.Means{}
		if err := entry.apply(&policy); codeOf(err) != exitNotUsable {
			t.Errorf("%+v: got %v", entry, err)
		}
	}
}

func TestADateOfASpanIsItsMidnightInTheZone(t *testing.T) {
	t.Parallel()
	saoPaulo, err := time.LoadLocation("America/Sao_Paulo")
	if err != nil {
		t.Fatal(err)
	}
	written, err := parseSpan("2025-11-01..2025-11-30T22:14:00-03:00")
	if err != nil {
		t.Fatal(err)
	}
	if got := written.in(saoPaulo); got.String() != "[2025-11-01T03:00:00Z, 2025-12-01T01:14:00Z)" {
		t.Errorf("got %v", got)
	}
	for _, text := range []string{"", "2025-11-01", "2025-11-01..", "..2025-11-01", "01/11/2025..02/11/2025", "2025-11-01T10:00..2025-11-02", "2025-02-30..2025-03-01"} {
		if got, err := parseSpan(text); err == nil {
			t.Errorf("%q was taken for %+v", text, got)
		}
	}
}

func TestWorstFollowsThePrecedence(t *testing.T) {
	t.Parallel()
	order := []exitCode{exitDefect, exitNotUsable, exitFailed, exitIncomplete, exitDivergences, exitDone}
	rapid.Check(t, func(t *rapid.T) {
		codes := rapid.SliceOf(rapid.SampledFrom(order)).Draw(t, "codes")
		want := exitDone
		for _, first := range order {
			for _, code := range codes {
				if code == first && want == exitDone {
					want = first
				}
			}
		}
		if got := worst(codes...); got != want {
			t.Fatalf("worst(%v) = %d, want %d", codes, got, want)
		}
	})
}

func TestFailOnCountsFromTheWorstDown(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]reconcile.Severity{
		"P1": {reconcile.P1}, "p2": {reconcile.P1, reconcile.P2}, "P4": {reconcile.P1, reconcile.P2, reconcile.P3, reconcile.P4}, "never": nil,
	} {
		limit, err := parseFailOn(text)
		if err != nil {
			t.Fatal(err)
		}
		var got []reconcile.Severity
		for _, severity := range []reconcile.Severity{0, reconcile.P1, reconcile.P2, reconcile.P3, reconcile.P4} {
			if reached(severity, limit) {
				got = append(got, severity)
			}
		}
		if len(got) != len(want) {
			t.Errorf("%s: fails on %v, want %v", text, got, want)
		}
	}
	for _, text := range []string{"", "P0", "P5", "all", "2"} {
		if _, err := parseFailOn(text); err == nil {
			t.Errorf("%q was taken", text)
		}
	}
}

func TestNearestFindsATypoAndNotAStranger(t *testing.T) {
	t.Parallel()
	known := []string{"attempts", "statement", "covers"}
	for name, want := range map[string]string{"atempts": "attempts", "statemnt": "statement", "covrs": "covers", "zzz": "", "q": ""} {
		if got := nearest(name, known); got != want {
			t.Errorf("nearest(%q) = %q, want %q", name, got, want)
		}
	}
}
