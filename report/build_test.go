package report

import (
	"time"

	"desfecho/internal/money"
	"desfecho/internal/payment"
	"desfecho/reconcile"
)

var brl = money.MustCurrency("BRL")

func saoPaulo() *time.Location { return time.FixedZone("America/Sao_Paulo", -3*3600) }

// at is an instant of 2025 in UTC.
func at(text string) payment.Instant {
	t, err := time.Parse("2006-01-02T15:04", text)
	if err != nil {
		panic(err)
	}
	return payment.InstantOf(t)
}

// attemptDivergence is a divergence of one attempt with what the screen shows.
func attemptDivergence(class reconcile.Class, severity reconcile.Severity, id string, minor int64, since payment.Instant) reconcile.Divergence {
	return reconcile.Divergence{
		ID: "d-" + id, Class: class, Severity: severity, Subject: reconcile.Subject{IDs: []string{id}},
		Provider: "stripe", Account: "acct_1", Currency: brl, Amount: minor, Attempts: []string{id}, Since: since,
	}
}

// designDocument is the screen of DESIGN §6.
func designDocument() *Document {
	charged := attemptDivergence(reconcile.UnknownCharged, reconcile.P1, "4711", 12990, at("2025-11-30T01:14"))
	charged.Unit, charged.Charge = "pi_3QdesfA000000000000001", "993"
	failed := attemptDivergence(reconcile.FailedButCharged, reconcile.P1, "4702", 104500, at("2025-11-29T20:14"))
	failed.Unit, failed.Charge = "pi_3QdesfA000000000000002", "988"
	lost := attemptDivergence(reconcile.UnknownNotFound, reconcile.P2, "4688", 8000, at("2025-11-28T09:14"))
	lost.Grade, lost.LifeState, lost.FirstSeen = payment.Proven, reconcile.LifePersisting, at("2025-11-29T10:20")
	day := payment.DayOfDate(2025, 11, 29)
	return &Document{
		Version: "0.1.0", Zone: saoPaulo(), FailOn: reconcile.P2, ExitCode: 3, Commands: []string{"resolve", "show", "explain"},
		Result: &reconcile.Result{
			Now: at("2025-11-30T10:20"), Window: payment.Interval{From: at("2025-11-29T03:00"), To: at("2025-11-30T03:00")},
			Verdict: reconcile.Breaks, Divergences: []reconcile.Divergence{charged, failed, lost},
			Places: map[reconcile.Place]int{reconcile.Agreed: 141, "fee": 3},
			Counts: reconcile.Counts{Attempts: 144, Lines: 146},
			Bridges: []reconcile.Bridge{{
				Provider: "stripe", Account: "acct_1", Currency: brl, LinesSum: 1841230,
				Lines: []reconcile.LineRow{
					{Day: day, Row: "matched", Minor: 1723740, Count: 141},
					{Day: day, Row: "open_attempts", Minor: 12990, Count: 1},
					{Day: day, Row: "failed_attempts", Minor: 104500, Count: 1},
				},
				Succeeded: []reconcile.AttemptRow{{Row: "matched", Minor: 1723740, Count: 141}},
				Tie:       reconcile.Tie{MatchedLines: 1723740, MatchedAttempts: 1723740},
			}},
			Statements: []reconcile.StatementResult{{Lines: 146, NextPullFrom: at("2025-11-30T03:00"), Statement: payment.Statement{
				Name: "stripe.csv", Provider: "stripe", Account: "acct_1", Grade: payment.Proven,
				From: at("2025-11-29T03:00"), Through: at("2025-11-30T03:00"),
			}}},
		},
	}
}

