package space

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/mahabo/mahabo/internal/hint"
	"go.yaml.in/yaml/v3"
)

// maxBytes is the size of the largest file that Parse reads.
const maxBytes = 16 << 20

// Parse reads a space from YAML or JSON.
func Parse(data []byte) (*Space, error) {
	if len(data) > maxBytes {
		return nil, fmt.Errorf("the file has more than %d MiB: declare parameters that are alike together, as in w[0:199]", maxBytes>>20)
	}
	if json.Valid(data) {
		return parseJSON(data)
	}
	var document, more yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	switch err := decoder.Decode(&document); {
	case errors.Is(err, io.EOF):
		return nil, errors.New("the file is empty: write `parameters:` and below it one line per parameter, as in x: {float: [0, 1]}")
	case err != nil && bytes.Contains(data, []byte("\n\t")):
		return nil, fmt.Errorf("%w: indent with spaces, YAML does not take tabs", placed(err, data))
	case err != nil:
		return nil, placed(err, data)
	}
	if err := decoder.Decode(&more); !errors.Is(err, io.EOF) {
		if err != nil {
			return nil, err
		}
		return nil, at(&more, "", errors.New("a second document: a file holds one space"))
	}
	return fromTree(document.Content[0])
}

// parserLine is how the library begins its errors about structure. It counts their lines from 0,
// unlike those of other errors.
var parserLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^yaml: line (\d+): (did not find expected .*)`) })

// placed mends the line of an error of the library, and says what is behind the usual one.
func placed(err error, data []byte) error {
	m := parserLine().FindStringSubmatch(err.Error())
	if m == nil {
		return err
	}
	line, numberErr := strconv.Atoi(m[1])
	if numberErr != nil {
		return err
	}
	fix := "a bracket, a brace or a quote before it is not closed"
	if strings.Contains(m[2], "key") || strings.Contains(m[2], "indicator") {
		fix = "lines that belong together need the same indentation"
	}
	last := bytes.Count(bytes.TrimRight(data, "\r\n"), []byte("\n")) + 1
	return fmt.Errorf("yaml: line %d: %s: %s", min(line+1, last), m[2], fix)
}

func parseJSON(data []byte) (*Space, error) {
	root, err := jsonTree(data)
	if err != nil {
		return nil, err
	}
	return fromTree(root)
}

// UnmarshalYAML reads a space from a part of a YAML file.
func (s *Space) UnmarshalYAML(node *yaml.Node) error { return s.set(fromTree(node)) }

// UnmarshalJSON reads a space from JSON.
func (s *Space) UnmarshalJSON(data []byte) error { return s.set(parseJSON(data)) }

func (s *Space) set(other *Space, err error) error {
	if err != nil {
		return err
	}
	*s = *other
	return nil
}

// fromTree reads {parameters: {...}, constraints: [...], outcomes: {...}}.
func fromTree(root *yaml.Node) (*Space, error) {
	root = resolve(root)
	if root.Kind != yaml.MappingNode {
		return nil, at(root, "", fmt.Errorf("expected a mapping with parameters and constraints, got %s", describe(root)))
	}
	fields, err := keyed(root, "parameters", "constraints", "outcomes")
	if err != nil {
		return nil, err
	}
	params := fields["parameters"]
	if isEmpty(params) {
		return nil, at(params, "", errors.New("`parameters` has no parameters: write one per line, as in x: {float: [0, 1]}"))
	}
	if params == nil || params.Kind != yaml.MappingNode {
		place := root
		if params != nil {
			place = params
		}
		return nil, at(place, "", fmt.Errorf("`parameters` must be a mapping of names to kinds, as in x: {float: [0, 1]}, got %s", describe(params)))
	}
	var d declaration
	for name, node := range pairs(params) {
		p, err := readParam(name, node)
		if err != nil {
			return nil, err
		}
		d.params = append(d.params, p)
	}
	if d.constraints, err = readConstraints(fields["constraints"]); err != nil {
		return nil, err
	}
	if d.outcomes, err = readOutcomes(fields["outcomes"]); err != nil {
		return nil, err
	}
	return d.build()
}

// isEmpty says that a mapping or a list is there and has nothing in it.
func isEmpty(node *yaml.Node) bool {
	return node != nil && node.Kind != 0 && (node.ShortTag() == "!!null" || node.Kind != yaml.ScalarNode && len(node.Content) == 0)
}

func readConstraints(list *yaml.Node) (constraints []declaredConstraint, err error) {
	if list == nil || list.ShortTag() == "!!null" {
		return nil, nil
	}
	if list.Kind != yaml.SequenceNode {
		return nil, at(list, "", fmt.Errorf("`constraints` must be a list of texts, as in [\"x + y <= 1\"], got %s", describe(list)))
	}
	for _, node := range list.Content {
		node = resolve(node)
		if node.Kind != yaml.ScalarNode || node.ShortTag() != "!!str" {
			return nil, at(node, "", fmt.Errorf("a constraint must be a text such as \"x + y <= 1\", got %s", describe(node)))
		}
		constraints = append(constraints, declaredConstraint{Constraint(node.Value), node})
	}
	return constraints, nil
}

// readParam reads `name: {kind: ..., unit: ..., description: ...}`.
func readParam(name, node *yaml.Node) (declaredParam, error) {
	d := declaredParam{Param: Param{Name: name.Value}, name: name, value: node}
	if name.Kind != yaml.ScalarNode || name.ShortTag() != "!!str" {
		return d, at(name, "", fmt.Errorf("a parameter's name must be a text, got %s: write it in quotes", describe(name)))
	}
	if node.Kind == yaml.ScalarNode && node.Value == string(KindBool) { // x: bool
		d.Kind = KindBool
		return d, nil
	}
	if node.Kind != yaml.MappingNode {
		return d, at(node, d.Name, fmt.Errorf("expected {kind: ...}, as in {float: [0, 1]}, got %s; the kinds are %s", describe(node), kindList()))
	}
	fields, err := keyed(node, "float", "log", "int", "logint", "ordinal", "choice", "bool", "fixed", "step", "digits", "unit", "description")
	if err != nil {
		var e *FileError
		if errors.As(err, &e) {
			e.Param = d.Name
		}
		return d, err
	}
	for _, k := range kinds() {
		value, ok := fields[string(k)]
		if !ok {
			continue
		}
		if d.Kind != "" {
			return d, at(value, d.Name, fmt.Errorf("both %s and %s are given: keep one kind", d.Kind, k))
		}
		d.Kind, d.value = k, value
		if err := d.readKind(value); err != nil {
			return d, err
		}
	}
	if d.Kind == "" {
		return d, at(node, d.Name, fmt.Errorf("no kind is given: add one of %s, as in {float: [0, 1]}", kindList()))
	}
	if err := d.readRounding(fields); err != nil {
		return d, err
	}
	if err := d.readText(&d.Unit, fields, "unit"); err != nil {
		return d, err
	}
	return d, d.readText(&d.Description, fields, "description")
}

// readRounding reads step and digits.
func (d *declaredParam) readRounding(fields map[string]*yaml.Node) (err error) {
	if node, ok := fields["step"]; ok {
		if d.Step, err = numeral(node); err == nil && d.Step <= 0 {
			err = fmt.Errorf("step is %s: it must be positive", node.Value)
		}
		if err != nil {
			return at(node, d.Name, err)
		}
	}
	if node, ok := fields["digits"]; ok {
		digits, err := numeral(node)
		if err == nil && (digits != float64(int(digits)) || digits < 1 || digits > mostDigits) {
			err = fmt.Errorf("digits is %s: write a whole number from 1 to %d, or use int for whole numbers", node.Value, mostDigits)
		}
		if err != nil {
			return at(node, d.Name, err)
		}
		d.Digits = int(digits)
	}
	return nil
}

// readText reads an optional text.
func (d *declaredParam) readText(dst *string, fields map[string]*yaml.Node, key string) error {
	value, ok := fields[key]
	if !ok {
		return nil
	}
	if value.Kind != yaml.ScalarNode || value.ShortTag() != "!!str" {
		return at(value, d.Name, fmt.Errorf("%s must be a text, got %s: write it in quotes", key, describe(value)))
	}
	*dst = value.Value
	return nil
}

// readKind reads what stands behind the kind.
func (d *declaredParam) readKind(value *yaml.Node) (err error) {
	switch d.Kind {
	case KindFixed:
		if d.Value, err = scalar(value); err != nil {
			return at(value, d.Name, err)
		}
		return nil
	case KindChoice:
		d.Labels, err = list(value, d.Name, "labels, as in choice: [euler, rk4]", label)
		return err
	case KindOrdinal:
		d.Levels, err = list(value, d.Name, "numbers, as in ordinal: [16, 32, 64]", numeral)
		return err
	case KindBool:
		both, err := list(value, d.Name, "both values: bool: [false, true]", scalar)
		if err == nil && (len(both) != 2 || both[0] != false || both[1] != true) {
			err = at(value, d.Name, errors.New("bool takes both values: write {bool: [false, true]}; for one of them use fixed"))
		}
		return err
	}
	bounds, err := list(value, d.Name, fmt.Sprintf("two bounds, as in %s: [1, 8]", d.Kind), numeral)
	if err != nil {
		return err
	}
	if len(bounds) != 2 {
		return at(value, d.Name, fmt.Errorf("%s takes two bounds [low, high], got %d%s", d.Kind, len(bounds), withPoints(value.Content)))
	}
	d.Low, d.High = bounds[0], bounds[1]
	return nil
}

// list reads each element of a list.
func list[T any](node *yaml.Node, param, expected string, read func(*yaml.Node) (T, error)) ([]T, error) {
	if node.Kind != yaml.SequenceNode {
		return nil, at(node, param, fmt.Errorf("expected a list of %s; got %s", expected, describe(node)))
	}
	values := make([]T, 0, len(node.Content))
	for _, element := range node.Content {
		element = resolve(element)
		value, err := read(element)
		if err != nil {
			return nil, at(element, param, err)
		}
		values = append(values, value)
	}
	return values, nil
}

// withPoints says how to write bounds whose decimals may stand behind commas.
func withPoints(bounds []*yaml.Node) string {
	text := func(i int) string { return resolve(bounds[i]).Value }
	switch len(bounds) {
	case 3:
		return ": decimals stand behind a point, as in 0.5"
	case 4:
		low, high := hint.Point(text(0)+","+text(1)), hint.Point(text(2)+","+text(3))
		if low != "" && high != "" {
			return fmt.Sprintf(": if it has decimal commas, write [%s.%s, %s.%s], with points", text(0), text(1), text(2), text(3))
		}
	}
	return ""
}

func numeral(node *yaml.Node) (v float64, err error) {
	if tag := node.ShortTag(); node.Kind != yaml.ScalarNode || tag != "!!int" && tag != "!!float" {
		return 0, fmt.Errorf("expected a number, got %s%s", describe(node), hint.Point(node.Value))
	}
	if v, err = strconv.ParseFloat(node.Value, 64); err != nil { // 0x10, 1_000, .inf
		if err = node.Decode(&v); err != nil {
			return 0, fmt.Errorf("the number %s does not fit a float64", node.Value)
		}
	}
	return v, nil
}

func label(node *yaml.Node) (string, error) {
	if node.Kind == yaml.ScalarNode && node.ShortTag() == "!!str" {
		return node.Value, nil
	}
	fix := "write it in quotes"
	if _, err := numeral(node); err == nil {
		fix = "write it in quotes, or use ordinal for numbers with an order"
	}
	return "", fmt.Errorf("expected a label, got %s: %s", describe(node), fix)
}

// scalar reads a float64, int64, string or bool.
func scalar(node *yaml.Node) (any, error) {
	if node.Kind == yaml.ScalarNode {
		switch node.ShortTag() {
		case "!!str":
			return node.Value, nil
		case "!!bool":
			var b bool
			err := node.Decode(&b)
			return b, err
		case "!!int":
			var i int64
			if err := node.Decode(&i); err != nil {
				return numeral(node) // beyond int64
			}
			return i, nil
		case "!!float":
			return numeral(node)
		}
	}
	return nil, fmt.Errorf("expected a number, a text, true or false, got %s", describe(node))
}

// keyed returns the values of a mapping by key, which must be known and there once.
func keyed(node *yaml.Node, known ...string) (map[string]*yaml.Node, error) {
	fields := make(map[string]*yaml.Node, len(node.Content)/2)
	for key, value := range pairs(node) {
		if !slices.Contains(known, key.Value) {
			return nil, at(key, "", fmt.Errorf("unknown key %q%s: the keys are %s", key.Value, hint.DidYouMean(key.Value, known), enumerate(known)))
		}
		if _, twice := fields[key.Value]; twice {
			return nil, at(key, "", fmt.Errorf("the key %q is given twice: remove one", key.Value))
		}
		fields[key.Value] = value
	}
	return fields, nil
}

// pairs yields the keys and values of a mapping.
func pairs(node *yaml.Node) iter.Seq2[*yaml.Node, *yaml.Node] {
	return func(yield func(key, value *yaml.Node) bool) {
		for i := 0; i+1 < len(node.Content); i += 2 {
			if !yield(resolve(node.Content[i]), resolve(node.Content[i+1])) {
				return
			}
		}
	}
}

// resolve follows *alias to its &anchor.
func resolve(node *yaml.Node) *yaml.Node {
	if node.Kind == yaml.AliasNode {
		return node.Alias
	}
	return node
}

// describe names what stands at a node.
func describe(node *yaml.Node) string {
	switch {
	case node == nil || node.Kind == 0 || node.ShortTag() == "!!null":
		return "nothing"
	case node.Kind == yaml.MappingNode:
		return "a mapping"
	case node.Kind == yaml.SequenceNode:
		return "a list"
	case node.ShortTag() == "!!str":
		return "the text " + strconv.Quote(node.Value)
	}
	return node.Value
}
