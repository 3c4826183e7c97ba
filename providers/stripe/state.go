package stripe

import (
	"cmp"

	"desfecho/internal/payment"
)

// intentStanding maps a payment intent's status. c is its latest charge where
// that takes or took money, or the one that failed, nil where none was told.
func intentStanding(o, c *object, disputes []row) standing {
	received := positive(o.AmountReceived) || c != nil && c.Status == "succeeded" && positive(c.AmountCaptured)
	switch o.Status {
	case "succeeded":
		return capturedStanding(o.Status, c, disputes)
	case "canceled":
		if received { // some of several captures
			return capturedStanding(o.Status, c, disputes)
		}
		if o.CancellationReason == "expired" || o.CancellationReason == "automatic" {
			return standing{payment.StateExpired, o.Status + ", " + o.CancellationReason, true}
		}
		return standing{payment.StateCanceled, o.Status, true}
	case "requires_capture":
		if received {
			return standing{payment.StateCaptured, o.Status, false}
		}
		return standing{payment.StateAuthorized, o.Status, false}
	case "processing":
		return standing{payment.StateProcessing, o.Status, false}
	case "requires_action", "requires_confirmation":
		return standing{payment.StateRequiresAction, o.Status, false}
	case "requires_payment_method":
		if o.LastError != nil || c != nil && c.Status == "failed" {
			// The same intent may be tried again with another card.
			return standing{payment.StateDeclined, o.Status, false}
		}
		return standing{payment.StateRequiresAction, o.Status, false}
	}
	return standing{payment.StateUnmapped, cmp.Or(o.Status, "no status"), false}
}

// chargeStanding maps a charge's status. An uncaptured charge that Stripe calls
// refunded is an authorisation that was released.
func chargeStanding(o *object, disputes []row) standing {
	switch {
	case o.Status == "succeeded" && (o.Captured || positive(o.AmountCaptured)):
		return capturedStanding(o.Status, o, disputes)
	case o.Status == "succeeded" && o.Refunded:
		return standing{payment.StateCanceled, "succeeded, not captured, released", true}
	case o.Status == "succeeded":
		return standing{payment.StateAuthorized, "succeeded, not captured", false}
	case o.Status == "pending":
		return standing{payment.StateProcessing, o.Status, false}
	case o.Status == "failed":
		return standing{payment.StateDeclined, o.Status, true}
	}
	return standing{payment.StateUnmapped, cmp.Or(o.Status, "no status"), false}
}

// capturedStanding says what became of captured money. A charge stays disputed
// for ever once it was; what its disputes took, they say themselves.
func capturedStanding(raw string, c *object, disputes []row) standing {
	if c == nil {
		return standing{payment.StateCaptured, raw, true}
	}
	if c.Refunded {
		return standing{payment.StateRefunded, raw + ", refunded", true}
	}
	s := standing{payment.StateCaptured, raw, true}
	for i := range disputes {
		switch disputeEffect(disputes[i].Status) {
		case unknownEffect:
			return standing{payment.StateUnmapped, raw + ", dispute " + cmp.Or(disputes[i].Status, "without status"), false}
		case taken:
			s = standing{payment.StateDisputed, raw + ", dispute " + disputes[i].Status, false}
		case none:
		}
	}
	return s
}

// effect is what a dispute did to the money.
type effect uint8

const (
	unknownEffect effect = iota
	none
	taken
)

// disputeEffect: an inquiry takes nothing, a dispute does until it is won.
func disputeEffect(status string) effect {
	switch status {
	case "needs_response", "under_review", "lost":
		return taken
	case "won", "prevented", "warning_needs_response", "warning_under_review", "warning_closed":
		return none
	}
	return unknownEffect
}

// refundStanding maps a refund's status. A refund that succeeded may still
// fail days later; one that no transaction books moved nothing yet, or only
// released an authorisation.
func refundStanding(o *object) standing {
	switch o.Status {
	case "succeeded":
		if o.Transaction.ID == "" {
			return standing{payment.StateProcessing, "succeeded, not booked", false}
		}
		return standing{payment.StateCaptured, o.Status, false}
	case "pending":
		return standing{payment.StateProcessing, o.Status, false}
	case "requires_action":
		return standing{payment.StateRequiresAction, o.Status, false}
	case "failed":
		return standing{payment.StateDeclined, o.Status, true}
	case "canceled":
		return standing{payment.StateCanceled, o.Status, true}
	}
	return standing{payment.StateUnmapped, cmp.Or(o.Status, "no status"), false}
}

// payoutStanding maps a payout's status. One that was paid may still fail.
func payoutStanding(o *object) standing {
	switch o.Status {
	case "paid":
		return standing{payment.StateCaptured, o.Status, false}
	case "pending", "in_transit":
		return standing{payment.StateProcessing, o.Status, false}
	case "failed":
		return standing{payment.StateDeclined, o.Status, true}
	case "canceled":
		return standing{payment.StateCanceled, o.Status, true}
	}
	return standing{payment.StateUnmapped, cmp.Or(o.Status, "no status"), false}
}

func positive(amount *int64) bool { return amount != nil && *amount > 0 }
