package method

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/mahabo/mahabo/internal/pareto"
	"github.com/mahabo/mahabo/strategy"
)

// History holds the observations of a strategy and answers for the
// contract's checks, so that every method refuses bad input alike.
type History struct {
	Config strategy.Config
	Dim    int // D, number of coordinates
	X      []strategy.Point
	Y      []float64
	Std    []float64 // of their noise, 0 when it is not known

	// Of tasks with several outcomes: all of them, and their noise (nil when none is known). Y
	// and Std are those of the first.
	Outcomes [][]float64
	Stds     [][]float64

	modelled bool      // the last Ask had a model, and nothing was told since
	forecast *Forecast // of that model, nil before it is needed
}

// NewHistory holds nothing yet.
func NewHistory(cfg strategy.Config) History {
	return History{Config: cfg, Dim: cfg.Domain.Dim()}
}

// Add appends all observations, or none and an error.
func (h *History) Add(obs []strategy.Observation) error {
	for i, o := range obs {
		if err := h.Config.Check(o); err != nil {
			return fmt.Errorf("observation %d: %w", i, err)
		}
	}
	h.modelled, h.forecast = h.modelled && len(obs) == 0, nil
	for _, o := range obs {
		h.X = append(h.X, slices.Clone(o.X))
		h.Y = append(h.Y, o.Y[0])
		std := 0.0
		if len(o.Std) > 0 {
			std = o.Std[0]
		}
		h.Std = append(h.Std, std)
		if len(o.Y) > 1 {
			h.Outcomes, h.Stds = append(h.Outcomes, slices.Clone(o.Y)), append(h.Stds, slices.Clone(o.Std))
		}
	}
	return nil
}

// Limits are the limits of observation i, kept at 0 and below.
func (h *History) Limits(i int) []float64 {
	if h.Config.Limits == 0 {
		return nil
	}
	return h.Outcomes[i][max(h.Config.Objectives, 1):]
}

// Penalised are values of the first n observations that order them: those that keep all limits by
// their first objective, then the others by how much they violate. Without limits they are Y.
func (h *History) Penalised(n int) []float64 {
	if h.Config.Limits == 0 || n == 0 {
		return h.Y[:n]
	}
	limits := make([][]float64, n)
	low, high := math.Inf(1), math.Inf(-1)
	for i := range limits {
		limits[i] = h.Limits(i)
		if pareto.Kept(limits[i]) {
			low, high = min(low, h.Y[i]), max(high, h.Y[i])
		}
	}
	width := high - low
	if !(width > 0) {
		width = 1
	}
	if math.IsInf(high, -1) {
		high = 0
	}
	scales := pareto.Scales(limits)
	values := make([]float64, n)
	for i := range values {
		if values[i] = h.Y[i]; !pareto.Kept(limits[i]) {
			values[i] = high + width*pareto.Violation(limits[i], scales)
		}
	}
	return values
}

// CheckAsk validates the arguments of Ask.
func (h *History) CheckAsk(n int, pending []strategy.Suggestion) error {
	if n < 1 {
		return fmt.Errorf("cannot ask for %d points: ask for at least one", n)
	}
	for i, p := range pending {
		if err := strategy.CheckPoint(p.X, h.Dim); err != nil {
			return fmt.Errorf("pending point %d: %w", i, err)
		}
	}
	return nil
}

// Points returns the points of suggestions.
func Points(suggestions []strategy.Suggestion) []strategy.Point {
	points := make([]strategy.Point, len(suggestions))
	for i, s := range suggestions {
		points[i] = s.X
	}
	return points
}

// InParts calls use with parts of points, which take milliseconds each, until the context ends.
func InParts(ctx context.Context, points []strategy.Point, use func(part []strategy.Point)) error {
	for part := range slices.Chunk(points, partSize) {
		if err := ctx.Err(); err != nil {
			return err
		}
		use(part)
	}
	return nil
}

const partSize = 256

// Suggest makes suggestions without tags of points.
func Suggest(points []strategy.Point) []strategy.Suggestion {
	suggestions := make([]strategy.Suggestion, len(points))
	for i, x := range points {
		suggestions[i].X = x
	}
	return suggestions
}

// OldTag is the tag of suggestions from logs of the time before there were tags.
const OldTag = "untagged"
