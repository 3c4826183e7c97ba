//go:build !unix

package cmd

import "io/fs"

// owned is asked of files that a group may read: here no mode tells of one.
func owned(fs.FileInfo) bool { return false }
