package candidate

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mahabo/mahabo/internal/linalg"
	"github.com/mahabo/mahabo/internal/method/paper/acquisition"
	"github.com/mahabo/mahabo/internal/method/paper/lingp"
)

// batchedGP predicts gradients one after the other and counts the calls and the points.
type batchedGP struct {
	*exactGP
	calls, points int
	before        func()
}

func (g *batchedGP) PredictGrads(dMean, dVar linalg.Matrix, mean, variance []float64, x linalg.Matrix) {
	g.calls++
	g.points += x.Rows
	if g.before != nil {
		g.before()
	}
	for i := range x.Rows {
		mean[i], variance[i] = g.PredictGrad(dMean.Row(i), dVar.Row(i), x.Row(i))
	}
}

func lowerBound(model lingp.Differentiable) acquisition.Function {
	return &acquisition.LCB{Model: model, Beta: 2}
}

// Searches in turns are the searches one by one, to the byte.
func TestTogetherEqualsOneByOne(t *testing.T) {
	for seed := range uint64(5) {
		r := rand.New(rand.NewPCG(seed, 1))
		p := randomPolytope(t, 60, 3, 2, r)
		model := &batchedGP{exactGP: stubGP(r, 12, 3, 0.3)}
		samples := linalg.New(40, 3)
		p.Sample(samples, r)
		o := Options{Starts: 6}
		a, va, err := p.MinimizeFrom(context.Background(), lowerBound(model), samples, o, rand.New(rand.NewPCG(2, 3)))
		if err != nil {
			t.Fatal(err)
		}
		b, vb, err := p.MinimizeTogether(context.Background(), model, lowerBound, samples, o, rand.New(rand.NewPCG(2, 3)))
		if err != nil || va != vb || !slices.Equal(a, b) {
			t.Errorf("%v at %v, one by one %v at %v, error %v", vb, b, va, a, err)
		}
		if model.points < 2*model.calls {
			t.Errorf("%d points in %d calls", model.points, model.calls)
		}
	}
}

func TestTogetherCancelled(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 1))
	p := randomPolytope(t, 60, 3, 2, r)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	model := &batchedGP{exactGP: stubGP(r, 12, 3, 0.3)}
	model.before = func() {
		if model.calls == 3 {
			cancel()
		}
	}
	samples := linalg.New(40, 3)
	p.Sample(samples, r)
	z, value, err := p.MinimizeTogether(ctx, model, lowerBound, samples, Options{Starts: 6}, r)
	// A search ends at its next iteration; it may be inside a line search.
	if !errors.Is(err, context.Canceled) || model.calls > 3+sqpSearch || p.violation(z) > 1e-9 || lowerBound(model).Value(z) != value {
		t.Errorf("%v at %v after %d calls, error %v", value, z, model.calls, err)
	}
}

// A panic in the model reaches the caller, and leaves no search behind.
func TestTogetherPanics(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	p := randomPolytope(t, 20, 2, 1, r)
	model := &batchedGP{exactGP: stubGP(r, 5, 2, 0.3), before: func() { panic("model") }}
	samples := linalg.New(10, 2)
	p.Sample(samples, r)
	defer func() {
		if recover() != "model" {
			t.Error("the panic was lost")
		}
	}()
	_, _, _ = p.MinimizeTogether(context.Background(), model, lowerBound, samples, Options{Starts: 3}, r)
}
