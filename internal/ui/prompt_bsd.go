//go:build darwin || freebsd || netbsd || openbsd || dragonfly

package ui

import (
	"os"

	"golang.org/x/sys/unix"
)

// fread asks for what was typed, as in <sys/file.h>.
const fread = 1

// discardTyped throws away what was typed and not read yet: an Enter hit twice,
// a pasted text, a key that repeats.
func discardTyped(f *os.File) error {
	return unix.IoctlSetPointerInt(int(f.Fd()), unix.TIOCFLUSH, fread)
}
