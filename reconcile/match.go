// Package reconcile compares the merchant's attempts with the provider's
// statements and says, of every line and every attempt, where it stands.
//
// Match is total, deterministic and pure: values in, values out, no clock, no
// I/O. It writes nothing, asks nobody and joins nothing by amount, date or
// name (RULES.md §2, law 9). RULES.md is its specification and the cases under
// testdata/cases its examples.
package reconcile

// Match judges everything in scope (RULES §8) and returns the divergences, the
// places, the bridge and the verdict.
func Match(in Input) Result {
	return Result{Now: in.Now, Window: in.Window}
}
