package notify

import "desfecho/reconcile"

// Owner is who works on a divergence.
type Owner string

// The owners: who is awake, who keeps the books, who keeps the program.
const (
	OnCall      Owner = "on-call"
	Finance     Owner = "finance"
	Engineering Owner = "engineering"
)

// Owners lists them.
func Owners() []Owner { return []Owner{OnCall, Finance, Engineering} }

// OwnerOf is who owns a class where nothing else is said: what waits for an
// outcome is on-call's, what the program did wrong is engineering's, and money
// that both sides tell differently is finance's.
func OwnerOf(class reconcile.Class) Owner {
	switch class { //nolint:exhaustive // all others are finance's
	case reconcile.UnknownCharged, reconcile.UnknownDeclined, reconcile.UnknownNotFound, reconcile.UnknownOpen, reconcile.UnknownInconclusive,
		reconcile.UnknownWaiting, reconcile.PendingCharged, reconcile.PendingStale, reconcile.FailedButOpen, reconcile.SucceededButOpen,
		reconcile.OutflowReturned, reconcile.UnrecordedOutflow, reconcile.CoverageIncomplete:
		return OnCall
	case reconcile.AmbiguousMatch, reconcile.ReferenceCollision, reconcile.TestModeMismatch, reconcile.UnmappedStatus, reconcile.TwoOpenAttempts,
		reconcile.KeyReused, reconcile.RecordedTwice, reconcile.CurrencyMismatch:
		return Engineering
	}
	return Finance
}
