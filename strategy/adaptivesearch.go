package strategy

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/mahabo/mahabo/internal/gp"
	"github.com/mahabo/mahabo/internal/linalg"
	"github.com/mahabo/mahabo/internal/num"
)

// query is where to look for the next point: in a box around a good one.
type query struct {
	centre []float64
	reach  float64 // half-width of the box
}

const (
	everywhere   = 2  // reach of the whole box [-1,1]^D
	searchStarts = 8  // run side by side, sharing the passes over the data
	searchSteps  = 20 // of the spectral projected gradient
)

// betas are the weights of the standard deviation, one drawn per query.
var betas = [...]float64{0, 0.5, 1, 2, 3}

// search minimises an acquisition function inside the query's box: the expected
// improvement over best in half of the cases, else mean - beta std.
func (q query) search(ctx context.Context, model *gp.IsotropicModel, best float64, improvements bool, r *rand.Rand) (Point, error) {
	f := lowerBound(betas[r.IntN(len(betas))])
	if improvements && r.Float64() < 0.5 {
		f = improvement(best)
	}
	low, high := q.box()
	x := linalg.New(searchStarts, len(q.centre))
	for i := range searchStarts {
		q.start(x.Row(i), i, r)
		clampTo(x.Row(i), low, high)
	}
	return descend(ctx, model, f, x, low, high)
}

// lowerBound is mean - beta std.
func lowerBound(beta float64) gp.Moments {
	return func(mean, variance float64) (value, dMean, dVariance float64) {
		std := math.Sqrt(variance)
		return mean - beta*std, 1, -beta / (2 * std)
	}
}

// improvement is minus the logarithm of the expected improvement over best. With
// u = (best - mean)/std and l the logarithm of phi(u) + u Phi(u),
//
//	value = -log std - l(u),  dMean = l'/std,  dStd = -(1 - u l')/std.
func improvement(best float64) gp.Moments {
	return func(mean, variance float64) (value, dMean, dVariance float64) {
		std := math.Sqrt(variance)
		u := (best - mean) / std
		l, slope := num.LogImprovement(u)
		return -math.Log(std) - l, slope / std, -(1 - u*slope) / (2 * variance)
	}
}

// box returns the bounds of the query.
func (q query) box() (low, high []float64) {
	low, high = make([]float64, len(q.centre)), make([]float64, len(q.centre))
	for j, c := range q.centre {
		low[j], high[j] = max(-1, c-q.reach), min(1, c+q.reach)
	}
	return low, high
}

// start fills x with start number i. Its random part stays in directions that the model
// knows nothing of, where the acquisition function is flat: every evaluation teaches a new
// direction. How much of it there is varies over two decades.
func (q query) start(x []float64, i int, r *rand.Rand) {
	tau := q.reach
	if i > 0 {
		tau *= math.Pow(10, -2*r.Float64())
	}
	switch whole := q.reach == everywhere; {
	case whole && i%3 == 1: // anywhere
		for j := range x {
			x[j] = 2*r.Float64() - 1
		}
	case whole && i%3 == 2: // near the middle
		for j := range x {
			x[j] = 0.3 * r.NormFloat64()
		}
	default:
		for j, c := range q.centre {
			x[j] = c + tau*(2*r.Float64()-1)
		}
	}
}

// descend runs spectral projected gradient steps from the rows of x and returns the
// lowest point met.
func descend(ctx context.Context, model *gp.IsotropicModel, f gp.Moments, x linalg.Matrix, low, high []float64) (Point, error) {
	rows, dim := x.Rows, x.Cols
	value, grad := make([]float64, rows), linalg.New(rows, dim)
	lastX, lastGrad, step := linalg.New(rows, dim), linalg.New(rows, dim), make([]float64, rows)
	best, lowest := slices.Clone(x.Row(0)), math.Inf(1)
	for t := 0; ; t++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		model.Evaluate(value, grad, x, f)
		for i, v := range value {
			if v < lowest {
				lowest = v
				copy(best, x.Row(i))
			}
		}
		if t == searchSteps {
			return best, nil
		}
		for i := range rows {
			xi, gi := x.Row(i), grad.Row(i)
			if t == 0 {
				step[i] = firstStep(gi, low, high)
			} else {
				step[i] = spectralStep(step[i], xi, lastX.Row(i), gi, lastGrad.Row(i))
			}
			copy(lastX.Row(i), xi)
			copy(lastGrad.Row(i), gi)
			linalg.Axpy(xi, -step[i], gi)
			clampTo(xi, low, high)
		}
	}
}

// firstStep moves the fastest coordinate by a quarter of the box.
func firstStep(grad, low, high []float64) float64 {
	var slope, width float64
	for j, g := range grad {
		slope = max(slope, math.Abs(g))
		width = max(width, high[j]-low[j])
	}
	return 0.25 * width / max(slope, 1e-300)
}

// spectralStep is the step of Barzilai and Borwein, s·s/s·y; where the curvature along
// the last step is not positive the step grows.
func spectralStep(last float64, x, lastX, g, lastG []float64) float64 {
	var ss, sy float64
	for j := range x {
		s := x[j] - lastX[j]
		ss += s * s
		sy += s * (g[j] - lastG[j])
	}
	if sy > 0 && ss/sy < 1e300 {
		return ss / sy
	}
	return min(4*last, 1e300)
}

func clampTo(x, low, high []float64) {
	for j := range x {
		x[j] = min(high[j], max(low[j], x[j]))
	}
}
