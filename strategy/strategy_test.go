package strategy_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/mahabo/mahabo/strategy"
	"github.com/mahabo/mahabo/strategy/strategytest"
)

// The method of the example keeps the contract.
func TestExampleConforms(t *testing.T) {
	strategytest.Run(t, func(t testing.TB, cfg strategy.Config) strategy.Strategy {
		s, err := newWalk(cfg.WithDefaults(), nil)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}, strategytest.Options{Method: "walk", Batch: true, Cost: strategytest.Cheap})
}

// mixed has one parameter of each kind.
func mixed() strategy.Domain {
	return strategy.Domain{
		Params: []strategy.Param{
			{Name: "real", Kind: strategy.Real, First: 0, Width: 1},
			{Name: "label", Kind: strategy.Label, First: 1, Width: 3},
			{Name: "bool", Kind: strategy.Bool, First: 4, Width: 1, Levels: []float64{-1, 1}},
			{Name: "integer", Kind: strategy.Integer, First: 5, Width: 1, Levels: []float64{-0.5, 0.5}},
			{Name: "another", Kind: strategy.Real, First: 6, Width: 1},
		},
		Linear: []strategy.Row{{Coordinate: []int{0, 6}, Coefficient: []float64{1, -1}, Bound: 0.5}},
		Fixed:  map[int]float64{4: 1},
	}
}

func TestDomain(t *testing.T) {
	d := mixed()
	if err := d.Validate(); err != nil {
		t.Error(err)
	}
	if d.Dim() != 7 || (strategy.Domain{}).Dim() != 0 {
		t.Errorf("%d coordinates, none in an empty domain: %d", d.Dim(), strategy.Domain{}.Dim())
	}
	box := strategy.Box(3)
	if err := box.Validate(); err != nil || box.Dim() != 3 || box.Params[2].Name != "x2" {
		t.Errorf("a box of three: %+v, %v", box, err)
	}
}

