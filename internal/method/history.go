package method

import (
	"fmt"
	"slices"

	"github.com/mahabo/mahabo/strategy"
)

// History holds the observations of a strategy with one objective and answers for the
// contract's checks, so that every method refuses bad input alike.
type History struct {
	Config strategy.Config
	Dim    int // D, number of coordinates
	X      []strategy.Point
	Y      []float64
	Std    []float64 // of their noise, 0 when it is not known

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
	}
	return nil
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