// fileDocument is a run over files that met a bit of everything.
func fileDocument() *Document {
	d := designDocument()
	d.Commands = []string{"explain"}
	d.ExitCode = 4
	d.Assumptions = []string{"succeeded read as captured", "no account column: every attempt belongs to acct_1"}
	r := d.Result
	r.Verdict = reconcile.Incomplete
	r.Statements[0].Grade, r.Statements[0].Through = payment.Assumed, at("2025-11-30T00:00")
	r.Statements[0].Holes = []payment.Interval{{From: at("2025-11-29T12:00"), To: at("2025-11-29T13:00")}}
	r.Divergences = append(r.Divergences, mixedDivergences()...)
	r.Transit = []reconcile.Transit{
		{Attempt: "4713", Provider: "stripe", BreakOn: at("2025-12-02T03:00"), Amount: money.Amount{Minor: 5000, Currency: brl}},
		{Attempt: "4714", Provider: "stripe", BreakOn: at("2025-12-01T03:00"), Amount: money.Amount{Minor: 123456, Currency: brl}},
	}
	r.Places[reconcile.InTransit], r.Places[reconcile.NotCovered] = 2, 12001
	r.Repeats = 2
	r.Reopened = []payment.Day{payment.DayOfDate(2025, 11, 27)}
	r.Items = []reconcile.ItemsRow{{Currency: brl, Yesterday: 8000, YesterdayCount: 1, New: 117490, NewCount: 2, Open: 125490, OpenCount: 3}}
	b := &r.Bridges[0]
	b.Lines = append(b.Lines, reconcile.LineRow{Day: payment.DayOfDate(2025, 11, 29), Row: "unrecorded_out", Minor: -50000, Count: 1},
		reconcile.LineRow{Day: payment.DayOfDate(2025, 11, 29), Row: "fee", Minor: -312, Count: 3})
	b.LinesSum -= 50312
	b.Open = []reconcile.AttemptRow{{Row: "unknown_charged", Minor: 12990, Count: 1}, {Row: "unknown_not_found", Minor: 8000, Count: 1}}
	b.Tie = reconcile.Tie{MatchedLines: 1723740, NotDue: 1000, MatchedAttempts: 1724750, Differences: -20, Residual: 10}
	b.Balances = []reconcile.Balance{{Statement: "stripe.csv", Opening: 100, NetSum: 200, Closing: 310, Residual: 10, LineErrors: []string{"txn_7"}}}
	b.Payouts = []reconcile.Payout{{ID: "po_1", Minor: -500, MembersNet: 500}, {ID: "po_2", Minor: -500, MembersNet: 480, Residual: -20}, {ID: "po_3", Unverifiable: true}}
	d.Inputs = []Input{
		{
			Side: "attempts", Name: "attempts.csv", Profile: "attempts", SHA256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
			Rows: 144, Movements: 144, Notes: []string{"amounts in minor units", "dates RFC 3339"},
		},
		{
			Side: "statement", Name: "stripe.csv", Profile: "stripe-balance", Rows: 150, Movements: 148, Information: 2, Repeats: 2,
			Covers: payment.Interval{From: at("2025-11-29T03:00"), To: at("2025-11-30T00:00")}, Grade: payment.Assumed,
		},
	}
	return d
}

func mixedDivergences() []reconcile.Divergence {
	hole := reconcile.Divergence{
		ID: "d-hole", Class: reconcile.CoverageIncomplete, Subject: reconcile.Subject{Kind: reconcile.SubjectStatement, IDs: []string{"stripe.csv"}},
		Provider: "stripe", Account: "acct_1", Interval: payment.Interval{From: at("2025-11-30T00:00"), To: at("2025-11-30T03:00")},
	}
	double := reconcile.Divergence{
		ID: "d-993", Class: reconcile.DuplicateCharge, Severity: reconcile.P1, Subject: reconcile.Subject{Kind: reconcile.SubjectCharge, IDs: []string{"993"}},
		Also: []reconcile.Class{reconcile.TwoOpenAttempts}, Provider: "stripe", Account: "acct_1", Currency: brl, Amount: 7000, Surplus: 7000,
		Attempts: []string{"a1", "a2"}, Charge: "993", Since: at("2025-11-29T10:00"),
		Lines: []string{"txn_1", "txn_2", "txn_3", "txn_4", "txn_5", "txn_6"},
	}
	wrong := attemptDivergence(reconcile.AmountMismatch, reconcile.P2, "0b0f1c9e-5b1c-7c2e-9a54-1f0a2b3c4d5e", 9900, at("2025-11-29T10:00"))
	wrong.Expected, wrong.Actual, wrong.Hint, wrong.Unit = "10000", "100", "factor_100", "pi_9"
	wrong.SameMoneyAs = &reconcile.Subject{Kind: reconcile.SubjectCharge, IDs: []string{"993"}}
	collision := reconcile.Divergence{
		ID: "d-col", Class: reconcile.ReferenceCollision, Severity: reconcile.P1,
		Subject:  reconcile.Subject{Kind: reconcile.SubjectAttempts, IDs: []string{"4801", "4802"}},
		Provider: "stripe", Account: "acct_1", Currency: brl, Amount: 100, Attempts: []string{"4801", "4802"},
		Reference: "52998224725", Key: "maria@example.com", Since: at("2025-11-29T10:00"),
	}
	outflow := reconcile.Divergence{
		ID: "d-out", Class: reconcile.UnrecordedOutflow, Severity: reconcile.P1, Subject: reconcile.Subject{Kind: reconcile.SubjectUnit, IDs: []string{"tr_1"}},
		Provider: "stripe", Account: "acct_1", Currency: brl, Amount: 50000, Unit: "tr_1", Since: at("2025-11-29T15:00"),
		Raw: "transfer to 529.982.247-25", LinkedCharge: "771",
	}
	assumed := attemptDivergence(reconcile.UnknownNotFound, reconcile.P2, "4721", 200, at("2025-11-29T10:00"))
	assumed.Grade, assumed.Reason = payment.Claimed, "coverage_claimed"
	waiting := attemptDivergence(reconcile.UnknownWaiting, reconcile.P4, "4720", 100, at("2025-11-30T10:00"))
	waiting.Reason, waiting.Until = "not_asked", at("2025-12-01T10:00")
	return []reconcile.Divergence{hole, double, wrong, collision, outflow, assumed, waiting}
}
