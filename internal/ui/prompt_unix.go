//go:build unix

package ui

const terminalIn, terminalOut = "/dev/tty", "/dev/tty"
