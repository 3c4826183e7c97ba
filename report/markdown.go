package report

import (
	"bufio"
	"strings"

	"desfecho/internal/ui"
)

// writeMarkdown is the report as GitHub-flavoured Markdown, for an issue or a
// wiki. Text from outside cannot become markup.
func writeMarkdown(w *bufio.Writer, d *Document, _ Options) error {
	p, err := newPage(d, voice{zone: d.zone(), dot: " · "})
	if err != nil {
		return err
	}
	var b strings.Builder
	b.WriteString("# desfecho\n\n")
	for _, s := range p.defect {
		b.WriteString("**" + literal(ui.Join(s, p.voice.dot)) + "**  \n")
	}
	for _, s := range p.head {
		b.WriteString(literal(ui.Join(s, p.voice.dot)) + "  \n")
	}
	markdownRows(&b, p)
	if len(p.sums) > 0 {
		b.WriteString("\n## Bridge\n\n| sum | amount | made of |\n|---|---:|---|\n")
	}
	for _, s := range p.sums {
		tableRow(&b, ui.Clean(s.label), amountCell(s.amount), ui.Join(s.terms, " "))
	}
	if len(p.facts) > 0 {
		b.WriteString("\n## Read and counted\n\n| | |\n|---|---|\n")
	}
	for _, f := range p.facts {
		tableRow(&b, ui.Clean(f.label), ui.Join(f.text, p.voice.dot))
	}
	b.WriteString("\n" + literal(ui.Join(p.foot, p.voice.dot)) + "\n")
	_, err = w.WriteString(b.String())
	return err
}

func markdownRows(b *strings.Builder, p *page) {
	if len(p.rows) == 0 {
		return
	}
	b.WriteString("\n## Divergences\n\n| severity | class | kind | subject | amount | since | life | next | notes |\n" +
		"|---|---|---|---|---:|---|---|---|---|\n")
	for i := range p.rows {
		r := &p.rows[i]
		tableRow(b, severityCell(r.severity), ui.Clean(r.class), ui.Clean(r.kind), r.subject, amountsCell(r.amounts),
			ui.Clean(p.voice.instant(r.since)), ui.Clean(r.life), ui.Clean(r.next), ui.Join(r.notes, p.voice.dot))
	}
}

func tableRow(b *strings.Builder, cells ...ui.Safe) {
	b.WriteString("|")
	for _, cell := range cells {
		b.WriteString(" " + literal(cell) + " |")
	}
	b.WriteString("\n")
}

// literal escapes what Markdown would read as markup, addresses that would
// become links included. An underscore inside a word is no markup.
func literal(s ui.Safe) string {
	text := s.String()
	var b strings.Builder
	for i := range len(text) {
		if markup(text, i) {
			b.WriteByte('\\')
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

func markup(text string, i int) bool {
	switch c := text[i]; c {
	case '_':
		return i == 0 || i+1 == len(text) || !alnum(text[i-1]) || !alnum(text[i+1])
	case ':':
		return strings.HasPrefix(text[i+1:], "//")
	case '.':
		return i >= 3 && strings.EqualFold(text[i-3:i], "www")
	default:
		return strings.IndexByte("\\`*[]<>|~&#!@", c) >= 0
	}
}

func alnum(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
}
