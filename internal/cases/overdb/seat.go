package overdb

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"desfecho/internal/cases"
	"desfecho/internal/payment"
	"desfecho/reconcile"
	"desfecho/resolve"
)

// run sits down before the program, types the lines in turn and gives what
// stood there and how it ended.
func (p *person) run(login string, answers []payment.Lookup, lines []string, args ...string) (seen, exit string, err error) {
	terminal, err := p.start(login, answers, args...)
	if err != nil {
		return "", "", err
	}
	for _, line := range lines {
		part, asks, err := terminal.Asked()
		if err != nil {
			return "", "", err
		}
		seen += part
		if asks {
			if err := terminal.Type(line); err != nil {
				return "", "", err
			}
		}
	}
	rest, exit, err := terminal.Ended()
	return seen + rest, exit, err
}

func (p *person) start(login string, answers []payment.Lookup, args ...string) (Terminal, error) {
	path, err := p.configure(answers)
	if err != nil {
		return nil, err
	}
	return p.Sit(login, path, args...)
}

// wanted is an error where a command ends otherwise than it must.
func wanted(exit, want, seen string) error {
	if exit == want {
		return nil
	}
	return fmt.Errorf("exit %s, want %s:\n%s", exit, want, seen)
}

// Approve approves where the screen says that this is due, and is refused
// otherwise.
func (p *person) Approve(attempt string, mark resolve.Mark, login string, answers []payment.Lookup) error {
	amount := ""
	for i := range p.in.Attempts {
		if a := &p.in.Attempts[i]; a.ID == attempt {
			amount = a.Amount.Decimal()
		}
	}
	seen, exit, err := p.run(login, answers, []string{"approve " + mark.String() + " " + amount}, "approve", attempt, "--as", mark.String())
	if err != nil {
		return err
	}
	if strings.Contains(seen, "no mark is due for approval") || strings.Contains(seen, "is approved already") {
		return wanted(exit, "not_confirmed", seen)
	}
	return wanted(exit, "done", seen)
}

// Testify adds manual evidence.
func (p *person) Testify(seen payment.Manual, word string) error {
	told, exit, err := p.run(seen.By, nil, nil, "evidence", "add", seen.Attempt, "--seen", word, "--where", seen.Where)
	return errors.Join(err, wanted(exit, "done", told))
}

// Dismiss puts a look-alike aside.
func (p *person) Dismiss(d reconcile.Dismissal) error {
	told, exit, err := p.run(d.By, nil, nil, "dismiss", d.Attempt, d.Unit, "--reason", d.Reason)
	return errors.Join(err, wanted(exit, "done", told))
}

// Open opens the screen of resolve.
func (p *person) Open(attempt, unit string, answers []payment.Lookup) (cases.Screen, error) {
	args := []string{"resolve", attempt}
	if unit != "" {
		args = append(args, "--unit", unit)
	}
	terminal, err := p.start(operator, answers, args...)
	if err != nil {
		return nil, err
	}
	s := &shown{terminal: terminal}
	s.seen, s.asks, err = terminal.Asked()
	if err != nil {
		return nil, err
	}
	if !s.asks {
		rest, exit, err := terminal.Ended()
		if err != nil {
			return nil, err
		}
		s.seen, s.exit = s.seen+rest, exit
	}
	if !strings.Contains(s.seen, "attempt "+attempt+" ") {
		return nil, fmt.Errorf("no screen of %s: exit %s\n%s", attempt, s.exit, s.seen)
	}
	return s, nil
}

// shown is a screen of resolve.
type shown struct {
	terminal Terminal
	seen     string
	asks     bool
	exit     string
}

var (
	offered   = regexp.MustCompile(`(?m)^(succeeded|failed|unknown) +(allowed|after approval|not here) `) // not here: over a file, which knows no second person
	confirmed = regexp.MustCompile("`(succeeded|failed|unknown)[ `]")
)

// Marks reads what the screen offers, and that what it asks to be typed is the
// same.
func (s *shown) Marks() []string {
	marks := []string{}
	var typed, free []string
	for _, m := range offered.FindAllStringSubmatch(s.seen, -1) {
		word := "mark_" + m[1]
		switch {
		case m[2] != "allowed":
			word += "_with_approval"
		case m[1] == "succeeded" && strings.Contains(s.seen, "(as succeeded_duplicate)"):
			word += "_duplicate"
		}
		if m[2] == "allowed" {
			free = append(free, m[1])
		}
		marks = append(marks, word)
	}
	_, question, _ := strings.Cut(s.seen, "\ntype ")
	for _, m := range confirmed.FindAllStringSubmatch(question, -1) {
		typed = append(typed, m[1])
	}
	if fmt.Sprint(typed) != fmt.Sprint(free) {
		marks = append(marks, fmt.Sprintf("(the screen allows %v and asks for %v)", free, typed))
	}
	if !strings.Contains(s.seen, "a final status never changes") {
		marks = append(marks, "keep")
	}
	return marks
}

// Type types a line where one is asked for.
func (s *shown) Type(line string) (exit string, err error) {
	if !s.asks {
		return s.exit, nil
	}
	if err := s.terminal.Type(line); err != nil {
		return "", err
	}
	s.asks = false
	_, s.exit, err = s.terminal.Ended()
	return s.exit, err
}
