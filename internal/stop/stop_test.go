package stop

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// falling is a + b/(s+1) at the steps 1 to n.
func falling(number int, a, b float64, n int) Curve {
	c := Curve{Number: number}
	for s := 1; s <= n; s++ {
		c.Steps = append(c.Steps, int64(s))
		c.Values = append(c.Values, a+b/float64(s+1))
	}
	return c
}

func complete(number int, a, b float64, n int) Curve {
	c := falling(number, a, b, n)
	c.Done, c.Final = true, c.Values[n-1]
	return c
}

func rule(t *testing.T, text string) *Rule {
	t.Helper()
	r, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "none": "", "asha": "asha", "asha:first=5,factor=4": "asha:factor=4,first=5", "median:warmup=3": "median:warmup=3", "curve:chance=0.1": "curve:chance=0.1",
	} {
		if got := rule(t, text).String(); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
	for text, want := range map[string]string{
		"ash": `did you mean "asha"`, "asha:factor=1": "from 2 to 100", "asha:factor=2.5": "a whole number", "asha:x=1": "one of factor, first, window, after",
		"median:warmup": "KEY=VALUE", "curve:chance=NaN": "from 1e-06 to 0.5",
	} {
		if _, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q gave %v, want %q", text, err, want)
		}
	}
	if Describe() == "" || len(Names()) != 4 {
		t.Error("the rules are not listed")
	}
}

func TestASHAStopsTheWorseAtRungs(t *testing.T) {
	r := rule(t, "asha:first=1,factor=3,after=2")
	var others []Curve
	for i := range 5 {
		others = append(others, complete(i+1, float64(i), 1, 27))
	}
	for _, c := range []struct {
		one   Curve
		fresh int
		want  bool
	}{
		{falling(9, -1, 1, 1), 0, false},                           // the best
		{falling(9, 0.5, 1, 1), 0, false},                          // second of six, two go on
		{falling(9, 1.5, 1, 1), 0, true},                           // third
		{falling(9, 1.5, 1, 2), 1, false},                          // no rung at step 2
		{falling(9, 1.5, 1, 3), 2, true},                           // one at 3
		{falling(9, 1.5, 1, 8), 7, false},                          // 8 is none
		{Curve{Steps: []int64{10}, Values: []float64{9}}, 0, true}, // it jumped over several
		{Curve{Steps: []int64{10}, Values: []float64{-9}}, 0, false},
	} {
		if why := r.Decide(c.one, c.fresh, others); (why != "") != c.want {
			t.Errorf("%v from %d: %q, want a stop: %v", c.one.Steps, c.fresh, why, c.want)
		}
	}
	if why := r.Decide(falling(9, 9, 1, 1), 0, others[:1]); why != "" {
		t.Errorf("one other trial is enough to stop: %s", why)
	}
}

func TestASHAFindsItsRungs(t *testing.T) {
	r := rule(t, "asha:after=1")
	if why := r.Decide(falling(9, 9, 1, 50), 0, []Curve{falling(1, 0, 1, 50)}); why != "" {
		t.Errorf("without a complete trial nobody knows the rungs: %s", why)
	}
	others := []Curve{complete(1, 0, 1, 81)}
	for step, want := range map[int]bool{1: false, 4: false, 5: true, 6: false, 9: false, 20: true, 21: false, 80: false, 81: false} {
		if why := r.Decide(falling(9, 9, 1, step), step-1, others); (why != "") != want {
			t.Errorf("step %d: %q, want a stop: %v", step, why, want)
		}
	}
}

func TestMedian(t *testing.T) {
	r := rule(t, "median:after=3,warmup=2")
	others := []Curve{complete(1, 0, 1, 10), complete(2, 1, 1, 10), complete(3, 2, 1, 10), falling(4, -9, 1, 10)}
	for _, c := range []struct {
		a    float64
		step int
		want bool
	}{{0.5, 5, false}, {1.5, 5, true}, {1.5, 2, false}, {1, 5, false}} {
		if why := r.Decide(falling(9, c.a, 1, c.step), c.step-1, others); (why != "") != c.want {
			t.Errorf("%v at step %d: %q, want a stop: %v", c.a, c.step, why, c.want)
		}
	}
	if why := r.Decide(falling(9, 9, 1, 5), 0, others[:2]); why != "" {
		t.Errorf("two complete trials are enough: %s", why)
	}
}

