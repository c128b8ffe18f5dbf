package strategytest

import (
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"strconv"

	"github.com/mahabo/mahabo/internal/method/simple"
	"github.com/mahabo/mahabo/strategy"
)

// fault is random search with one thing done wrong.
type fault struct {
	strategy.Strategy
	cfg  strategy.Config
	kind kind

	asks, tells int
	told        []strategy.Observation // the caller's slices
	last        []strategy.Suggestion  // what the caller got
	cancelled   bool
}

// kind replaces Ask or Tell; nil leaves random search's.
type kind struct {
	oneSeed bool
	ask     func(f *fault, ctx context.Context, n int, pending []strategy.Suggestion) ([]strategy.Suggestion, error)
	tell    func(f *fault, obs []strategy.Observation) error
	predict func(f *fault) (mean, std float64) // nil: it expects nothing
}

func (k kind) build(cfg strategy.Config) (strategy.Strategy, error) {
	if k.oneSeed {
		cfg.Seed = 1
	}
	s, err := simple.Random().New(cfg.WithDefaults(), nil)
	return &fault{Strategy: s, cfg: cfg, kind: k}, err
}

func (f *fault) Ask(ctx context.Context, n int, pending []strategy.Suggestion) ([]strategy.Suggestion, error) {
	f.asks++
	if f.kind.ask == nil {
		return f.Strategy.Ask(ctx, n, pending)
	}
	return f.kind.ask(f, ctx, n, pending)
}

func (f *fault) Tell(obs ...strategy.Observation) error {
	f.tells++
	if f.kind.tell != nil {
		return f.kind.tell(f, obs)
	}
	err := f.Strategy.Tell(obs...)
	if err == nil {
		f.told = append(f.told, obs...)
	}
	return err
}

func (f *fault) Predict(strategy.Point) (mean, std float64, ok bool) {
	if f.kind.predict == nil || len(f.told) == 0 {
		return 0, 0, false
	}
	mean, std = f.kind.predict(f)
	return mean, std, true
}

// after spoils the points of a successful Ask.
func after(spoil func(f *fault, points []strategy.Suggestion) []strategy.Suggestion) kind {
	return kind{ask: func(f *fault, ctx context.Context, n int, pending []strategy.Suggestion) ([]strategy.Suggestion, error) {
		points, err := f.Strategy.Ask(ctx, n, pending)
		if err != nil {
			return nil, err
		}
		return spoil(f, points), nil
	}}
}

// moved makes the points depend on by, inside the box.
func moved(points []strategy.Suggestion, by float64) []strategy.Suggestion {
	for _, p := range points {
		p.X[0] = math.Sin(10 * (p.X[0] + by))
	}
	return points
}

var errModel = errors.New("no model")

