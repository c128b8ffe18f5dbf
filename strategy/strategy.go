package strategy

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"time"
)

// Point is a point of the box [-1,1]^D.
type Point []float64

// Suggestion is a point to evaluate.
type Suggestion struct {
	X   Point
	Tag string // comes back with the observation; empty for points that the method did not choose
}

// Observation is one finished evaluation.
type Observation struct {
	X   Point
	Tag string    // of the suggestion
	Y   []float64 // outcomes: the objectives, lower is better, then the limits, kept when <= 0
	Std []float64 // standard deviations of their noise, 0 where it is not known; nil when none is
}

// Strategy suggests points and learns from their outcomes.
type Strategy interface {
	// Ask returns n suggestions. The pending ones were made before, or are points of the
	// user, and have no outcome yet. Points of a Domain with rows, fixed coordinates or
	// levels may be off them: whoever asks takes the nearest point that can be evaluated.
	Ask(ctx context.Context, n int, pending []Suggestion) ([]Suggestion, error)
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

	Fit time.Duration // what learning from the observations took; 0 where the method does not say

	// How much each parameter matters to the models that have learned it, the largest 1; nil
	// where all parameters count alike.
	Weights     []float64
	WeightShare float64 // of the queries that these models make
	WeightLead  float64 // log density of new observations under the best of them, less that where all count alike
}

// Predictor is a Strategy that can say what it expects.
type Predictor interface {
	// Predict returns the mean and the standard deviation of a value of the first objective
	// told at x, learned noise included. Pending points do not count: nothing is known of
	// their values. ok is false when the last Ask had no model: it made the initial design,
	// fell back to uniform points, or there was none since the last Tell.
	Predict(x Point) (mean, std float64, ok bool)
}

// Config is what every method needs to know about the task.
type Config struct {
	Domain     Domain
	Objectives int       // 0 for 1
	Limits     int       // outcomes that have to be kept at or below 0
	Reference  []float64 // worst values of interest of several objectives, NaN where one is not known; nil when none is
	TrueDim    int       // dimension of the problem inside the embedding; 0 when unknown
	Init       int       // size of the initial design
	Budget     int       // observations that are meant in all; 0 when unknown
	Seed       uint64    // of all random numbers
	Threads    int       // that an Ask may keep busy; 0 for all processors. Points do not depend on it
}

// DefaultInit is the size of the initial design when Config.Init is zero.
const DefaultInit = 10

// WithDefaults fills the fields left zero that have a default.
func (c Config) WithDefaults() Config {
	if c.Objectives == 0 {
		c.Objectives = 1
	}
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
	if err := c.Domain.Validate(); err != nil {
		return fmt.Errorf("Domain: %w", err)
	}
	switch dim := c.Domain.Dim(); {
	case c.Objectives < 1:
		return fmt.Errorf("Objectives is %d: a task needs at least one", c.Objectives)
	case c.Limits < 0:
		return fmt.Errorf("Limits is %d: it is a number of outcomes", c.Limits)
	case c.Reference != nil && len(c.Reference) != max(c.Objectives, 1):
		return fmt.Errorf("Reference has %d values for %d objectives", len(c.Reference), max(c.Objectives, 1))
	case c.TrueDim < 0 || c.TrueDim > dim:
		return fmt.Errorf("TrueDim is %d: it must lie between 0 (unknown) and the number of coordinates, %d", c.TrueDim, dim)
	case c.Init < 1:
		return fmt.Errorf("Init is %d: the initial design needs at least one point", c.Init)
	case c.Budget < 0:
		return fmt.Errorf("Budget is %d: it is a number of observations, or 0 when unknown", c.Budget)
	case c.Threads < 0:
		return fmt.Errorf("Threads is %d: it is a number of threads, or 0 for all processors", c.Threads)
	}
	return nil
}

// CheckPoint says what is wrong with a point of a box of dim coordinates.
func CheckPoint(x Point, dim int) error {
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

// Check says what is wrong with an observation of the configured task.
func (c Config) Check(o Observation) error {
	if err := CheckPoint(o.X, c.Domain.Dim()); err != nil {
		return err
	}
	outcomes := max(c.Objectives, 1) + c.Limits
	if len(o.Y) != outcomes {
		return fmt.Errorf("it has %d outcomes, the task has %d", len(o.Y), outcomes)
	}
	if len(o.Std) != 0 && len(o.Std) != outcomes {
		return fmt.Errorf("it has %d standard deviations for %d outcomes", len(o.Std), outcomes)
	}
	for _, v := range o.Y {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("value is %g, only finite values can be modelled", v)
		}
	}
	for _, v := range o.Std {
		if !(v >= 0) || math.IsInf(v, 0) {
			return fmt.Errorf("the standard deviation is %g, want a finite number from 0 (not known) on", v)
		}
	}
	return nil
}
