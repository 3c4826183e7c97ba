package resolve

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"desfecho/internal/payment"
)

// approved says whether the mark needs a second person's word, and whether it
// is there: for money out on absence, for manual evidence, for a line without
// a look-up, and above approval_above (RULES §6).
func (s *scene) approved(o Offer) Offer {
	needed := o.Basis == BasisManual || o.Basis == BasisLine ||
		o.Basis == BasisAbsence && s.a.Direction() == payment.Out || s.above()
	if !needed {
		return o
	}
	for _, a := range s.Approvals {
		if s.valid(&a, &o) && (o.ApprovedBy == "" || a.By < o.ApprovedBy) {
			o.ApprovedBy = a.By
		}
	}
	o.ApprovalDue = o.ApprovedBy == "" && !bug(bugNoApproval)
	return o
}

// valid: given for this digest, still alive, and by another login than those
// who propose: who would confirm, and who entered the manual evidence.
func (s *scene) valid(a *Approval, o *Offer) bool {
	return a.Attempt == s.a.ID && a.Digest == o.Digest && a.By != "" && a.By != s.Operator &&
		a.At <= s.Now && s.Now.Sub(a.At) < cmp.Or(s.ApprovalTTL, DefaultApprovalTTL) &&
		!(o.Basis == BasisManual && slices.ContainsFunc(s.seen(), func(m *payment.Manual) bool { return m.By == a.By }))
}

func (s *scene) above() bool {
	for _, limit := range s.ApprovalAbove {
		if limit.Currency == s.a.Amount.Currency {
			return s.a.Amount.Minor > limit.Minor
		}
	}
	return len(s.ApprovalAbove) > 0
}

// signed gives the offer its digest: over the row as it was seen, the mark,
// what it would write and the facts that it rests on, and over no instant that
// asking again would move.
func (s *scene) signed(o Offer) Offer {
	slices.Sort(o.Facts)
	o.Facts = slices.Compact(o.Facts)
	a := s.a
	text := fact("desfecho verdict 1", a.ID, a.Provider, a.Account, a.Version, a.Attempt.Status.String(), o.Mark.String(),
		o.Transition.String(), o.Unit, fmt.Sprint(a.Amount.Minor), a.Amount.Currency.String(), o.Basis.String(),
		strings.Join(o.Facts, "\n"))
	sum := sha256.Sum256([]byte(text))
	o.Digest = hex.EncodeToString(sum[:])
	return o
}

// fact writes words so that no two lists of words give the same text: each is
// preceded by its length.
func fact(words ...string) string {
	var b strings.Builder
	for i, w := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		fmt.Fprintf(&b, "%d:%s", len(w), w)
	}
	return b.String()
}
