package reconcile

import (
	"fmt"
	"strings"
)

func (v Verdict) String() string {
	return [...]string{"clean", "pending", "notices", "breaks", "incomplete"}[v]
}

func (s Severity) String() string { return [...]string{"", "P1", "P2", "P3", "P4"}[s] }

func (l Life) String() string {
	return [...]string{"new", "persisting", "resolved", "vanished", "lapsed", "accepted", "snoozed"}[l]
}

func (k SubjectKind) String() string {
	return [...]string{"attempt", "attempts", "unit", "charge", "line", "payout", "statement"}[k]
}

// String is the form of reports and cases: "attempt:a1", "attempts:a1+a2".
func (s Subject) String() string { return s.Kind.String() + ":" + strings.Join(s.IDs, "+") }

// ParseMeans reads created, authorized or captured.
func ParseMeans(word string) (Means, error) {
	for means, name := range meansWords {
		if name == word {
			return means, nil
		}
	}
	return 0, fmt.Errorf("unknown succeeded_means %q: want created, authorized or captured", word)
}

var meansWords = map[Means]string{MeansCreated: "created", MeansAuthorized: "authorized", MeansCaptured: "captured"}
