package method

import (
	"github.com/mahabo/mahabo/internal/design"
	"github.com/mahabo/mahabo/internal/num"
	"github.com/mahabo/mahabo/internal/rng"
	"github.com/mahabo/mahabo/strategy"
)

// InitialDesign returns points from..from+n-1 of the scrambled Sobol design that
// all methods with the same seed share.
func InitialDesign(cfg strategy.Config, from, n int) []strategy.Point {
	sequence, err := design.NewSequence(cfg.Domain.Dim(), rng.New(cfg.Seed, rng.Purpose("initial design")))
	if err != nil {
		panic(err) // only a build with a damaged table comes here
	}
	sequence.Skip(from)
	out := make([]strategy.Point, n)
	for i := range out {
		out[i] = make(strategy.Point, cfg.Domain.Dim())
		sequence.Next(out[i])
	}
	return out
}

// UniformAfterDesign draws point i from its own stream.
func UniformAfterDesign(cfg strategy.Config, from, n int) []strategy.Point {
	out := make([]strategy.Point, n)
	for i := range out {
		if from+i < cfg.Init {
			out[i] = InitialDesign(cfg, from+i, 1)[0]
			continue
		}
		out[i] = make(strategy.Point, cfg.Domain.Dim())
		rng.NewFiller(rng.New(cfg.Seed, uint64(from+i), rng.Purpose("uniform"))).Uniform(out[i])
	}
	return out
}

// Standardise scales values to mean 0 and sample standard deviation 1 and returns
// the lowest too. Equal values become zeros.
func Standardise(values []float64) (y []float64, best float64) {
	mean, std := num.MeanStd(values)
	y = make([]float64, len(values))
	if !(std > 0) {
		return y, 0
	}
	for i, v := range values {
		y[i] = (v - mean) / std
		best = min(best, y[i])
	}
	return y, best
}
