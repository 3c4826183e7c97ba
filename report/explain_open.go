package report

import "desfecho/reconcile"

// openEntries are the classes of attempts whose outcome is still owed, or whose
// object at the provider is.
var openEntries = map[reconcile.Class]Entry{
	reconcile.UnknownDeclined: {
		Severity: "P2", Next: "may be marked failed",
		Meaning: "The outcome is not known here, and at the provider everything that belongs to it ended declined, canceled or expired.",
		Cause:   "The refusal was sent, but its answer was lost.",
		Do:      "Mark the attempt failed. If only the charge is named by the objects, the gate for absence applies first.",
		Never:   "Never mark it while another object of the charge is still open.",
	},
	reconcile.UnknownNotFound: {
		Severity: "P2", Next: "see what the gate lacks",
		Meaning: "The outcome is not known here, and the provider shows nothing although everything that would have to show it was read.",
		Cause:   "The request most probably never arrived.",
		Do:      "Follow the gate: it says what is still lacking for failed, such as a second look-up, an approval, or a look-alike to be put aside. The coverage on which the absence rests is named.",
		Never:   "Never take not found for failed by itself, and never send it again before the gate has opened: the answer may come late.",
	},
	reconcile.SucceededButOpen: {
		Severity: "P3; P2 past open_limit", Next: "capture or wait",
		Meaning: "The attempt succeeded here, where that should mean captured, and the provider still holds it open: authorized, processing or waiting for the payer.",
		Cause:   "The capture was never sent, or an authorization was recorded as a payment.",
		Do:      "Capture it before the authorization expires, or wait for the provider.",
		Never:   "Never count it as money received.",
	},
	reconcile.UnknownOpen: {
		Severity: "P3; P2 past open_limit", Next: "wait, or cancel at the provider",
		Meaning: "The outcome is not known here, and the provider holds an object that is still open.",
		Cause:   "A payer who has not finished, a boleto not yet paid, an authorization not yet captured.",
		Do:      "Where succeeded means created or authorized it may be marked so. Otherwise wait, or cancel the object at the provider; then failed is offered.",
		Never:   "Never start a second attempt while the first can still complete.",
	},
	reconcile.UnknownInconclusive: {
		Severity: "P3", Next: "fix access, look again",
		Meaning: "The outcome is not known here, and the provider gave no usable answer about it.",
		Cause:   "A timeout, refused credentials, no positive control, an answer about something else, a period no longer held, or an object that was found before and is not found now.",
		Do:      "Put the access right and look again. Where the provider no longer holds the period, manual evidence is the way out.",
		Never:   "Never read an error as not found.",
	},
	reconcile.PendingStale: {
		Severity: "P3", Next: "may become unknown",
		Meaning: "The attempt has been pending for longer than a call can last, and nothing captured is known of it.",
		Cause:   "The process that made the call died, or the row is an orphan of a failed deployment.",
		Do:      "Let it become unknown; it is then looked up and listed like any other.",
		Never:   "Never send it again and never mark it failed directly from pending.",
	},
	reconcile.UnknownWaiting: {
		Severity: "P4", Next: "wait",
		Meaning: "The outcome is not known here, and it is too early to conclude anything, or nobody has asked, or the time in question was not read.",
		Cause:   "The provider needs time until an object must be visible.",
		Do:      "Wait until the instant shown, or have it asked and the statement read.",
		Never:   "Never hurry it by sending again.",
	},
	reconcile.TwoOpenAttempts: {
		Severity: "P2", Next: "the unique index is missing",
		Meaning: "One charge has two or more attempts whose outcome is open at the same time: each of them may still be captured.",
		Cause:   "Nothing in the database forbids a second open attempt, or a retry did not wait for the first.",
		Do:      "Settle the open attempts one by one, then add the unique index that `desfecho check` asks for.",
		Never:   "Never settle one by the answer about another.",
	},
	reconcile.KeyReused: {
		Severity: "P2", Next: "the unique index is missing",
		Meaning: "One idempotency key was sent with two different payloads.",
		Cause:   "The key is made of too little, or is not unique in the table.",
		Do:      "Find out which payload the provider executed; make the key of everything that makes the request, and add the unique index.",
		Never:   "Never rely on that key for a retry.",
	},
}
