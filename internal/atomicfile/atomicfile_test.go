//go:build unix

package atomicfile_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"desfecho/internal/atomicfile"
)

func put(text string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
}

func TestWriteGivesTheWholeFileForItsOwnerOnly(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "report.csv")
	for _, text := range []string{"first, and longer", "second"} {
		if err := atomicfile.Write(path, put(text)); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(path)
		if err != nil || string(got) != text {
			t.Errorf("got %q, %v; want %q", got, err, text)
		}
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v; want 0600", info.Mode(), err)
	}
}

// TestAFailedWriteLeavesTheOldFileAndNothingElse breaks the writer at several
// places: before the first byte, and after more than any buffer holds.
func TestAFailedWriteLeavesTheOldFileAndNothingElse(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for _, size := range []int{0, 1, 1 << 20} {
		folder := t.TempDir()
		path := filepath.Join(folder, "report.csv")
		if err := atomicfile.Write(path, put("old")); err != nil {
			t.Fatal(err)
		}
		err := atomicfile.Write(path, func(w io.Writer) error {
			if _, err := io.WriteString(w, strings.Repeat("x", size)); err != nil {
				return err
			}
			return broken
		})
		if !errors.Is(err, broken) || !strings.Contains(err.Error(), path) {
			t.Errorf("error %v must wrap the cause and name %s", err, path)
		}
		if got, _ := os.ReadFile(path); string(got) != "old" {
			t.Errorf("after a failed write the file holds %q", got)
		}
		if left, _ := os.ReadDir(folder); len(left) != 1 {
			t.Errorf("left behind: %v", left)
		}
	}
}

func TestWriteRefusesWhatIsNoFileOfItsOwn(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	target := filepath.Join(folder, "target")
	if err := os.WriteFile(target, []byte("kept"), 0o600); err != nil {
		t.Fatal(err)
	}
	link, pipe := filepath.Join(folder, "link"), filepath.Join(folder, "pipe")
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, path := range map[string]string{
		"symbolic link": link, "pipe": pipe, "folder": folder, "device": "/dev/null",
		"no such folder": filepath.Join(folder, "none", "report"),
	} {
		var refused *atomicfile.RefusedError
		if err := atomicfile.Write(path, put("x")); !errors.As(err, &refused) {
			t.Errorf("%s: got %v, want a refusal", name, err)
		}
	}
	if got, _ := os.ReadFile(target); string(got) != "kept" {
		t.Errorf("the link's target holds %q", got)
	}
}

func TestCheckRefusesToReplaceAnInput(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	input := filepath.Join(folder, "attempts.csv")
	if err := os.WriteFile(input, []byte("id"), 0o600); err != nil {
		t.Fatal(err)
	}
	var refused *atomicfile.RefusedError
	if err := atomicfile.Check(folder+"/./attempts.csv", input); !errors.As(err, &refused) {
		t.Errorf("got %v, want a refusal", err)
	}
	if err := atomicfile.Check(filepath.Join(folder, "report.csv"), input); err != nil {
		t.Errorf("another name: %v", err)
	}
}
