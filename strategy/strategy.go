package strategy

import (
	"context"
	"fmt"
	"math"
	"runtime"
)

// Point is a point of the box [-1,1]^D.
type Point []float64

// Observation is one finished evaluation. Lower values are better.
type Observation struct {
	X     Point
	Value float64
	Std   float64 // standard deviation of the value's noise, 0 when it is not known
}

// Strategy proposes points and learns from their values. What Ask returns is a
// function of the configuration, the observations told so far and the pending
// points: telling the same observations to a new strategy restores it.
type Strategy interface {
	// Ask returns n points of the box [-1,1]^D. Pending points were asked
	// before and have no value yet.
	Ask(ctx context.Context, n int, pending []Point) ([]Point, error)
	Tell(obs ...Observation) error
}

// Reporter is a Strategy that can say how its last Ask went.
type Reporter interface {
	LastAsk() AskReport
}

// AskReport tells of numerical trouble and of the model.
type AskReport struct {
	Jitter       float64 // largest value added to the diagonal of a kernel matrix
	Fallback     error   // why the points are uniform instead of the method's own
	EmbeddingDim int     // dimension of the subspace that the method works in, 0 when it has none
	Note         string  // why the points may look odd, empty when they do not
}

// Config is what every method needs to know about the task.
type Config struct {
	Dim     int    // D, number of parameters
	TrueDim int    // dimension of the problem inside the embedding; 0 when unknown
	Init    int    // size of the initial design
	Budget  int    // observations that are meant in all; 0 when unknown
	Seed    uint64 // one seed, all streams
	Threads int    // that an Ask may keep busy; 0 for all processors. Points do not depend on it
}

// DefaultInit is the size of the initial design when Config.Init is zero.
const DefaultInit = 10

// WithDefaults fills the fields left zero that have a default.
func (c Config) WithDefaults() Config {
	if c.Init == 0 {
		c.Init = DefaultInit
	}
	if c.Threads == 0 {
		c.Threads = runtime.GOMAXPROCS(0)
	}
	return c
}

// Validate names the first field that cannot be used.
func (c Config) Validate() error {
	switch {
	case c.Dim < 1:
		return fmt.Errorf("Dim is %d: a problem needs at least one parameter", c.Dim)
	case c.TrueDim < 0 || c.TrueDim > c.Dim:
		return fmt.Errorf("TrueDim is %d: it must lie between 0 (unknown) and Dim = %d", c.TrueDim, c.Dim)
	case c.Init < 1:
		return fmt.Errorf("Init is %d: the initial design needs at least one point", c.Init)
	case c.Budget < 0:
		return fmt.Errorf("Budget is %d: it is a number of observations, or 0 when unknown", c.Budget)
	case c.Threads < 0:
		return fmt.Errorf("Threads is %d: it is a number of threads, or 0 for all processors", c.Threads)
	}
	return nil
}

// history holds the observations of a strategy and answers for the contract's
// checks, so that every method refuses bad input alike.
type history struct {
	dim int
	x   []Point
	y   []float64

	modelled bool      // the last Ask had a model, and nothing was told since
	forecast *forecast // of that model, nil before it is needed
}

// tell appends all observations, or none and an error.
func (h *history) tell(obs []Observation) error {
	for i, o := range obs {
		if err := checkPoint(o.X, h.dim); err != nil {
			return fmt.Errorf("observation %d: %w", i, err)
		}
		if math.IsNaN(o.Value) || math.IsInf(o.Value, 0) {
			return fmt.Errorf("observation %d: value is %g, only finite values can be modelled", i, o.Value)
		}
		if !(o.Std >= 0) || math.IsInf(o.Std, 0) {
			return fmt.Errorf("observation %d: the standard deviation is %g, want a finite number from 0 (not known) on", i, o.Std)
		}
	}
	h.modelled, h.forecast = h.modelled && len(obs) == 0, nil
	for _, o := range obs {
		h.x = append(h.x, append(Point(nil), o.X...))
		h.y = append(h.y, o.Value)
	}
	return nil
}

// checkAsk validates the arguments of Ask.
func (h *history) checkAsk(n int, pending []Point) error {
	if n < 1 {
		return fmt.Errorf("cannot ask for %d points: ask for at least one", n)
	}
	for i, p := range pending {
		if err := checkPoint(p, h.dim); err != nil {
			return fmt.Errorf("pending point %d: %w", i, err)
		}
	}
	return nil
}

func checkPoint(x Point, dim int) error {
	if len(x) != dim {
		return fmt.Errorf("point has %d coordinates, the problem has %d", len(x), dim)
	}
	for j, v := range x {
		if !(v >= -1 && v <= 1) {
			return fmt.Errorf("coordinate %d is %g, outside [-1,1]", j, v)
		}
	}
	return nil
}
