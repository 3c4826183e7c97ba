//go:build unix

package cmd

import (
	"io/fs"
	"os"
	"syscall"
)

// owned tells whether a file is ours or root's.
func owned(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && (stat.Uid == 0 || int(stat.Uid) == os.Geteuid())
}
