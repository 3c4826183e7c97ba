package postgres

import (
	"errors"
	"path/filepath"
	"testing"

	"desfecho/internal/partition"
	"desfecho/internal/payment"
	"desfecho/internal/store"
)

// A full disk of the machine is no broken connection, though the system's
// errors look like those of a network.
func TestATemporaryFileIsNoConnection(t *testing.T) {
	t.Parallel()
	rows := partition.New(partition.Options{Memory: 1, Folder: filepath.Join(t.TempDir(), "missing")})
	var err error
	for i := 0; i < 10_000 && err == nil; i++ {
		err = rows.Line(int64(i), &payment.Line{ID: "l"}, 0, true)
	}
	if !errors.Is(explain(err), partition.ErrFile) || errors.Is(explain(err), store.ErrBroken) {
		t.Errorf("told %v", explain(err))
	}
}
