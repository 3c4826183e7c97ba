//go:build !linux

// Package hugepage asks the system to back large slices with large pages, so
// that filling them costs hundreds of page faults and not hundreds of
// thousands. It never changes what a slice holds, and where the system does not
// listen nothing happens.
package hugepage

// Advise does nothing here.
func Advise[T any]([]T) {}
