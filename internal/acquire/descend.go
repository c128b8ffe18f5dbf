package acquire

import (
	"context"
	"math"
	"slices"

	"github.com/mahabo/mahabo/internal/lbfgsb"
	"github.com/mahabo/mahabo/internal/linalg"
)

// Descend runs so many spectral projected gradient steps from the rows of x, which share the
// passes over the data, and returns the lowest point met. The rows are in the region, and are moved.
func Descend(ctx context.Context, f Function, x linalg.Matrix, region *Region, steps int) ([]float64, error) {
	best, lowest := slices.Clone(x.Row(0)), math.Inf(1)
	value, grad := make([]float64, x.Rows), linalg.New(x.Rows, x.Cols)
	lastX, lastGrad, step := linalg.New(x.Rows, x.Cols), linalg.New(x.Rows, x.Cols), make([]float64, x.Rows)
	for t := 0; ; t++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		f.Evaluate(value, grad, x)
		for i, v := range value {
			if v < lowest {
				lowest = v
				copy(best, x.Row(i))
			}
		}
		if t == steps {
			return best, nil
		}
		for i := range x.Rows {
			xi, gi := x.Row(i), grad.Row(i)
			if t == 0 {
				step[i] = firstStep(gi, region.Low, region.High)
			} else {
				step[i] = spectralStep(step[i], xi, lastX.Row(i), gi, lastGrad.Row(i))
			}
			copy(lastX.Row(i), xi)
			copy(lastGrad.Row(i), gi)
			linalg.Axpy(xi, -step[i], gi)
			region.Keep(xi)
		}
	}
}

// firstStep moves the fastest coordinate that can move by a quarter of the box.
func firstStep(grad, low, high []float64) float64 {
	var slope, width float64
	for j, g := range grad {
		if low[j] == high[j] {
			continue
		}
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

// Polish minimises f from x with at most so many iterations of L-BFGS-B, or of Descend where
// there are rows, and returns the point and its value.
func Polish(ctx context.Context, f Function, x []float64, region *Region, iterations int) ([]float64, float64, error) {
	row := func(x []float64) linalg.Matrix {
		return linalg.Matrix{Rows: 1, Cols: len(x), Stride: len(x), Data: x}
	}
	value := make([]float64, 1)
	if !region.Bounded() {
		at := linalg.New(1, len(x))
		copy(at.Data, x)
		best, err := Descend(ctx, f, at, region, iterations)
		if err != nil {
			return nil, 0, err
		}
		f.Evaluate(value, linalg.New(1, len(x)), row(best))
		return best, value[0], nil
	}
	best, lowest := slices.Clone(x), math.Inf(1)
	_, err := lbfgsb.Minimize(ctx, slices.Clone(x), region.Low, region.High, func(grad, x []float64) float64 {
		f.Evaluate(value, row(grad), row(x))
		if value[0] < lowest {
			lowest = value[0]
			copy(best, x)
		}
		return value[0]
	}, lbfgsb.Options{MaxIter: iterations})
	return best, lowest, err
}
