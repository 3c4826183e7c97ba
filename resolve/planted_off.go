//go:build !planted

package resolve

// bug tells whether a planted bug is in: never, in what is built to be used.
func bug(plantedBug) bool { return false }
