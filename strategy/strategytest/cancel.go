package strategytest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mahabo/mahabo/strategy"
)

// cancel: an Ask whose context ends returns soon, either with the context's error or,
// when it was done, with the points of an undisturbed Ask; and it leaves no trace.
func (s *suite) cancel() error {
	const initial, count = 10, 60
	dim, n := s.dim(300), s.batch(5)
	st, err := s.start(strategy.Config{Domain: strategy.Box(dim), Init: initial, Seed: 1}, evaluate(scatter(count, dim, 1), ridge)...)
	if err != nil {
		return err
	}
	begin := time.Now()
	want, err := ask(st, dim, n, nil)
	if err != nil {
		return err
	}
	whole := time.Since(begin)
	ends := []struct {
		when  string
		start func() (context.Context, context.CancelFunc)
	}{
		{"cancelled before", func() (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			return ctx, cancel
		}},
		{"past its deadline before", func() (context.Context, context.CancelFunc) {
			return context.WithTimeout(context.Background(), 0)
		}},
	}
	for _, wait := range []time.Duration{5 * time.Millisecond, whole / 4, whole / 2, whole * 3 / 4} {
		ends = append(ends, struct {
			when  string
			start func() (context.Context, context.CancelFunc)
		}{fmt.Sprintf("cancelled after %v of %v", wait, whole), func() (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(context.Background())
			timer := time.AfterFunc(wait, cancel)
			return ctx, func() { timer.Stop(); cancel() }
		}})
	}
	for _, end := range ends {
		ctx, stop := end.start()
		err := s.cancelled(ctx, st, n, want)
		stop()
		if err != nil {
			return fmt.Errorf("D=%d, %d observations, context %s: %w", dim, count, end.when, err)
		}
	}
	got, err := ask(st, dim, n, nil)
	if err != nil {
		return fmt.Errorf("after cancelled Asks: %w", err)
	}
	return same("an Ask cancelled before left a trace", got, want)
}

// cancelled asks under a context that ends and judges the answer.
func (s *suite) cancelled(ctx context.Context, st strategy.Strategy, n int, want []strategy.Suggestion) error {
	ended := make(chan time.Time, 1)
	defer context.AfterFunc(ctx, func() { ended <- time.Now() })()
	points, err := st.Ask(ctx, n, nil)
	returned := time.Now()
	if ctx.Err() != nil {
		if late := returned.Sub(<-ended); late > s.Prompt {
			return fmt.Errorf("returned %v after the end of the context, want at most %v", late, s.Prompt)
		}
	}
	switch {
	case err == nil && ctx.Err() == nil: // it was faster than the cancellation
		return same("an Ask cancelled before left a trace", points, want)
	case err == nil:
		return same("no error, but other points than without the cancellation", points, want)
	case ctx.Err() == nil || !errors.Is(err, ctx.Err()):
		return fmt.Errorf("the error is %q, want the context's: %w", err.Error(), ctx.Err())
	}
	return nil
}
