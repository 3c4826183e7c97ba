package profile

import (
	"crypto/sha256"
	"errors"
	"fmt"

	"desfecho/internal/tabular"
)

// profileFlag names the profile of one side on the command line.
func profileFlag(kind string) string {
	if kind == KindAttempts {
		return "--attempts-profile"
	}
	return "--profile"
}

// swapped asks, where the headings do not fit, whether the file was given for
// the wrong side: a built-in profile of the other side may fit it.
func (s *Source) swapped(err error) error {
	if err == nil || s.probe {
		return err
	}
	name := s.fitsOtherSide()
	if name == "" {
		return err
	}
	hint := fmt.Sprintf("swapped? these are the headings of %s (profile %s): your attempts belong to --attempts, the provider's statement to --statement",
		sideOf(otherSide(s.o.Kind)), name)
	if fault, ok := errors.AsType[*tabular.Error](err); ok {
		asked := *fault
		asked.Hint = hint
		return &asked
	}
	if usage, ok := errors.AsType[*UsageError](err); ok {
		return &UsageError{Problem: usage.Problem, Advice: hint}
	}
	return err
}

func otherSide(kind string) string {
	if kind == KindAttempts {
		return KindStatement
	}
	return KindAttempts
}

// fitsOtherSide is the built-in profile of the other side that fits, "" where
// none does.
func (s *Source) fitsOtherSide() string {
	o := SourceOptions{Name: s.o.Name, Kind: otherSide(s.o.Kind), Encoding: s.o.Encoding}
	other := &Source{o: o, in: s.in, size: s.size, sum: sha256.New(), probe: true}
	candidates, err := builtinsOf(o.Kind)
	if openErr := other.open(); err != nil || openErr != nil && other.table == nil {
		return ""
	}
	_, there := other.headings(candidates)
	for _, p := range candidates {
		if len(p.lacks(there)) == 0 {
			return p.Name
		}
	}
	return ""
}
