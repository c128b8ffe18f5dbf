package turbo

import (
	"context"
	"math"

	"github.com/mahabo/mahabo/internal/design"
	"github.com/mahabo/mahabo/internal/linalg"
	"github.com/mahabo/mahabo/internal/method"
	"github.com/mahabo/mahabo/internal/method/paper/lingp"
	"github.com/mahabo/mahabo/internal/num"
	"github.com/mahabo/mahabo/internal/rng"
	"github.com/mahabo/mahabo/strategy"
)

// Settings of the paper; lengths are sides of a box in [0,1]^D.
const (
	turboLength      = 0.8
	turboMaxLength   = 1.6
	turboMinLength   = 1. / 128
	turboSuccesses   = 3    // rounds in a row that double the side
	turboImprovement = 1e-3 // of |best|, what an improvement must exceed
	turboAdamSteps   = 50
	turboAdamRate    = 0.1
)

// turboBounds are the ranges of the hyperparameters, for inputs in [0,1]^D and
// standardised outputs.
func turboBounds() lingp.Bounds {
	return lingp.Bounds{
		LengthScale:   lingp.Interval{Low: 0.005, High: 2},
		OutputScale:   lingp.Interval{Low: 0.05, High: 20},
		NoiseVariance: lingp.Interval{Low: 5e-4, High: 0.2},
	}
}

// turboStart is where every fit begins.
func turboStart(dim int) lingp.Hyper {
	scales := make([]float64, dim)
	for j := range scales {
		scales[j] = 0.5
	}
	return lingp.Hyper{Kernel: lingp.Matern52ARD(scales), OutputScale: 1, NoiseVariance: 0.005}
}

// trustRegion is one local search. A copy can be settled without changing the
// original.
type trustRegion struct {
	cfg     strategy.Config
	index   int
	life    int  // restarts before
	born    int  // observations told before this life
	several bool // there are other regions

	design []strategy.Point // of this life
	used   []bool           // design points told

	in   *lingp.Inputs    // data of this life, in [0,1]^D
	kin  *lingp.Lineage   // of these
	x    []strategy.Point // the same in [-1,1]^D
	y    []float64
	best int // index of the lowest value

	resizing
	round
	fitted fit
}

// fit is what was learned from the first count data of a life.
type fit struct {
	count  int
	hyper  lingp.Hyper
	jitter float64
	data   *conditioned // nil before the first sample
}

// round collects what a region's proposals of one round have achieved.
type round struct {
	evals    int
	before   float64 // lowest value before the round
	improved bool
}

func newTrustRegion(cfg strategy.Config, index, regions int) trustRegion {
	r := trustRegion{cfg: cfg, index: index, several: regions > 1}
	r.begin(0)
	return r
}

// begin starts a life with a design of its own: a symmetric Latin hypercube. It
// consists of pairs; an odd number would put the same point, the centre of the box,
// into the designs of all regions.
func (r *trustRegion) begin(told int) {
	x := linalg.New(r.cfg.Init+r.cfg.Init%2, r.cfg.Domain.Dim())
	design.SymmetricLatinHypercube(x, rng.New(r.cfg.Seed, uint64(r.index), uint64(r.life), rng.Purpose("turbo design")))
	r.design = make([]strategy.Point, x.Rows)
	for i := range r.design {
		r.design[i] = x.Row(i)
	}
	r.used = make([]bool, len(r.design))
	r.born, r.in, r.x, r.y, r.best = told, lingp.NewInputs(r.cfg.Domain.Dim()), nil, nil, 0
	r.kin = lingp.NewLineage(r.in)
	r.resizing = resizing{length: turboLength}
	r.fitted = fit{}
}

// designLeft returns the places in the design of the points still to be asked for: so many
// that the region gets the data of a full design, the pending ones and those from
// elsewhere included.
func (r *trustRegion) designLeft(pending []strategy.Suggestion) []int {
	waiting := make([]bool, len(r.design))
	for _, p := range pending {
		if k := r.designed(p.Tag, p.X); k >= 0 {
			waiting[k] = true
		}
	}
	var left []int
	need := len(r.design) - len(r.y)
	for k := range r.design {
		switch {
		case r.used[k]:
		case waiting[k]:
			need--
		default:
			left = append(left, k)
		}
	}
	return left[:max(0, min(need, len(left)))]
}

// add appends an observation to the data.
func (r *trustRegion) add(x strategy.Point, y float64) {
	unit := make([]float64, len(x))
	for j, v := range x {
		unit[j] = (v + 1) / 2
	}
	r.in.Append(unit)
	r.x, r.y = append(r.x, x), append(r.y, y)
	if y < r.y[r.best] {
		r.best = len(r.y) - 1
	}
}

