package report

import (
	"bytes"
	"fmt"
	"strings"

	"desfecho/internal/ui"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/pkg/twwidth"
	"github.com/olekukonko/tablewriter/tw"
)

// grid aligns cells in columns, two blanks apart, without frame, wrapping or
// cutting: one line per row, trailing blanks removed. It is the one door to
// tablewriter, whose defaults would trim and fold cells, and whose Render
// reports no failed write: hence the buffer.
func grid(rows [][]ui.Safe, right ...int) ([]string, error) {
	if len(rows) == 0 {
		return nil, nil
	}
	align := make([]tw.Align, len(rows[0]))
	for i := range align {
		align[i] = tw.AlignLeft
	}
	for _, column := range right {
		align[column] = tw.AlignRight
	}
	var buffer bytes.Buffer
	table := tablewriter.NewTable(&buffer,
		tablewriter.WithEastAsian(tw.Off), // the library would ask LANG
		tablewriter.WithRowAutoFormat(tw.Off),
		tablewriter.WithRowAutoWrap(tw.WrapNone),
		tablewriter.WithTrimSpace(tw.Off), tablewriter.WithTrimLine(tw.Off), tablewriter.WithTrimTab(tw.Off),
		tablewriter.WithRowAlignmentConfig(tw.CellAlignment{PerColumn: align}),
		tablewriter.WithPadding(tw.Padding{Right: "  ", Overwrite: true}),
		tablewriter.WithRendition(tw.Rendition{
			Borders: tw.BorderNone, Symbols: tw.NewSymbols(tw.StyleNone),
			Settings: tw.Settings{Lines: tw.LinesNone, Separators: tw.SeparatorsNone},
		}),
	)
	for _, row := range rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = cell.String()
		}
		if err := table.Append(cells); err != nil {
			return nil, fmt.Errorf("lay out the table: %w", err)
		}
	}
	if err := table.Render(); err != nil {
		return nil, fmt.Errorf("lay out the table: %w", err)
	}
	lines := strings.Split(strings.TrimSuffix(buffer.String(), "\n"), "\n")
	if len(lines) != len(rows) {
		return nil, fmt.Errorf("lay out the table: %d rows became %d lines", len(rows), len(lines))
	}
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " ")
	}
	return lines, nil
}

// columns is how wide a text is on a terminal, in any locale.
func columns(s ui.Safe) int {
	text := s.String()
	for i := range len(text) {
		if text[i] >= 0x80 {
			return twwidth.WidthWithOptions(text, twwidth.Options{})
		}
	}
	return len(text) // a Safe holds no control characters
}

// cut shortens words for people; ids never come here.
func cut(s ui.Safe, width int, ellipsis string) ui.Safe {
	if columns(s) <= width {
		return s
	}
	kept := []rune(s.String())
	for len(kept) > 0 && columns(ui.Clean(string(kept)+ellipsis)) > width {
		kept = kept[:len(kept)-1]
	}
	return ui.Clean(strings.TrimRight(string(kept), " ") + ellipsis)
}

// wrap puts the parts of a sentence on as few lines as the width allows. A part
// that is wider than a line is broken at its blanks; a word never is.
func wrap(parts sentence, separator string, width int) []ui.Safe {
	var lines []ui.Safe
	line := ""
	flush := func() {
		if line != "" {
			lines = append(lines, ui.Clean(line))
		}
		line = ""
	}
	for i, part := range parts {
		last := i == len(parts)-1
		text := part.String()
		reserve := 0
		if !last {
			reserve = columns(ui.Clean(strings.TrimRight(separator, " ")))
		}
		joined := text
		if line != "" {
			joined = line + separator + text
		}
		if columns(ui.Clean(joined))+reserve <= width {
			line = joined
			continue
		}
		if line != "" {
			line += strings.TrimRight(separator, " ")
			flush()
		}
		broken := breakWords(text, width)
		for _, whole := range broken[:len(broken)-1] {
			lines = append(lines, ui.Clean(whole))
		}
		line = broken[len(broken)-1]
	}
	flush()
	return lines
}

func breakWords(text string, width int) []string {
	if columns(ui.Clean(text)) <= width {
		return []string{text}
	}
	var lines []string
	line := ""
	for _, w := range strings.Split(text, " ") {
		switch {
		case line == "":
			line = w
		case columns(ui.Clean(line+" "+w)) > width:
			lines = append(lines, line)
			line = w
		default:
			line += " " + w
		}
	}
	return append(lines, line)
}
