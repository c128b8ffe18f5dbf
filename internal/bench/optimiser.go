package bench

import (
	"context"
	"time"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/store/memory"
	"github.com/mahabo/mahabo/strategy"
	"github.com/mahabo/mahabo/study"
)

// optimiser is a method at work on one trial.
type optimiser interface {
	evaluate.Source
	fallbacks() int                         // rounds of uniform points so far: the method could not choose
	clock(threads int) func() time.Duration // of the CPU time that it takes
	reports() reportFunc                    // takes what evaluations report; nil: nobody wants to know
	close(context.Context) error
}

// reportFunc is that of evaluate.Options.
type reportFunc = func(ctx context.Context, number int, steps []int64, reached []evaluate.Outcome) (stop string)

// studied is a built-in method, which a study in memory asks and tells.
type studied struct{ *study.Source }

var _ optimiser = studied{}

func newStudied(ctx context.Context, registry *strategy.Registry, c study.Config) (optimiser, error) {
	s, err := study.Create(ctx, memory.New(), c, study.WithMethods(registry))
	if err != nil {
		return nil, err
	}
	return studied{s.Source("bench", 0)}, nil
}

// clock is that of the calling thread, which must be locked, or of all.
func (s studied) clock(threads int) func() time.Duration {
	if threads > 1 {
		return processTime
	}
	return threadTime
}

func (s studied) fallbacks() int { return s.Report().Fallbacks }

func (s studied) reports() reportFunc { return s.OnReport }

func (s studied) close(ctx context.Context) error { return s.Close(ctx) }
