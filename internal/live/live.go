// Package live carries to an evaluation, in its context, the way to report values before its end.
package live

import "context"

// Report is a value that a trial has reached at a step, by names where outcomes are declared.
type Report struct {
	Step     int64
	Value    float64
	Outcomes map[string]float64
}

// Send takes reports and says why the trial should end, "" to go on. It deals with its own errors: a
// report that is lost is no reason to end an evaluation.
type Send func(ctx context.Context, reports []Report) (stop string)

type key struct{}

// With returns a context whose evaluation reports by send.
func With(ctx context.Context, send Send) context.Context { return context.WithValue(ctx, key{}, send) }

// From returns how to report, nil when nobody wants to know.
func From(ctx context.Context) Send {
	send, _ := ctx.Value(key{}).(Send)
	return send
}
