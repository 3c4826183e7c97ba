//go:build race

package reconcile_test

// underRace: the race detector makes everything some ten times slower.
const underRace = true
