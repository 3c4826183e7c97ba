//go:build unix

package cmd

import (
	"io/fs"
	"os"
	"syscall"
	"testing"
	"time"
)

// aFile is one with a mode and an owner.
type aFile struct {
	mode fs.FileMode
	uid  int
}

func (f aFile) Name() string       { return "key" }
func (f aFile) Size() int64        { return 1 }
func (f aFile) Mode() fs.FileMode  { return f.mode }
func (f aFile) ModTime() time.Time { return time.Time{} }
func (f aFile) IsDir() bool        { return false }
func (f aFile) Sys() any           { return &syscall.Stat_t{Uid: uint32(f.uid)} }

// TestASecretIsReadFromFilesThatNobodyElseCanReadOrChange: systemd's
// LoadCredential gives files of mode 0400, or 0440 and root's.
func TestASecretIsReadFromFilesThatNobodyElseCanReadOrChange(t *testing.T) {
	t.Parallel()
	me, other := os.Geteuid(), os.Geteuid()+1000
	for _, c := range []struct {
		file aFile
		want bool
	}{
		{aFile{0o400, me}, true},
		{aFile{0o600, me}, true},
		{aFile{0o440, me}, true},
		{aFile{0o440, 0}, true},
		{aFile{0o400, 0}, true},
		{aFile{0o440, other}, false},
		{aFile{0o640, me}, false},
		{aFile{0o460, me}, false},
		{aFile{0o444, me}, false},
		{aFile{0o404, me}, false},
		{aFile{0o602, me}, false},
		{aFile{0o620, 0}, false},
		{aFile{0o644, me}, false},
		{aFile{0o450, me}, false},
		{aFile{0o444, 0}, false},
	} {
		if got := private(c.file); got != c.want {
			t.Errorf("mode %04o of user %d: %v, want %v", c.file.mode, c.file.uid, got, c.want)
		}
	}
}

// TestAKeyFileOfSystemdIsRead by the reader that all keys go through.
func TestAKeyFileOfSystemdIsRead(t *testing.T) {
	t.Parallel()
	path := t.TempDir() + "/key"
	if err := os.WriteFile(path, []byte("sk_test"), 0o600); err != nil {
		t.Fatal(err)
	}
	for mode, reads := range map[fs.FileMode]bool{0o400: true, 0o440: true, 0o600: true, 0o640: false, 0o444: false} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		text, err := readOwn("key_file", path)
		if (err == nil) != reads || reads && text != "sk_test" {
			t.Errorf("mode %04o: %q, %v", mode, text, err)
		}
	}
}
