package several

import (
	"math"
	"slices"

	"github.com/mahabo/mahabo/internal/num"
)

// warp is how a model sees the values of an outcome.
type warp interface {
	Invert(w float64) float64
	Moments(mean, variance float64) (float64, float64)
	Noise(w, std float64) float64 // deviation of w for that of the value
}

// bilog compresses what is far from a limit, on both sides, and keeps the limit: sign(c) log(1 + |c|/size).
// D. Eriksson, M. Poloczek, AISTATS 2021.
type bilog struct{ size float64 }

// The ratio may be too large for a number: values are told that stand for a failure.
func (b bilog) of(v float64) float64 {
	return math.Copysign(math.Log1p(min(math.Abs(v)/b.size, math.MaxFloat64)), v)
}

func (b bilog) all(values []float64) []float64 {
	w := make([]float64, len(values))
	for i, v := range values {
		w[i] = b.of(v)
	}
	return w
}

// logJacobian is the sum of log dw/dc over values.
func (b bilog) logJacobian(values []float64) (sum float64) {
	for _, v := range values {
		if at := b.size + math.Abs(v); at <= math.MaxFloat64 {
			sum -= math.Log(at)
		} else {
			sum -= math.Log(b.size/2+math.Abs(v)/2) + math.Ln2
		}
	}
	return sum
}

// Sizes that a bilog may have: a limit may be told in any unit, and what it depends on may be a sum or a product of
// the parameters.
const (
	mostSizes = 6
	sizeStep  = 10.0 // at least, between two of them
	nearLimit = 0.05 // the share of the values that are nearer to the limit than the least size
)

// sizesOf are the sizes that come into question: the middle distance from the limit in the design first, then lower ones.
func (s *several) sizesOf(numbers []int, k int) (sizes []float64) {
	design := make([]float64, min(len(s.X), s.Config.Init))
	for i := range design {
		design[i] = math.Abs(s.Outcomes[i][k])
	}
	first := num.Median(design)
	if !(first > 0) {
		first = 1
	}
	away := make([]float64, 0, len(numbers))
	for _, i := range numbers {
		if v := math.Abs(s.Outcomes[i][k]); v > 0 {
			away = append(away, v)
		}
	}
	sizes = []float64{first}
	if len(away) == 0 {
		return sizes
	}
	slices.Sort(away)
	least := away[int(nearLimit*float64(len(away)))]
	step := max(sizeStep, math.Pow(first/least, 1.0/(mostSizes-1)))
	for size := first / step; len(sizes) < mostSizes && size > least/2; size /= step {
		sizes = append(sizes, size)
	}
	return sizes
}

// Invert returns the value that is seen as w.
func (b bilog) Invert(w float64) float64 {
	return math.Copysign(b.size*math.Expm1(min(math.Abs(w), 600)), w)
}

// Moments are those of the value, of first order around the mean.
func (b bilog) Moments(mean, variance float64) (float64, float64) {
	slope := b.size * math.Exp(min(math.Abs(mean), 300))
	return b.Invert(mean), slope * slope * variance
}

// Noise returns the standard deviation of w for that of a value, std |dw/dc|.
func (b bilog) Noise(w, std float64) float64 {
	return std / b.size * math.Exp(-math.Abs(w))
}