// Every refusal names what is wrong.
func TestDomainValidate(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(*strategy.Domain)
		want  string
	}{
		{"no parameters", func(d *strategy.Domain) { d.Params = nil }, "no parameters"},
		{"a gap", func(d *strategy.Domain) { d.Params[2].First = 5 }, `"bool" has 1 coordinates from 5 on: the next one is 4`},
		{"an overlap", func(d *strategy.Domain) { d.Params[1].First = 0 }, `"label"`},
		{"no coordinate", func(d *strategy.Domain) { d.Params[0].Width = 0 }, `"real" has 0 coordinates`},
		{"a short row", func(d *strategy.Domain) { d.Linear[0].Coefficient = []float64{1} }, "row 0 has 2 coordinates, 1 coefficients"},
		{"a bound that is NaN", func(d *strategy.Domain) { d.Linear[0].Bound = math.NaN() }, "row 0"},
		{"a row beyond", func(d *strategy.Domain) { d.Linear[0].Coordinate[1] = 7 }, "row 0 names coordinate 7 of 7"},
		{"a row before", func(d *strategy.Domain) { d.Linear[0].Coordinate[1] = -1 }, "row 0 names coordinate -1"},
		{"a coordinate twice", func(d *strategy.Domain) { d.Linear[0].Coordinate[1] = 0 }, "row 0 names coordinate 0 twice"},
		{"a coefficient that is NaN", func(d *strategy.Domain) { d.Linear[0].Coefficient[1] = math.NaN() }, "row 0 has the coefficient NaN for coordinate 6"},
		{"an infinite coefficient", func(d *strategy.Domain) { d.Linear[0].Coefficient[0] = math.Inf(1) }, "row 0 has the coefficient +Inf"},
		{"a level outside", func(d *strategy.Domain) { d.Params[3].Levels[1] = 1.5 }, `"integer" has level 1.5`},
		{"a level that is NaN", func(d *strategy.Domain) { d.Params[3].Levels[0] = math.NaN() }, `"integer" has level NaN`},
		{"levels out of order", func(d *strategy.Domain) { slices.Reverse(d.Params[2].Levels) }, `"bool" has level -1`},
		{"levels of labels", func(d *strategy.Domain) { d.Params[1].Levels = []float64{-1, 1} }, `"label" has level -1`},
		{"held beyond", func(d *strategy.Domain) { d.Fixed[7] = 0 }, "coordinate 7 of 7"},
		{"held outside", func(d *strategy.Domain) { d.Fixed[4] = 1.5 }, "fixed at 1.5"},
		{"held at NaN", func(d *strategy.Domain) { d.Fixed[4] = math.NaN() }, "fixed at NaN"},
	} {
		d := mixed()
		c.spoil(&d)
		if err := d.Validate(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

func TestConfigValidate(t *testing.T) {
	good := strategy.Config{Domain: strategy.Box(3)}.WithDefaults()
	if err := good.Validate(); err != nil {
		t.Error(err)
	}
	for _, c := range []struct {
		spoil func(*strategy.Config)
		want  string
	}{
		{func(c *strategy.Config) { c.Domain = strategy.Domain{} }, "Domain: there are no parameters"},
		{func(c *strategy.Config) { c.Objectives = -1 }, "Objectives is -1"},
		{func(c *strategy.Config) { c.Limits = -1 }, "Limits is -1"},
		{func(c *strategy.Config) { c.TrueDim = 4 }, "TrueDim is 4"},
		{func(c *strategy.Config) { c.TrueDim = -1 }, "TrueDim is -1"},
		{func(c *strategy.Config) { c.Init = -1 }, "Init is -1"},
		{func(c *strategy.Config) { c.Budget = -1 }, "Budget is -1"},
		{func(c *strategy.Config) { c.Threads = -1 }, "Threads is -1"},
	} {
		bad := good
		c.spoil(&bad)
		if err := bad.Validate(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

func TestConfigCheck(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	one := strategy.Config{Domain: strategy.Box(2)} // the zero value of Objectives is one
	three := strategy.Config{Domain: strategy.Box(2), Objectives: 2, Limits: 1}
	x := strategy.Point{0, 1}
	for _, c := range []struct {
		name string
		cfg  strategy.Config
		o    strategy.Observation
		want string // "" when it is taken
	}{
		{"one outcome", one, strategy.Observation{X: x, Y: []float64{1}}, ""},
		{"with noise", one, strategy.Observation{X: x, Tag: "any", Y: []float64{1}, Std: []float64{0.5}}, ""},
		{"noise that is not known", one, strategy.Observation{X: x, Y: []float64{1}, Std: []float64{0}}, ""},
		{"three outcomes", three, strategy.Observation{X: x, Y: []float64{1, 2, -1}, Std: []float64{0, 1, 0}}, ""},
		{"no outcome", one, strategy.Observation{X: x}, "it has 0 outcomes, the task has 1"},
		{"too few outcomes", three, strategy.Observation{X: x, Y: []float64{1}}, "it has 1 outcomes, the task has 3"},
		{"too many", one, strategy.Observation{X: x, Y: []float64{1, 2}}, "it has 2 outcomes"},
		{"too few deviations", three, strategy.Observation{X: x, Y: []float64{1, 2, 3}, Std: []float64{1}}, "1 standard deviations for 3 outcomes"},
		{"a value that is NaN", three, strategy.Observation{X: x, Y: []float64{1, 2, nan}}, "value is NaN"},
		{"an infinite value", one, strategy.Observation{X: x, Y: []float64{-inf}}, "value is -Inf"},
		{"a negative deviation", one, strategy.Observation{X: x, Y: []float64{1}, Std: []float64{-1}}, "deviation is -1"},
		{"a deviation that is NaN", one, strategy.Observation{X: x, Y: []float64{1}, Std: []float64{nan}}, "deviation is NaN"},
		{"an infinite deviation", three, strategy.Observation{X: x, Y: []float64{1, 1, 1}, Std: []float64{0, inf, 0}}, "deviation is +Inf"},
		{"a short point", one, strategy.Observation{X: x[:1], Y: []float64{1}}, "point has 1 coordinates, the problem has 2"},
		{"a point outside", one, strategy.Observation{X: strategy.Point{0, 1.5}, Y: []float64{1}}, "coordinate 1 is 1.5"},
		{"a point that is NaN", one, strategy.Observation{X: strategy.Point{nan, 0}, Y: []float64{1}}, "coordinate 0 is NaN"},
	} {
		err := c.cfg.Check(c.o)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}