// tellDesigned adds point k of the design.
func (r *trustRegion) tellDesigned(k int, x strategy.Point, y float64) {
	r.used[k] = true
	r.add(x, y)
}

// couldPropose says whether the region had data of this life in a round. Points
// proposed in an earlier life are foreign to this one.
func (r *trustRegion) couldPropose(round int) bool { return round > r.born && len(r.y) > 0 }

// tellProposed adds a point of the open round.
func (r *trustRegion) tellProposed(x strategy.Point, y float64) {
	if r.evals == 0 {
		r.round = round{before: r.y[r.best]}
	}
	r.evals++
	if y < r.before-turboImprovement*math.Abs(r.before) {
		r.improved = true
	}
	r.add(x, y)
}

// settle ends the open round, resizes the region and restarts one that has become
// too small.
func (r *trustRegion) settle(told int) {
	if r.evals == 0 {
		return
	}
	r.resize(r.evals, r.improved, r.patience())
	r.round = round{}
	if r.length < turboMinLength {
		r.life++
		r.begin(told)
	}
}

// patience is the number of evaluations without improvement that halve the side.
// The paper's ceil(max(4/B, D/B)) rounds of B points are max(4, D) evaluations.
func (r *trustRegion) patience() int {
	if r.several {
		return max(5, r.cfg.Domain.Dim())
	}
	return max(4, r.cfg.Domain.Dim())
}

// resizing is the side length of a region and the counters that change it.
type resizing struct {
	length    float64
	successes int // rounds in a row that improved
	failures  int // evaluations in a row that did not
}

// resize counts a round.
func (s *resizing) resize(evals int, improved bool, patience int) {
	if improved {
		s.successes++
		s.failures = 0
	} else {
		s.successes = 0
		s.failures += evals
	}
	switch {
	case s.successes == turboSuccesses:
		s.length, s.successes = min(2*s.length, turboMaxLength), 0
	case s.failures >= patience:
		s.length, s.failures = s.length/2, 0
	}
}

// nearestRegion returns the region whose centre is nearest to x, among those that
// have one; the first when there is none.
func nearestRegion(regions []trustRegion, x strategy.Point) int {
	nearest, least := 0, math.Inf(1)
	for i := range regions {
		if len(regions[i].y) == 0 {
			continue
		}
		if r2 := method.SquaredDistance(x, regions[i].x[regions[i].best]); r2 < least {
			nearest, least = i, r2
		}
	}
	return nearest
}

// learn fits the Gaussian process to all data of the region, from scratch, unless
// that was done before.
func (r *trustRegion) learn(ctx context.Context) error {
	if r.fitted.count == len(r.y) {
		return nil
	}
	y, _, _ := r.standardised()
	h, report, err := lingp.FitBounded(ctx, turboStart(r.cfg.Domain.Dim()), turboBounds(), r.kin, y,
		lingp.BoundedOptions{Steps: turboAdamSteps, Rate: turboAdamRate, Threads: r.cfg.Threads})
	if err != nil {
		return err
	}
	r.fitted = fit{count: len(r.y), hyper: h, jitter: report.Jitter}
	return nil
}

// standardised returns the values with median 0 and sample standard deviation 1,
// and what was taken out. Equal values become zeros.
func (r *trustRegion) standardised() (y []float64, median, std float64) {
	median = num.Median(r.y)
	_, std = num.MeanStd(r.y)
	if !(std > 0) {
		std = 1
	}
	y = make([]float64, len(r.y))
	for i, v := range r.y {
		y[i] = v/std - median/std
	}
	return y, median, std
}

// box returns the centre and the corners of the region. Its sides are the length
// times weights l_j/mean(l), scaled to a product of 1, before the box is cut to
// [0,1]^D.
func (r *trustRegion) box() (centre, lower, upper []float64) {
	centre = r.in.At(r.best)
	weights := boxWeights(r.fitted.hyper.LengthScales)
	lower, upper = make([]float64, len(centre)), make([]float64, len(centre))
	for j, c := range centre {
		half := weights[j] * r.length / 2
		lower[j], upper[j] = max(c-half, 0), min(c+half, 1)
	}
	return centre, lower, upper
}

// boxWeights scales length-scales to a geometric mean of 1; dividing by the mean
// first, as the paper writes it, changes nothing.
func boxWeights(lengthScales []float64) []float64 {
	logs := 0.0
	for _, l := range lengthScales {
		logs += math.Log(l)
	}
	scale := math.Exp(-logs / float64(len(lengthScales)))
	weights := make([]float64, len(lengthScales))
	for j, l := range lengthScales {
		weights[j] = scale * l
	}
	return weights
}
