package candidate

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mahabo/mahabo/internal/linalg"
)

// line is a model on [-1,1]^D whose mean is the first coordinate.
type line struct {
	std   float64
	batch *int // rows predicted
}

func (l line) Predict(x []float64) (mean, variance float64) { return x[0], l.std * l.std }

func (l line) PredictBatch(mean, variance []float64, x linalg.Matrix) {
	*l.batch += x.Rows
	for i := range x.Rows {
		mean[i], variance[i] = l.Predict(x.Row(i))
	}
}

func newLine(t testing.TB, std, noise, beta, threshold float64, seed uint64) (*Region, *int) {
	t.Helper()
	rows := new(int)
	g, err := NewRegion(RegionConfig{Model: line{std, rows}, Dim: 2, NoiseVariance: noise, Beta: beta, Threshold: threshold}, rand.New(rand.NewPCG(seed, 1)))
	if err != nil {
		t.Fatal(err)
	}
	return g, rows
}

func TestRegionIsUniform(t *testing.T) {
	// x0 - 2*0.5*0.2 < -0.3: x0 < -0.1, of probability 0.45.
	g, rows := newLine(t, 0, 0.04, 0.5, -0.3, 1)
	const draws = 20000
	var bins [9]float64
	var second float64
	for range draws {
		p, err := g.Draw(context.Background(), 1)
		if err != nil {
			t.Fatal(err)
		}
		checkBox(t, p.X, 2)
		if p.X[0] >= -0.1 || p.Variance != 0 {
			t.Fatalf("drew %+v, outside the region", p)
		}
		bins[min(8, int((p.X[0]+1)*10))]++
		second += p.X[1]
	}
	var chi float64
	for _, b := range bins {
		chi += (b - draws/9.) * (b - draws/9.) / (draws / 9.)
	}
	if chi > 26.1 { // 99.9 % of chi-square with 8 degrees of freedom
		t.Errorf("chi-square %.1f, counts %v", chi, bins)
	}
	if math.Abs(second) > 5*math.Sqrt(draws/3.) {
		t.Errorf("second coordinate sums to %g", second)
	}
	if math.Abs(float64(g.Proposed())-draws/0.45) > 2000 || *rows != g.Proposed() {
		t.Errorf("%d proposals, %d predicted", g.Proposed(), *rows)
	}
	if g.Lambda() != 2 {
		t.Errorf("lambda grew to %g", g.Lambda())
	}
}

func TestRegionWidens(t *testing.T) {
	// x0 - lambda*0.1 < -1.25 has points from lambda = 2.5 on.
	g, _ := newLine(t, 0.1, 0, 1, -1.25, 2)
	p, err := g.Draw(context.Background(), 1)
	if err != nil {
		t.Fatal(err)
	}
	if g.Lambda() < 2.55 || g.Lambda() > 2.75 || p.X[0] >= -1.25+0.1*g.Lambda() {
		t.Errorf("lambda %g at %v", g.Lambda(), p.X)
	}
	if g.Proposed() < 5*patience {
		t.Errorf("lambda grew after %d proposals", g.Proposed())
	}
	grown := g.Lambda()
	for range 5 {
		if _, err := g.Draw(context.Background(), 1); err != nil {
			t.Fatal(err)
		}
	}
	if g.Lambda() < grown {
		t.Errorf("lambda fell from %g to %g", grown, g.Lambda())
	}
}

func TestRegionAlwaysEnds(t *testing.T) {
	for name, c := range map[string]struct{ std, beta, threshold float64 }{
		"far away": {0.1, 1, -50}, "no spread": {0, 1, -50}, "no beta": {0.1, 0, -50}, "NaN threshold": {0.1, 1, math.NaN()},
	} {
		g, rows := newLine(t, c.std, 0, c.beta, c.threshold, 3)
		var lowest float64
		for range 200 {
			p, err := g.Draw(context.Background(), 1)
			if err != nil {
				t.Fatal(err)
			}
			checkBox(t, p.X, 2)
			lowest = max(lowest, p.X[0]+1)
		}
		if g.Proposed() < maxProposals || g.Proposed() >= maxProposals+largeChunk || *rows != g.Proposed() {
			t.Errorf("%s: %d proposals, %d predicted, want %d", name, g.Proposed(), *rows, maxProposals)
		}
		// The 64 lowest of 400,000 lie within about 64*2/400,000 of the edge.
		if name == "far away" && lowest > 6e-4 {
			t.Errorf("%s: a draw lies %g from the nearest edge", name, lowest)
		}
	}
}

