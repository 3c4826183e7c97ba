package evidence

import (
	"testing"
	"time"

	"desfecho/internal/payment"
)

// TestAnAbsenceIsToldByWhatWouldShowIt: an object list that never shows refunds
// says nothing about one; and what no ledger books makes no other absence wait.
func TestAnAbsenceIsToldByWhatWouldShowIt(t *testing.T) {
	t.Parallel()
	policy := NewPolicy("psp")
	policy.HasObjectList, policy.Unlisted = true, []payment.Operation{payment.Refund}
	policy.BooksAfterBy = map[string]time.Duration{"card": 36 * 24 * time.Hour, "cash": Never}
	policy.SucceededMeans = map[payment.Operation]Means{payment.Charge: MeansCaptured, payment.Refund: MeansCaptured}
	created := payment.DayOfDate(2026, 5, 4).Start(time.UTC)
	listed := NewCoverage([]payment.Statement{{Name: "list", Provider: "psp", Sort: payment.ObjectList, Grade: payment.Proven, From: created.Add(-time.Hour), Through: created.Add(90 * 24 * time.Hour)}})
	for _, c := range []struct {
		operation payment.Operation
		after     time.Duration
		read      bool
	}{{payment.Charge, 10 * time.Minute, true}, {payment.Refund, 36*24*time.Hour + 10*time.Minute, false}} {
		a := &Attempt{Attempt: &payment.Attempt{Provider: "psp", Operation: c.operation, CreatedAt: created, LastSent: created}, Policy: &policy}
		if got := listed.Succeeded(a, created.Add(c.after)); !got.Over || got.Read != c.read || got.Until != created.Add(c.after) {
			t.Errorf("%s: %+v", c.operation, got)
		}
	}
	if sort, _, alone := listed.Telling(&Attempt{Attempt: &payment.Attempt{Operation: payment.Refund}, Policy: &policy}); sort != payment.Ledger || !alone {
		t.Errorf("an open refund is told by %s, by look-ups alone %v", sort, alone)
	}
	if got := policy.Books("cash"); got != Never {
		t.Errorf("cash is booked after %s", got)
	}
}
