package several

import (
	"context"
	"math"
	"slices"

	"github.com/mahabo/mahabo/internal/acquire"
	"github.com/mahabo/mahabo/internal/gp"
	"github.com/mahabo/mahabo/internal/method"
	"github.com/mahabo/mahabo/internal/pareto"
	"github.com/mahabo/mahabo/internal/rng"
	"github.com/mahabo/mahabo/strategy"
)

// Most is the number of objectives that the method takes.
const Most = 4

// New makes the method for a task with several outcomes.
func New(cfg strategy.Config) strategy.Strategy {
	s := &several{
		History: method.NewHistory(cfg), objectives: max(cfg.Objectives, 1), region: acquire.NewRegion(cfg.Domain),
		grid: acquire.NewGrid(cfg.Domain), points: gp.NewPoints(cfg.Domain.Dim()),
	}
	for i, p := range cfg.Domain.Params {
		s.of = append(s.of, slices.Repeat([]int{i}, p.Width)...)
	}
	return s
}

// several is the method. What it keeps between calls follows from the observations.
type several struct {
	method.History
	objectives int
	region     *acquire.Region
	grid       *acquire.Grid // nil without labels and levels
	points     *gp.Points
	of         []int // parameter of each coordinate
	fits       fits
	tags       []string // of the observations
	kinds      []string // of the last Ask's points
	last       *model   // of the last Ask
	report     strategy.AskReport
}

var (
	_ strategy.Strategy  = (*several)(nil)
	_ strategy.Reporter  = (*several)(nil)
	_ strategy.Predictor = (*several)(nil)
)

func (s *several) Tell(obs ...strategy.Observation) error {
	if err := s.Add(obs); err != nil {
		return err
	}
	for _, o := range obs {
		if s.points.Len() == mostPairs {
			s.points.Forget()
		}
		s.points.Append(o.X)
		s.tags = append(s.tags, o.Tag)
	}
	return nil
}

func (s *several) Ask(ctx context.Context, n int, pending []strategy.Suggestion) ([]strategy.Suggestion, error) {
	s.last, s.kinds = nil, nil
	asked, err := s.AskModel(ctx, &s.report, n, pending, s.propose)
	if err == nil && s.last != nil {
		for i, kind := range s.kinds {
			asked[i].Tag = kind
		}
	}
	return asked, err
}

// The kinds of queries, which come back with the observations: the kind that brings more progress
// gets more of the queries.
const (
	descentTag = "descent"
	sparseTag  = "sparse"
)

var kinds = []string{descentTag, sparseTag}

// LastAsk says how the last Ask went.
func (s *several) LastAsk() strategy.AskReport { return s.report }

// Predict returns what the model of the last Ask expects of the first objective.
func (s *several) Predict(x strategy.Point) (mean, std float64, ok bool) {
	means, stds, ok := s.PredictOutcomes(x)
	if !ok {
		return 0, 0, false
	}
	return means[0], stds[0], true
}

// PredictOutcomes returns what the model of the last Ask expects of every outcome, noise included.
func (s *several) PredictOutcomes(x strategy.Point) (means, stds []float64, ok bool) {
	if s.last == nil || strategy.CheckPoint(x, s.Dim) != nil {
		return nil, nil, false
	}
	means, stds = s.last.predict(x)
	for k := range means {
		if v := means[k] + stds[k]; math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, nil, false
		}
	}
	return means, stds, true
}

// propose chooses n points, one after another, each with those before it and the pending ones
// believed at what is expected of them.
func (s *several) propose(ctx context.Context, n int, pending []strategy.Point) ([]strategy.Point, error) {
	state := s.state()
	m, err := s.fit(ctx, state, n+len(pending))
	if err != nil {
		return nil, err
	}
	if s.noisy() {
		s.judge(&state, m)
	}
	m.believe(pending...)
	r := rng.New(s.Config.Seed, uint64(len(s.X)), uint64(len(pending)), rng.Purpose("several"))
	q := &queries{several: s, state: state, model: m, r: r}
	var points []strategy.Point
	if s.objectives > 1 {
		points, err = q.front(ctx, n)
	} else {
		points, err = q.best(ctx, n)
	}
	if err != nil {
		return nil, err
	}
	s.last = m
	s.report.Jitter = m.jitter()
	return points, nil
}

