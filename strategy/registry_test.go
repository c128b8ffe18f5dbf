package strategy_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/mahabo/mahabo/strategy"
)

// built remembers what New was given.
type built struct {
	cfg      strategy.Config
	settings strategy.Settings
}

func (*built) Ask(context.Context, int, []strategy.Suggestion) ([]strategy.Suggestion, error) {
	return nil, nil
}
func (*built) Tell(...strategy.Observation) error { return nil }

func build(cfg strategy.Config, s strategy.Settings) (strategy.Strategy, error) {
	return &built{cfg, s}, nil
}

func method(name string, a strategy.Abilities) strategy.Method {
	return strategy.Method{Name: name, New: build, Abilities: a, Options: []strategy.Option{
		{Key: "d", Default: "2"}, {Key: "size", Default: "5"}, {Key: "fast"},
	}}
}

func registry(t *testing.T, methods ...strategy.Method) *strategy.Registry {
	t.Helper()
	r, err := strategy.NewRegistry(methods...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func names(r *strategy.Registry) (names []string) {
	for _, m := range r.Methods() {
		names = append(names, m.Name)
	}
	return names
}

// New gets the defaults filled in and the options given, and no others.
func TestRegistryBuilds(t *testing.T) {
	r := registry(t, method("a", strategy.Abilities{}), method("b", strategy.Abilities{}))
	s, err := r.New("b:fast=yes,size=7", strategy.Config{Domain: strategy.Box(3), Seed: 9})
	if err != nil {
		t.Fatal(err)
	}
	got := s.(*built)
	if c := got.cfg; c.Init != strategy.DefaultInit || c.Objectives != 1 || c.Threads < 1 || c.Seed != 9 || c.Domain.Dim() != 3 {
		t.Errorf("the configuration is %+v", c)
	}
	if len(got.settings) != 2 || got.settings["fast"] != "yes" || got.settings["size"] != "7" {
		t.Errorf("the settings are %v", got.settings)
	}
	if m, err := r.Find("b:size=7"); err != nil || m.Name != "b" {
		t.Errorf("Find gives %q, %v", m.Name, err)
	}
}

// The order is that of the method's list; d stays although it is the default, for a default
// may depend on the task.
func TestRegistryCanonical(t *testing.T) {
	r := registry(t, method("a", strategy.Abilities{}))
	for spec, want := range map[string]string{
		"a": "a", "a:size=5": "a", "a:fast=1,size=6": "a:size=6,fast=1", "a:d=2": "a:d=2",
	} {
		if got, err := r.Canonical(spec); err != nil || got != want {
			t.Errorf("Canonical(%q) = %q, %v; want %q", spec, got, err, want)
		}
	}
}

func TestRegistryRefusesMethods(t *testing.T) {
	good := method("a", strategy.Abilities{})
	for _, c := range []struct {
		method strategy.Method
		want   string
	}{
		{good, `two methods have the name "a"`},
		{strategy.Method{Name: "b"}, `"b" has no New`},
		{method("", strategy.Abilities{}), `the name ""`},
		{method("b c", strategy.Abilities{}), `the name "b c"`},
		{method("b:c", strategy.Abilities{}), `the name "b:c"`},
		{method("b,c=1", strategy.Abilities{}), `the name "b,c=1"`},
	} {
		if _, err := strategy.NewRegistry(good, c.method); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("method %q: %v, want %q", c.method.Name, err, c.want)
		}
		if _, err := registry(t, good).With(c.method); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("With method %q: %v, want %q", c.method.Name, err, c.want)
		}
	}
}

// A registry does not change, whatever is done with what it was made of or gave.
func TestRegistryStays(t *testing.T) {
	given := []strategy.Method{method("a", strategy.Abilities{}), method("b", strategy.Abilities{})}
	r := registry(t, given...)
	given[0].Name = "x"
	r.Methods()[1].Name = "y"
	more, err := r.With(method("c", strategy.Abilities{}))
	if err != nil {
		t.Fatal(err)
	}
	if got := names(r); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("the methods are %v", got)
	}
	if got := names(more); !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Errorf("with one more the methods are %v", got)
	}
}

// A method that cannot do a task is not built, and those that can are named.
func TestUnable(t *testing.T) {
	r := registry(t,
		method("plain", strategy.Abilities{Kinds: []strategy.Kind{strategy.Real}, NoRows: true}),
		method("limits", strategy.Abilities{Limits: true}),
		method("fronts", strategy.Abilities{Objectives: 2}),
	)
	box, labels, rows := strategy.Box(2), strategy.Box(2), strategy.Box(2)
	labels.Params = append(labels.Params, strategy.Param{Name: "label", Kind: strategy.Label, First: 2, Width: 3})
	rows.Linear = []strategy.Row{{Coordinate: []int{0}, Coefficient: []float64{1}, Bound: 0}}
	for _, c := range []struct {
		name, spec, why string
		cfg             strategy.Config
		able            []string
	}{
		{"labels", "plain:d=1", "parameters of kind label", strategy.Config{Domain: labels}, []string{"limits", "fronts"}},
		{"rows", "plain", "linear constraints", strategy.Config{Domain: rows}, []string{"limits", "fronts"}},
		{"limits", "plain", "limits", strategy.Config{Domain: box, Limits: 1}, []string{"limits"}},
		{"two objectives", "limits", "2 objectives", strategy.Config{Domain: box, Objectives: 2}, []string{"fronts"}},
		{"three objectives", "fronts", "3 objectives", strategy.Config{Domain: box, Objectives: 3}, nil},
	} {
		_, err := r.New(c.spec, c.cfg)
		var unable *strategy.UnableError
		if !errors.As(err, &unable) {
			t.Errorf("%s: %v, want an UnableError", c.name, err)
			continue
		}
		name, _, _ := strings.Cut(c.spec, ":")
		if unable.Method != name || unable.Why != c.why || !slices.Equal(unable.Able, c.able) {
			t.Errorf("%s: %+v", c.name, unable)
		}
		want := "choose one of " + strings.Join(c.able, ", ")
		if c.able == nil {
			want = "no other method does"
		}
		if !strings.Contains(err.Error(), name+" does not take "+c.why) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %q does not say %q", c.name, err, want)
		}
		for _, able := range c.able {
			if _, err := r.New(able, c.cfg); err != nil {
				t.Errorf("%s: %s is named, but %v", c.name, able, err)
			}
		}
	}
}

func TestUnknownMethod(t *testing.T) {
	_, err := registry(t, method("a", strategy.Abilities{}), method("b", strategy.Abilities{})).New("c:d=1", strategy.Config{Domain: strategy.Box(1)})
	var unknown *strategy.UnknownMethodError
	if !errors.As(err, &unknown) || unknown.Name != "c" || !slices.Equal(unknown.Known, []string{"a", "b"}) {
		t.Errorf("got %v", err)
	}
}
