package store

import (
	"fmt"
	"slices"
	"strings"

	"desfecho/internal/payment"
)

// Transition says what the merchant's own system does when an attempt ends so:
// further columns of the attempt and statements about other tables, in the
// transaction of the write (RULES §7). One that is not declared, even as empty,
// is not offered.
type Transition struct {
	To       string     `mapstructure:"to" yaml:"to"` // succeeded, succeeded_duplicate, succeeded_reversed, failed, unknown
	AlsoSet  []SetAlso  `mapstructure:"also_set" yaml:"also_set,omitempty"`
	FollowUp []FollowUp `mapstructure:"follow_up" yaml:"follow_up,omitempty"`
}

// SetAlso gives one more column of the attempt a value: a text, or one named
// parameter such as $operator.
type SetAlso struct {
	Column string `mapstructure:"column" yaml:"column"`
	Value  string `mapstructure:"value" yaml:"value"`
}

// FollowUp is one statement with named parameters. Rows says how many rows it
// may touch: "1" (also where nothing is said) or "0..1", and then Zero says in
// words what none means.
type FollowUp struct {
	SQL  string `mapstructure:"sql" yaml:"sql"`
	Rows string `mapstructure:"rows" yaml:"rows,omitempty"`
	Zero string `mapstructure:"zero" yaml:"zero,omitempty"`
}

// Parameters are the names that a follow-up may use, as $name. Amount is in
// minor units; here is what the attempt's row said, there what the provider
// says.
var parameters = []string{
	"id", "charge", "key", "provider", "account", "unit", "amount", "currency", "mark", "transition", "op_id", "operator", "reason",
}

// The transitions of RULES §7.
var transitionNames = []string{"succeeded", "succeeded_duplicate", "succeeded_reversed", "failed", "unknown"}

// Statement is one SQL statement whose parameters were taken out.
type Statement struct {
	parts []string // between the parameters
	names []string // of the parameter after each part but the last
}

// Render writes the statement with what of says in the place of each parameter.
func (s *Statement) Render(of func(name string) string) string {
	var b strings.Builder
	for i, part := range s.parts {
		b.WriteString(part)
		if i < len(s.names) {
			b.WriteString(of(s.names[i]))
		}
	}
	return b.String()
}

// Shown is the statement with its values, for people to read.
func (s *Statement) Shown(values map[string]string) string {
	return s.Render(func(name string) string { return "'" + strings.ReplaceAll(values[name], "'", "''") + "'" })
}

// Who writes an attempt's outcome (attempts.write_by): desfecho itself, by
// statements, or the database's function that `desfecho schema --roles` makes.
const (
	ByStatements = "direct"
	ByFunction   = "function"
)

// WritesByFunction tells whether the database's function is the only writer.
func (d *Description) WritesByFunction() bool { return d.WriteBy == ByFunction }

// Step is a follow-up that was checked.
type Step struct {
	Statement
	Optional bool   // may touch no row
	Zero     string // and what that means
}

// Effect is a transition that was checked.
type Effect struct {
	To      string
	AlsoSet []SetAlso
	Steps   []Step
}

// Effect of a transition; ok is false where it is not declared.
func (r *Reading) Effect(transition string) (effect Effect, ok bool) {
	i := slices.IndexFunc(r.effects, func(e Effect) bool { return e.To == transition })
	if i < 0 {
		return Effect{}, false
	}
	return r.effects[i], true
}

// LockFirst lists the statements that take the user's own locks, in order.
func (r *Reading) LockFirst() []Statement { return r.locks }

// WordFor is the table's word for a status that is to be written, "" where it
// has none.
func (r *Reading) WordFor(status payment.Status) string {
	var words []string
	switch status {
	case payment.Pending:
		words = r.Status.Pending
	case payment.Unknown:
		words = r.Status.Unknown
	case payment.Succeeded:
		words = r.Status.Succeeded
	case payment.Failed:
		words = r.Status.Failed
	case payment.StatusNone:
	}
	if len(words) == 0 {
		return ""
	}
	return words[0]
}

// transitions checks what resolve may write.
func (r *Reading) transitions() error {
	if !slices.Contains([]string{"", ByStatements, ByFunction}, r.WriteBy) {
		return &DescriptionError{"attempts.write_by", fmt.Sprintf("is %q", r.WriteBy), "say direct or function"}
	}
	for i, text := range r.LockBefore {
		s, err := compile(text, "SELECT")
		if err == nil && !strings.Contains(strings.ToUpper(text), "NOWAIT") {
			err = fmt.Errorf("%q waits for its lock", text)
		}
		if err != nil {
			return &DescriptionError{fmt.Sprintf("attempts.lock_first[%d]", i), err.Error(), "such as SELECT 1 FROM payments WHERE id = $charge FOR UPDATE NOWAIT"}
		}
		r.locks = append(r.locks, s)
	}
	for i := range r.Transitions {
		if err := r.transition(fmt.Sprintf("attempts.transitions[%d]", i), &r.Transitions[i]); err != nil {
			return err
		}
	}
	return nil
}

