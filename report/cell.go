package report

import (
	"strings"

	"desfecho/internal/ui"
)

// disarm makes text from outside harmless in a spreadsheet: what is hidden is
// shown as an escape, and what would be read as a formula gets a leading
// apostrophe. Numbers made by this program never come here: their minus is a
// minus.
func disarm(text string) string {
	clean := ui.Clean(text).String()
	if formulaStart(text) || formulaStart(clean) {
		return "'" + clean
	}
	return clean
}

// formulaStart tells whether a spreadsheet may take a cell for a formula, also
// after it has dropped leading blanks. The full-width forms count.
func formulaStart(text string) bool {
	if strings.HasPrefix(text, "\t") || strings.HasPrefix(text, "\r") || strings.HasPrefix(text, "\n") {
		return true
	}
	for _, r := range strings.TrimLeft(text, " ") {
		return strings.ContainsRune("=+-@＝＋－＠−", r)
	}
	return false
}

// asText keeps an id an id in a spreadsheet that guesses types: what begins like
// a number, and what begins like a formula, gets a leading apostrophe.
func asText(id string) string {
	cell := disarm(id)
	if cell != "" && (cell[0] >= '0' && cell[0] <= '9' || cell[0] == '.' || cell[0] == ',') {
		return "'" + cell
	}
	return cell
}
