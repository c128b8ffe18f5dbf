package insight

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/mahabo/mahabo/internal/gp"
	"github.com/mahabo/mahabo/internal/linalg"
	"github.com/mahabo/mahabo/internal/num"
	"github.com/mahabo/mahabo/space"
)

// Data are what an analysis is about.
type Data struct {
	Space        *space.Space
	Observations []Observation
	Maximize     bool
	Seed         uint64 // of folds and halves
}

// Observation is a value at a point of the box.
type Observation struct {
	ID     int          // names it in the analysis
	Params space.Params // what X stands for; none: it is decoded
	X      []float64    // Space.Dim() coordinates in [-1,1]
	Value  float64
	StdDev float64 // of the value's noise, 0 when unknown
}

// validate names the first field that cannot be used.
func (d Data) validate() error {
	if d.Space == nil {
		return errors.New("Space is missing")
	}
	for i, o := range d.Observations {
		switch {
		case len(o.X) != d.Space.Dim():
			return fmt.Errorf("Observations[%d].X has %d coordinates, the space has %d", i, len(o.X), d.Space.Dim())
		case slices.ContainsFunc(o.X, func(v float64) bool { return !(math.Abs(v) <= 1) }):
			return fmt.Errorf("Observations[%d].X is outside [-1,1]: encode its values with the space", i)
		case math.IsNaN(o.Value) || math.IsInf(o.Value, 0):
			return fmt.Errorf("Observations[%d].Value is %g: leave it out", i, o.Value)
		case !(o.StdDev >= 0) || math.IsInf(o.StdDev, 0):
			return fmt.Errorf("Observations[%d].StdDev is %g: give a finite number, 0 when it is not known", i, o.StdDev)
		}
	}
	return nil
}

// sites are the distinct points, each with the mean of its values and its noise, as methods learn of them.
func (d Data) sites() []Observation {
	var sites []Observation
	var values, stds [][]float64
	index := map[string]int{}
	for _, o := range d.Observations {
		key := make([]byte, 0, 8*len(o.X))
		for _, v := range o.X {
			key = binary.LittleEndian.AppendUint64(key, math.Float64bits(v+0)) // -0 equals 0
		}
		i, known := index[string(key)]
		if !known {
			i = len(sites)
			index[string(key)] = i
			sites, values, stds = append(sites, o), append(values, nil), append(stds, nil)
		}
		values[i], stds[i] = append(values[i], o.Value), append(stds[i], o.StdDev)
	}
	for i := range sites {
		sites[i].Value, sites[i].StdDev = num.Average(values[i], stds[i])
	}
	return sites
}

// Limits that bound the time of an analysis.
const (
	mostPoints   = 1000 // of the model
	mostNumbers  = 3e6  // of their coordinates, but fewPoints points at least
	fewPoints    = 300
	mostFitted   = 256 // points that hyperparameters are fitted to
	mostGradient = 128 // points whose gradients are averaged
)

// relevant returns the numbers of the sites that the model gets, in order: all, or the
// best half of the limit and an even choice of the others.
func relevant(y []float64, dim int) []int {
	limit := min(mostPoints, max(fewPoints, int(mostNumbers/float64(dim))))
	order := make([]int, len(y))
	for i := range order {
		order[i] = i
	}
	if len(y) <= limit {
		return order
	}
	slices.SortStableFunc(order, func(a, b int) int {
		if y[a] < y[b] {
			return -1
		}
		if y[a] > y[b] {
			return 1
		}
		return 0
	})
	rest := slices.Sorted(slices.Values(order[limit/2:]))
	chosen := order[:limit/2]
	for _, k := range evenly(len(rest), limit-limit/2) {
		chosen = append(chosen, rest[k])
	}
	slices.Sort(chosen)
	return chosen
}

// evenly returns count numbers below n, or all of them, evenly spaced.
func evenly(n, count int) []int {
	count = min(n, count)
	numbers := make([]int, count)
	for k := range numbers {
		numbers[k] = k * n / count
	}
	return numbers
}

// sample are points and values as a model sees them.
type sample struct {
	points  *gp.Points
	w       []float64
	weights []float64 // of the noise, nil for ones
}

// newSample takes the sites, whose points are given too; w are their values, warped.
func newSample(points *gp.Points, sites []Observation, t gp.Warp, w []float64) *sample {
	s := &sample{points: points, w: w}
	var squares float64
	for i, o := range sites {
		noise := t.Noise(w[i], o.StdDev) // its level is fitted
		s.weights = append(s.weights, noise*noise)
		squares += noise * noise
	}
	if slices.ContainsFunc(sites, func(o Observation) bool { return o.StdDev == 0 }) || !(squares > 0) || math.IsInf(squares, 0) {
		s.weights = nil
	}
	for i := range s.weights {
		s.weights[i] = max(1e-6, s.weights[i]*float64(len(sites))/squares)
	}
	return s
}

