package strategy

import (
	"context"
	"strings"
)

func adaptiveMethod() Method {
	return Method{
		Name:      "adaptive",
		Summary:   "mahabo's own: one smooth model of all parameters, outputs on the scale the data ask for, a look at other valleys",
		Reference: "docs/METHOD.md",
		Batch:     true,
		Options: []Option{
			{Key: "descents", Default: "", Meaning: "short ones to begin with where the function is rough (default: 3 when 400 evaluations or more are meant, and as many parameters, else 1)"},
			{Key: "without", Default: string(nothing), Meaning: "a part left out, to see what it brings: " + strings.Join(parts[1:], ", ")},
		},
		build: newAdaptive,
	}
}

// adaptive is the method of docs/METHOD.md: descents (adaptiverun.go) with a Gaussian process
// that treats all directions alike, fitted to outputs whose scale is chosen by evidence
// (adaptivescale.go), and queries that keep a random part (adaptivesearch.go).
//
// With fewer evaluations than parameters a descent sees little of the rest of the box. How
// rough the function was on the way of the first one says where else to look. A rough one has
// valleys of its own everywhere, and the first steps decide which one a descent ends in:
// more short descents follow, each from random points of its own and blind to the others,
// and the search goes on from where they ended (adaptivefronts.go), with what all have
// seen. A smooth one is followed as long as it pays, then seen from its other side
// (adaptiveascent.go).
//
// Every part is a function of the observations: to which descent one belongs, fits, fronts
// and the ascent.
type adaptive struct {
	cfg      Config
	descents int // at most
	history
	whole  *run // all observations
	first  *run // the descent that is blind to the others, nil when they are over
	ascent ascent
	report AskReport
}

var (
	_ Strategy = (*adaptive)(nil)
	_ Reporter = (*adaptive)(nil)
)

const (
	firstDescents = 3
	descentLength = 50  // observations of a first descent after its design
	worthDescents = 400 // observations meant from which on several are worth their delay
)

// part is a part of the method that can be left out.
type part string

const (
	nothing      part = "nothing"
	logarithm    part = "log"    // of the outputs
	improvements part = "ei"     // expected ones
	local        part = "local"  // models
	matern       part = "matern" // profile
	otherSide    part = "ascent"
)

var parts = []string{string(nothing), string(logarithm), string(improvements), string(local), string(matern), string(otherSide)}

func newAdaptive(cfg Config, s settings) (Strategy, error) {
	far := cfg.Budget >= worthDescents && cfg.Dim >= cfg.Budget
	usual := 1
	if far {
		usual = firstDescents
	}
	descents, err := s.count("descents", usual, 1000)
	if err != nil {
		return nil, err
	}
	without, err := s.choice("without", parts...)
	if err != nil {
		return nil, err
	}
	// With more points than parameters one descent knows the surroundings.
	if cfg.Dim < cfg.Init+descentLength {
		descents = 1
	}
	a := &adaptive{
		cfg: cfg, descents: descents, history: history{dim: cfg.Dim}, whole: newRun(cfg, part(without)),
		ascent: ascent{done: !far || part(without) == otherSide},
	}
	if descents > 1 {
		a.first = newRun(cfg, part(without))
	}
	return a, nil
}

func (a *adaptive) Tell(obs ...Observation) error {
	if err := a.tell(obs); err != nil {
		return err
	}
	for i, o := range obs {
		told := len(a.x) - len(obs) + i + 1
		o.X = a.x[told-1] // our copy
		a.whole.add(o)
		switch {
		case a.ascent.run != nil:
			a.climb(o)
		case a.first != nil:
			a.tellFirst(o, told)
		default:
			a.whole.fronts.learn(o)
			a.ascend()
		}
	}
	return nil
}

// tellFirst takes observation number told, made during the first descents.
func (a *adaptive) tellFirst(o Observation, told int) {
	if !a.whole.fronts.cover(o.X) {
		a.first.add(o)
	}
	if length := a.cfg.Init + descentLength; told%length == 0 {
		a.end(told / length)
	}
}

// end follows the last observation of first descent number k. Others follow the first one
// when the function is rough; then there is no ascent.
func (a *adaptive) end(k int) {
	r := a.first
	if len(r.x) > 0 {
		a.whole.fronts.add(r.x[r.best], r.y[r.best])
	}
	a.first = nil
	if k < a.descents && (k > 1 || r.rough()) {
		a.first, a.ascent.done = newRun(a.cfg, a.whole.without), true
	}
}

func (a *adaptive) Ask(ctx context.Context, n int, pending []Point) ([]Point, error) {
	return a.askModel(ctx, a.cfg, &a.report, n, pending, a.propose)
}

// LastAsk says how the last Ask went.
func (a *adaptive) LastAsk() AskReport { return a.report }

// current is the descent that is under way.
func (a *adaptive) current() *run {
	if a.first != nil {
		return a.first
	}
	return a.whole
}

// propose lets what is under way choose, a descent after random points to begin with.
func (a *adaptive) propose(ctx context.Context, n int, pending []Point) ([]Point, error) {
	if a.ascent.run != nil {
		a.report.Note = a.ascent.note()
		return a.ascent.run.propose(ctx, &a.report, n, pending, len(a.x))
	}
	r := a.current()
	if len(r.x) == 0 || len(r.x)+len(pending) < a.cfg.Init {
		return uniformAfterDesign(a.cfg, len(a.x)+len(pending), n), nil
	}
	return r.propose(ctx, &a.report, n, pending, len(a.x))
}
