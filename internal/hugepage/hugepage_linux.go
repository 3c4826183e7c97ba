//go:build linux

// Package hugepage asks the system to back large slices with large pages, so
// that filling them costs hundreds of page faults and not hundreds of
// thousands. It never changes what a slice holds, and where the system does not
// listen nothing happens.
package hugepage

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// size of a large page on the machines that have them by default.
const size = 2 << 20

// Advise is for a slice that was just made and not yet filled.
func Advise[T any](s []T) {
	s = s[:cap(s)]
	if len(s) == 0 {
		return
	}
	begin := uintptr(unsafe.Pointer(&s[0])) //nolint:gosec // an address to round, never to follow
	end := begin + uintptr(len(s))*unsafe.Sizeof(s[0])
	first, last := (begin+size-1)&^(size-1), end&^(size-1)
	if last <= first {
		return
	}
	whole := unsafe.Slice((*byte)(unsafe.Pointer(&s[0])), end-begin)    //nolint:gosec // the bytes of s, for the call below alone
	_ = unix.Madvise(whole[first-begin:last-begin], unix.MADV_HUGEPAGE) // advice only
}
