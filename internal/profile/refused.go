package profile

import (
	"fmt"

	"desfecho/internal/tabular"
)

// Refused is a file that was read to its end and is not taken, because some
// rows cannot be read. It unwraps to the first of them.
type Refused struct {
	Errors []*tabular.Error // the first ten
	Tally  Tally
}

func (e *Refused) Error() string {
	if e.Tally.Errors == 1 {
		return e.Errors[0].Error()
	}
	return fmt.Sprintf("%s; %d more rows cannot be read", e.Errors[0], e.Tally.Errors-1)
}

func (e *Refused) Unwrap() error { return e.Errors[0] }

// Hint is that of the first row.
func (e *Refused) Hint() string { return e.Errors[0].Hint }