// Of curves with noise the extrapolation is as sure as it says.
func TestExtrapolateKnowsItsDoubt(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	inside, count := 0, 400
	for range count {
		a, b, c := r.Float64(), 1+r.Float64(), 0.3+1.2*r.Float64()
		var steps []int64
		var values []float64
		for s := int64(1); s <= 30; s++ {
			steps = append(steps, s)
			values = append(values, a+b*math.Pow(float64(s+1), -c)+0.02*r.NormFloat64())
		}
		mean, std := Extrapolate(steps, values, 100)
		truth := a + b*math.Pow(101, -c)
		if math.Abs(truth-mean) < 2*std {
			inside++
		}
	}
	if share := float64(inside) / float64(count); share < 0.9 {
		t.Errorf("%.3g of the outcomes are within two deviations, want 0.9 and more", share)
	}
	if mean, _ := Extrapolate([]int64{1, 2, 3}, []float64{3, 2, 1}, 9); !math.IsNaN(mean) {
		t.Error("three points are extrapolated")
	}
	if mean, std := Extrapolate([]int64{1, 2, 3, 4}, []float64{2, 2, 2, 2}, 9); mean != 2 || std != 0 {
		t.Errorf("a constant gives %v ± %v", mean, std)
	}
}

func TestCurve(t *testing.T) {
	r := rule(t, "curve")
	var others []Curve
	for i := range 6 {
		others = append(others, complete(i+1, 0.2*float64(i), 1, 100))
	}
	why := r.Decide(falling(9, 3, 1, 30), 0, others)
	if !strings.Contains(why, "expected 3.") || !strings.Contains(why, "±") {
		t.Errorf("a hopeless trial gives %q", why)
	}
	if why := r.Decide(falling(9, -0.5, 1, 30), 0, others); why != "" {
		t.Errorf("the best trial is stopped: %s", why)
	}
	if why := r.Decide(falling(9, 3, 1, 30), 0, others[:4]); why != "" {
		t.Errorf("four complete trials are enough: %s", why)
	}
	if why := r.Decide(falling(9, 3, 1, 100), 99, others); why != "" {
		t.Errorf("a trial is stopped at its last step: %s", why)
	}
}

// scaled has other units of values and of steps.
func (c Curve) scaled(value float64, step int64) Curve {
	c.Steps, c.Values, c.Final = slices.Clone(c.Steps), slices.Clone(c.Values), c.Final*value
	for i := range c.Steps {
		c.Steps[i], c.Values[i] = c.Steps[i]*step, c.Values[i]*value
	}
	return c
}

// What a rule decides does not depend on the unit of values.
func TestRulesHaveNoUnit(t *testing.T) {
	for _, text := range Names() {
		r := rule(t, text)
		stops := 0
		for i, a := range []float64{-0.5, 0.1, 0.3, 0.5, 0.7, 1, 2, 3} {
			one := falling(99, a, 1, 20+5*i)
			var others []Curve
			for k := range 20 {
				others = append(others, complete(k+1, 0.1*float64(k), 1, 96))
			}
			want := r.Decide(one, 0, others) != ""
			if want {
				stops++
			}
			for _, unit := range []float64{0x1p-1000, 0x1p-600, 0x1p500, 0x1p1021} { // exact
				there := slices.Clone(others)
				for k := range there {
					there[k] = there[k].scaled(unit, 1)
				}
				if why := r.Decide(one.scaled(unit, 1), 0, there); (why != "") != want {
					t.Errorf("%s, trial %g in units of %g: %q, want a stop: %v", text, a, unit, why, want)
				}
			}
		}
		if stops == 0 || stops == 8 {
			t.Errorf("%s stops %d of 8", text, stops)
		}
	}
}

// Steps may be nanoseconds of a clock.
func TestCurveOfManySteps(t *testing.T) {
	r := rule(t, "curve")
	var others []Curve
	for i := range 6 {
		others = append(others, complete(i+1, 0.2*float64(i), 1, 100).scaled(1, 1<<56))
	}
	for step := 9; step < 100; step++ {
		want := step >= 10 && (step*checks/100 != (step-1)*checks/100) // where it looks
		if why := r.Decide(falling(9, 3, 1, step).scaled(1, 1<<56), step-1, others); (why != "") != want {
			t.Errorf("step %d: %q, want a stop: %v", step, why, want)
		}
	}
}

func TestNoRuleStopsNothing(t *testing.T) {
	var none *Rule
	if none.Decide(falling(1, 1, 1, 9), 0, nil) != "" || none.String() != "" {
		t.Error("no rule does something")
	}
}

func BenchmarkDecide(b *testing.B) {
	var others []Curve
	for i := range 1000 {
		others = append(others, complete(i+1, float64(i), 1, 1000))
	}
	for _, text := range Names() {
		r, _ := Parse(text)
		one := falling(9999, 0.5, 1, 500)
		b.Run(text, func(b *testing.B) {
			for b.Loop() {
				r.Decide(one, 499, others)
			}
		})
	}
}
