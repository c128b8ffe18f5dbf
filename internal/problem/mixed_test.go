package problem

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/internal/rng"
	"github.com/mahabo/mahabo/space"
)

// evaluated is the value of a problem at values, those left out as in the middle of the box.
func evaluated(t *testing.T, p Problem, given map[string]any) float64 {
	t.Helper()
	middle, err := p.Space.Decode(make([]float64, p.Space.Dim()))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]any{}
	for name, v := range middle.All() {
		all[name] = v
	}
	for name, v := range given {
		all[name] = v
	}
	v, err := p.Space.Complete(space.ParamsOf(all))
	if err != nil {
		t.Fatal(err)
	}
	f, err := p.Evaluator()
	if err != nil {
		t.Fatal(err)
	}
	e, err := f(t.Context(), v)
	if err != nil || e.Seen.State != evaluate.Complete || e.Value != e.Seen.Value {
		t.Fatalf("evaluation is %+v, %v", e, err)
	}
	return e.Value
}

// every gives all parameters of a kind the same value.
func every(p Problem, kind space.Kind, value any) map[string]any {
	m := map[string]any{}
	for _, q := range p.Space.Params() {
		if q.Kind == kind {
			m[q.Name] = value
		}
	}
	return m
}

func TestMixedProblems(t *testing.T) {
	r := rng.New(4)
	for _, p := range All() {
		if p.Space == nil || p.Named != nil {
			continue
		}
		if len(p.Space.Params()) != p.Dim || p.TrueDim != 0 {
			t.Errorf("%s has %d parameters, Dim %d, TrueDim %d", p.Name, len(p.Space.Params()), p.Dim, p.TrueDim)
		}
		if s, err := p.Described("which"); err != nil || s.Dim() != p.Space.Dim() || s.Params()[p.Dim-1].Description != "which" {
			t.Errorf("%s: the described space is %v, %v", p.Name, s, err)
		}
		if _, err := New(p.Name, p.Dim+1, 0); err == nil || !strings.Contains(err.Error(), "cannot be embedded") {
			t.Errorf("%s was embedded: %v", p.Name, err)
		}
		noisy, err := New(p.Name+":noise=0.1", 0, 3)
		if err != nil {
			t.Fatal(err)
		}
		for range 20 {
			x := make([]float64, p.Space.Dim())
			rng.NewFiller(r).Uniform(x)
			if y := p.Eval(x); !(y >= p.Minimum) && !math.IsNaN(p.Minimum) || math.IsNaN(y) || math.IsInf(y, 0) {
				t.Errorf("%s: value %g, minimum %g", p.Name, y, p.Minimum)
			}
			if noisy.Value(x) != p.Eval(x) || noisy.Eval(x) == p.Eval(x) {
				t.Errorf("%s: %g with noise %g", p.Name, noisy.Value(x), noisy.Eval(x))
			}
		}
	}
}

func TestFamilies(t *testing.T) {
	for name, d := range map[string]int{"levy8": 8, "rosenbrock4": 4, "ackley100": 100} {
		p, err := New(name, 0, 0)
		if err != nil || p.Dim != d || p.Name != name {
			t.Errorf("%s: %+v, %v", name, p, err)
		}
	}
}

func TestAckley53(t *testing.T) {
	p := newAckley53()
	if y := evaluated(t, p, every(p, space.KindBool, false)); math.Abs(y) > 1e-12 {
		t.Errorf("the minimum is %g, want 0", y)
	}
	// 20 - 20 exp(-0.2 sqrt(50/53)): cos 2πx is 1 at whole numbers.
	if y, want := evaluated(t, p, every(p, space.KindBool, true)), 20-20*math.Exp(-0.2*math.Sqrt(50.0/53)); math.Abs(y-want) > 1e-12 {
		t.Errorf("all bools true: %g, want %g", y, want)
	}
	half := every(p, space.KindBool, false)
	half["x1"] = 0.5
	if y, want := evaluated(t, p, half), 20+math.E-20*math.Exp(-0.2*math.Sqrt(0.25/53))-math.Exp(51.0/53); math.Abs(y-want) > 1e-12 {
		t.Errorf("x1 = 0.5: %g, want %g", y, want)
	}
}

// The lowest energies of short sequences are known.
func TestLABS(t *testing.T) {
	for i, want := range []int{1, 2, 2, 7, 3, 8, 12, 13, 5, 10, 6} {
		s := make([]int, 3+i)
		lowest := math.MaxInt
		for bits := range 1 << len(s) {
			for k := range s {
				s[k] = sign(bits>>k&1 == 1)
			}
			lowest = min(lowest, energy(s))
		}
		if lowest != want {
			t.Errorf("the lowest energy of length %d is %d, want %d", len(s), lowest, want)
		}
	}
	p := newLABS()
	if math.Abs(p.Minimum+8.170) > 5e-4 { // the published merit factor
		t.Errorf("the minimum is %g", p.Minimum)
	}
	// Equal signs: E = sum k² for k = 1..49 = 40425.
	if y, want := evaluated(t, p, every(p, space.KindBool, true)), -2500.0/(2*40425); y != want {
		t.Errorf("equal signs: %g, want %g", y, want)
	}
}

