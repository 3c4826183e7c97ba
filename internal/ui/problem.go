package ui

import (
	"fmt"
	"io"
)

// Problem is an error as a person or a program is told of it: exit code, its
// name (usage, moved, …), what happened, and what to do about it. Message and
// hint are one line each, lower case, without a full stop.
type Problem struct {
	Code    int
	Name    string
	Message string
	Hint    string // empty: none
}

// Print writes the problem as two lines for people:
//
//	desfecho: error: attempts.csv:7: column amount: "1.2.3" is no amount
//	desfecho: hint: …
func (p Problem) Print(w io.Writer) error {
	text := "desfecho: error: " + Clean(p.Message).String() + "\n"
	if p.Hint != "" {
		text += "desfecho: hint: " + Clean(p.Hint).String() + "\n"
	}
	if _, err := io.WriteString(w, text); err != nil {
		return fmt.Errorf("print the error: %w", err)
	}
	return nil
}

// PrintJSON writes the problem as one JSON object on one line.
func (p Problem) PrintJSON(w io.Writer) error {
	line, err := JSON(struct {
		Schema  int    `json:"schema"`
		Kind    string `json:"kind"`
		Code    int    `json:"code"`
		Name    string `json:"name"`
		Message string `json:"message"`
		Hint    string `json:"hint,omitempty"`
	}{1, "error", p.Code, ValidUTF8(p.Name), ValidUTF8(p.Message), ValidUTF8(p.Hint)})
	if err != nil {
		return fmt.Errorf("print the error: %w", err)
	}
	if _, err := w.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("print the error: %w", err)
	}
	return nil
}
