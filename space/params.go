package space

import (
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/mahabo/mahabo/internal/hint"

	"go.yaml.in/yaml/v3"
)

// Params is an assignment of values to names, in order. A value is a float64, an int64, a
// string or a bool. In JSON it is one object; every float64 survives the way there and back.
type Params struct {
	names  []string
	values []any
	index  map[string]int

	// Instead of values: those of a space's parameters as numbers, which take a third of the
	// room. Studies have millions.
	of      *Space
	numbers []float64
}

// value returns value i.
func (v Params) value(i int) any {
	if v.of != nil {
		return v.of.params[i].fromNumber(v.numbers[i])
	}
	return v.values[i]
}

// ParamsOf returns the values of a map, in the order of the names. Go's other numeric types
// become int64 and float64.
func ParamsOf(m map[string]any) Params {
	v := Params{index: make(map[string]int, len(m))}
	for _, name := range slices.Sorted(maps.Keys(m)) {
		v.add(name, normal(m[name]))
	}
	return v
}

func (v *Params) add(name string, value any) {
	v.index[name] = len(v.names)
	v.names = append(v.names, name)
	v.values = append(v.values, value)
}

// Len is the number of names.
func (v Params) Len() int { return len(v.names) }

// All yields names and values in order.
func (v Params) All() iter.Seq2[string, any] {
	return func(yield func(string, any) bool) {
		for i, name := range v.names {
			if !yield(name, v.value(i)) {
				return
			}
		}
	}
}

// Get returns the value of a name.
func (v Params) Get(name string) (value any, ok bool) {
	i, ok := v.index[name]
	if !ok {
		return nil, false
	}
	return v.value(i), true
}

// Float returns the number that a name has, bools as 0 and 1, or NaN when it is a text. A name
// that is not there is a mistake in the program: it panics.
func (v Params) Float(name string) float64 {
	if n, ok := numeric(v.want(name)); ok {
		return n
	}
	return math.NaN()
}

// Int returns the whole number that a name has. It panics when there is none.
func (v Params) Int(name string) int {
	value := v.want(name)
	if n, ok := numeric(value); ok && n == math.Trunc(n) {
		return int(n)
	}
	panic(fmt.Sprintf("parameter %q is %v, which is no whole number", name, value))
}

// Bool says whether a name is true. It panics when it is neither true nor false.
func (v Params) Bool(name string) bool {
	value := v.want(name)
	yes, ok := value.(bool)
	if !ok {
		panic(fmt.Sprintf("parameter %q is %v, which is neither true nor false", name, value))
	}
	return yes
}

// want returns the value of a name that has to be there.
func (v Params) want(name string) any {
	value, ok := v.Get(name)
	if !ok {
		panic(fmt.Sprintf("there is no parameter %q%s: the parameters are %s", name, hint.DidYouMean(name, v.names), enumerate(v.names)))
	}
	return value
}

// Text returns the value of a name as a command line has it: the shortest decimal that
// reads back as the same number, true or false, or the string itself.
func (v Params) Text(name string) (value string, ok bool) {
	i, ok := v.index[name]
	if !ok {
		return "", false
	}
	return text(v.value(i)), true
}

func text(value any) string {
	switch v := value.(type) {
	case float64:
		return formatFloat(v)
	case string:
		return v
	}
	return fmt.Sprint(value)
}

// String returns the values as in JSON.
func (v Params) String() string {
	text, err := v.MarshalJSON()
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// MarshalJSON writes one object, names in order.
func (v Params) MarshalJSON() ([]byte, error) {
	b := make([]byte, 0, 2+32*len(v.names))
	b = append(b, '{')
	var err error
	for i, name := range v.names {
		if i > 0 {
			b = append(b, ',')
		}
		if b, err = appendJSON(b, name); err != nil {
			return nil, err
		}
		b = append(b, ':')
		if b, err = appendJSON(b, v.value(i)); err != nil {
			return nil, fmt.Errorf("parameter %q: %w", name, err)
		}
	}
	return append(b, '}'), nil
}

// UnmarshalJSON reads one object of numbers, strings and bools. Whole numbers written
// without point and exponent are int64.
func (v *Params) UnmarshalJSON(data []byte) error {
	if read, ok := readFlat(data); ok {
		*v = read
		return nil
	}
	read, err := readValues(data)
	if err == nil {
		*v = read
	}
	return err
}

// readValues reads any JSON and says where it is wrong.
func readValues(data []byte) (Params, error) {
	root, err := jsonTree(data)
	if err != nil {
		return Params{}, err
	}
	if root.Kind != yaml.MappingNode {
		return Params{}, fmt.Errorf("parameter values must be one JSON object {name: value}, got %s", describe(root))
	}
	read := Params{index: make(map[string]int, len(root.Content)/2)}
	for name, node := range pairs(root) {
		if _, twice := read.index[name.Value]; twice {
			return Params{}, fmt.Errorf("parameter %q has two values: remove one", name.Value)
		}
		value, err := scalar(node)
		if err != nil {
			return Params{}, fmt.Errorf("parameter %q: %w", name.Value, err)
		}
		read.add(name.Value, value)
	}
	return read, nil
}

// normal turns Go's numeric types to int64 and float64 and leaves the rest, for the check
// of the parameter to refuse.
func normal(value any) any {
	if n, ok := value.(json.Number); ok {
		if i, err := strconv.ParseInt(n.String(), 10, 64); err == nil {
			return i
		}
		if f, err := n.Float64(); err == nil {
			return f
		}
		return value
	}
	switch r := reflect.ValueOf(value); {
	case !r.IsValid():
		return value
	case r.CanInt():
		return r.Int()
	case r.CanFloat():
		return r.Float()
	case r.CanUint() && r.Uint() <= 1<<63-1:
		return int64(r.Uint())
	case r.Kind() == reflect.String:
		return r.String()
	case r.Kind() == reflect.Bool:
		return r.Bool()
	}
	return value
}

// valueError is a value that a parameter does not take.
type valueError struct {
	Param    string
	Value    any
	Expected string
	Fix      string
}

// point says how to write a number with a decimal comma.
func (e *valueError) point(value any) {
	if text, ok := value.(string); ok && e.Fix == "" {
		e.Fix = strings.TrimPrefix(hint.Point(text), ": ")
	}
}

func (e *valueError) Error() string {
	if e.Fix != "" {
		return e.Fact() + ": " + e.Fix
	}
	return e.Fact()
}

// Measured is the error for a value that nobody can choose any more, as it was used.
func (e *valueError) Measured() string {
	if _, ok := number(e.Value); !ok {
		return e.Error() // it is written in the wrong way
	}
	return e.Fact() + ": change the parameter in the study so that it fits, or leave the row out"
}

// Fact is the error without what to do, for values that nobody is about to give.
func (e *valueError) Fact() string {
	shown := fmt.Sprintf("%v", e.Value)
	if s, ok := e.Value.(string); ok {
		shown = strconv.Quote(s)
	} else if f, ok := e.Value.(float64); ok {
		shown = strconv.FormatFloat(f, 'g', 10, 64) // nobody reads 17 digits
	}
	return fmt.Sprintf("parameter %q is %s, expected %s", e.Param, shown, e.Expected)
}
