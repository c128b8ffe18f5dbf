package turbo

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/mahabo/mahabo/internal/method"
	"github.com/mahabo/mahabo/internal/rng"
	"github.com/mahabo/mahabo/strategy"
)

// Method describes turbo.
func Method() strategy.Method {
	return strategy.Method{
		Name:      "turbo",
		Summary:   "local models in trust regions that grow and shrink, Thompson sampling: many parameters without a common structure",
		Reference: "Eriksson, Pearce, Gardner, Turner & Poloczek 2019 (arXiv:1910.01739)",
		Batch:     true,
		Options: []strategy.Option{
			{Key: "m", Default: "5", Meaning: "number of trust regions, 1 to 1000, each with an initial design of its own"},
		},
		New: newTurbo,
	}
}

// Settings of the paper.
const (
	turboPerDim        = 100  // candidates per parameter and region,
	turboMaxCandidates = 5000 // at most
	turboPerturbed     = 20   // coordinates of a candidate that leave the centre, on average
)

// turbo is TuRBO: m trust regions, each a box around its best point with a
// Gaussian process of its own data. A round draws one sample of the posterior per
// slot of the batch and region at the region's candidates; the lowest value over
// all regions takes the slot.
//
// Values alone do not say which region asked for a point, nor which points were
// asked together, and both move the regions: the tag of a suggestion says it (tag.go).
// Points without one, the user's own, join the region with the nearest centre.
//
// Pending points need no imagined values: samples of the posterior differ by
// themselves.
type turbo struct {
	cfg strategy.Config
	method.History
	regions []trustRegion
	open    int            // round of the last observation, -1 when no region proposed it
	sets    []candidateSet // memory of the last Ask
	room    []float64      // the same
	report  strategy.AskReport
}

var (
	_ strategy.Strategy = (*turbo)(nil)
	_ strategy.Reporter = (*turbo)(nil)
)

func newTurbo(cfg strategy.Config, s strategy.Settings) (strategy.Strategy, error) {
	m, err := method.Count(s, "m", 5, 1000)
	if err != nil {
		return nil, err
	}
	t := &turbo{cfg: cfg, History: method.NewHistory(cfg), regions: make([]trustRegion, m), sets: make([]candidateSet, m), open: -1}
	for i := range t.regions {
		t.regions[i] = newTrustRegion(cfg, i, m)
	}
	return t, nil
}

func (t *turbo) Tell(obs ...strategy.Observation) error {
	from := len(t.X)
	if err := t.Add(obs); err != nil {
		return err
	}
	for i, o := range obs {
		t.place(from+i, o.Tag)
	}
	return nil
}

// place gives observation i to its region. A round is over when an observation of
// another one, or of none, comes.
func (t *turbo) place(i int, text string) {
	x, y := t.X[i], t.Y[i]
	tag := t.read(text, x, i)
	if tag.round != t.open {
		settle(t.regions, i)
		t.open = tag.round
	}
	if tag.round >= 0 && t.regions[tag.region].couldPropose(tag.round) {
		t.regions[tag.region].tellProposed(x, y)
		return
	}
	for r := range t.regions {
		if k := t.regions[r].designed(text, x); k >= 0 {
			t.regions[r].tellDesigned(k, x, y)
			return
		}
	}
	t.regions[nearestRegion(t.regions, x)].add(x, y)
}

// settle ends the open round of all regions after the given number of observations.
func settle(regions []trustRegion, told int) {
	for r := range regions {
		regions[r].settle(told)
	}
}

// LastAsk says how the last Ask went.
func (t *turbo) LastAsk() strategy.AskReport { return t.report }

func (t *turbo) Ask(ctx context.Context, n int, pending []strategy.Suggestion) ([]strategy.Suggestion, error) {
	if err := t.CheckAsk(n, pending); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	t.report = strategy.AskReport{}
	told := len(t.X)
	regions := slices.Clone(t.regions) // the open round may get more points: end it for this Ask only
	settle(regions, told)
	chosen := designPoints(regions, n, pending)
	if len(chosen) == n {
		return chosen, nil
	}
	proposed, err := t.propose(ctx, regions, n-len(chosen), len(pending))
	if err != nil && ctx.Err() != nil {
		return nil, ctx.Err()
	}
	t.report.Fallback = err
	t.keepFits(regions)
	return t.complete(append(chosen, proposed...), n, pending), nil
}

