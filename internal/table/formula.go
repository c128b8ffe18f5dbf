package table

import (
	"strconv"
	"strings"
)

// isFormula says whether a spreadsheet takes a text for a formula, or would if the
// apostrophes before it were not there.
func isFormula(text string) bool {
	rest := strings.TrimLeft(text, "'")
	return rest != "" && strings.ContainsRune("=+-@\t\r\n", rune(rest[0]))
}

// inert is a text as a cell that no spreadsheet computes. A number stays as it is.
func inert(text string) string {
	if _, err := strconv.ParseFloat(text, 64); err == nil || !isFormula(text) {
		return text
	}
	return "'" + text
}

// active is the text that inert has made a cell of.
func active(cell string) string {
	if strings.HasPrefix(cell, "'") && isFormula(cell) {
		return cell[1:]
	}
	return cell
}
