package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/mahabo/mahabo/internal/hint"
	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/study"
)

type studyChangeCmd struct {
	Name   string            `arg:"" help:"Name of the study."`
	Space  string            `placeholder:"FILE" help:"File that declares all parameters as they are to be, YAML or JSON."`
	Bounds map[string]string `mapsep:"none" placeholder:"NAME=LOW,HIGH" help:"Other bounds of a parameter."`
	Add    map[string]string `mapsep:"none" placeholder:"NAME={KIND: ...}" help:"A new parameter, declared as in a file: 'ph={float: [3, 9]}'."`
	Value  map[string]string `mapsep:"none" placeholder:"NAME=VALUE" help:"Value that the trials so far had for a new parameter."`
	Fix    map[string]string `mapsep:"none" placeholder:"NAME=VALUE" help:"Hold a parameter at a value from now on."`
	Label  map[string]string `mapsep:"none" placeholder:"NAME=LABEL" help:"One more label of a choice."`
	Step   map[string]string `mapsep:"none" placeholder:"NAME=STEP" help:"Suggest a float in steps."`
	Digits map[string]string `mapsep:"none" placeholder:"NAME=N" help:"Suggest a float with N digits behind the point, a log with N digits that count."`
	Yes    bool              `help:"Really change it, instead of showing what would happen."`
	Worker string            `placeholder:"NAME" help:"Who changes it, for the record."`
	JSON   bool              `name:"json" help:"Print JSON."`
	storeFlags
}

// Help is the long help.
func (*studyChangeCmd) Help() string {
	return `Shows what would happen; --yes does it. Trials keep their parameters and outcomes. Those that the new
space has no place for, because their values are out of its bounds, do not count until it has again.

Examples:

  mahabo study change rig --bounds rate=0.001,0.5

  mahabo study change rig --bounds rate=0.001,0.5 --yes

  mahabo study change rig --add 'ph={float: [3, 9], digits: 1}' --value ph=7 --yes

  mahabo study change rig --fix mode=fast --label solver=rk4 --yes

  mahabo study change rig --space space.yaml --value ph=7`
}

// Run shows or makes the change.
func (c *studyChangeCmd) Run(ctx context.Context, s streams) error {
	single := len(c.Bounds) + len(c.Add) + len(c.Fix) + len(c.Label) + len(c.Step) + len(c.Digits)
	switch {
	case c.Space == "" && single == 0:
		return usagef("nothing to change: give --space FILE, or --bounds, --add, --fix, --label, --step or --digits")
	case c.Space != "" && single > 0:
		return usagef("--space declares all parameters: leave out --bounds, --add, --fix, --label, --step and --digits")
	}
	return c.with(ctx, s, c.Name, func(one studied) error {
		sp, err := c.space(ctx, one.Config().Space)
		if err != nil {
			return err
		}
		added, err := readParams(sp, c.Value)
		if err != nil {
			return err
		}
		done, err := one.Change(ctx, study.Change{Space: sp, Added: added, By: c.Worker}, !c.Yes)
		if err != nil && strings.Contains(err.Error(), "is new: say which value") {
			return fmt.Errorf("%w, as in --value NAME=VALUE", err)
		}
		if err != nil {
			return err
		}
		if c.JSON {
			return writeJSON(s.out, changeShape(done, c.Yes))
		}
		return c.print(s, done)
	})
}

// changeShape is a change in JSON.
func changeShape(c study.Change, made bool) any {
	return map[string]any{
		"differences": append([]string{}, c.Differences...), "trials": c.Trials, "outside": c.Outside, "inside": append([]int{}, c.Inside...),
		"changed": made && len(c.Differences) > 0,
	}
}

