package table

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/study"
)

// Format is how trials are written to a file.
type Format string

// The formats: CSV and Parquet have one column per parameter, JSONL one trial per line.
const (
	CSV     Format = "csv"
	JSONL   Format = "jsonl"
	Parquet Format = "parquet"
)

// FormatOf is the format that a file's name ends with, "" when it is not known.
func FormatOf(name string) Format {
	f := Format(strings.TrimPrefix(strings.ToLower(filepath.Ext(name)), "."))
	if f.validate() != nil {
		return ""
	}
	return f
}

func (f Format) validate() error {
	if f != CSV && f != JSONL && f != Parquet {
		return refusef("format %q is not known: write %s, %s or %s", f, CSV, JSONL, Parquet)
	}
	return nil
}

// checkText refuses a file that is no text, whatever its name says.
func checkText(data []byte) error {
	first, _, _ := bytes.Cut(data[:min(len(data), 4096)], []byte("\n"))
	switch {
	case bytes.HasPrefix(data, []byte("PK\x03\x04")):
		return refusef("the file is no text, but a workbook or a ZIP archive: save the table as CSV in UTF-8")
	case bytes.HasPrefix(data, []byte("PAR1")):
		return refusef("the file is no text, but Parquet: give it as such")
	case bytes.HasPrefix(data, []byte("\xff\xfe")), bytes.HasPrefix(data, []byte("\xfe\xff")):
		return refusef("the file is in UTF-16: save it in UTF-8")
	case bytes.HasPrefix(data, []byte("\x1f\x8b")), bytes.IndexByte(first, 0) >= 0:
		return refusef("the file is no text: save the table as CSV in UTF-8")
	}
	return nil
}

// The columns of a table before and behind those of the parameters.
var (
	columnsBefore = []string{"number", "state", "value", "std"}
	columnsBehind = []string{"reason", "origin", "batch", "worker", "created", "asked", "told", "notes", "excluded"}
)

// spentFields are what the evaluation of a trial took. Tables of earlier versions do not have them.
var spentFields = []string{"cost", "seconds"}

// spentColumn is the name of such a column: its own, unless a parameter or an outcome is called so.
func spentColumn(sp *space.Space, field string) string {
	taken := outcomeColumns(sp)
	for _, p := range sp.Params() {
		taken = append(taken, column(p.Name))
	}
	for slices.Contains(taken, field) {
		field = "trial." + field
	}
	return field
}

// spentColumns are both.
func spentColumns(sp *space.Space) (columns []string) {
	for _, field := range spentFields {
		columns = append(columns, spentColumn(sp, field))
	}
	return columns
}

// column is the name of a parameter's column: its own, unless that is taken.
func column(param string) string {
	if slices.Contains(columnsBefore, param) || slices.Contains(columnsBehind, param) || strings.HasPrefix(param, "params.") {
		return "params." + param
	}
	return param
}

// outcomeColumns are those of a study that declares outcomes, of each its value and its std; they
// stand in place of value and std.
func outcomeColumns(sp *space.Space) (columns []string) {
	for _, o := range sp.Outcomes() {
		columns = append(columns, outcomeColumn(sp, o.Name), stdColumn(sp, o.Name))
	}
	return columns
}

// outcomeColumn is the name of an outcome's column: its own, unless that is taken, perhaps by the
// std of another.
func outcomeColumn(sp *space.Space, name string) string {
	if of, isStd := strings.CutSuffix(name, ".std"); isStd && slices.ContainsFunc(sp.Outcomes(), func(o space.Outcome) bool { return o.Name == of }) {
		return "outcomes." + name
	}
	if name != "value" && (slices.Contains(columnsBefore, name) || slices.Contains(columnsBehind, name)) {
		return "outcomes." + name
	}
	return name
}

func stdColumn(sp *space.Space, name string) string { return outcomeColumn(sp, name) + ".std" }

// before are the columns before those of the parameters.
func before(sp *space.Space) []string {
	if columns := outcomeColumns(sp); columns != nil {
		return append([]string{"number", "state"}, columns...)
	}
	return columnsBefore
}

// refusef says what the user has to change in a file or a request.
func refusef(format string, args ...any) error {
	return &study.RequestError{Err: fmt.Errorf(format, args...)}
}
