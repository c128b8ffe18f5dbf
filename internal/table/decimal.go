package table

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/mahabo/mahabo/space"
)

// Decimal is the sign before the decimals of a number.
type Decimal string

// The decimal signs; DecimalAuto goes by the numbers of the file.
const (
	DecimalAuto  Decimal = ""
	DecimalPoint Decimal = "point"
	DecimalComma Decimal = "comma"
)

func (d Decimal) validate() error {
	if d != DecimalAuto && d != DecimalPoint && d != DecimalComma {
		return refusef("decimal %q is not known: write %s or %s", d, DecimalPoint, DecimalComma)
	}
	return nil
}

// number is a cell as programs write numbers.
func (d Decimal) number(cell string) (string, error) {
	comma, point := strings.Contains(cell, ","), strings.Contains(cell, ".")
	switch {
	case comma && point:
		return "", fmt.Errorf("%q is not a number: write it without marks of thousands", cell)
	case d == DecimalComma && point:
		return "", fmt.Errorf("%q is not a number: the numbers of this file have a decimal comma", cell)
	case d == DecimalComma:
		return strings.Replace(cell, ",", ".", 1), nil
	}
	return cell, nil
}

// isNumeric says whether the values of a parameter are numbers.
func isNumeric(p space.Param) bool {
	switch p.Value.(type) {
	case string, bool:
		return false
	}
	return p.Kind != space.KindChoice && p.Kind != space.KindBool
}

// signs are the decimal signs of a file's numbers.
type signs struct {
	comma, point string // the first number with one, and its line
	settled      bool   // a comma is no mark of thousands
}

func (s *signs) see(line int, cell string) {
	comma, point := strings.Contains(cell, ","), strings.Contains(cell, ".")
	if comma == point || strings.Trim(cell, "0123456789+-,.eE") != "" { // neither, or no number
		return
	}
	first := &s.point
	if comma {
		first = &s.comma
		s.settled = s.settled || !thousands(cell)
	}
	if *first == "" {
		*first = fmt.Sprintf("%s in line %d", shorten(cell), line)
	}
}

// thousands says whether the commas of a number can be marks of thousands: 12,500 or
// 1,000,000, but not 0,500 or 12,5.
func thousands(cell string) bool {
	groups := strings.Split(strings.TrimLeft(cell, "+-"), ",")
	if first := groups[0]; first == "" || first[0] == '0' || len(first) > 3 {
		return false
	}
	return !slices.ContainsFunc(groups[1:], func(g string) bool { return len(g) != 3 })
}

// decide goes by the rule of the package's documentation.
func (s *signs) decide(separator byte, o Options) (Decimal, error) {
	comma, point := o.flag("decimal", string(DecimalComma)), o.flag("decimal", string(DecimalPoint))
	switch {
	case s.comma == "", s.point != "" && separator == ',':
		return DecimalPoint, nil
	case s.point != "":
		return "", refusef("some numbers have a comma (%s), some a point (%s): write all alike, or say which stands before decimals, with %s or %s",
			s.comma, s.point, comma, point)
	case !s.settled:
		return "", refusef("commas in numbers (%s) may stand before decimals or mark thousands: say which with %s or %s", s.comma, comma, point)
	}
	return DecimalComma, nil
}

// findDecimal looks at the numbers of a file in the columns that are used.
func (in *importer) findDecimal(ctx context.Context, data []byte, separator byte, index map[string]int) (Decimal, error) {
	if in.options.Decimal != DecimalAuto {
		return in.options.Decimal, nil
	}
	if separator == ',' && bytes.IndexByte(data, '"') < 0 || separator != ',' && bytes.IndexByte(data, ',') < 0 {
		return DecimalPoint, nil // no cell holds a comma
	}
	var numeric []int
	names := []string{"value", "std"}
	if columns := outcomeColumns(in.space); columns != nil {
		names = columns
	}
	names = slices.Concat(names, in.spent)
	for _, p := range in.params {
		if isNumeric(p) {
			names = append(names, column(p.Name))
		}
	}
	for _, name := range names {
		if i, ok := index[in.named(name)]; ok {
			numeric = append(numeric, i)
		}
	}
	var found signs
	r := newRecords(data, separator, in.limits)
	_, _ = r.read() // the header, which was read before
	for {
		cells, err := r.read()
		switch {
		case errors.Is(err, io.EOF):
			return found.decide(separator, in.options)
		case isBroken(err) || err == nil && len(cells) != len(index):
			continue
		case err == nil:
			err = ctx.Err()
		}
		if err != nil {
			return "", err
		}
		for _, i := range numeric {
			found.see(r.line, strings.TrimSpace(cells[i]))
		}
	}
}
