package space

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mahabo/mahabo/internal/hint"
)

// Kind says which values a parameter takes and how they lie in the box.
type Kind string

// The kinds, by the key they have in a file.
const (
	KindFloat   Kind = "float"
	KindLog     Kind = "log"
	KindInt     Kind = "int"
	KindLogInt  Kind = "logint"
	KindOrdinal Kind = "ordinal"
	KindChoice  Kind = "choice"
	KindBool    Kind = "bool"
	KindFixed   Kind = "fixed"
)

func kinds() []Kind {
	return []Kind{KindFloat, KindLog, KindInt, KindLogInt, KindOrdinal, KindChoice, KindBool, KindFixed}
}

// Param is one parameter, or with a range in its name, "w[0:9]", one for each index. Only
// the fields of its kind are set; New checks them.
type Param struct {
	Name        string
	Kind        Kind
	Unit        string
	Description string

	Low, High float64   // float, log, int, logint
	Levels    []float64 // ordinal, increasing
	Labels    []string  // choice
	Value     any       // fixed: float64, int64, string or bool

	// What is suggested is rounded: a float to steps from its lower bound on, or to digits behind
	// the point, a log to digits that count. Other values can be told all the same.
	Step   float64
	Digits int
}

// Part is what a space is made of: a Param, a Constraint or an Outcome.
type Part interface{ part() }

// Constraint is a linear inequality over numeric parameters: "w0 + 2*w1 - 3 <= w2".
type Constraint string

func (Param) part()      {}
func (Constraint) part() {}

// Float is a real number in [low, high].
func Float(name string, low, high float64) Param {
	return Param{Name: name, Kind: KindFloat, Low: low, High: high}
}

// Log is a positive real number in [low, high] that is searched on a logarithmic scale.
func Log(name string, low, high float64) Param {
	return Param{Name: name, Kind: KindLog, Low: low, High: high}
}

// Int is a whole number in [low, high].
func Int(name string, low, high int64) Param {
	return Param{Name: name, Kind: KindInt, Low: float64(low), High: float64(high)}
}

// LogInt is a positive whole number in [low, high] that is searched on a logarithmic scale.
func LogInt(name string, low, high int64) Param {
	return Param{Name: name, Kind: KindLogInt, Low: float64(low), High: float64(high)}
}

// Ordinal is one of the numbers in an increasing list; neighbours are equally far apart.
func Ordinal(name string, levels ...float64) Param {
	return Param{Name: name, Kind: KindOrdinal, Levels: slices.Clone(levels)}
}

// Choice is one of several labels without an order.
func Choice(name string, labels ...string) Param {
	return Param{Name: name, Kind: KindChoice, Labels: slices.Clone(labels)}
}

// Bool is false or true.
func Bool(name string) Param { return Param{Name: name, Kind: KindBool} }

// Fixed is a constant: a number, a string or a bool.
func Fixed(name string, value any) Param {
	return Param{Name: name, Kind: KindFixed, Value: normal(value)}
}

// WithUnit returns the parameter with a unit for people to read.
func (p Param) WithUnit(unit string) Param {
	p.Unit = unit
	return p
}

// WithDescription returns the parameter with a description for people to read.
func (p Param) WithDescription(text string) Param {
	p.Description = text
	return p
}

// Beyond these a float64 coordinate no longer tells neighbouring integers apart.
const (
	maxInt    = 1e15
	maxLogInt = 1e12
)

// check returns what is wrong with all but the name.
func (p Param) check() error {
	for _, text := range []string{p.Unit, p.Description} {
		if !utf8.ValidString(text) {
			return fmt.Errorf("unit or description %q is not UTF-8", text)
		}
	}
	if err := p.checkRounding(); err != nil {
		return err
	}
	switch p.Kind {
	case KindFloat, KindLog, KindInt, KindLogInt:
		return p.checkBounds()
	case KindOrdinal:
		return checkLevels(p.Levels)
	case KindChoice:
		return checkLabels(p.Labels)
	case KindBool:
		return nil
	case KindFixed:
		return checkFixed(p.Value)
	}
	return fmt.Errorf("kind %q is unknown%s: the kinds are %s", p.Kind, hint.DidYouMean(string(p.Kind), kindNames()), kindList())
}

func kindNames() (names []string) {
	for _, k := range kinds() {
		names = append(names, string(k))
	}
	return names
}

func kindList() string { return strings.Join(kindNames(), ", ") }

func (p Param) checkBounds() error {
	low, high := p.Low, p.High
	whole := func(v float64) bool { return v == math.Trunc(v) }
	switch {
	case !finite(low) || !finite(high):
		return fmt.Errorf("bounds %s must be finite numbers", p.bounds())
	case low == high:
		return fmt.Errorf("bounds %s hold one value only: use {fixed: %s}", p.bounds(), formatFloat(low))
	case low > high:
		return fmt.Errorf("bounds %s are in the wrong order: write [%s, %s]", p.bounds(), formatFloat(high), formatFloat(low))
	case !finite(high - low):
		return fmt.Errorf("bounds %s are further apart than a float64 can say: use narrower bounds or log", p.bounds())
	}
	switch p.Kind {
	case KindLog:
		if low <= 0 {
			return fmt.Errorf("log needs positive bounds, got %s: raise the lower one above 0, or use float", p.bounds())
		}
		if !finite(high / low) {
			return fmt.Errorf("the ratio of the bounds %s is beyond a float64: raise the lower one", p.bounds())
		}
	case KindInt, KindLogInt:
		limit := maxInt
		if p.Kind == KindLogInt {
			limit = maxLogInt
		}
		switch {
		case !whole(low) || !whole(high):
			return fmt.Errorf("%s needs whole numbers as bounds, got %s: round them, or use float", p.Kind, p.bounds())
		case max(-low, high) > limit:
			return fmt.Errorf("%s bounds %s exceed %g: use float or log", p.Kind, p.bounds(), limit)
		case p.Kind == KindLogInt && low < 1:
			return fmt.Errorf("logint needs bounds from 1 on, got %s: raise the lower one to 1, or use int", p.bounds())
		}
	}
	return nil
}

