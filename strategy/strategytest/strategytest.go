package strategytest

import (
	"fmt"
	"testing"
	"time"

	"github.com/mahabo/mahabo/strategy"
)

// Options say what a method promises.
type Options struct {
	Method             string        // name in messages
	Batch              bool          // it was made for batches; otherwise only the design is asked in batches
	Cost               Cost          // of one Ask
	strategy.Abilities               // what it takes
	MaxDim             int           // largest number of parameters it takes; 0 means 1000
	Baseline           bool          // it promises nothing about quality
	Beats              Promise       // where it beats random search; zero means ShiftedSphere
	Prompt             time.Duration // longest wait after a cancellation; 0 means one second
}

func (o Options) withDefaults() Options {
	if o.Method == "" {
		o.Method = "strategy"
	}
	if o.MaxDim == 0 {
		o.MaxDim = 1000
	}
	if o.Prompt == 0 {
		o.Prompt = time.Second
	}
	if o.Beats.F == nil {
		o.Beats = ShiftedSphere()
	}
	return o
}

// Cost says how many rounds the suite can afford.
type Cost int

// One Ask with twenty observations takes tens of milliseconds (Moderate),
// less than one (Cheap), or more than a tenth of a second (Slow).
const (
	Moderate Cost = iota
	Cheap
	Slow
)

// effort is what the suite spends.
type effort struct {
	rounds int // Asks of the model per size
	plans  int // interleavings tried
	seeds  int // runs compared with random search
}

// effort is less in short tests, and under the race detector, which makes everything about
// eight times slower and finds its races in one round. What a method promises is a mean over
// the same seeds.
func (c Cost) effort() (e effort) {
	switch c {
	case Slow:
		e = effort{rounds: 1, plans: 2, seeds: 1}
	case Cheap:
		e = effort{rounds: 4, plans: 40, seeds: 3}
	default:
		e = effort{rounds: 2, plans: 20, seeds: 2}
	}
	if underRace || testing.Testing() && testing.Short() {
		e.rounds, e.plans = 1, 2
	}
	return e
}

// Builder makes a new strategy. The suite fills every field of the configuration.
type Builder func(cfg strategy.Config) (strategy.Strategy, error)

// check is one part of the contract.
type check struct {
	Name string
	Run  func(build Builder) error // the error says what differed
}

// checks lists the whole suite.
func checks(o Options) []check {
	o = o.withDefaults()
	all := []struct {
		name string
		run  func(*suite) error
	}{
		{"box", (*suite).box},
		{"design", (*suite).design},
		{"pending", (*suite).pending},
		{"minimises", (*suite).minimises},
		{"replay", (*suite).replay},
		{"interleavings", (*suite).interleavings},
		{"slices", (*suite).slices},
		{"domains", (*suite).domains},
		{"survives", (*suite).survives},
		{"refuses", (*suite).refuses},
		{"cancel", (*suite).cancel},
	}
	list := make([]check, 0, len(all))
	for _, c := range all {
		list = append(list, check{c.name, func(build Builder) error {
			if err := c.run(&suite{o, build}); err != nil {
				return fmt.Errorf("%s: %s: %w", o.Method, c.name, err)
			}
			return nil
		}})
	}
	return list
}

// Run makes every check a subtest. It changes GOMAXPROCS for moments, so the test
// must not be parallel.
func Run(t *testing.T, build func(t testing.TB, cfg strategy.Config) strategy.Strategy, o Options) {
	t.Helper()
	for _, c := range checks(o) {
		t.Run(c.Name, func(t *testing.T) {
			err := c.Run(func(cfg strategy.Config) (strategy.Strategy, error) { return build(t, cfg), nil })
			if err != nil {
				t.Error(err)
			}
		})
	}
}
