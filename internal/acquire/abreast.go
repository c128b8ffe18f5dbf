package acquire

import (
	"context"
	"iter"
	"math"
	"slices"

	"github.com/mahabo/mahabo/internal/gp"
	"github.com/mahabo/mahabo/internal/lbfgsb"
	"github.com/mahabo/mahabo/internal/linalg"
)

// Search is one of several searches that go side by side with the same model, and share the passes over its data:
// a search alone spends most of its time on reading them.
type Search struct {
	Of     gp.Moments // what it minimises
	Starts linalg.Matrix
	Region *Region // that the starts are in
}

// each is a function of a model's moments for each row.
type each struct {
	model *gp.Posterior
	of    []gp.Moments
}

func (e each) Evaluate(value []float64, grad, x linalg.Matrix) {
	row := 0
	e.model.Evaluate(value, grad, x, func(mean, variance float64) (float64, float64, float64) {
		row++
		return e.of[row-1](mean, variance)
	})
}

// RaceAll follows the starts of every search for some steps of L-BFGS-B, then the lowest of each for more.
func RaceAll(ctx context.Context, model *gp.Posterior, searches []Search, steps, more int) ([][]float64, error) {
	var ways []*way
	for k, s := range searches {
		for i := range s.Starts.Rows {
			ways = append(ways, newWay(ctx, k, s, s.Starts.Row(i), steps))
		}
	}
	if err := walk(ctx, model, ways); err != nil {
		return nil, err
	}
	winners := make([]*way, len(searches))
	for _, w := range ways {
		if b := winners[w.search]; b == nil || w.lowest < b.lowest {
			winners[w.search] = w
		}
	}
	ends := make([]*way, len(searches))
	for k, w := range winners {
		ends[k] = newWay(ctx, k, searches[k], w.best, more)
	}
	if err := walk(ctx, model, ends); err != nil {
		return nil, err
	}
	points := make([][]float64, len(searches))
	for k, w := range ends {
		points[k] = w.best
	}
	return points, nil
}

// way is one run of L-BFGS-B that waits for values.
type way struct {
	search int
	of     gp.Moments
	best   []float64
	lowest float64

	next    func() (struct{}, bool) // goes on to where the next value is needed
	stop    func()
	x, grad []float64 // that it waits for, with the value
	value   float64
}

func newWay(ctx context.Context, number int, s Search, x []float64, iterations int) *way {
	w := &way{search: number, of: s.Of, best: slices.Clone(x), lowest: math.Inf(1)}
	w.next, w.stop = iter.Pull(func(yield func(struct{}) bool) {
		ended := false
		// An error is that of the context, which walk looks at.
		_, _ = lbfgsb.Minimize(ctx, slices.Clone(x), s.Region.Low, s.Region.High, func(grad, x []float64) float64 {
			w.x, w.grad = x, grad
			if ended = ended || !yield(struct{}{}); ended {
				return math.Inf(1)
			}
			if w.value < w.lowest {
				w.lowest = w.value
				copy(w.best, x)
			}
			return w.value
		}, lbfgsb.Options{MaxIter: iterations})
	})
	return w
}

// walk goes all ways to their ends: what they wait for is evaluated together.
func walk(ctx context.Context, model *gp.Posterior, ways []*way) error {
	defer func() {
		for _, w := range ways {
			w.stop()
		}
	}()
	active := slices.Clone(ways)
	dim := len(ways[0].best)
	x, grad, value := linalg.New(len(ways), dim), linalg.New(len(ways), dim), make([]float64, len(ways))
	f := each{model: model, of: make([]gp.Moments, len(ways))}
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		active = slices.DeleteFunc(active, func(w *way) bool {
			_, on := w.next()
			return !on
		})
		n := len(active)
		if n == 0 {
			return ctx.Err()
		}
		for i, w := range active {
			copy(x.Row(i), w.x)
			f.of[i] = w.of
		}
		f.Evaluate(value[:n], grad.Slice(0, n, 0, dim), x.Slice(0, n, 0, dim))
		for i, w := range active {
			copy(w.grad, grad.Row(i))
			w.value = value[i]
		}
	}
}
