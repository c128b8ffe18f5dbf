package strategy

import (
	"context"
	"strings"
)

func adaptiveMethod() Method {
	return Method{
		Name:      "adaptive",
		Summary:   "mahabo's own: one smooth model of all parameters, outputs on the scale the data ask for, steps of the size that pays",
		Reference: "docs/METHOD.md",
		Batch:     true,
		Options: []Option{
			{Key: "without", Default: string(nothing), Meaning: "a part left out, to see what it brings: " + strings.Join(parts[1:], ", ")},
		},
		build: newAdaptive,
	}
}

// adaptive is the method of docs/METHOD.md: descents (adaptiverun.go) with a Gaussian process
// that treats all directions alike, fitted to outputs whose scale is chosen by evidence
// (adaptivescale.go), and queries inside a box around a good point, whose size and kind are
// chosen by what has paid so far (adaptivearms.go). Where a descent stands still another one
// begins at new random points; after it the best one goes on.
//
// Every part is a function of the observations: to which descent one belongs, when a
// descent ends, fits, and the record of the arms.
type adaptive struct {
	cfg Config
	history
	without part
	runs    []*run
	now     *run // the one that goes on
	report  AskReport
}

var (
	_ Strategy = (*adaptive)(nil)
	_ Reporter = (*adaptive)(nil)
)

// part is a part of the method that can be left out.
type part string

const (
	nothing      part = "nothing"
	logarithm    part = "log"    // of the outputs
	rewards      part = "bandit" // kinds of query are drawn evenly
	boxes        part = "boxes"  // every query has the whole box
	fewQueries   part = "few"
	improvements part = "ei"
	furtherRuns  part = "runs"
)

var parts = []string{
	string(nothing), string(logarithm), string(rewards), string(boxes), string(fewQueries), string(improvements), string(furtherRuns),
}

func newAdaptive(cfg Config, s settings) (Strategy, error) {
	without, err := s.choice("without", parts...)
	if err != nil {
		return nil, err
	}
	a := &adaptive{cfg: cfg, history: history{dim: cfg.Dim}, without: part(without)}
	a.begin()
	return a, nil
}

// territory is the half-width of the box around the best point of another run whose points
// belong to that run: those still out when it stopped, and those of a run that comes to the
// same place.
const territory = 0.6

func (a *adaptive) Tell(obs ...Observation) error {
	if err := a.tell(obs); err != nil {
		return err
	}
	for i, o := range obs {
		o.X = a.x[len(a.x)-len(obs)+i] // our copy
		a.owner(o.X).learn(o)
		a.now.count()
		if a.now.ended() {
			a.turn()
		}
	}
	return nil
}

// owner returns the run that a point belongs to.
func (a *adaptive) owner(x Point) *run {
	for _, r := range a.runs {
		if r != a.now && r.covers(x) {
			return r
		}
	}
	return a.now
}

// turn follows the end of a run: the best run goes on, or, when it is the one that has just
// ended, a new one begins. With more points than parameters the model of the best run knows
// the surroundings, and it is left only for a better one.
func (a *adaptive) turn() {
	best := a.now
	for _, r := range a.runs {
		if r.lowest() < best.lowest() {
			best = r
		}
	}
	if best == a.now {
		if len(best.x) < a.cfg.Dim && a.without != furtherRuns {
			a.begin()
		}
		return
	}
	best.trail = nil
	a.now = best
}

// begin starts a run.
func (a *adaptive) begin() {
	a.now = newRun(a.cfg, a.without)
	a.runs = append(a.runs, a.now)
}

func (a *adaptive) Ask(ctx context.Context, n int, pending []Point) ([]Point, error) {
	return a.askModel(ctx, a.cfg, &a.report, n, pending, a.propose)
}

// LastAsk says how the last Ask went.
func (a *adaptive) LastAsk() AskReport { return a.report }

// propose lets the run that goes on choose, after random points to begin with.
func (a *adaptive) propose(ctx context.Context, n int, pending []Point) ([]Point, error) {
	if len(a.now.x) == 0 || len(a.now.x)+len(pending) < a.cfg.Init {
		return uniformAfterDesign(a.cfg, len(a.x)+len(pending), n), nil
	}
	return a.now.propose(ctx, &a.report, n, pending, len(a.x))
}