// print says what happens to parameters and trials.
func (c *studyChangeCmd) print(s streams, done study.Change) error {
	if len(done.Differences) == 0 {
		_, err := fmt.Fprintf(s.out, "study %s has these parameters already, nothing was changed\n", c.Name)
		return err
	}
	for _, d := range done.Differences {
		fmt.Fprintln(s.out, d)
	}
	numbers := slices.Sorted(maps.Keys(done.Outside))
	for i, n := range numbers {
		if i == mostShown {
			fmt.Fprintf(s.out, "not counted either: %s\n", counted(len(numbers)-mostShown, "more trial"))
			break
		}
		fmt.Fprintf(s.out, "trial %d does not count: %s\n", n, done.Outside[n])
	}
	if len(done.Inside) > 0 {
		fmt.Fprintf(s.out, "counted again: %s that did not count\n", counted(len(done.Inside), "trial"))
	}
	what := "changed"
	if !c.Yes {
		what = "would change"
	}
	fmt.Fprintf(s.out, "%s study %s: %d of its %s count\n", what, c.Name, done.Trials-len(done.Outside), counted(done.Trials, "trial"))
	if !c.Yes {
		fmt.Fprintln(s.err, "nothing was changed yet: add --yes to do it")
	}
	return nil
}

// space is the one that the flags ask for.
func (c *studyChangeCmd) space(ctx context.Context, had *space.Space) (*space.Space, error) {
	if c.Space != "" {
		return readSpace(ctx, c.Space)
	}
	text, err := yaml.Marshal(had)
	if err != nil {
		return nil, err
	}
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		return nil, err
	}
	params := field(document.Content[0], "parameters")
	for _, edit := range []struct {
		flag   string
		values map[string]string
		apply  func(param *yaml.Node, name, text string) error
	}{
		{"--bounds", c.Bounds, setBounds}, {"--label", c.Label, addLabel}, {"--step", c.Step, setField("step")}, {"--digits", c.Digits, setField("digits")},
		{"--fix", c.Fix, fixParam(had)},
	} {
		for _, name := range slices.Sorted(maps.Keys(edit.values)) {
			param := field(params, name)
			if param == nil {
				return nil, usagef("%s: %w", edit.flag, notDeclared(params, had, name))
			}
			if err := edit.apply(param, name, edit.values[name]); err != nil {
				return nil, usagef("%s %s=%s: %w", edit.flag, name, edit.values[name], err)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Add)) {
		var node yaml.Node
		if err := yaml.Unmarshal([]byte(c.Add[name]), &node); err != nil || len(node.Content) == 0 {
			return nil, usagef("--add %s=%s: write the kind as in a file, for example '%s={float: [0, 1]}'", name, c.Add[name], name)
		}
		params.Content = append(params.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: name}, node.Content[0])
	}
	if text, err = yaml.Marshal(&document); err != nil {
		return nil, err
	}
	sp, err := parseWritten(text)
	if err != nil {
		return nil, usagef("%w", err)
	}
	return sp, nil
}

// parseWritten reads a text that nobody wrote, the lines of which tell nothing.
func parseWritten(text []byte) (*space.Space, error) {
	sp, err := space.Parse(text)
	var wrong *space.FileError
	if errors.As(err, &wrong) {
		wrong.Line = 0
	}
	return sp, err
}

// field returns the value of a key, nil when there is none.
func field(node *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(node.Content); i += 2 {
		if node.Content[i].Value == key {
			return node.Content[i+1]
		}
	}
	return nil
}

// notDeclared says why a parameter cannot be changed by its name.
func notDeclared(params *yaml.Node, had *space.Space, name string) error {
	var declared []string
	for i := 0; i < len(params.Content); i += 2 {
		declared = append(declared, params.Content[i].Value)
	}
	if _, _, ok := had.Coordinates(name); ok {
		return fmt.Errorf("parameter %q is declared together with others: name all of them, as in %q, or give --space", name, cmp.Or(declared...))
	}
	return fmt.Errorf("parameter %q is not in the space%s: its parameters are %s", name, hint.DidYouMean(name, declared), strings.Join(declared, ", "))
}

