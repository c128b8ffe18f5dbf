// Package progress lets whoever waits for a long computation know how far it is, through
// the context.
package progress

import "context"

type key struct{}

// With returns a context whose computations report what they do and which share is done.
func With(ctx context.Context, report func(what string, share float64)) context.Context {
	return context.WithValue(ctx, key{}, report)
}

// Report tells whoever waits, if anyone does.
func Report(ctx context.Context, what string, share float64) {
	if report, ok := ctx.Value(key{}).(func(string, float64)); ok {
		report(what, share)
	}
}
