//go:build !planted

package planted

// In tells whether a bug is planted: never, in what is built to be used.
func In(Bug) bool { return false }
