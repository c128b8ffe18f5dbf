package table

import (
	"bytes"
	"encoding/csv"
	"io"
	"strings"
)

// records divides a CSV file into records. It reads what encoding/csv reads, but keeps
// \r\n in quotes, and stops at a limit before it has taken memory for more.
type records struct {
	rest      []byte
	separator byte
	limits    limits
	line      int    // of the last record, from 1 on
	lines     int    // taken from the rest
	ending    []byte // of the last line
}

func newRecords(data []byte, separator byte, l limits) *records {
	return &records{rest: data, separator: separator, limits: l}
}

// read returns the cells of the next record, which begins on r.line; io.EOF at the end. After
// csv.ErrQuote and csv.ErrBareQuote it goes on with the next line.
func (r *records) read() (cells []string, err error) {
	var text []byte
	for len(text) == 0 { // empty lines are none
		if len(r.rest) == 0 {
			return nil, io.EOF
		}
		text = r.takeLine()
	}
	r.line = r.lines
	for {
		if len(cells) == r.limits.columns {
			return cells, r.limits.tooManyColumns()
		}
		var cell string
		var more bool
		if len(text) > 0 && text[0] == '"' {
			cell, text, more, err = r.quoted(text[1:])
		} else {
			cell, text, more, err = r.bare(text)
		}
		if err != nil {
			return nil, err
		}
		cells = append(cells, cell)
		if !more {
			return cells, nil
		}
	}
}

// takeLine removes a line from the rest, and what it ends with.
func (r *records) takeLine() []byte {
	r.lines++
	text := r.rest
	if i := bytes.IndexByte(r.rest, '\n'); i >= 0 {
		text = r.rest[:i+1]
	}
	r.rest = r.rest[len(text):]
	n := len(bytes.TrimSuffix(text, []byte("\n")))
	n = len(bytes.TrimSuffix(text[:n], []byte("\r")))
	r.ending = text[n:]
	return text[:n]
}

// bare reads a cell without quotes; more is true when another follows.
func (r *records) bare(text []byte) (cell string, rest []byte, more bool, err error) {
	cellText := text
	if i := bytes.IndexByte(text, r.separator); i >= 0 {
		cellText, rest, more = text[:i], text[i+1:], true
	}
	switch {
	case bytes.IndexByte(cellText, '"') >= 0:
		return "", nil, false, csv.ErrBareQuote
	case len(cellText) > r.limits.cell:
		return "", nil, false, r.limits.tooLong(r.line)
	}
	return string(cellText), rest, more, nil
}

// quoted reads a cell behind its first quotation mark.
func (r *records) quoted(text []byte) (cell string, rest []byte, more bool, err error) {
	var b strings.Builder
	for {
		i := bytes.IndexByte(text, '"')
		part := text
		if i >= 0 {
			part = text[:i]
		}
		if b.Len()+len(part) > r.limits.cell {
			return "", nil, false, r.limits.tooLong(r.line)
		}
		b.Write(part)
		switch {
		case i < 0 && len(r.rest) == 0:
			return "", nil, false, csv.ErrQuote
		case i < 0:
			b.Write(r.ending)
			text = r.takeLine()
		case i+1 == len(text):
			return b.String(), nil, false, nil
		case text[i+1] == r.separator:
			return b.String(), text[i+2:], true, nil
		case text[i+1] == '"':
			b.WriteByte('"')
			text = text[i+2:]
		default:
			return "", nil, false, csv.ErrQuote
		}
	}
}
