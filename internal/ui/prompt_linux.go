package ui

import (
	"os"

	"golang.org/x/sys/unix"
)

// discardTyped throws away what was typed and not read yet: an Enter hit twice,
// a pasted text, a key that repeats.
func discardTyped(f *os.File) error {
	return unix.IoctlSetInt(int(f.Fd()), unix.TCFLSH, unix.TCIFLUSH)
}