// judge chooses the observations that keep all limits, and the best, by what the model makes of them.
func (s *several) judge(st *state, m *model) {
	st.kept = nil
	least, lowest := math.Inf(1), math.Inf(1)
	for a, i := range m.kept {
		limits := make([]float64, s.Config.Limits)
		for k := range limits {
			limits[k] = m.warps[s.objectives+k].Invert(m.w[s.objectives+k][a])
		}
		violation := 0.0
		if pareto.Kept(limits) {
			st.kept = append(st.kept, i)
		} else {
			violation = pareto.Violation(limits, st.scales)
		}
		if y := m.w[0][a]; violation < least || violation == least && y < lowest {
			least, lowest, st.centre = violation, y, i
		}
	}
}

// state is what the observations have reached.
type state struct {
	scales []float64 // of violations
	centre int       // the best that keeps all limits, or the least violation
	kept   []int     // observations that keep all limits
	reach  float64   // half-width of the box around the centre

	shares []float64 // of the queries, by kind
}

// The least share of a kind of queries, and what an older observation counts beside the one after it.
const (
	leastShare = 0.15
	fading     = 0.97
)

// The box around the best point: it grows with success and shrinks without.
const (
	firstReach  = 0.8
	widestReach = 2.0
	leastReach  = 1.0 / 512
	successes   = 3
)

// patience is how many observations without progress halve the box.
func (s *several) patience() int { return 8 + s.Dim/8 }

// state follows the observations in their order.
func (s *several) state() (st state) {
	st.reach = firstReach
	limits := make([][]float64, len(s.X))
	for i := range limits {
		limits[i] = s.Limits(i)
	}
	st.scales = pareto.Scales(limits[:min(len(limits), s.Config.Init)])
	merit := func(i int) (violation, value float64) {
		if pareto.Kept(limits[i]) {
			return 0, s.Y[i]
		}
		return pareto.Violation(limits[i], st.scales), s.Y[i]
	}
	good, bad := 0, 0
	var front [][]float64
	tried, gained := map[string]float64{}, map[string]float64{}
	for i := range s.X {
		v, y := merit(i)
		better := i == 0
		if i > 0 {
			cv, cy := merit(st.centre)
			better = v < cv || v == cv && y < cy
		}
		if better {
			st.centre = i
		}
		if v == 0 {
			st.kept = append(st.kept, i)
			if s.objectives > 1 {
				f := s.Outcomes[i][:s.objectives]
				if better = !slices.ContainsFunc(front, func(p []float64) bool { return pareto.Covers(p, f) }); better {
					front = append(slices.DeleteFunc(front, func(p []float64) bool { return pareto.Covers(f, p) }), f)
				}
			}
		}
		if i < s.Config.Init {
			continue
		}
		for _, kind := range kinds {
			tried[kind], gained[kind] = fading*tried[kind], fading*gained[kind]
		}
		tried[s.tags[i]]++
		if better {
			gained[s.tags[i]]++
			good, bad = good+1, 0
		} else {
			good, bad = 0, bad+1
		}
		switch {
		case good == successes:
			st.reach, good = min(2*st.reach, widestReach), 0
		case bad == s.patience():
			if st.reach, bad = st.reach/2, 0; st.reach < leastReach {
				st.reach = firstReach
			}
		}
	}
	total := 0.0
	for _, kind := range kinds {
		st.shares = append(st.shares, (gained[kind]+0.5)/(tried[kind]+2))
		total += st.shares[len(st.shares)-1]
	}
	for i, share := range st.shares {
		st.shares[i] = leastShare + (1-leastShare*float64(len(kinds)))*share/total
	}
	return st
}
