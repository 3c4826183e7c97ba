package cmd

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"desfecho/internal/check"
	"desfecho/internal/ui"
)

// finding is one audit as programs read it.
type finding struct {
	Audit   string `json:"audit"`
	Level   string `json:"level"`
	Rows    int64  `json:"rows"`
	Example string `json:"example,omitempty"`
	Says    string `json:"says"`
	Do      string `json:"do,omitempty"`
}

// answer is one question of the review as programs read it.
type answer struct {
	Question string `json:"question"`
	Answer   string `json:"answer"`
}

func (d *deps) tellCheck(ctx context.Context, found *check.Report, code exitCode) error {
	if d.global.quiet && found.Worst() != check.Fault && !d.global.toFile() {
		return nil
	}
	return d.write(ctx, func(w io.Writer) error {
		if d.global.jsonAsked() {
			return writeCheckJSON(w, found)
		}
		width := 0
		if d.OutTerminal && !d.global.toFile() {
			width = cmp.Or(d.Width, 80)
		}
		return writeCheck(w, found, width, code)
	})
}

func writeCheckJSON(w io.Writer, found *check.Report) error {
	told := struct {
		Schema   int       `json:"schema"`
		Kind     string    `json:"kind"`
		Worst    string    `json:"worst"`
		Findings []finding `json:"findings"`
		Answers  []answer  `json:"answers"`
	}{Schema: 1, Kind: "check", Worst: found.Worst().String(), Answers: []answer{}}
	for _, f := range found.Findings {
		told.Findings = append(told.Findings, finding{f.Name, f.Level.String(), f.Rows, f.Example, f.Says, f.Do})
	}
	for _, a := range found.Answers {
		told.Answers = append(told.Answers, answer{a.Question, a.String()})
	}
	text, err := json.Marshal(told)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s\n", text)
	return err
}

// writeCheck prints what is wrong first: to a person at the width of his screen,
// with what to do below, to a program in columns.
func writeCheck(w io.Writer, found *check.Report, width int, code exitCode) error {
	var b strings.Builder
	findings := slices.Clone(found.Findings)
	slices.SortStableFunc(findings, func(a, b check.Finding) int { return urgency(b.Level) - urgency(a.Level) })
	for i := range findings {
		if width > 0 {
			writeFinding(&b, &findings[i], width)
			continue
		}
		f := &findings[i]
		rows := ""
		if f.Rows > 0 {
			rows = strconv.FormatInt(f.Rows, 10)
		}
		b.WriteString(strings.Join([]string{f.Level.String(), f.Name, rows, ui.Clean(f.Example).String(), ui.Clean(f.Says).String(), f.Do}, "\t") + "\n")
	}
	if len(found.Answers) > 0 {
		b.WriteString("\n")
	}
	for i, a := range found.Answers {
		text := ui.Clean(a.String()).String()
		if width == 0 {
			fmt.Fprintf(&b, "%d. %s\n   %s\n", i+1, a.Question, text)
			continue
		}
		hang(&b, fmt.Sprintf("%d. ", i+1), 3, a.Question, width)
		hang(&b, "", 3, text, width)
	}
	if width > 0 {
		b.WriteString("\n" + summed(found, code) + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// writeFinding is one audit for a person: what is well beside its name, what is
// not below it.
func writeFinding(b *strings.Builder, f *check.Finding, width int) {
	head := fmt.Sprintf("%-8s ", f.Level)
	says := ui.Clean(f.Says).String()
	if f.Do == "" {
		hang(b, fmt.Sprintf("%s%-23s", head, f.Name), 32, says, width)
		return
	}
	b.WriteString(head + f.Name)
	if f.Example != "" {
		b.WriteString(", such as " + f.ExampleOf() + " " + ui.Clean(f.Example).String())
	}
	b.WriteString("\n")
	hang(b, "", 9, says, width)
	hang(b, "", 9, "do: "+f.Do, width)
}

// hang writes text behind a head, all lines but the first one indented.
func hang(b *strings.Builder, head string, indent int, text string, width int) {
	for i, line := range ui.Fold(text, max(width-indent, 24)) {
		if i > 0 || head == "" {
			head = strings.Repeat(" ", indent)
		}
		b.WriteString(head + line + "\n")
	}
}

// summed is the last line: what there was, and what cron sees.
func summed(found *check.Report, code exitCode) string {
	count := map[check.Level]int{}
	for _, f := range found.Findings {
		count[f.Level]++
	}
	return fmt.Sprintf("faults %d, warnings %d, cannot be seen %d, ok %d · exit %d",
		count[check.Fault], count[check.Warning], count[check.Unknown], count[check.OK], code)
}

// urgency orders levels: what cannot be seen comes before what is well.
func urgency(l check.Level) int {
	switch l {
	case check.Fault:
		return 3
	case check.Warning:
		return 2
	case check.Unknown:
		return 1
	case check.OK:
	}
	return 0
}
