package bench

import (
	"encoding/csv"
	"fmt"
	"html"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Format is how a table is written.
type Format int

// The formats of a table. CSV has a mean and its standard error in two columns,
// with all their digits.
const (
	Text Format = iota
	Markdown
	CSV
	LaTeX
	HTML
)

// missing stands for a number that was not measured or not published.
const missing = "-"

// entry is one place of a sheet.
type entry struct {
	text string
	mean *float64 // what CSV writes instead of the text, in a measured column
	se   *float64
	best bool // lowest of those it competes with: bold where the format can
}

// words makes entries of plain texts.
func words(texts ...string) []entry {
	entries := make([]entry, len(texts))
	for i, t := range texts {
		entries[i] = entry{text: t}
	}
	return entries
}

// measure is an entry with a mean and, if there is one, its standard error.
func measure(mean float64, se *float64) entry {
	return entry{text: plusMinus(mean, se), mean: &mean, se: se}
}

// sheet is a table; the first left columns hold words, the others numbers.
type sheet struct {
	caption  string // shown above by all formats but CSV; may be empty
	header   []string
	rows     [][]entry
	left     int
	measured []int // columns that hold a mean and a standard error
}

func (s *sheet) add(entries ...entry) { s.rows = append(s.rows, entries) }

// dropFirst removes the first column, one of words.
func (s *sheet) dropFirst() {
	s.header, s.left = s.header[1:], s.left-1
	for i := range s.rows {
		s.rows[i] = s.rows[i][1:]
	}
	for i := range s.measured {
		s.measured[i]--
	}
}

// write renders the sheet.
func (s *sheet) write(w io.Writer, format Format) error {
	switch format {
	case CSV:
		return s.writeCSV(w)
	case LaTeX:
		return s.writeLaTeX(w)
	case HTML:
		return s.writeHTML(w)
	default:
		return s.writeAligned(w, format == Markdown)
	}
}

// writeSheets renders one sheet after the other with an empty line between.
func writeSheets(w io.Writer, sheets []sheet, format Format) error {
	for i := range sheets {
		if i > 0 {
			if _, err := io.WriteString(w, "\n"); err != nil {
				return err
			}
		}
		if err := sheets[i].write(w, format); err != nil {
			return err
		}
	}
	return nil
}

func (s *sheet) writeAligned(w io.Writer, markdown bool) error {
	lines := [][]string{slices.Clone(s.header)}
	for _, row := range s.rows {
		line := make([]string, len(row))
		for j, e := range row {
			line[j] = e.text
			if markdown && e.best {
				line[j] = "**" + e.text + "**"
			}
		}
		lines = append(lines, line)
	}
	width := make([]int, len(s.header))
	for _, line := range lines {
		for j, c := range line {
			width[j] = max(width[j], utf8.RuneCountInString(c))
		}
	}
	var b strings.Builder
	if s.caption != "" {
		b.WriteString(s.caption + "\n\n")
	}
	for i, line := range lines {
		for j, c := range line {
			pad := strings.Repeat(" ", width[j]-utf8.RuneCountInString(c))
			if j < s.left {
				line[j] = c + pad
			} else {
				line[j] = pad + c
			}
		}
		if markdown {
			b.WriteString("| " + strings.Join(line, " | ") + " |\n")
		} else {
			b.WriteString(strings.TrimRight(strings.Join(line, "  "), " ") + "\n")
		}
		if markdown && i == 0 {
			b.WriteString("|" + strings.Join(s.rule(width), "|") + "|\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// rule is the line of dashes under a Markdown header.
func (s *sheet) rule(width []int) []string {
	rule := make([]string, len(width))
	for j, n := range width {
		rule[j] = strings.Repeat("-", n+1) + ":"
		if j < s.left {
			rule[j] = strings.Repeat("-", n+2)
		}
	}
	return rule
}

func (s *sheet) writeCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	var header []string
	for j, name := range s.header {
		header = append(header, name)
		if slices.Contains(s.measured, j) {
			header = append(header, name+" se")
		}
	}
	if err := out.Write(header); err != nil {
		return err
	}
	for _, row := range s.rows {
		var record []string
		for j, e := range row {
			switch {
			case slices.Contains(s.measured, j):
				record = append(record, digits(e.mean), digits(e.se))
			case e.text == missing:
				record = append(record, "")
			default:
				record = append(record, e.text)
			}
		}
		if err := out.Write(record); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// digits writes a number so that it reads back the same; nothing for nil.
func digits(v *float64) string {
	if v == nil {
		return ""
	}
	return strconv.FormatFloat(*v, 'g', -1, 64)
}

// writeLaTeX makes a tabular of the booktabs package.
func (s *sheet) writeLaTeX(w io.Writer) error {
	escape := strings.NewReplacer(`\`, `\textbackslash{}`, "_", `\_`, "%", `\%`, "&", `\&`, "#", `\#`, "$", `\$`,
		"{", `\{`, "}", `\}`, "~", `\textasciitilde{}`, "^", `\textasciicircum{}`, "±", `$\pm$`)
	var b strings.Builder
	if s.caption != "" {
		b.WriteString("% " + s.caption + "\n")
	}
	columns := strings.Repeat("l", s.left) + strings.Repeat("r", len(s.header)-s.left)
	fmt.Fprintf(&b, "\\begin{tabular}{%s}\n\\toprule\n", columns)
	line := func(cells []string) { b.WriteString(strings.Join(cells, " & ") + " \\\\\n") }
	var header []string
	for _, h := range s.header {
		header = append(header, escape.Replace(h))
	}
	line(header)
	b.WriteString("\\midrule\n")
	for _, row := range s.rows {
		cells := make([]string, len(row))
		for j, e := range row {
			cells[j] = escape.Replace(e.text)
			if e.best {
				cells[j] = `\textbf{` + cells[j] + "}"
			}
		}
		line(cells)
	}
	b.WriteString("\\bottomrule\n\\end{tabular}\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// writeHTML makes a table element; numbers have the class num.
func (s *sheet) writeHTML(w io.Writer) error {
	var b strings.Builder
	b.WriteString("<table>\n")
	if s.caption != "" {
		fmt.Fprintf(&b, "<caption>%s</caption>\n", html.EscapeString(s.caption))
	}
	cell := func(tag string, j int, content string) {
		class := ""
		if j >= s.left {
			class = ` class="num"`
		}
		fmt.Fprintf(&b, "<%s%s>%s</%s>", tag, class, content, tag)
	}
	b.WriteString("<thead><tr>")
	for j, h := range s.header {
		cell("th", j, html.EscapeString(h))
	}
	b.WriteString("</tr></thead>\n<tbody>\n")
	for _, row := range s.rows {
		b.WriteString("<tr>")
		for j, e := range row {
			content := html.EscapeString(e.text)
			if e.best {
				content = "<b>" + content + "</b>"
			}
			cell("td", j, content)
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</tbody>\n</table>\n")
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
