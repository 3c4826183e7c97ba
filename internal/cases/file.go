package cases

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
)

// Line is one line of a case file: the case, or why it is none.
type Line struct {
	Number int
	ID     string // as far as it could be read
	Case   *Case
	Err    error
}

// ReadFile reads a file of cases, one JSON object a line; empty lines are
// passed over. Only a file that cannot be read is an error: a line that is no
// case fails as that case.
func ReadFile(name string) ([]Line, error) {
	raw, err := os.ReadFile(name) //nolint:gosec // G304: the file is the one that the operator named
	if err != nil {
		return nil, fmt.Errorf("read cases: %w", err)
	}
	var lines []Line
	for i, text := range bytes.Split(raw, []byte("\n")) {
		if len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		line := Line{Number: i + 1, ID: fmt.Sprintf("line %d", i+1)}
		var named struct{ ID string }
		if json.Unmarshal(text, &named) == nil && named.ID != "" {
			line.ID = named.ID
		}
		line.Case, line.Err = Decode(text)
		lines = append(lines, line)
	}
	return lines, nil
}

// Play plays the line's case; a line that is no case fails.
func (l *Line) Play(judge Judge) Report {
	if l.Err != nil {
		return Report{ID: l.ID, Differences: []string{l.Err.Error()}}
	}
	return Play(l.Case, judge)
}
