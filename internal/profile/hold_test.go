package profile

import (
	"errors"
	"strings"
	"testing"
)

// endless never ends.
type endless struct{ read int }

func (e *endless) Read(p []byte) (int, error) {
	e.read += len(p)
	return len(p), nil
}

func TestAStreamThatNeverEndsIsGivenUp(t *testing.T) {
	t.Parallel()
	in := &endless{}
	_, err := hold(in, "stdin", 1<<20)
	if _, ok := errors.AsType[*UsageError](err); !ok || !strings.Contains(err.Error(), "stdin does not end within 1 MiB") || in.read > 1<<20+1 {
		t.Errorf("read %d bytes, %v", in.read, err)
	}
	if held, err := hold(strings.NewReader("1234"), "stdin", 4); err != nil || string(held) != "1234" {
		t.Errorf("%q, %v", held, err)
	}
}
