// Package atomicfile writes a file whole or not at all.
//
// The bytes go to a temporary file of mode 0600 in the target's own folder,
// are synced, and take the target's name in one rename. It never follows a
// symbolic link, never writes into a device or a pipe and leaves nothing
// behind when it fails.
package atomicfile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// RefusedError says that the path cannot be a report: nothing was written.
type RefusedError struct {
	Path   string
	Reason string
}

func (e *RefusedError) Error() string { return fmt.Sprintf("write %s: %s", e.Path, e.Reason) }

// Check tells early, before any work is done, whether Write would refuse the
// path: a *RefusedError for a symbolic link, a folder, a device, a pipe, a
// folder that does not exist, or one of the files that are being read. A
// regular file is fine: Write replaces it.
func Check(path string, inputs ...string) error {
	folder, err := os.Stat(filepath.Dir(path))
	if err != nil || !folder.IsDir() {
		return &RefusedError{path, "the folder " + filepath.Dir(path) + " does not exist"}
	}
	target, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if reason := refusal(target.Mode()); reason != "" {
		return &RefusedError{path, reason}
	}
	for _, input := range inputs {
		if read, err := os.Stat(input); err == nil && os.SameFile(target, read) {
			return &RefusedError{path, "it is one of the files to read"}
		}
	}
	return nil
}

// CheckOpen refuses a path that is the very file which is open for reading, by
// whatever name it was opened.
func CheckOpen(path string, open *os.File) error {
	target, err := os.Stat(path)
	if err != nil {
		return nil //nolint:nilerr // what does not exist is not open; the rest is for Check
	}
	if read, err := open.Stat(); err == nil && os.SameFile(target, read) {
		return &RefusedError{path, "it is the file that the standard input comes from"}
	}
	return nil
}

func refusal(mode fs.FileMode) string {
	switch {
	case mode.IsRegular():
		return ""
	case mode.IsDir():
		return "it is a folder"
	case mode&fs.ModeSymlink != 0:
		return "it is a symbolic link, which is not followed"
	default:
		return "it is a device or a pipe, not a file"
	}
}

// Write calls write with a buffered writer and gives what it wrote the name
// path, replacing a regular file of that name. Where it returns an error, the
// file that stood there before still stands, untouched.
func Write(path string, write func(io.Writer) error) error { return give(path, 0o600, write) }

// WriteReadable is Write for a file that other accounts of the machine read,
// such as a collector of metrics: it gets the mode 0644.
func WriteReadable(path string, write func(io.Writer) error) error { return give(path, 0o644, write) }

func give(path string, mode fs.FileMode, write func(io.Writer) error) (err error) {
	if err := Check(path); err != nil {
		return err
	}
	temporary, err := os.CreateTemp(filepath.Dir(path), ".desfecho-*.tmp") // mode 0600, O_EXCL
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	defer func() {
		if err != nil {
			_ = temporary.Close() // may be closed already
			_ = os.Remove(temporary.Name())
		}
	}()
	if err := temporary.Chmod(mode); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	buffered := bufio.NewWriterSize(temporary, 1<<16)
	if err := write(buffered); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := settle(temporary, buffered); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := os.Rename(temporary.Name(), path); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return syncFolder(path)
}

// settle brings every byte to the disk before the file gets its name.
func settle(file *os.File, buffered *bufio.Writer) error {
	if err := buffered.Flush(); err != nil {
		return err
	}
	if err := file.Sync(); err != nil {
		return err
	}
	return file.Close()
}

// syncFolder makes the rename itself durable. Windows has no such call.
func syncFolder(path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	folder, err := os.Open(filepath.Dir(path))
	if err != nil {
		return fmt.Errorf("write %s: sync its folder: %w", path, err)
	}
	defer func() { _ = folder.Close() }()
	if err := folder.Sync(); err != nil {
		return fmt.Errorf("write %s: sync its folder: %w", path, err)
	}
	return nil
}