func TestMaxSAT(t *testing.T) {
	clauses := []clause{
		{[3]int{0, 1, 2}, [3]bool{true, true, true}, 5}, {[3]int{0, 1, 2}, [3]bool{false, true, true}, 3}, {[3]int{1, 2, 3}, [3]bool{false, false, false}, 7},
	}
	for _, c := range []struct {
		x    []bool
		want int
	}{
		{[]bool{false, false, false, true}, 5}, {[]bool{true, false, false, true}, 3}, {[]bool{true, true, true, true}, 7}, {[]bool{true, true, false, true}, 0},
	} {
		if got := brokenWeight(clauses, c.x); got != c.want {
			t.Errorf("%v breaks %d, want %d", c.x, got, c.want)
		}
	}
	// One clause in eight is broken by chance: 480/8 of mean weight 5.5.
	p := newMaxSAT()
	r := rng.New(1)
	var mean float64
	for range 200 {
		x := make([]float64, p.Dim)
		rng.NewFiller(r).Uniform(x)
		mean += p.Eval(x) / 200
	}
	if math.Abs(mean-330) > 20 {
		t.Errorf("random assignments break %g, want about 330", mean)
	}
}

// descend changes one element at a time as long as that helps.
func descend(x []int, choices int, cost func([]int) float64) float64 {
	best := cost(x)
	for better := true; better; {
		better = false
		for i := range x {
			for c := range choices {
				old := x[i]
				x[i] = c
				if y := cost(x); y < best {
					best, better = y, true
				} else {
					x[i] = old
				}
			}
		}
	}
	return best
}

func TestContamination(t *testing.T) {
	p := newContamination()
	// Prevention everywhere: 25 (1 + 0.01), less what is kept beyond 95 %, at most 25 * 0.05.
	all := evaluated(t, p, every(p, space.KindBool, true))
	if all < 24 || all > 25.25 {
		t.Errorf("prevention everywhere costs %g", all)
	}
	// Never: 25 * 0.95, less the sum of P(Z_i < 0.1), where -log(1-Z_i) is the sum of an
	// exponential number of rate 30 and i+1 of rate 17/3.
	c := generateContamination()
	want := 25 * 0.95
	for i := range stages {
		below := 0.0
		for k := range simulations {
			clean := 1 - c.start[k]
			for j := range i + 1 {
				clean *= 1 - c.spread[j][k]
			}
			if 1-clean < 0.1 {
				below++
			}
		}
		want -= below / simulations
	}
	if never := evaluated(t, p, every(p, space.KindBool, false)); math.Abs(never-want) > 1e-9 {
		t.Errorf("no prevention costs %g, want %g", never, want)
	}
	// P(Z_0 < 0.1) = 1 - (30 e^{-at} - a e^{-30t})/(30-a), a = 17/3, t = -log 0.9.
	a, s := 17.0/3, -math.Log(0.9)
	exact := 1 - (30*math.Exp(-a*s)-a*math.Exp(-30*s))/(30-a)
	below := 0.0
	for k := range simulations {
		if z := c.start[k] + c.spread[0][k]*(1-c.start[k]); z < 0.1 {
			below++
		}
	}
	if math.Abs(below/simulations-exact) > 4*math.Sqrt(exact*(1-exact)/simulations) {
		t.Errorf("%g of the food is below the threshold at first, want about %g", below/simulations, exact)
	}
	// The paper's best values are between 21.3 and 21.7, for other random numbers.
	best := descend(make([]int, stages), 2, func(x []int) float64 {
		bits := make([]bool, len(x))
		for i, v := range x {
			bits[i] = v == 1
		}
		return c.cost(bits)
	})
	if best < 20.8 || best > 22.3 {
		t.Errorf("a descent ends at %g", best)
	}
}

func TestPest(t *testing.T) {
	p := newPest()
	data := generatePest()
	above := func(choice int) float64 { // without the price
		x := slices.Repeat([]int{choice}, stages)
		y := data.cost(x)
		if choice > 0 {
			y -= 25 * pesticides[choice-1].price * (1 - pesticides[choice-1].discount)
		}
		return y
	}
	// Prices of one pesticide everywhere: 20, 14, 12.25 and 12.5; pests above the threshold are rare then.
	for label, price := range map[string]float64{"first": 20, "second": 14, "third": 12.25, "fourth": 12.5} {
		y := evaluated(t, p, every(p, space.KindChoice, label))
		if y < price || y > price+1 {
			t.Errorf("%s everywhere costs %g, want about %g", label, y, price)
		}
	}
	for choice := 1; choice <= 4; choice++ {
		// Before the first stage P = 0.9^30.
		if a, first := above(choice), math.Pow(0.9, 30); a < 0 || math.Abs(a-first) > 0.5 {
			t.Errorf("pesticide %d leaves %g above the threshold, %g of it before the first stage", choice, a, first)
		}
	}
	if y := evaluated(t, p, every(p, space.KindChoice, "none")); y < 20 || y > 24.5 {
		t.Errorf("doing nothing costs %g", y)
	}
	// The paper's best is 12.0, for other random numbers.
	if best := descend(slices.Repeat([]int{4}, stages), 5, data.cost); best < 11 || best > 12.8 {
		t.Errorf("a descent ends at %g", best)
	}
}
