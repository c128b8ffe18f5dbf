package table

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

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

// The columns of a table before and behind those of the parameters.
var (
	columnsBefore = []string{"number", "state", "value", "std"}
	columnsBehind = []string{"reason", "origin", "batch", "worker", "created", "asked", "told", "notes", "excluded"}
)

// column is the name of a parameter's column: its own, unless that is taken.
func column(param string) string {
	if slices.Contains(columnsBefore, param) || slices.Contains(columnsBehind, param) || strings.HasPrefix(param, "params.") {
		return "params." + param
	}
	return param
}

// refusef says what the user has to change in a file or a request.
func refusef(format string, args ...any) error {
	return &study.RequestError{Err: fmt.Errorf(format, args...)}
}
