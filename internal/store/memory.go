package store

import "desfecho/internal/payment"

// WithoutBalances drops what is only true beside all lines of a statement.
func WithoutBalances(stored []StoredStatement) []payment.Statement {
	out := make([]payment.Statement, len(stored))
	for i, s := range stored {
		s.Opening, s.Closing = payment.Stated{}, payment.Stated{}
		out[i] = s.Statement
	}
	return out
}

// AllDays is every day of the providers that a statement can have.
func AllDays(providers []string) []DayRange {
	ranges := make([]DayRange, len(providers))
	for i, name := range providers {
		ranges[i] = DayRange{Provider: name, First: 1, Last: payment.DayOfDate(9999, 12, 31)}
	}
	return ranges
}