func (p Param) bounds() string {
	return "[" + formatFloat(p.Low) + ", " + formatFloat(p.High) + "]"
}

func checkLevels(levels []float64) error {
	if len(levels) < 2 {
		return fmt.Errorf("ordinal needs two or more numbers, got %d: list them, or use fixed", len(levels))
	}
	for i, v := range levels {
		switch {
		case !finite(v):
			return fmt.Errorf("ordinal level %d is %s: levels must be finite numbers", i+1, formatFloat(v))
		case i > 0 && v == levels[i-1]:
			return fmt.Errorf("ordinal level %s is listed twice: remove one", formatFloat(v))
		case i > 0 && v < levels[i-1]:
			return fmt.Errorf("ordinal levels must increase, but %s follows %s: sort them, or use choice for labels without an order",
				formatFloat(v), formatFloat(levels[i-1]))
		}
	}
	if !finite(levels[len(levels)-1] - levels[0]) {
		return fmt.Errorf("ordinal levels from %g to %g are further apart than a float64 can say", levels[0], levels[len(levels)-1])
	}
	return nil
}

func checkLabels(labels []string) error {
	if len(labels) < 2 {
		return fmt.Errorf("choice needs two or more labels, got %d: list them, or use fixed", len(labels))
	}
	seen := make(map[string]bool, len(labels))
	for i, label := range labels {
		switch {
		case label == "":
			return fmt.Errorf("choice label %d is empty: give it a name", i+1)
		case !utf8.ValidString(label) || strings.ContainsFunc(label, unicode.IsControl):
			return fmt.Errorf("choice label %q has characters that cannot be printed", label)
		case seen[label]:
			return fmt.Errorf("choice label %q is listed twice: remove one", label)
		}
		seen[label] = true
	}
	return nil
}

func checkFixed(value any) error {
	switch v := value.(type) {
	case float64:
		if !finite(v) {
			return fmt.Errorf("fixed value %s must be a finite number", formatFloat(v))
		}
	case string:
		if !utf8.ValidString(v) || strings.ContainsRune(v, 0) {
			return fmt.Errorf("fixed value %q has characters that cannot be passed on", v)
		}
	case int64, bool:
	default:
		return fmt.Errorf("fixed value %v has type %T: use a number, a string or a bool", value, value)
	}
	return nil
}

// maxParams bounds what a range can expand to, far above what can be optimised.
const maxParams = 100_000

// maxCoordinates bounds what parameters and labels make together.
const maxCoordinates = 1_000_000

// expand returns the names a declared name stands for: "w[0:2]" is w0, w1, w2.
func expand(declared string) ([]string, error) {
	stem, tail, ranged := strings.Cut(declared, "[")
	if err := checkName(stem); err != nil {
		return nil, err
	}
	if !ranged {
		return []string{declared}, nil
	}
	from, to, ok := strings.Cut(strings.TrimSuffix(tail, "]"), ":")
	first, ok1 := index(from)
	last, ok2 := index(to)
	switch {
	case !ok || !ok1 || !ok2 || !strings.HasSuffix(tail, "]"):
		return nil, fmt.Errorf("the range in %q is not of the form name[first:last]: write %s[0:9] for %s0 .. %s9", declared, stem, stem, stem)
	case first > last:
		return nil, fmt.Errorf("the range in %q runs backwards: write %s[%d:%d]", declared, stem, last, first)
	case last-first >= maxParams:
		return nil, fmt.Errorf("the range in %q has %d parameters, more than %d", declared, last-first+1, maxParams)
	}
	names := make([]string, 0, last-first+1)
	for i := first; i <= last; i++ {
		names = append(names, stem+strconv.Itoa(i))
	}
	return names, nil
}

// index reads a decimal number without sign or leading zeros.
func index(text string) (int, bool) {
	i, err := strconv.Atoi(text)
	return i, err == nil && i >= 0 && i <= 1e9 && strconv.Itoa(i) == text
}

// checkName accepts letters, digits, "_" and "."; constraints read the same.
func checkName(name string) error {
	if name == "" {
		return fmt.Errorf("a parameter needs a name")
	}
	for i, r := range name {
		if !nameRune(r, i == 0) {
			return fmt.Errorf("the name %q has the character %q at position %d: a name is a letter or _, then letters, digits, _ and .", name, r, i+1)
		}
	}
	return nil
}

func nameRune(r rune, first bool) bool {
	if r == utf8.RuneError {
		return false
	}
	return r == '_' || unicode.IsLetter(r) || !first && (r == '.' || unicode.IsDigit(r))
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

func formatFloat(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