func parsed(text string) (*yaml.Node, error) {
	var node yaml.Node
	if err := yaml.Unmarshal([]byte(text), &node); err != nil || len(node.Content) == 0 {
		return nil, fmt.Errorf("it cannot be read")
	}
	return node.Content[0], nil
}

func setBounds(param *yaml.Node, _, text string) error {
	for _, kind := range []string{"float", "log", "int", "logint"} {
		if bounds := field(param, kind); bounds != nil {
			list, err := parsed("[" + strings.Trim(text, "[]") + "]")
			if err != nil || len(list.Content) != 2 {
				return fmt.Errorf("write two numbers, LOW,HIGH, decimals behind a point")
			}
			*bounds = *list
			return nil
		}
	}
	return fmt.Errorf("it has no bounds: give --space FILE with the parameter as it is to be")
}

func addLabel(param *yaml.Node, _, text string) error {
	labels := field(param, "choice")
	if labels == nil {
		return fmt.Errorf("it is not a choice")
	}
	labels.Content = append(labels.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text})
	return nil
}

func setField(key string) func(*yaml.Node, string, string) error {
	return func(param *yaml.Node, _, text string) error {
		value, err := parsed(text)
		if err != nil {
			return err
		}
		if had := field(param, key); had != nil {
			*had = *value
			return nil
		}
		param.Content = append(param.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: key}, value)
		return nil
	}
}

// fixParam holds a parameter at a value that it can have after the other changes. It keeps unit and description.
func fixParam(had *space.Space) func(*yaml.Node, string, string) error {
	return func(param *yaml.Node, name, text string) error {
		for _, p := range had.Params() {
			if p.Name != name {
				continue
			}
			v := p.ReadText(text)
			if err := takes(param, p, v); err != nil {
				return err
			}
			value := &yaml.Node{}
			if err := value.Encode(v); err != nil {
				return err
			}
			kept := []*yaml.Node{{Kind: yaml.ScalarNode, Tag: "!!str", Value: "fixed"}, value}
			for i := 0; i+1 < len(param.Content); i += 2 {
				if key := param.Content[i].Value; key == "unit" || key == "description" {
					kept = append(kept, param.Content[i], param.Content[i+1])
				}
			}
			param.Kind, param.Tag, param.Content = yaml.MappingNode, "!!map", kept
			return nil
		}
		return fmt.Errorf("name one parameter")
	}
}

// takes says why a parameter, as it is declared after the other changes, cannot have a value.
func takes(param *yaml.Node, p space.Param, value any) error {
	if p.Kind == space.KindFixed { // any other of the same type will do
		_, text := value.(string)
		switch p.Value.(type) {
		case bool:
			if text {
				return fmt.Errorf("%s is fixed at %v: write true or false", p.Name, p.Value)
			}
		case int64, float64:
			if text {
				return fmt.Errorf("%s is fixed at %v: write a number%s", p.Name, p.Value, hint.Point(fmt.Sprint(value)))
			}
		}
		return nil
	}
	text, err := yaml.Marshal(map[string]any{"parameters": map[string]any{p.Name: param}})
	if err != nil {
		return err
	}
	sp, err := parseWritten(text)
	if err != nil {
		return err
	}
	if p = sp.Params()[0]; p.Kind == space.KindChoice && !slices.Contains(p.Labels, fmt.Sprint(value)) {
		label := fmt.Sprint(value)
		return fmt.Errorf("%s has no label %q%s: it has %s; add it with --label %s=%s first", p.Name, label, hint.DidYouMean(label, p.Labels), strings.Join(p.Labels, ", "), p.Name, label)
	}
	_, err = sp.Pins(space.ParamsOf(map[string]any{p.Name: value}))
	if err != nil && strings.HasSuffix(err.Error(), "widen the bounds") {
		err = fmt.Errorf("%w with --bounds %s=LOW,HIGH first", err, p.Name)
	}
	return err
}