// faults maps each check to strategies it must catch, and to what it must say.
var faults = []struct {
	name, check, says string
	kind              kind
}{
	{"a coordinate outside", "box", "outside [-1,1]", after(func(_ *fault, p []strategy.Suggestion) []strategy.Suggestion {
		p[0].X[0] = math.Nextafter(1, 2)
		return p
	})},
	{"a coordinate that is NaN after the design", "box", "is NaN", after(func(f *fault, p []strategy.Suggestion) []strategy.Suggestion {
		if len(f.told) > f.cfg.Init {
			p[0].X[0] = math.NaN()
		}
		return p
	})},
	{"batches are ignored", "box", "asked for 5 points, got 1", after(func(_ *fault, p []strategy.Suggestion) []strategy.Suggestion {
		return p[:1]
	})},
	{"points of another dimension when D is large", "box", "coordinates, the problem has 1000", after(func(f *fault, p []strategy.Suggestion) []strategy.Suggestion {
		if f.cfg.Domain.Dim() == 1000 {
			p[0].X = p[0].X[:999]
		}
		return p
	})},
	{"the design depends on the batch", "design", "batches of 5", after(func(_ *fault, p []strategy.Suggestion) []strategy.Suggestion {
		return moved(p, float64(len(p)))
	})},
	{"the design does not count pending points", "design", "no value is known", kind{
		ask: func(f *fault, ctx context.Context, n int, _ []strategy.Suggestion) ([]strategy.Suggestion, error) {
			return f.Strategy.Ask(ctx, n, nil)
		},
	}},
	{"the seed is ignored", "design", "another seed", kind{oneSeed: true}},
	{"a pending point comes again", "pending", "repeats point", kind{
		ask: func(f *fault, ctx context.Context, n int, pending []strategy.Suggestion) ([]strategy.Suggestion, error) {
			points, err := f.Strategy.Ask(ctx, n, pending)
			if len(pending) == 3 && len(f.told) > 0 && err == nil {
				points[0] = pending[1]
			}
			return points, err
		},
	}},
	{"a batch repeats a point", "pending", "repeats point", after(func(_ *fault, p []strategy.Suggestion) []strategy.Suggestion {
		return append(p[:len(p)-1], p[0])
	})},
	{"no better than random search", "minimises", "random search", kind{}},
	{"the answer depends on the number of calls", "replay", "asked twice", after(func(f *fault, p []strategy.Suggestion) []strategy.Suggestion {
		return moved(p, float64(f.asks))
	})},
	{"the answer depends on the number of Tells", "replay", "told one by one", after(func(f *fault, p []strategy.Suggestion) []strategy.Suggestion {
		return moved(p, float64(f.tells))
	})},
	{"the answer depends on the number of cores", "replay", "GOMAXPROCS=", after(func(_ *fault, p []strategy.Suggestion) []strategy.Suggestion {
		return moved(p, float64(runtime.GOMAXPROCS(0)))
	})},
	{"a tag depends on the number of calls", "replay", "asked twice: the tag of point 0", after(func(f *fault, p []strategy.Suggestion) []strategy.Suggestion {
		p[0].Tag = strconv.Itoa(f.asks)
		return p
	})},
	{"what a tag should bring back is remembered", "replay", "told one by one: the tag of point 0", after(func(f *fault, p []strategy.Suggestion) []strategy.Suggestion {
		known := 0
		for _, o := range f.told {
			if slices.ContainsFunc(f.last, func(asked strategy.Suggestion) bool { return slices.Equal(asked.X, o.X) }) {
				known++
			}
		}
		f.last = append(f.last, clone(p)...)
		p[0].Tag = strconv.Itoa(known)
		return p
	})},
	{"the answer depends on earlier answers", "interleavings", "replay with", after(func(f *fault, p []strategy.Suggestion) []strategy.Suggestion {
		f.last = append(f.last, p...)
		return moved(p, float64(len(f.last)))
	})},
	{"told points are kept", "slices", "told observations were overwritten", after(func(f *fault, p []strategy.Suggestion) []strategy.Suggestion {
		return moved(p, f.told[0].X[0])
	})},
	{"told points are changed", "slices", "Tell changed", kind{tell: func(f *fault, obs []strategy.Observation) error {
		err := f.Strategy.Tell(obs...)
		obs[0].X[0] /= 2
		return err
	}}},
	{"pending points are changed", "slices", "Ask changed", kind{
		ask: func(f *fault, ctx context.Context, n int, pending []strategy.Suggestion) ([]strategy.Suggestion, error) {
			for _, p := range pending {
				p.X[0] = 0
			}
			return f.Strategy.Ask(ctx, n, pending)
		},
	}},
	{"returned points share memory", "slices", "appending to a point", after(func(f *fault, p []strategy.Suggestion) []strategy.Suggestion {
		var flat strategy.Point
		for _, x := range p {
			flat = append(flat, x.X...)
		}
		for i := range p {
			p[i].X = flat[i*f.cfg.Domain.Dim() : (i+1)*f.cfg.Domain.Dim()]
		}
		return p
	})},
	{"returned points are kept", "slices", "overwritten by the caller", after(func(f *fault, p []strategy.Suggestion) []strategy.Suggestion {
		if f.last == nil {
			f.last = p
		}
		return f.last
	})},
	{"a coordinate that is held is an error", "domains", "a coordinate that is held: Ask for 3 points", kind{
		ask: func(f *fault, ctx context.Context, n int, pending []strategy.Suggestion) ([]strategy.Suggestion, error) {
			if len(f.cfg.Domain.Fixed) > 0 {
				return nil, errModel
			}
			return f.Strategy.Ask(ctx, n, pending)
		},
	}},
	{"one coordinate for each parameter", "domains", "coordinates, the problem has 9", after(func(f *fault, p []strategy.Suggestion) []strategy.Suggestion {
		p[0].X = p[0].X[:len(f.cfg.Domain.Params)]
		return p
	})},
	{"equal values are an error", "survives", "no model", kind{
		ask: func(f *fault, ctx context.Context, n int, pending []strategy.Suggestion) ([]strategy.Suggestion, error) {
			if len(f.told) > 1 && f.told[0].Y[0] == f.told[1].Y[0] {
				return nil, errModel
			}
			return f.Strategy.Ask(ctx, n, pending)
		},
	}},
	{"the variance overflows", "survives", "values near 1e300", after(func(f *fault, p []strategy.Suggestion) []strategy.Suggestion {
		for _, o := range f.told {
			p[0].X[0] += 0 * (o.Y[0] * o.Y[0]) // 0 * Inf
		}
		return p
	})},
	{"the prediction overflows", "survives", "which are not finite numbers", kind{predict: func(f *fault) (mean, std float64) {
		return f.told[0].Y[0], f.told[0].Y[0] * f.told[0].Y[0]
	}}},
	{"nothing is told but much is pending", "survives", "no observation", kind{
		ask: func(f *fault, ctx context.Context, n int, pending []strategy.Suggestion) ([]strategy.Suggestion, error) {
			if len(f.told) == 0 && len(pending) > f.cfg.Init {
				return nil, errModel
			}
			return f.Strategy.Ask(ctx, n, pending)
		},
	}},
	{"everything is accepted", "refuses", "Ask for 0 points was accepted", kind{
		ask: func(f *fault, ctx context.Context, n int, _ []strategy.Suggestion) ([]strategy.Suggestion, error) {
			return f.Strategy.Ask(ctx, max(n, 1), nil)
		},
	}},
	{"pending points are not looked at", "refuses", "pending", kind{
		ask: func(f *fault, ctx context.Context, n int, _ []strategy.Suggestion) ([]strategy.Suggestion, error) {
			return f.Strategy.Ask(ctx, n, nil)
		},
	}},
	{"a value that is NaN is dropped in silence", "refuses", "value NaN", kind{tell: func(f *fault, obs []strategy.Observation) error {
		if math.IsNaN(obs[0].Y[0]) {
			return nil
		}
		return f.Strategy.Tell(obs...)
	}}},
	{"half of a refused Tell is kept", "refuses", "left a trace", kind{tell: func(f *fault, obs []strategy.Observation) error {
		for _, o := range obs {
			if err := f.Strategy.Tell(o); err != nil {
				return err
			}
		}
		return nil
	}}},
	{"a cancellation is another error", "cancel", "want the context's", kind{
		ask: func(f *fault, ctx context.Context, n int, pending []strategy.Suggestion) ([]strategy.Suggestion, error) {
			if ctx.Err() != nil {
				return nil, errModel
			}
			return f.Strategy.Ask(ctx, n, pending)
		},
	}},
	{"a cancellation gives makeshift points", "cancel", "other points than without", kind{
		ask: func(f *fault, ctx context.Context, n int, pending []strategy.Suggestion) ([]strategy.Suggestion, error) {
			points, err := f.Strategy.Ask(ctx, n, pending)
			if ctx.Err() != nil {
				moved(points, 1)
			}
			return points, err
		},
	}},
	{"a cancellation leaves a trace", "cancel", "left a trace", kind{
		ask: func(f *fault, ctx context.Context, n int, pending []strategy.Suggestion) ([]strategy.Suggestion, error) {
			if ctx.Err() != nil {
				f.cancelled = true
				return nil, ctx.Err()
			}
			points, err := f.Strategy.Ask(ctx, n, pending)
			if f.cancelled {
				moved(points, 1)
			}
			return points, err
		},
	}},
}
