package problem

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/mahabo/mahabo/internal/rng"
)

func TestSpecifications(t *testing.T) {
	for text, want := range map[string]string{
		"branin": "branin", "branin:embed=dense": "branin", "branin:noise=0": "branin",
		"branin:noise=0.10,embed=axis": "branin:embed=axis,noise=0.1", "levy5:noise=1e-2": "levy5:noise=0.01",
		"branin:design-noise=0.010": "branin:design-noise=0.01",
	} {
		if got, err := Canonical(text); err != nil || got != want {
			t.Errorf("%s is written %q, %v; want %q", text, got, err, want)
		}
		if p, err := New(text, 70, 1); err != nil || p.Name != want || p.Dim != 70 {
			t.Errorf("%s: problem %q of %d parameters, %v", text, p.Name, p.Dim, err)
		}
	}
	for text, says := range map[string]string{
		"brannin:noise=1": `unknown problem "brannin"`, "branin:": "key=value", "branin:noise": "key=value", "branin:noise=": "key=value",
		"branin:nois=1": `unknown option "nois"`, "branin:noise=1,noise=2": "given twice", "branin:noise=-1": "noise is",
		"branin:noise=NaN": "noise is", "branin:design-noise=x": "design-noise is", "branin:noise=1,design-noise=1": "choose one", "branin:noise=Inf": "noise is", "branin:embed=random": "dense, axis, sparse",
	} {
		if _, err := New(text, 0, 0); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: error is %v, want one with %q", text, err, says)
		}
	}
	if _, err := EmbedSparse(newBranin(), 3, 2, rng.New(1)); err == nil {
		t.Error("four places were found in three coordinates")
	}
}

// A row of the embedding is read at the unit vectors.
func TestSparseEmbeddings(t *testing.T) {
	const dim = 300
	for _, c := range []struct {
		kind    string
		entries int
	}{{axis, 1}, {sparse, 10}} {
		used := map[int]bool{}
		for i := range 3 {
			direction := make([]float64, 3)
			direction[i] = 1
			p, err := spec{embed: c.kind}.hide(linear(direction...), dim, 7)
			if err != nil {
				t.Fatal(err)
			}
			var l1 float64
			n := 0
			for j := range dim {
				x := make([]float64, dim)
				x[j] = 1
				a := p.Eval(x)
				l1 += math.Abs(a)
				if a != 0 {
					n++
					if used[j] {
						t.Errorf("%s: coordinate %d is in two rows", c.kind, j)
					}
					used[j] = true
				}
			}
			if n != c.entries || math.Abs(l1-1) > 1e-12 {
				t.Errorf("%s: row %d has %d entries of L1 norm %g, want %d and 1", c.kind, i, n, l1, c.entries)
			}
		}
	}
}

func TestNoiseIsAFractionOfTheRange(t *testing.T) {
	clean, err := New("branin", 50, 3)
	if err != nil {
		t.Fatal(err)
	}
	noisy, err := New("branin:noise=0.1", 50, 3)
	if err != nil {
		t.Fatal(err)
	}
	const n = 4000
	var square float64
	x := make([]float64, 50)
	fill := rng.NewFiller(rng.New(5))
	for range n {
		fill.Uniform(x)
		if noisy.Value(x) != clean.Eval(x) {
			t.Fatal("the noise changes the embedding or the value")
		}
		e := noisy.Eval(x) - clean.Eval(x)
		square += e * e / n
	}
	want := 0.1 * valueRange(newBranin())
	if got := math.Sqrt(square); math.Abs(got/want-1) > 5/math.Sqrt(2*n) {
		t.Errorf("the noise has standard deviation %g, want %g", got, want)
	}
	// On a grid of 400 x 400 the quantiles are 5.9 and 133.7.
	if r := valueRange(newBranin()); math.Abs(r/127.7-1) > 0.1 {
		t.Errorf("the range of Branin is %g", r)
	}
}

func TestLasso(t *testing.T) {
	for _, size := range []lassoSize{smallLasso, {100, 5, 50}, {300, 15, 150}} {
		t.Run(fmt.Sprint(size.features), func(t *testing.T) { checkLasso(t, size) })
	}
}

func checkLasso(t *testing.T, size lassoSize) {
	l := generateLasso(size)
	constant := func(v float64) []float64 {
		z := make([]float64, size.features)
		for j := range z {
			z[j] = v
		}
		return z
	}
	if got := l.validationError(constant(1)); got != 1 {
		t.Errorf("with the strongest penalties the error is %g, want 1", got)
	}
	// The best penalties by the truth: none on what matters, all on the rest.
	oracle := constant(1)
	active := 0
	for j, b := range l.beta {
		if b != 0 {
			oracle[j] = -1
			active++
		}
	}
	best, plain := l.validationError(oracle), math.Inf(1)
	for v := -1.0; v <= 1; v += 0.1 {
		plain = min(plain, l.validationError(constant(v)))
	}
	if active != size.active || best > 0.2 || best > 0.85*plain || plain > 0.7 {
		t.Errorf("%d active features; the truth gives %g, one penalty for all %g", active, best, plain)
	}
	// Optimality: |X_j'r|/n <= penalty_j, with equality and sign where beta_j is not 0.
	z := make([]float64, size.features)
	rng.NewFiller(rng.New(8)).Uniform(z)
	beta := l.fit(z)
	residual := append([]float64(nil), l.trainY...)
	for j, b := range beta {
		for i, x := range l.train.Row(j) {
			residual[i] -= b * x
		}
	}
	for j, b := range beta {
		var g float64
		for i, x := range l.train.Row(j) {
			g += x * residual[i] / float64(size.rows)
		}
		switch p := l.penalty(z[j]); {
		case b == 0 && math.Abs(g) > p+1e-3, b != 0 && math.Abs(g-math.Copysign(p, b)) > 1e-3:
			t.Errorf("feature %d: coefficient %g, gradient %g, penalty %g", j, b, g, p)
		}
	}
}

// The same fraction is less noise where a design sees less of the range.
func TestDesignNoise(t *testing.T) {
	deviation := func(text string) float64 {
		p, err := New(text, 1000, 3)
		if err != nil {
			t.Fatal(err)
		}
		r := rng.New(5)
		var square float64
		const count = 400
		for range count {
			x := make([]float64, p.Dim)
			for j := range x {
				x[j] = 2*r.Float64() - 1
			}
			d := p.Eval(x) - p.Value(x)
			square += d * d / count
		}
		return math.Sqrt(square)
	}
	p, err := New("branin", 1000, 3)
	if err != nil {
		t.Fatal(err)
	}
	want := 0.01 * designRange(p)
	if got := deviation("branin:design-noise=0.01"); math.Abs(got/want-1) > 0.15 {
		t.Errorf("deviation %g, want %g", got, want)
	}
	if whole := deviation("branin:noise=0.01"); whole < 5*want {
		t.Errorf("a fraction of the whole range is %g, of a design's %g", whole, want)
	}
}
