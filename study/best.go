package study

import (
	"context"
	"slices"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/internal/outcome"
	"github.com/mahabo/mahabo/internal/pareto"
)

// Best is the best point of a study.
type Best struct {
	Trial         // the first complete one at this point
	Mean  float64 `json:"mean"`  // of the values at this point, weighed by their precision
	Count int     `json:"count"` // of complete trials there

	// Where the space declares outcomes: their means, and by how much limits are violated. A
	// best point that violates some is the one that does so least: no trial keeps all.
	Means      map[string]float64 `json:"means,omitempty"`
	Violations map[string]float64 `json:"violations,omitempty"`
}

// Best returns the point with the best mean of its values, however imprecise they are; ok is false when no
// trial is complete. Only points that keep all limits count; without one it is the point that
// violates them least. Of several objectives it is the knee of the front.
func (s *Study) Best(ctx context.Context) (best Best, ok bool, err error) {
	if best, ok, err = s.best(ctx); ok && err == nil {
		err = s.filled(ctx, 1, func(int) *Trial { return &best.Trial })
	}
	return best, ok, err
}

// best is Best, perhaps without the parameters.
func (s *Study) best(ctx context.Context) (best Best, ok bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.follow(ctx); err != nil {
		return best, false, err
	}
	l := s.ledger
	if !l.scheme.Declared() {
		if !l.leader.Known {
			l.leader = leaderOf(l.bestSite())
		}
		p := l.leader.site()
		if p == nil {
			return best, false, nil
		}
		return s.summed(p), true, nil
	}
	sites := l.known()
	at := l.best(sites)
	if at < 0 {
		return best, false, nil
	}
	return s.summed(sites[at]), true, nil
}

// known are the sites that have values.
func (l *ledger) known() (sites []*site) {
	for _, p := range l.sites() {
		if p.count > 0 && !p.bounded {
			sites = append(sites, p)
		}
	}
	return sites
}

// best is the place of the best site, -1 when there is none.
func (l *ledger) best(sites []*site) int {
	values, limits := make([]float64, len(sites)), make([][]float64, len(sites))
	for i, p := range sites {
		values[i] = p.mean[0]
		_, limits[i] = l.split(p)
	}
	at, kept := pareto.Best(values, limits)
	if !kept || len(l.scheme.Objectives) < 2 {
		return at
	}
	places, front := l.front(sites)
	return places[pareto.Knee(front)]
}

// front are the places of the sites that keep all limits and that no other dominates, in the order
// of the first objective, and their objectives.
func (l *ledger) front(sites []*site) (places []int, front [][]float64) {
	var kept []int
	var points [][]float64
	for i, p := range sites {
		if y, limits := l.split(p); pareto.Kept(limits) {
			kept, points = append(kept, i), append(points, y)
		}
	}
	for _, i := range pareto.Front(points) {
		places, front = append(places, kept[i]), append(front, points[i])
	}
	return places, front
}

// split is the objectives and the limits of a site.
func (l *ledger) split(p *site) (objectives, limits []float64) {
	if !l.scheme.Declared() {
		return p.mean, nil
	}
	return l.scheme.Split(p.mean)
}

// summed is a site as users see it.
func (s *Study) summed(p *site) Best {
	l := s.ledger
	first := l.trials.at(p.first)
	b := Best{Trial: first.seen(s.time()), Mean: l.config.Goal.inner(p.mean[0]), Count: p.count}
	if l.scheme.Declared() {
		b.Means, b.Violations = l.scheme.Outer(p.mean), l.scheme.Violations(p.mean)
	}
	return b
}

// Front is what a study has found for several objectives, and how its limits are kept.
type Front struct {
	Objectives  []string           `json:"objectives"` // by name; "value" where the space declares none
	Points      []Best             `json:"points"`     // that no other dominates and that keep all limits, by the first objective
	Knee        int                `json:"knee"`       // number of the trial that gives most for least; 0 without points
	Reference   map[string]float64 `json:"reference"`  // worst values of interest, given or from the data
	Hypervolume float64            `json:"hypervolume"`
	Least       *Best              `json:"least,omitempty"` // without points: the one that violates the limits least
	Complete    int                `json:"complete"`        // trials
	Kept        map[string]int     `json:"kept"`            // how many of them keep the limits of an outcome

	// Numbers and Volumes are how the hypervolume grew, against the present reference: after the
	// trial of each number, of many trials an even choice.
	Numbers []int     `json:"numbers"`
	Volumes []float64 `json:"volumes"`
}

