package report

import "desfecho/reconcile"

// bookEntries are the classes that finance puts right in the books.
var bookEntries = map[reconcile.Class]Entry{
	reconcile.RecordedTwice: {
		Severity: "P2", Next: "correct the books",
		Meaning: "Two or more attempts of one charge claim the same object of the provider: one payment is recorded several times.",
		Cause:   "A retry with the same key got the first answer again and was stored as a payment of its own.",
		Do:      "Keep the attempt that the object belongs to and correct the books for the others.",
		Never:   "Never refund for it: the customer paid once.",
	},
	reconcile.RefundUnrecorded: {
		Severity: "P2", Next: "book the refund",
		Meaning: "The sale succeeded here, and the provider refunded it without a refund recorded here.",
		Cause:   "A refund made by hand in the provider's panel, or whose record was lost.",
		Do:      "Book the refund and tell the owner of the order.",
		Never:   "Never refund it a second time from here.",
	},
	reconcile.UnlinkedReversal: {
		Severity: "P2", Next: "find the sale",
		Meaning: "A chargeback or reversal in the statement belongs to a sale that is not known here.",
		Cause:   "The sale is older than what was read, or was made in another system.",
		Do:      "Find the sale in the provider's panel and book the return with it.",
		Never:   "Never attach it to a sale of the same amount.",
	},
	reconcile.FeeMismatch: {
		Severity: "P3", Next: "claim from the provider",
		Meaning: "The fee that the provider kept is not the one agreed.",
		Cause:   "A changed contract, a wrong method or number of parcels, or an error of the provider.",
		Do:      "Compare with the contract, then claim the difference or correct the rule.",
		Never:   "Never book the agreed fee as if it had been kept.",
	},
	reconcile.SettlementLate: {
		Severity: "P3", Next: "claim from the provider",
		Meaning: "The day on which the money was due in the statement has passed, and it is not there.",
		Cause:   "A hold by the provider, a holiday that is not configured, or an anticipation under another id.",
		Do:      "Ask the provider with the object's id; the amount counts as in transit until then.",
		Never:   "Never take it for missing: the sale itself is known.",
	},
	reconcile.PayoutMismatch: {
		Severity: "P2", Next: "finance: compare its lines",
		Meaning: "A payout is not the sum of the lines that the provider says it holds.",
		Cause:   "A line that is missing from the file, an adjustment without a payout, or a payout cut in two.",
		Do:      "Compare the lines of the payout with the provider's own list and claim the residual.",
		Never:   "Never book the residual as a fee.",
	},
	reconcile.Unexplained: {
		Severity: "P2", Next: "finance: see its lines",
		Meaning: "A sum that the statement states cannot be reached from its lines: a balance, a net amount, or matched money that does not tie.",
		Cause:   "A line that is missing or changed, a file cut short, or a rule of the provider that is not known yet.",
		Do:      "Read the statement again, then go through the lines named.",
		Never:   "Never trust the other figures of that statement until it ties.",
	},
	reconcile.AmountAdjusted: {
		Severity: "P4", Next: "nothing to do",
		Meaning: "The amounts differ by interest, fine or discount within what the method allows; the principal agrees.",
		Cause:   "A boleto paid late, or early with a discount.",
		Do:      "Nothing, unless the books must show interest apart.",
		Never:   "Never widen the allowed variation to silence other differences.",
	},
}

// runEntries are about the run, not about a payment.
var runEntries = map[reconcile.Class]Entry{
	reconcile.CoverageIncomplete: {
		Severity: "of the run: it ends incomplete", Next: "read the rest",
		Meaning: "A statement was not read to the end of the time asked for. What lies in the unread part is unknown, not absent.",
		Cause:   "A file that ends too early, a page that failed, or a day that the provider has not published yet.",
		Do:      "Read the interval shown and run again; say --covers only if you know that the file holds all of it.",
		Never:   "Never read a run without divergences as clean while its coverage is incomplete.",
	},
}
