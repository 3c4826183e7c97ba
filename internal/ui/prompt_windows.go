package ui

import (
	"os"

	"golang.org/x/sys/windows"
)

const terminalIn, terminalOut = "CONIN$", "CONOUT$"

// discardTyped throws away what was typed and not read yet: an Enter hit twice,
// a pasted text, a key that repeats.
func discardTyped(f *os.File) error {
	return windows.FlushConsoleInputBuffer(windows.Handle(f.Fd()))
}
