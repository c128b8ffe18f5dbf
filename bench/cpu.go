package bench

import (
	"context"
	"time"

	"github.com/mahabo/mahabo/strategy"
)

// cpuMeter adds up the CPU time of a strategy's calls. The caller must be
// locked to its thread, whose clock is read.
type cpuMeter struct {
	strategy.Strategy
	spent time.Duration
}

// wallTime stands in for a thread's clock.
func wallTime() time.Duration { return time.Since(processStart) }

var processStart = time.Now()

// Ask asks the strategy and counts the time.
func (m *cpuMeter) Ask(ctx context.Context, n int, pending []strategy.Point) ([]strategy.Point, error) {
	start := threadTime()
	defer func() { m.spent += threadTime() - start }()
	return m.Strategy.Ask(ctx, n, pending)
}

// Tell tells the strategy and counts the time.
func (m *cpuMeter) Tell(obs ...strategy.Observation) error {
	start := threadTime()
	defer func() { m.spent += threadTime() - start }()
	return m.Strategy.Tell(obs...)
}
