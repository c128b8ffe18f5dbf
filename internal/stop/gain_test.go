package stop

import (
	"math"
	"strings"
	"testing"
)

// line falls from a by b a step up to a step, and stays then.
func line(number int, a, b float64, until, n int) Curve {
	c := Curve{Number: number}
	for s := 1; s <= n; s++ {
		c.Steps = append(c.Steps, int64(s))
		c.Values = append(c.Values, a-b*float64(min(s, until)))
	}
	return c
}

func ended(c Curve) Curve {
	c.Done, c.Final = true, c.Values[len(c.Values)-1]
	return c
}

func TestGain(t *testing.T) {
	r := rule(t, "gain")
	var early, late []Curve // complete trials of 12 steps: all have their gain by step 6, or two of them gain to the end
	for i := range 5 {
		c := ended(line(i+1, 10+0.1*float64(i), 1, 6, 12))
		early = append(early, c)
		if i > 2 {
			c = ended(line(i+1, 15.5, 1, 12, 12))
		}
		late = append(late, c)
	}
	for _, c := range []struct {
		name   string
		one    Curve
		others []Curve
		want   bool
	}{
		{"among the best", line(9, 9.5, 1, 4, 4), early, false},
		{"behind, and as slow as the others at the end", line(9, 14, 1, 4, 4), early, true},
		{"behind, and falls faster than the others", line(9, 14, 2.5, 4, 4), early, false},
		{"behind, where some fall to the end", line(9, 15.4, 1, 4, 4), late, false},
		{"far behind even there", line(9, 30, 1, 4, 4), late, true},
		{"two complete trials", line(9, 14, 1, 4, 4), early[:2], false},
		{"no rung", line(9, 14, 1, 3, 3), early, false},
	} {
		// Scale and zero of the values do not matter.
		for _, by := range []struct{ times, plus float64 }{{1, 0}, {1e-3, 0}, {1, -1e3}} {
			change := func(c Curve) Curve {
				c.Values = append([]float64{}, c.Values...)
				for i := range c.Values {
					c.Values[i] = c.Values[i]*by.times + by.plus
				}
				c.Final = c.Final*by.times + by.plus
				return c
			}
			var others []Curve
			for _, o := range c.others {
				others = append(others, change(o))
			}
			why := r.Decide(change(c.one), len(c.one.Steps)-1, others)
			if (why != "") != c.want {
				t.Errorf("%s, times %g plus %g: %q, want a stop: %v", c.name, by.times, by.plus, why, c.want)
			}
			if why != "" && !strings.HasPrefix(why, "gain: place 6 of 6 at step 4, and to become the best it has to gain ") {
				t.Errorf("%s: the reason is %q", c.name, why)
			}
		}
	}
}

// Steps may be far apart, and values may not change at all.
func TestGainOfFewReports(t *testing.T) {
	r := rule(t, "gain:keep=0.5")
	var others []Curve
	for i := range 6 {
		others = append(others, Curve{Number: i + 1, Steps: []int64{60, 120}, Values: []float64{float64(i), float64(i)}, Done: true, Final: float64(i)})
	}
	if why := r.Decide(Curve{Steps: []int64{60}, Values: []float64{9}}, 0, others); why == "" {
		t.Error("the last of constant curves goes on")
	}
	if why := r.Decide(Curve{Steps: []int64{60}, Values: []float64{-1}}, 0, others); why != "" {
		t.Errorf("the first is stopped: %s", why)
	}
	if why := r.Decide(Curve{Steps: []int64{60}, Values: []float64{math.MaxFloat64}}, 0, others); why == "" {
		t.Error("a value without end goes on")
	}
	if why := r.Decide(Curve{Steps: []int64{60}, Values: []float64{9}}, 0, nil); why != "" {
		t.Errorf("without others it is stopped: %s", why)
	}
}
