package bench

import (
	"context"
	"time"

	"github.com/mahabo/mahabo/strategy"
)

// cpuMeter adds up the CPU time of a strategy's calls. For the clock of a thread the caller
// must be locked to it.
type cpuMeter struct {
	strategy.Strategy
	clock func() time.Duration
	spent time.Duration
}

// wallTime stands in for a CPU clock.
func wallTime() time.Duration { return time.Since(processStart) }

var processStart = time.Now()

// Ask asks the strategy and counts the time.
func (m *cpuMeter) Ask(ctx context.Context, n int, pending []strategy.Point) ([]strategy.Point, error) {
	start := m.clock()
	defer func() { m.spent += m.clock() - start }()
	return m.Strategy.Ask(ctx, n, pending)
}

// Tell tells the strategy and counts the time.
func (m *cpuMeter) Tell(obs ...strategy.Observation) error {
	start := m.clock()
	defer func() { m.spent += m.clock() - start }()
	return m.Strategy.Tell(obs...)
}

// LastAsk is the strategy's report.
func (m *cpuMeter) LastAsk() strategy.AskReport {
	if r, ok := m.Strategy.(strategy.Reporter); ok {
		return r.LastAsk()
	}
	return strategy.AskReport{}
}
