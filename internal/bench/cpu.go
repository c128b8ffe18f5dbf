package bench

import (
	"context"
	"time"

	"github.com/mahabo/mahabo/evaluate"
)

// meter adds up the time that a source takes to choose trials and to learn.
type meter struct {
	evaluate.Source
	clock     func() time.Duration // CPU time
	wall, cpu time.Duration
}

// wallTime stands in for a CPU clock.
func wallTime() time.Duration { return time.Since(processStart) }

var processStart = time.Now()

// Ask asks the source and counts the time.
func (m *meter) Ask(ctx context.Context, n int) ([]evaluate.Trial, error) {
	defer m.count(time.Now(), m.clock())
	return m.Source.Ask(ctx, n)
}

// Tell tells the source and counts the time.
func (m *meter) Tell(ctx context.Context, number int, o evaluate.Outcome) error {
	defer m.count(time.Now(), m.clock())
	return m.Source.Tell(ctx, number, o)
}

// count adds the time since a call began.
func (m *meter) count(wall time.Time, cpu time.Duration) {
	m.wall += time.Since(wall)
	m.cpu += m.clock() - cpu
}