func (s *sample) len() int { return len(s.w) }

func (s *sample) dim() int { return len(s.points.At(0)) }

// subset returns the points with the given numbers.
func (s *sample) subset(numbers []int) *sample {
	sub := &sample{points: s.points.Subset(numbers)}
	for _, i := range numbers {
		sub.w = append(sub.w, s.w[i])
		if s.weights != nil {
			sub.weights = append(sub.weights, s.weights[i])
		}
	}
	return sub
}

func (s *sample) weight(i int) float64 {
	if s.weights == nil {
		return 1
	}
	return s.weights[i]
}

func (s *sample) data() gp.Data { return gp.Data{Points: s.points, Y: s.w, Weights: s.weights} }

// Priors of the model: of the rate of change in all directions, of what is added to it along
// some, and of the noise.
var (
	thetaPrior = gp.LogNormalPrior{Mu: math.Log(0.5), StdDev: 1.5}
	alongPrior = gp.LogNormalPrior{Mu: math.Log(0.5), StdDev: 2}
	noisePrior = gp.HyperParam{Name: "noise", Prior: gp.LogNormalPrior{Mu: math.Log(1e-3), StdDev: 3}, Low: math.Log(1e-8), High: math.Log(1e3)}
)

// Effort of a fit.
const (
	fitEvals     = 30
	fitTolerance = 1e-6
)

// fit returns the most probable hyperparameters of a model with directions, and minus
// the logarithm of their density.
func (s *sample) fit(ctx context.Context, directions linalg.Matrix, floors []float64) (gp.Hyper, float64, error) {
	few := s
	if s.len() > mostFitted {
		few = s.subset(evenly(s.len(), mostFitted))
	}
	metric := gp.Spiked{Directions: directions, Floors: floors, Priors: [2]gp.LogNormalPrior{thetaPrior, alongPrior}}
	h, loss, err := gp.Fit(ctx, gp.Prior{
		Metric: metric, Noise: noisePrior, Restricted: true, Evals: fitEvals, Ftol: fitTolerance,
	}, few.data())
	if errors.Is(err, gp.ErrNoFit) { // a smooth function with much noise can be had of any data
		metric.Theta, metric.Along = 1, make([]float64, directions.Rows)
		h, err = gp.Hyper{Metric: metric, Noise: 1, Restricted: true}, nil
	}
	return h, loss, err
}

// Of a fit with a weight for each parameter: most numbers that one gradient may touch, and
// gradients.
const (
	mostWeighted = 4e6
	fewestFitted = 64
	weightEvals  = 40
)

// fitWeights returns the most probable hyperparameters of a model with a weight for each
// parameter. Weights are expected to be small where there are many parameters, and may be far
// from that: most parameters of a problem do nothing.
func (s *sample) fitWeights(ctx context.Context, of []int) (gp.Hyper, error) {
	few := s
	most := min(mostFitted, max(fewestFitted, int(math.Sqrt(mostWeighted/float64(s.dim())))))
	if s.len() > most {
		few = s.subset(evenly(s.len(), most))
	}
	params := of[len(of)-1] + 1
	weight := gp.HyperParam{
		Name: "weight", Prior: gp.LogNormalPrior{Mu: math.Log(0.5 / float64(params)), StdDev: 2.5}, Low: math.Log(1e-8), High: math.Log(400),
	}
	metric := gp.Weighted{Of: of, Param: weight}
	h, _, err := gp.Fit(ctx, gp.Prior{
		Profile: gp.Matern52, Metric: metric, Noise: noisePrior, Restricted: true, Evals: weightEvals, Ftol: fitTolerance,
	}, few.data())
	if errors.Is(err, gp.ErrNoFit) {
		logs := make([]float64, params)
		for i := range logs {
			logs[i] = weight.Prior.Mu
		}
		h, err = gp.Hyper{Profile: gp.Matern52, Metric: metric.At(logs), Noise: 1, Restricted: true}, nil
	}
	return h, err
}

// condition returns the model with the given hyperparameters.
func (s *sample) condition(h gp.Hyper) (*gp.Posterior, error) { return gp.Condition(h, s.data(), 0) }

// slopeVariance is the prior variance of the function's slope across the directions.
func (s *sample) slopeVariance(m *gp.Posterior) float64 {
	return m.OutputScale() * m.Metric.(gp.Spiked).Theta / float64(s.dim())
}

// gradients returns the gradients of the model's mean, one per row, at an even choice of
// the points.
func (s *sample) gradients(m *gp.Posterior) linalg.Matrix {
	numbers := evenly(s.len(), mostGradient)
	x := linalg.New(len(numbers), s.dim())
	for k, i := range numbers {
		copy(x.Row(k), s.points.At(i))
	}
	g := linalg.New(x.Rows, x.Cols)
	m.Evaluate(make([]float64, x.Rows), g, x, gp.Mean)
	return g
}