func (r *Reading) transition(key string, t *Transition) error {
	if !slices.Contains(transitionNames, t.To) {
		return &DescriptionError{key + ".to", fmt.Sprintf("%q is no transition", t.To), "one of " + strings.Join(transitionNames, ", ")}
	}
	if _, twice := r.Effect(t.To); twice {
		return &DescriptionError{key + ".to", t.To + " is declared twice", "declare each transition once"}
	}
	e := Effect{To: t.To}
	for _, set := range t.AlsoSet {
		name, isParameter := strings.CutPrefix(set.Value, "$")
		if set.Column == "" || isParameter && !slices.Contains(parameters, name) {
			return &DescriptionError{key + ".also_set", fmt.Sprintf("{column: %s, value: %s} is not usable", set.Column, set.Value), parameterAdvice()}
		}
		e.AlsoSet = append(e.AlsoSet, set)
	}
	for i, f := range t.FollowUp {
		at := fmt.Sprintf("%s.follow_up[%d]", key, i)
		s, err := compile(f.SQL, "UPDATE", "INSERT", "DELETE", "SELECT", "WITH")
		if err != nil {
			return &DescriptionError{at + ".sql", err.Error(), parameterAdvice()}
		}
		step := Step{Statement: s, Zero: f.Zero}
		switch f.Rows {
		case "", "1":
		case "0..1":
			step.Optional = true
		default:
			return &DescriptionError{at + ".rows", fmt.Sprintf("%q", f.Rows), `say "1", or "0..1" with a sentence for none under zero`}
		}
		if step.Optional != (f.Zero != "") {
			return &DescriptionError{at + ".zero", "goes with rows: 0..1", `say in words what no row means, such as zero: "already paid"`}
		}
		e.Steps = append(e.Steps, step)
	}
	r.effects = append(r.effects, e)
	return nil
}

func parameterAdvice() string { return "parameters are $" + strings.Join(parameters, ", $") }

// compile takes one statement that begins with one of the words apart into its
// text and its parameters. What could hide a second statement, or end the
// transaction, is refused: comments, dollar quotes, texts with backslashes.
func compile(text string, begins ...string) (Statement, error) {
	text = strings.TrimSuffix(strings.TrimSpace(text), ";")
	first, _, _ := strings.Cut(strings.ToUpper(text), " ")
	if !slices.Contains(begins, strings.TrimSpace(first)) {
		return Statement{}, fmt.Errorf("%q does not begin with %s", text, strings.Join(begins, ", "))
	}
	c := compiler{text: text}
	for c.at < len(text) {
		if err := c.step(); err != nil {
			return Statement{}, err
		}
	}
	c.done.parts = append(c.done.parts, text[c.from:])
	return c.done, nil
}

type compiler struct {
	text     string
	from, at int // of the part that is being read
	done     Statement
}

func (c *compiler) step() error {
	rest := c.text[c.at:]
	switch b := rest[0]; {
	case b == '\'' || b == '"':
		return c.quoted(b)
	case b == ';':
		return fmt.Errorf("%q holds more than one statement", c.text)
	case b == 0 || b == '\\' || strings.HasPrefix(rest, "--") || strings.HasPrefix(rest, "/*"):
		return fmt.Errorf("%q holds a comment, a backslash or a NUL, which a follow-up may not", c.text)
	case b == '$':
		return c.parameter()
	default:
		c.at++
	}
	return nil
}

// quoted passes over a text or a quoted name; a doubled quote in it begins the
// next one.
func (c *compiler) quoted(quote byte) error {
	end := strings.IndexByte(c.text[c.at+1:], quote)
	if end < 0 {
		return fmt.Errorf("%q: a quote is not closed", c.text)
	}
	whole := c.text[c.at : c.at+end+2]
	if strings.ContainsAny(whole, "\\\x00") {
		return fmt.Errorf("%q holds a backslash or a NUL in quotes, which a follow-up may not", c.text)
	}
	c.at += len(whole)
	return nil
}

// ofWord tells whether the byte would make one word with what follows.
func ofWord(b byte) bool {
	return b == '_' || b == '$' || b >= 0x80 || '0' <= b && b <= '9' || 'a' <= b|0x20 && b|0x20 <= 'z'
}

func (c *compiler) parameter() error {
	end := c.at + 1
	for end < len(c.text) && (c.text[end] == '_' || 'a' <= c.text[end] && c.text[end] <= 'z') {
		end++
	}
	name := c.text[c.at+1 : end]
	if c.at > 0 && ofWord(c.text[c.at-1]) {
		return fmt.Errorf("%q: $%s follows a word without a space", c.text, name)
	}
	if !slices.Contains(parameters, name) {
		return fmt.Errorf("%q: $%s is no parameter", c.text, name)
	}
	c.done.parts = append(c.done.parts, c.text[c.from:c.at])
	c.done.names = append(c.done.names, name)
	c.from, c.at = end, end
	return nil
}
