package report

import "desfecho/reconcile"

// brokenEntries are the classes in which the two sides contradict each other or
// cannot be told apart; most block every final mark.
var brokenEntries = map[reconcile.Class]Entry{
	reconcile.MissingAtProvider: {
		Severity: "P1", Next: "check account, mode, id",
		Meaning: "The attempt succeeded here, and the provider knows nothing of it although everything that would have to show it was read.",
		Cause:   "The attempt went to another account or to the test mode, its stored id is wrong, or it was marked without an answer.",
		Do:      "Check account, mode and stored id. The report says how sure the coverage is on which the absence rests: with assumed coverage, read a longer statement first.",
		Never:   "Never ship or pay out on it until it is explained. The succeeded mark itself does not change.",
	},
	reconcile.DeclinedAtProvider: {
		Severity: "P1", Next: "its owner decides",
		Meaning: "The attempt succeeded here, and at the provider it ended declined, canceled or expired, with nothing captured and nothing open.",
		Cause:   "An accepted request was taken for a captured payment, or the capture failed later.",
		Do:      "The owner of the charge decides: collect again under a new attempt, or take the delivery back.",
		Never:   "Never change the succeeded mark to fit: it is final, and what was delivered on it must be dealt with.",
	},
	reconcile.AmbiguousMatch: {
		Severity: "P1", Next: "name the unit",
		Meaning: "An object of the provider fits several attempts, and nothing that may decide tells them apart.",
		Cause:   "One reference for several attempts, attempts seconds apart, or an object known only to the day.",
		Do:      "A person compares the provider's panel with the attempts and names the object of each. A reference that is unique per attempt prevents it.",
		Never:   "Never decide by amount or by nearness in time.",
	},
	reconcile.ReferenceCollision: {
		Severity: "P1", Next: "name the unit",
		Meaning: "One reference or provider id leads to attempts of two different charges.",
		Cause:   "References that repeat (a counter that began again, two systems in one account), or an id stored with the wrong attempt.",
		Do:      "A person names the charge to which the object belongs; then mend what makes the references.",
		Never:   "Never mark any attempt of either charge before that.",
	},
	reconcile.TestModeMismatch: {
		Severity: "P1", Next: "stop, fix credentials",
		Meaning: "An object of the other mode carries the keys of this attempt: a test object for a live attempt, or the reverse.",
		Cause:   "Test credentials in production, live credentials in a test, or a statement of the wrong mode.",
		Do:      "Stop sending, put the credentials right, then find every attempt that was sent with the wrong ones.",
		Never:   "Never count an object of the test mode as money.",
	},
	reconcile.FailedButOpen: {
		Severity: "P1 for money out, P2 for money in", Next: "watch it",
		Meaning: "The attempt is marked failed here, and at the provider it is still open: it can yet be captured or paid.",
		Cause:   "The caller gave up before the provider had decided.",
		Do:      "Cancel the object at the provider if the charge is not wanted, and watch it until it is final. A reserve that was already released is named.",
		Never:   "Never release a reserve, and never send the money out again, while the first object can still complete.",
	},
	reconcile.CurrencyMismatch: {
		Severity: "P2; P1 while the attempt is open", Next: "no mark: compare both sides",
		Meaning: "Attempt and object carry different currencies.",
		Cause:   "A wrong currency in the request or in the column description, or a conversion by the provider.",
		Do:      "Compare what was asked for with what the payer was charged; correct the configuration or return the difference.",
		Never:   "Never mark it by an exchange rate.",
	},
	reconcile.AmountMismatch: {
		Severity: "P2; P1 while the attempt is open", Next: "no mark: compare both sides",
		Meaning: "The captured amount differs from the attempt's beyond what the method allows.",
		Cause:   "A partial capture, a changed order, interest or discount that is not configured, or units mixed up: a factor of 10, 100 or 1000 is pointed out.",
		Do:      "Find out which amount is right. If the difference is normal for the method, configure its allowed variation.",
		Never:   "Never mark it succeeded to close the list.",
	},
	reconcile.UnmappedStatus: {
		Severity: "P2", Next: "extend the map",
		Meaning: "One side uses a status word that the map does not know, so nothing can be concluded from it.",
		Cause:   "The provider or the merchant's application introduced a new word.",
		Do:      "Look the word up in the provider's documents and add it to the map; the next run judges it.",
		Never:   "Never map a word by guess: the nearest word is not the same promise.",
	},
	reconcile.ConflictingLines: {
		Severity: "P2", Next: "ask the provider",
		Meaning: "The statement gave one line id with two different contents. Neither is counted until it is judged.",
		Cause:   "The provider restated the line, two exports were mixed, or a file was edited.",
		Do:      "Ask the provider which version holds. Both stay stored: put the entry aside with desfecho accept and the provider's answer as the reason, or compare without the file that is wrong.",
		Never:   "Never edit the file yourself to make it agree.",
	},
}
