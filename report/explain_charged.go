package report

import "desfecho/reconcile"

// chargedEntries are the classes in which the provider moved money that the
// merchant's records do not show as they should.
var chargedEntries = map[reconcile.Class]Entry{
	reconcile.DuplicateCharge: {
		Severity: "P1", Next: "return the surplus",
		Meaning: "The provider captured more for one charge than the charge wants: the customer paid twice, or more.",
		Cause:   "An attempt was repeated with a new key while the first one, of unknown outcome, had in fact been captured.",
		Do:      "Return the surplus shown, through the provider, by the person who answers for refunds. When the refund is in the statement the divergence resolves by itself.",
		Never:   "Never mark one of the attempts failed to make the books agree: both captures are real. desfecho refunds nothing.",
	},
	reconcile.UnknownCharged: {
		Severity: "P1", Next: "may be marked succeeded",
		Meaning: "The outcome of the attempt is not known here, and the provider captured exactly that amount.",
		Cause:   "The answer of the provider was lost: a timeout, a reset connection, a restart between sending and storing.",
		Do:      "Mark the attempt succeeded with the id of the provider's object. Where several objects were captured, name the right one first.",
		Never:   "Never charge again: the customer has paid. Never mark it failed while a captured object exists.",
	},
	reconcile.FailedButCharged: {
		Severity: "P1; P3 when wholly returned", Next: "refund or book by its owner",
		Meaning: "The attempt is marked failed here, and the provider captured money for it. The customer paid for what the books call a failure.",
		Cause:   "A timeout or an error page was taken for a refusal, or the provider captured after the caller had given up.",
		Do:      "The owner of the charge decides: deliver and book it, or refund it at the provider. Then look for the code that turned silence into failed.",
		Never:   "Never change the failed mark: a final status stays. Never assume that a new attempt has replaced it without looking at the charge.",
	},
	reconcile.UnrecordedCharge: {
		Severity: "P1", Next: "find its order",
		Meaning: "The provider captured money of which no attempt is known here, though our side was read for that time.",
		Cause:   "A charge made by hand in the provider's panel, by another system with the same account, or an attempt row that was never committed or was deleted.",
		Do:      "Find the order by the object's id in the provider's panel; a charge that its metadata names is shown. Book it or refund it.",
		Never:   "Never attach it to an attempt because amount and time look alike.",
	},
	reconcile.UnrecordedOutflow: {
		Severity: "P1", Next: "treat as fraud until explained",
		Meaning: "Money left the account, by transfer, Pix or refund, without a record here and without a known sale that it gives back.",
		Cause:   "A payment made outside the system, stolen credentials, or an outflow whose record was lost.",
		Do:      "Treat it as fraud until somebody explains it: stop outgoing payments if there are more, call the provider, change the credentials.",
		Never:   "Never book it first and ask later.",
	},
	reconcile.PendingCharged: {
		Severity: "P1", Next: "may become unknown",
		Meaning: "The attempt is still pending here, longer than a call can last, and the provider captured exactly that amount.",
		Cause:   "The process that made the call died before it could store the answer.",
		Do:      "Let it become unknown, then mark it succeeded with the id of the provider's object.",
		Never:   "Never restart the job that sends it: it would charge a second time.",
	},
	reconcile.RefundExceedsCaptured: {
		Severity: "P1", Next: "finance: find the extra refund",
		Meaning: "More was refunded than had been captured.",
		Cause:   "A refund was sent twice, or sent for a sale that a chargeback or a reversal had already given back.",
		Do:      "Finance compares the refunds of the object one by one and reclaims the one too many.",
		Never:   "Never cancel it out against another sale.",
	},
	reconcile.OutflowReturned: {
		Severity: "P1", Next: "the beneficiary was not paid",
		Meaning: "A transfer, Pix or bill payment that counts as succeeded here came back: the beneficiary does not have the money.",
		Cause:   "Wrong or closed bank account, a refused Pix, a limit at the receiving bank, after the provider had accepted it.",
		Do:      "Tell whoever owes the payment, correct the bank data, and pay again under a new attempt.",
		Never:   "Never read the old succeeded as paid. Never send the same attempt again.",
	},
	reconcile.ChargebackUnrecorded: {
		Severity: "P1", Next: "book it, answer in time",
		Meaning: "The sale succeeded here, and the provider took money back by chargeback, dispute or reversal, which is not recorded here.",
		Cause:   "The payer disputed the sale at the bank, or a capture was undone at the provider; the notice did not reach the books.",
		Do:      "Book the loss, decide whether to answer, and answer before the provider's term ends.",
		Never:   "Never refund a sale under dispute as well: the money would go back twice.",
	},
}