// complete makes n suggestions of those given: uniform points take the place of repetitions
// and of what is missing.
func (t *turbo) complete(chosen []strategy.Suggestion, n int, pending []strategy.Suggestion) []strategy.Suggestion {
	taken := slices.Clone(pending)
	for i := range n {
		if i < len(chosen) && !slices.ContainsFunc(taken, func(p strategy.Suggestion) bool { return method.Coincide(p.X, chosen[i].X) }) {
			taken = append(taken, chosen[i])
			continue
		}
		x := make(strategy.Point, t.Dim)
		rng.NewFiller(rng.New(t.cfg.Seed, uint64(len(t.X)+len(pending)+i), rng.Purpose("turbo uniform"))).Uniform(x)
		taken = append(taken, strategy.Suggestion{X: x})
	}
	return taken[len(pending):]
}

// designPoints returns up to n points of the regions' designs that are neither told
// nor pending.
func designPoints(regions []trustRegion, n int, pending []strategy.Suggestion) []strategy.Suggestion {
	var chosen []strategy.Suggestion
	for r := range regions {
		for _, k := range regions[r].designLeft(pending) {
			if len(chosen) < n {
				chosen = append(chosen, strategy.Suggestion{X: slices.Clone(regions[r].design[k]), Tag: regions[r].designTag(k)})
			}
		}
	}
	return chosen
}

// propose takes the lowest candidate of each of n posterior samples. There are no
// points while all regions wait for their first values, and an error when none can be
// modelled.
func (t *turbo) propose(ctx context.Context, regions []trustRegion, n, pending int) ([]strategy.Suggestion, error) {
	told := len(t.X)
	stream := func(purpose string, region int) *rand.Rand {
		return rng.New(t.cfg.Seed, uint64(told), uint64(pending), uint64(region), rng.Purpose(purpose))
	}
	active, err := modelled(ctx, regions)
	if len(active) == 0 {
		return nil, err
	}
	sets := t.sets[:len(active)]
	if err := drawCandidates(t.cfg.Threads, sets, active, t.Dim, stream); err != nil {
		return nil, err
	}
	values := make([][][]float64, len(active))
	best := make(standings, n)
	for _, a := range byBest(active) { // a good limit first
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		region := active[a]
		var jitter float64
		values[a], jitter, err = region.sample(&sets[a], stream("turbo sample", region.index), best, &t.room)
		t.report.Jitter = max(t.report.Jitter, region.fitted.jitter, jitter)
		if err != nil {
			return nil, err
		}
	}
	chosen := make([]strategy.Suggestion, n)
	for slot := range chosen {
		a, i := takeLowest(values, slot)
		if i < 0 {
			return chosen[:slot], nil // all candidates are taken
		}
		chosen[slot] = strategy.Suggestion{X: active[a].point(&sets[a], i), Tag: proposedTag(told, active[a].index)}
	}
	return chosen, nil
}

// modelled fits the regions that have data and returns those that could be fitted,
// with the last failure.
func modelled(ctx context.Context, regions []trustRegion) (active []*trustRegion, err error) {
	for r := range regions {
		if len(regions[r].y) == 0 {
			continue
		}
		if failed := regions[r].learn(ctx); failed != nil {
			err = failed
			continue
		}
		active = append(active, &regions[r])
	}
	return active, err
}

// byBest orders the regions by their lowest values.
func byBest(regions []*trustRegion) []int {
	values := make([]float64, len(regions))
	for a, r := range regions {
		values[a] = r.y[r.best]
	}
	return method.Lowest(values, len(values))
}

// takeLowest finds the lowest value of a slot over regions and candidates, and
// takes that candidate out of the later slots. It returns -1 when none is left.
func takeLowest(values [][][]float64, slot int) (region, candidate int) {
	lowest := math.Inf(1)
	candidate = -1
	for a := range values {
		for i, v := range values[a][slot] {
			if v < lowest {
				lowest, region, candidate = v, a, i
			}
		}
	}
	if candidate >= 0 {
		for later := slot; later < len(values[region]); later++ {
			values[region][later][candidate] = math.Inf(1)
		}
	}
	return region, candidate
}

// keepFits stores the fits of regions that did not restart for this Ask.
func (t *turbo) keepFits(regions []trustRegion) {
	for r := range t.regions {
		if t.regions[r].life == regions[r].life {
			t.regions[r].fitted = regions[r].fitted
		}
	}
}
