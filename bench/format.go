package bench

import (
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf8"
)

// Format is how a table is written.
type Format int

// The formats of a table.
const (
	Text Format = iota
	Markdown
)

// missing stands for a number that was not measured or not published.
const missing = "-"

// sheet is a table of strings; the first left columns hold words, the others numbers.
type sheet struct {
	header []string
	rows   [][]string
	left   int
}

func (s *sheet) add(cells ...string) { s.rows = append(s.rows, cells) }

// write renders the sheet with aligned columns.
func (s *sheet) write(w io.Writer, format Format) error {
	width := make([]int, len(s.header))
	for _, row := range append([][]string{s.header}, s.rows...) {
		for j, c := range row {
			width[j] = max(width[j], utf8.RuneCountInString(c))
		}
	}
	var b strings.Builder
	line := func(row []string) {
		for j, c := range row {
			pad := strings.Repeat(" ", width[j]-utf8.RuneCountInString(c))
			if j < s.left {
				row[j] = c + pad
			} else {
				row[j] = pad + c
			}
		}
		if format == Markdown {
			b.WriteString("| " + strings.Join(row, " | ") + " |\n")
		} else {
			b.WriteString(strings.TrimRight(strings.Join(row, "  "), " ") + "\n")
		}
	}
	line(append([]string(nil), s.header...))
	if format == Markdown {
		rule := make([]string, len(width))
		for j, n := range width {
			rule[j] = strings.Repeat("-", n+1) + ":"
			if j < s.left {
				rule[j] = strings.Repeat("-", n+2)
			}
		}
		b.WriteString("|" + strings.Join(rule, "|") + "|\n")
	}
	for _, row := range s.rows {
		line(append([]string(nil), row...))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// plusMinus writes a mean with its standard error, to two digits of the latter
// but with two to four decimals.
func plusMinus(mean float64, se *float64) string {
	if se == nil {
		return fmt.Sprintf("%.4g", mean)
	}
	decimals := 4
	if *se > 0 {
		decimals = min(4, max(2, 1-int(math.Floor(math.Log10(*se)))))
	}
	return fmt.Sprintf("%.*f ± %.*f", decimals, mean, decimals, *se)
}