func TestRegionIsDeterministic(t *testing.T) {
	a, _ := newLine(t, 0.1, 0, 1, -0.9, 4)
	b, _ := newLine(t, 0.1, 0, 1, -0.9, 4)
	for range 300 {
		p, _ := a.Draw(context.Background(), 1)
		q, _ := b.Draw(context.Background(), 1)
		if !slices.Equal(p.X, q.X) {
			t.Fatalf("the same seed gave %v and %v", p.X, q.X)
		}
	}
}

// bounded is a line that knows bounds of its variance.
type bounded struct {
	line
	means bool // also with the mean
}

func (b bounded) VarianceBounds(dst []float64, _ linalg.Matrix) {
	for i := range dst {
		dst[i] = 2 * b.std * b.std
	}
}

func (b bounded) PredictBounds(mean, variance []float64, x linalg.Matrix) bool {
	for i := range x.Rows {
		mean[i], variance[i] = x.At(i, 0), 1.5*b.std*b.std
	}
	return b.means
}

// Proposals that bounds put outside are not predicted, and nothing else changes: neither the
// draws, nor when lambda grows, nor what is taken at the end.
func TestRegionPassesOverWhatIsFar(t *testing.T) {
	for name, threshold := range map[string]float64{"inside": -0.9, "widening": -1.25, "given up": -3} {
		var regions [2]*Region
		var rows [2]int
		for i := range regions {
			model := bounded{line{0.1, &rows[i]}, i == 1}
			g, err := NewRegion(RegionConfig{Model: model, Dim: 2, Beta: 1, Threshold: threshold}, rand.New(rand.NewPCG(4, 1)))
			if err != nil {
				t.Fatal(err)
			}
			regions[i] = g
		}
		for range 150 {
			p, err := regions[0].Draw(context.Background(), 0.03)
			if err != nil {
				t.Fatal(err)
			}
			q, _ := regions[1].Draw(context.Background(), 0.03)
			if !slices.Equal(p.X, q.X) || p.Level != q.Level || regions[0].Lambda() != regions[1].Lambda() {
				t.Fatalf("%s: with bounds %+v at lambda %g, without %+v at %g", name, q, regions[1].Lambda(), p, regions[0].Lambda())
			}
		}
		if regions[0].Proposed() != regions[1].Proposed() || rows[1] > rows[0]/2 {
			t.Errorf("%s: with bounds %d proposals and %d predictions, without %d and %d",
				name, regions[1].Proposed(), rows[1], regions[0].Proposed(), rows[0])
		}
	}
}

func TestRegionErrors(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	rows := new(int)
	for _, c := range []RegionConfig{
		{Dim: 1}, {Model: line{1, rows}}, {Model: line{1, rows}, Dim: 1, NoiseVariance: -1}, {Model: line{1, rows}, Dim: 1, NoiseVariance: math.NaN()},
	} {
		if _, err := NewRegion(c, r); err == nil {
			t.Errorf("%+v was accepted", c)
		}
	}
	g, _ := newLine(t, 0.1, 0, 1, -50, 5)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := g.Draw(ctx, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
	g, _ = newLine(t, math.NaN(), 0, 1, 0, 6)
	if _, err := g.Draw(context.Background(), 1); err == nil {
		t.Error("a model of NaN gave a point")
	}
}

func TestRegionFeedsTheKDPP(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	model := stubGP(r, 12, 2, 0.6)
	first := []float64{0.1, 0.2}
	joint, err := model.Condition(first)
	if err != nil {
		t.Fatal(err)
	}
	conditioned := joint.(*exactGP)
	g, err := NewRegion(RegionConfig{Model: conditioned, Dim: 2, NoiseVariance: 1e-3, Beta: 0.5, Threshold: -0.2}, r)
	if err != nil {
		t.Fatal(err)
	}
	s, err := KDPP(context.Background(), KDPPConfig{Model: conditioned, NoiseVariance: 1e-3, K: 4}, g.Draw, r)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range s {
		mean, variance := conditioned.Predict(x)
		if bound := mean - g.Lambda()*0.5*math.Sqrt(variance+1e-3); bound >= -0.2 {
			t.Errorf("%v has the bound %g, outside the region", x, bound)
		}
	}
}
