package strategy

import (
	"context"

	"github.com/mahabo/mahabo/internal/design"
	"github.com/mahabo/mahabo/internal/rng"
)

func sobolMethod() Method {
	return Method{
		Name:      "sobol",
		Summary:   "scrambled Sobol points, no model: the baseline, and a first look at a new problem",
		Reference: "Joe & Kuo 2008; Owen 1998",
		Batch:     true,
		ModelFree: true,
		build: func(cfg Config, _ settings) (Strategy, error) {
			return &modelFree{cfg: cfg, history: history{dim: cfg.Dim}, points: initialDesign}, nil
		},
	}
}

func randomMethod() Method {
	return Method{
		Name:      "random",
		Summary:   "independent uniform points after the initial design: the floor every method must beat",
		Reference: "Bergstra & Bengio 2012",
		Batch:     true,
		ModelFree: true,
		build: func(cfg Config, _ settings) (Strategy, error) {
			return &modelFree{cfg: cfg, history: history{dim: cfg.Dim}, points: uniformAfterDesign}, nil
		},
	}
}

// modelFree covers the methods whose next points do not depend on values.
type modelFree struct {
	cfg Config
	history
	points func(cfg Config, from, n int) []Point
}

var _ Strategy = (*modelFree)(nil)

func (m *modelFree) Ask(_ context.Context, n int, pending []Point) ([]Point, error) {
	if err := m.checkAsk(n, pending); err != nil {
		return nil, err
	}
	return m.points(m.cfg, len(m.x)+len(pending), n), nil
}

func (m *modelFree) Tell(obs ...Observation) error { return m.tell(obs) }

// initialDesign returns points from..from+n-1 of the scrambled Sobol design that
// all methods with the same seed share.
func initialDesign(cfg Config, from, n int) []Point {
	sequence, err := design.NewSequence(cfg.Dim, rng.New(cfg.Seed, rng.Purpose("initial design")))
	if err != nil {
		panic(err) // only a build with a damaged table comes here
	}
	sequence.Skip(from)
	out := make([]Point, n)
	for i := range out {
		out[i] = make(Point, cfg.Dim)
		sequence.Next(out[i])
	}
	return out
}

// uniformAfterDesign draws point i from its own stream.
func uniformAfterDesign(cfg Config, from, n int) []Point {
	out := make([]Point, n)
	for i := range out {
		if from+i < cfg.Init {
			out[i] = initialDesign(cfg, from+i, 1)[0]
			continue
		}
		out[i] = make(Point, cfg.Dim)
		rng.NewFiller(rng.New(cfg.Seed, uint64(from+i), rng.Purpose("uniform"))).Uniform(out[i])
	}
	return out
}