// mostVolumes are computed for the growth of a front, by the number of objectives.
func mostVolumes(objectives int) int {
	if objectives > 3 {
		return 60
	}
	return 200
}

// Front returns the points that no other dominates.
func (s *Study) Front(ctx context.Context) (Front, error) {
	f, err := s.front(ctx)
	if err != nil {
		return f, err
	}
	if f.Least != nil {
		return f, s.filled(ctx, 1, func(int) *Trial { return &f.Least.Trial })
	}
	return f, s.filled(ctx, len(f.Points), func(i int) *Trial { return &f.Points[i].Trial })
}

// front is Front, perhaps without the parameters.
func (s *Study) front(ctx context.Context) (Front, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.follow(ctx); err != nil {
		return Front{}, err
	}
	l := s.ledger
	f := Front{Objectives: []string{"value"}, Points: []Best{}, Reference: map[string]float64{}, Kept: map[string]int{}, Numbers: []int{}, Volumes: []float64{}}
	if l.scheme.Declared() {
		f.Objectives = nil
		for _, t := range l.scheme.Objectives {
			f.Objectives = append(f.Objectives, t.Name)
		}
	}
	sites := l.known()
	l.countKept(&f)
	places, front := l.front(sites)
	if len(places) == 0 {
		if at := l.best(sites); at >= 0 {
			least := s.summed(sites[at])
			f.Least = &least
		}
		return f, nil
	}
	for _, i := range places {
		f.Points = append(f.Points, s.summed(sites[i]))
	}
	f.Knee = f.Points[pareto.Knee(front)].Number
	l.grow(&f, sites)
	return f, nil
}

// countKept counts how many complete trials keep each limit.
func (l *ledger) countKept(f *Front) {
	for _, t := range l.scheme.Limits {
		f.Kept[t.Name] = 0
	}
	for t := range l.trials.all() {
		if t.State != evaluate.Complete || t.Excluded {
			continue
		}
		f.Complete++
		broken := l.scheme.Violations(l.inner(t.Trial))
		for name := range f.Kept {
			if _, is := broken[name]; !is {
				f.Kept[name]++
			}
		}
	}
}

func (l *ledger) inner(t Trial) []float64 {
	y, _ := l.numbers(t)
	return y
}

// grow follows the hypervolume over the trials.
func (l *ledger) grow(f *Front, sites []*site) {
	var points [][]float64
	for _, p := range sites {
		if y, limits := l.split(p); pareto.Kept(limits) {
			points = append(points, y)
		}
	}
	reference := pareto.Reference(points)
	if l.scheme.Declared() {
		reference = l.scheme.Reference(points)
		for k, t := range l.scheme.Objectives {
			f.Reference[t.Name] = t.Outer(reference[k])
		}
	} else {
		f.Reference["value"] = l.config.Goal.inner(reference[0])
	}
	f.Hypervolume = pareto.Hypervolume(points, reference)
	most := mostVolumes(len(reference))
	var front [][]float64
	seen, changed := 0, false
	for t := range l.trials.all() {
		if t.State != evaluate.Complete || t.Excluded {
			continue
		}
		seen++
		y := l.inner(t.Trial)
		objectives, limits := y[:len(reference)], y[len(reference):]
		if pareto.Kept(limits) && !slices.ContainsFunc(front, func(p []float64) bool { return pareto.Covers(p, objectives) }) {
			front = append(slices.DeleteFunc(front, func(p []float64) bool { return pareto.Covers(objectives, p) }), objectives)
			changed = true
		}
		if seen*most/f.Complete == (seen-1)*most/f.Complete && seen < f.Complete && seen > 1 {
			continue
		}
		v := 0.0
		if n := len(f.Volumes); n > 0 {
			v = f.Volumes[n-1]
		}
		if changed {
			v, changed = pareto.Hypervolume(front, reference), false
		}
		f.Numbers, f.Volumes = append(f.Numbers, t.Number), append(f.Volumes, v)
	}
}

// scheme is that of the declared outcomes.
func (s *Study) scheme() outcome.Scheme {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ledger.scheme
}
