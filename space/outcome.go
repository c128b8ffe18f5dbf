package space

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// Outcome is a number that an evaluation finds: an objective when it has a goal, a limit when it
// has to stay at most or at least at a number, both, or neither when it is only recorded. A space
// without outcomes stands for one objective, "value", with the study's goal.
type Outcome struct {
	Name        string
	Goal        string   // minimize or maximize; empty when it is no objective
	AtMost      *float64 // nil for no such limit
	AtLeast     *float64
	Reference   *float64 // of an objective among several: the worst value that is of interest; nil to go by the data
	Unit        string
	Description string
}

func (Outcome) part() {}

// Outcomes returns the outcomes, ranges expanded; none when the section is absent.
func (s *Space) Outcomes() []Outcome { return slices.Clone(s.outcomes) }

// maxOutcomes bounds the outcomes of a space.
const maxOutcomes = 1000

// check returns what is wrong with all but the name.
func (o Outcome) check() error {
	for _, text := range []string{o.Unit, o.Description} {
		if !utf8.ValidString(text) {
			return fmt.Errorf("unit or description %q is not UTF-8", text)
		}
	}
	switch o.Goal {
	case "", "minimize", "maximize":
	default:
		return fmt.Errorf("goal is %q: write minimize or maximize", o.Goal)
	}
	for _, v := range []*float64{o.AtMost, o.AtLeast, o.Reference} {
		if v != nil && (math.IsNaN(*v) || math.IsInf(*v, 0)) {
			return fmt.Errorf("%s is not a finite number", formatFloat(*v))
		}
	}
	switch {
	case o.AtMost != nil && o.AtLeast != nil && *o.AtMost < *o.AtLeast:
		return fmt.Errorf("no number is at least %s and at most %s: exchange them", formatFloat(*o.AtLeast), formatFloat(*o.AtMost))
	case o.Reference != nil && o.Goal == "":
		return errors.New("only an objective has a reference: add goal: minimize or goal: maximize")
	}
	return nil
}

type declaredOutcome struct {
	Outcome
	name, value *yaml.Node // nil without a file
}

// addOutcomes checks the outcomes as a whole.
func (s *Space) addOutcomes(list []declaredOutcome) error {
	objectives := 0
	seen := map[string]bool{}
	for _, o := range list {
		names, err := expand(o.Name)
		if err != nil {
			return at(o.name, "", fmt.Errorf("outcome %q: %w", o.Name, err))
		}
		if err := o.check(); err != nil {
			return at(o.value, "", fmt.Errorf("outcome %q: %w", o.Name, err))
		}
		if len(s.outcomes)+len(names) > maxOutcomes {
			return at(o.name, "", fmt.Errorf("there are more than %d outcomes with %q", maxOutcomes, o.Name))
		}
		for _, name := range names {
			_, param := s.index[name]
			switch {
			case seen[name]:
				err = errors.New("it is declared twice: remove one")
			case param || s.index[name+".std"] > 0 || slices.Contains(s.names[:1], name+".std"):
				err = errors.New("a parameter has this name: rename one of them")
			case name == "state" || name == "reason" || name == "std" || name == "outcomes" || name == "stds" || name == "params":
				err = errors.New("results use this name for something else: rename the outcome")
			}
			if err != nil {
				return at(o.name, "", fmt.Errorf("outcome %q: %w", name, err))
			}
			seen[name] = true
			if o.Goal != "" {
				objectives++
			}
			one := o.Outcome
			one.Name = name
			s.outcomes = append(s.outcomes, one)
		}
		s.told = append(s.told, o.Outcome)
	}
	if len(list) > 0 && objectives == 0 {
		return at(list[0].name, "", errors.New("`outcomes` has no objective: write minimize or maximize behind one of them, as in mass: minimize"))
	}
	return nil
}

// readOutcomes reads `name: minimize`, `name: record` and `name: {at_most: 10}`.
func readOutcomes(node *yaml.Node) (list []declaredOutcome, err error) {
	if node == nil || node.ShortTag() == "!!null" {
		return nil, nil
	}
	if node.Kind != yaml.MappingNode || len(node.Content) == 0 {
		return nil, at(node, "", fmt.Errorf("`outcomes` must be a mapping of names, as in mass: minimize or stress: {at_most: 10}, got %s", describe(node)))
	}
	for name, value := range pairs(node) {
		if name.Kind != yaml.ScalarNode || name.ShortTag() != "!!str" {
			return nil, at(name, "", fmt.Errorf("an outcome's name must be a text, got %s: write it in quotes", describe(name)))
		}
		o := declaredOutcome{Outcome: Outcome{Name: name.Value}, name: name, value: value}
		if err := o.read(value); err != nil {
			return nil, at(value, "", fmt.Errorf("outcome %q: %w", name.Value, err))
		}
		list = append(list, o)
	}
	return list, nil
}

func (o *declaredOutcome) read(node *yaml.Node) error {
	const expected = "minimize, maximize, record or a limit, as in {at_most: 10}"
	if node.Kind == yaml.ScalarNode {
		switch node.Value {
		case "minimize", "maximize":
			o.Goal = node.Value
			return nil
		case "record":
			return nil
		}
		return fmt.Errorf("expected %s, got %s", expected, describe(node))
	}
	if node.Kind != yaml.MappingNode {
		return fmt.Errorf("expected %s, got %s", expected, describe(node))
	}
	fields, err := keyed(node, "goal", "at_most", "at_least", "reference", "unit", "description")
	if err != nil {
		var e *FileError
		if errors.As(err, &e) {
			return e.Err
		}
		return err
	}
	for _, f := range []struct {
		key string
		dst **float64
	}{{"at_most", &o.AtMost}, {"at_least", &o.AtLeast}, {"reference", &o.Reference}} {
		value, ok := fields[f.key]
		if !ok {
			continue
		}
		v, err := numeral(value)
		if err != nil {
			return fmt.Errorf("%s: %w", f.key, err)
		}
		*f.dst = &v
	}
	for _, f := range []struct {
		key string
		dst *string
	}{{"goal", &o.Goal}, {"unit", &o.Unit}, {"description", &o.Description}} {
		value, ok := fields[f.key]
		if !ok {
			continue
		}
		if value.Kind != yaml.ScalarNode || value.ShortTag() != "!!str" {
			return fmt.Errorf("%s must be a text, got %s: write it in quotes", f.key, describe(value))
		}
		*f.dst = value.Value
	}
	return nil
}

// outcomeTree is what stands behind the name of an outcome, in its shortest form.
func (o Outcome) tree() *yaml.Node {
	if o.AtMost == nil && o.AtLeast == nil && o.Reference == nil && o.Unit == "" && o.Description == "" {
		if o.Goal == "" {
			return stringNode("record")
		}
		return stringNode(o.Goal)
	}
	node := &yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle}
	add := func(key string, value *yaml.Node) { node.Content = append(node.Content, stringNode(key), value) }
	if o.Goal != "" {
		add("goal", stringNode(o.Goal))
	}
	for _, f := range []struct {
		key   string
		value *float64
	}{{"at_most", o.AtMost}, {"at_least", o.AtLeast}, {"reference", o.Reference}} {
		if f.value != nil {
			add(f.key, numberNode(formatFloat(*f.value)))
		}
	}
	if o.Unit != "" {
		add("unit", quotedNode(o.Unit))
	}
	if o.Description != "" {
		add("description", quotedNode(o.Description))
	}
	return node
}
