package simple

import (
	"context"
	"math"

	"github.com/mahabo/mahabo/internal/method"
	"github.com/mahabo/mahabo/strategy"
)

// Sobol describes sobol.
func Sobol() strategy.Method {
	return strategy.Method{
		Name:      "sobol",
		Summary:   "scrambled Sobol points, no model: the baseline, and a first look at a new problem",
		Reference: "Joe & Kuo 2008; Owen 1998",
		Batch:     true,
		ModelFree: true,
		Abilities: strategy.Abilities{Objectives: math.MaxInt, Limits: true},
		New: func(cfg strategy.Config, _ strategy.Settings) (strategy.Strategy, error) {
			return &modelFree{cfg: cfg, History: method.NewHistory(cfg), points: method.InitialDesign}, nil
		},
	}
}

// Random describes random.
func Random() strategy.Method {
	return strategy.Method{
		Name:      "random",
		Summary:   "independent uniform points after the initial design: the floor every method must beat",
		Reference: "Bergstra & Bengio 2012",
		Batch:     true,
		ModelFree: true,
		Abilities: strategy.Abilities{Objectives: math.MaxInt, Limits: true},
		New: func(cfg strategy.Config, _ strategy.Settings) (strategy.Strategy, error) {
			return &modelFree{cfg: cfg, History: method.NewHistory(cfg), points: method.UniformAfterDesign}, nil
		},
	}
}

// modelFree covers the methods whose next points do not depend on values.
type modelFree struct {
	cfg strategy.Config
	method.History
	points func(cfg strategy.Config, from, n int) []strategy.Point
}

var _ strategy.Strategy = (*modelFree)(nil)

func (m *modelFree) Ask(ctx context.Context, n int, pending []strategy.Suggestion) ([]strategy.Suggestion, error) {
	return m.AskPoints(ctx, n, pending, m.choose)
}

// choose returns n points.
func (m *modelFree) choose(_ context.Context, n int, pending []strategy.Point) ([]strategy.Point, error) {
	return m.points(m.cfg, len(m.X)+len(pending), n), nil
}

func (m *modelFree) Tell(obs ...strategy.Observation) error { return m.Add(obs) }
