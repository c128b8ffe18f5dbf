package evaluate

import (
	"context"

	"github.com/mahabo/mahabo/internal/live"
)

// Report tells, from within an evaluation and with its context, what the trial has reached at a
// step: its Value, or Outcomes by name. Steps count up from 0 or 1 in any unit. The error is ErrStopped when
// the trial should end: the evaluation then returns that error, or an Outcome with the state
// Stopped. Values that are not finite are errors too. That a report cannot be kept is none.
//
// In an evaluation that nobody follows it does nothing.
func Report(ctx context.Context, step int64, o Outcome) error {
	if o.State == "" {
		o.State = Complete
	}
	if o.State != Complete {
		return &reportError{o.Reason}
	}
	if err := o.Validate(); err != nil {
		return err
	}
	send := live.From(ctx)
	if send == nil || send(ctx, []live.Report{{Step: step, Value: o.Value, Outcomes: o.Outcomes}}) == "" {
		return nil
	}
	return ErrStopped
}

// reportError is a report that has no value.
type reportError struct{ reason string }

func (e *reportError) Error() string { return e.reason }
