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
	if !isFormula(text) || isPlainNumber(text) {
		return text
	}
	return "'" + text
}

// isPlainNumber says whether spreadsheets too take a text for a number.
func isPlainNumber(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	return err == nil && strings.Trim(text, "0123456789+-.eE") == ""
}

// active is the text that inert has made a cell of.
func active(cell string) string {
	if strings.HasPrefix(cell, "'") && isFormula(cell) {
		return cell[1:]
	}
	return cell
}
