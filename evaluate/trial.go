package evaluate

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/mahabo/mahabo/space"
)

// State says how a trial ended.
type State string

// The states, by the word they have in files.
const (
	Complete   State = "complete"
	Failed     State = "failed"
	Infeasible State = "infeasible"
	Stopped    State = "stopped" // ended early, as Report said; its last report is a bound, not its value
)

// Outcome is what an evaluation found.
type Outcome struct {
	State  State   `json:"state"`
	Value  float64 `json:"value"`            // of a complete trial
	Std    float64 `json:"std,omitzero"`     // standard deviation of its noise, 0 when unknown
	Reason string  `json:"reason,omitempty"` // why a trial is not complete
	Cost   float64 `json:"cost,omitzero"`    // of the evaluation, in any unit; 0 when it was not told

	// Seconds are those that the evaluation took, by the clock of who evaluated it, without the time that the
	// trial waited for its turn; 0 when it was not told. Run tells them.
	Seconds float64 `json:"seconds,omitzero"`

	// Outcomes are the values by name where the space declares outcomes; Value and Std then
	// follow from the first objective. Some may be told later.
	Outcomes map[string]float64 `json:"outcomes,omitempty"`
	Stds     map[string]float64 `json:"stds,omitempty"` // of their noise, where it is known
}

// errNotFinite is wrapped by the errors about values that are NaN or an infinity.
var errNotFinite = errors.New("only finite values can be modelled")

// Value is the outcome of a complete trial, or of a failed one if v is not finite.
func Value(v float64) Outcome {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return Failure("the value is %g: %v", v, errNotFinite)
	}
	return Outcome{State: Complete, Value: v}
}

// Failure is the outcome of a failed trial.
func Failure(format string, args ...any) Outcome {
	return Outcome{State: Failed, Reason: fmt.Sprintf(format, args...)}
}

// Validate names the first field that does not fit the state.
func (o Outcome) Validate() error {
	switch o.State {
	case Complete:
		if math.IsNaN(o.Value) || math.IsInf(o.Value, 0) {
			return fmt.Errorf("value is %g: %w, tell state %q or %q instead", o.Value, errNotFinite, Failed, Infeasible)
		}
	case Failed, Infeasible, Stopped:
	default:
		return fmt.Errorf("state is %q: it must be %q, %q, %q or %q", o.State, Complete, Failed, Infeasible, Stopped)
	}
	if !(o.Cost >= 0) || math.IsInf(o.Cost, 0) {
		return fmt.Errorf("cost is %g: it is a finite number from 0 on", o.Cost)
	}
	if !(o.Seconds >= 0) || math.IsInf(o.Seconds, 0) {
		return fmt.Errorf("seconds is %g: it is a finite number from 0 on", o.Seconds)
	}
	for _, name := range slices.Sorted(maps.Keys(o.Outcomes)) {
		if v := o.Outcomes[name]; math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("outcome %q is %g: %w, tell state %q or %q instead", name, v, errNotFinite, Failed, Infeasible)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(o.Stds)) {
		if v := o.Stds[name]; !(v >= 0) || math.IsInf(v, 0) {
			return fmt.Errorf("the std of outcome %q is %g: a standard deviation is a finite number from 0 on", name, v)
		}
	}
	if !(o.Std >= 0) || math.IsInf(o.Std, 0) {
		return fmt.Errorf("std is %g: a standard deviation is a finite number from 0 on", o.Std)
	}
	return nil
}

// Trial is one set of parameters to evaluate.
type Trial struct {
	Number int // from 1
	Batch  int // trials asked for together share it; from 1
	Params space.Params
}

// Result is a trial that has ended.
type Result struct {
	Trial
	Outcome
	Attempts int // evaluations, the failed ones that were repeated included
	Started  time.Time
	Ended    time.Time
}

// Source makes trials and learns from their outcomes. Run calls it from one goroutine.
type Source interface {
	// Ask returns n trials, or fewer when there are no more to make, or ErrExhausted.
	Ask(ctx context.Context, n int) ([]Trial, error)
	Tell(ctx context.Context, number int, o Outcome) error
}

// Evaluator finds out the value of parameters. It is called from several goroutines at
// once. An evaluation that goes wrong is an outcome; an error says that no other will
// work either, or is that of the context.
type Evaluator interface {
	Evaluate(ctx context.Context, number int, v space.Params) (Outcome, error)
}

// Func is a function as an Evaluator.
type Func func(ctx context.Context, number int, v space.Params) (Outcome, error)

// Evaluate calls the function.
func (f Func) Evaluate(ctx context.Context, number int, v space.Params) (Outcome, error) {
	return f(ctx, number, v)
}
