package simple

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/mahabo/mahabo/internal/cmaes"
	"github.com/mahabo/mahabo/internal/method"
	"github.com/mahabo/mahabo/internal/rng"
	"github.com/mahabo/mahabo/strategy"
)

// CMAES describes cmaes.
func CMAES() strategy.Method {
	return strategy.Method{
		Name:      "cmaes",
		Summary:   "CMA-ES, an evolution strategy that learns the covariance of good steps: cheap evaluations, thousands of them",
		Reference: "Hansen 2016 (arXiv:1604.00772); restarts: Auger & Hansen 2005",
		Batch:     true,
		Abilities: strategy.Abilities{Limits: true},
		Options: []strategy.Option{
			{Key: "sigma", Default: "0.3", Meaning: "standard deviation of the first steps, on [-1,1]: more than 0, at most 2"},
		},
		New: newEvolution,
	}
}

// lateWindow is how far ahead of its place in the order of telling a point of the
// current generation is recognised.
const lateWindow = 256

// evolution is CMA-ES behind Ask and Tell.
//
// The observations, in the order told, fall into generations: first the initial
// design, whose best point is the first mean, then populations of lambda points. A
// generation ends with the first observation that finds it full and was not drawn
// from its distribution; a batch larger than lambda is therefore one large
// generation. Point number s, s the count of points before it, observed and
// pending, takes its normal numbers from stream s and its distribution from the
// generation open when it is asked for.
//
// Points that are not recognised (the user's own, rounded ones, those that come a
// generation late) count like the others, with their steps cut to a plausible
// length.
//
// Points that violate limits rank behind those that keep all, by how much they violate.
//
// A search that has converged, or cannot go on, restarts at a random place with
// twice the population (IPOP).
type evolution struct {
	cfg   strategy.Config
	sigma float64
	method.History
	start int           // first observation of the current generation
	now   *cmaes.Search // its distribution; nil for the initial design
	us    [][]float64   // its samples, of observations start, start+1, ...; none for the design
	next  *cmaes.Search // the distribution that follows
	upTo  int           // observations that next knows of; 0 when next is out of use
}

var _ strategy.Strategy = (*evolution)(nil)

func newEvolution(cfg strategy.Config, s strategy.Settings) (strategy.Strategy, error) {
	e := &evolution{cfg: cfg, History: method.NewHistory(cfg), sigma: 0.3}
	if v, given := s["sigma"]; given {
		sigma, err := strconv.ParseFloat(v, 64)
		if err != nil || !(sigma > 0 && sigma <= 2) {
			return nil, fmt.Errorf("option sigma is %q: write a number above 0, at most 2", v)
		}
		e.sigma = sigma
	}
	return e, nil
}

func (e *evolution) Tell(obs ...strategy.Observation) error {
	t := len(e.X)
	if err := e.Add(obs); err != nil {
		return err
	}
	for ; t < len(e.X); t++ {
		e.place(t)
	}
	return nil
}

// place puts observation t into the current generation or begins a new one with it.
func (e *evolution) place(t int) {
	u, drawn := e.sampleOf(t)
	if e.full(t) && !drawn {
		e.advance(t)
		e.now, e.next, e.upTo = e.next, e.now, 0
		e.start, e.us = t, e.us[:0]
		u, drawn = e.sampleOf(t)
	}
	if e.now == nil {
		return
	}
	if !drawn {
		e.now.Unfold(u, e.X[t])
	}
	e.us = append(e.us, u)
}

func (e *evolution) Ask(ctx context.Context, n int, pending []strategy.Suggestion) ([]strategy.Suggestion, error) {
	return e.AskPoints(ctx, n, pending, e.choose)
}

// choose returns n points.
func (e *evolution) choose(ctx context.Context, n int, pending []strategy.Point) ([]strategy.Point, error) {
	told := len(e.X)
	seen := told + len(pending)
	if told < e.cfg.Init {
		return method.InitialDesign(e.cfg, seen, n), nil
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	from := e.now
	if e.full(told) {
		e.advance(told)
		from = e.next
	}
	points := make([]strategy.Point, n)
	for i := range points {
		points[i] = make(strategy.Point, e.Dim)
		from.Sample(points[i], e.stream(seen+i))
		from.Fold(points[i], points[i])
	}
	return points, nil
}

// stream gives the normal numbers of point s.
func (e *evolution) stream(s int) *rand.Rand {
	return rng.New(e.cfg.Seed, uint64(s), rng.Purpose("cmaes"))
}

// full says whether the observations start ... t-1 make a generation.
func (e *evolution) full(t int) bool {
	if e.now == nil {
		return t-e.start >= e.cfg.Init
	}
	return t-e.start >= e.now.Population()
}

// sampleOf says whether observation t is a point that Ask drew for the current
// generation, and if so gives its sample. In a run without delays it is point t of
// the sequence, which is tried first.
func (e *evolution) sampleOf(t int) (u []float64, drawn bool) {
	if e.now == nil {
		return nil, e.full(t) && slices.ContainsFunc(method.InitialDesign(e.cfg, 0, t+lateWindow), func(x strategy.Point) bool {
			return slices.Equal(x, e.X[t])
		})
	}
	u = make([]float64, e.Dim)
	for s := t; s < t+lateWindow; s++ {
		if e.now.Recover(u, e.X[t], e.stream(s)) {
			return u, true
		}
	}
	for s := e.start; s < t; s++ {
		if e.now.Recover(u, e.X[t], e.stream(s)) {
			return u, true
		}
	}
	return u, false
}

// advance brings next to the distribution that follows the observations
// start ... t-1.
func (e *evolution) advance(t int) {
	if e.upTo == t {
		return
	}
	e.upTo = t
	if e.now == nil {
		values := e.Penalised(t)
		best := slices.Index(values, slices.Min(values))
		e.next = e.search(e.X[best], cmaes.DefaultPopulation(e.Dim))
		return
	}
	if e.next == nil {
		e.next = new(cmaes.Search)
	}
	e.next.Copy(e.now)
	e.next.Tell(e.us, e.Penalised(t)[e.start:t])
	if e.next.Status() != cmaes.Running {
		mean := make(strategy.Point, e.Dim)
		rng.NewFiller(rng.New(e.cfg.Seed, uint64(t), rng.Purpose("cmaes restart"))).Uniform(mean)
		e.next = e.search(mean, 2*e.now.Population())
	}
}

// search starts CMA-ES in the box.
func (e *evolution) search(mean strategy.Point, population int) *cmaes.Search {
	lower, upper := make([]float64, e.Dim), make([]float64, e.Dim)
	for j := range lower {
		lower[j], upper[j] = -1, 1
	}
	s, err := cmaes.New(cmaes.Config{Mean: mean, StdDev: e.sigma, Lower: lower, Upper: upper, Population: population})
	if err != nil {
		panic(err) // every argument was checked before
	}
	return s
}
