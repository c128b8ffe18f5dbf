package strategy

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/mahabo/mahabo/internal/rng"
)

func turboMethod() Method {
	return Method{
		Name:      "turbo",
		Summary:   "local models in trust regions that grow and shrink, Thompson sampling: many parameters without a common structure",
		Reference: "Eriksson, Pearce, Gardner, Turner & Poloczek 2019 (arXiv:1910.01739)",
		Batch:     true,
		Options: []Option{
			{"m", "5", "number of trust regions, 1 to 1000, each with an initial design of its own"},
		},
		build: newTurbo,
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
// asked together, and both move the regions. So a proposed point carries its name,
// region and round, in the digits of its first coordinate below 1e-7 (turbolabel.go);
// points of the regions' designs are known by themselves; all others, the user's
// own, join the region with the nearest centre.
//
// Pending points need no imagined values: samples of the posterior differ by
// themselves.
type turbo struct {
	cfg Config
	history
	regions []trustRegion
	open    int            // round of the last observation, -1 when no region proposed it
	sets    []candidateSet // memory of the last Ask
	room    []float64      // the same
	report  AskReport
}

var (
	_ Strategy = (*turbo)(nil)
	_ Reporter = (*turbo)(nil)
)

func newTurbo(cfg Config, s settings) (Strategy, error) {
	m, err := s.count("m", 5, 1000)
	if err != nil {
		return nil, err
	}
	t := &turbo{cfg: cfg, history: history{dim: cfg.Dim}, regions: make([]trustRegion, m), sets: make([]candidateSet, m), open: -1}
	for i := range t.regions {
		t.regions[i] = newTrustRegion(cfg, i, m)
	}
	return t, nil
}

func (t *turbo) Tell(obs ...Observation) error {
	from := len(t.x)
	if err := t.tell(obs); err != nil {
		return err
	}
	for i := from; i < len(t.x); i++ {
		t.place(i)
	}
	return nil
}

// place gives observation i to its region. A round is over when an observation of
// another one, or of none, comes.
func (t *turbo) place(i int) {
	x, y := t.x[i], t.y[i]
	name, proposed := readLabel(x, t.cfg.Seed, len(t.regions), i)
	if !proposed {
		name.round = -1
	}
	if name.round != t.open {
		settle(t.regions, i)
		t.open = name.round
	}
	if proposed && t.regions[name.region].couldPropose(name.round) {
		t.regions[name.region].tellProposed(x, y)
		return
	}
	for r := range t.regions {
		if k := t.regions[r].inDesign(x); k >= 0 {
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
func (t *turbo) LastAsk() AskReport { return t.report }

func (t *turbo) Ask(ctx context.Context, n int, pending []Point) ([]Point, error) {
	if err := t.checkAsk(n, pending); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	t.report = AskReport{}
	told := len(t.x)
	regions := slices.Clone(t.regions) // the open round may get more points: end it for this Ask only
	settle(regions, told)
	points := designPoints(regions, n, pending)
	if len(points) == n {
		return points, nil
	}
	proposed, err := t.propose(ctx, regions, n-len(points), len(pending))
	if err != nil && ctx.Err() != nil {
		return nil, ctx.Err()
	}
	t.report.Fallback = err
	t.keepFits(regions)
	return t.complete(append(points, proposed...), n, pending), nil
}

// complete makes n points of those given: uniform ones take the place of repetitions
// and of what is missing.
func (t *turbo) complete(points []Point, n int, pending []Point) []Point {
	taken := slices.Clone(pending)
	for i := range n {
		if i < len(points) && !slices.ContainsFunc(taken, func(p Point) bool { return coincide(p, points[i]) }) {
			taken = append(taken, points[i])
			continue
		}
		x := make(Point, t.dim)
		rng.NewFiller(rng.New(t.cfg.Seed, uint64(len(t.x)+len(pending)+i), rng.Purpose("turbo uniform"))).Uniform(x)
		taken = append(taken, x)
	}
	return taken[len(pending):]
}

// designPoints returns up to n points of the regions' designs that are neither told
// nor pending.
func designPoints(regions []trustRegion, n int, pending []Point) []Point {
	var points []Point
	for r := range regions {
		for _, x := range regions[r].designLeft(pending) {
			if len(points) < n {
				points = append(points, slices.Clone(x))
			}
		}
	}
	return points
}

// propose takes the lowest candidate of each of n posterior samples. There are no
// points while all regions wait for their first values, and an error when none can be
// modelled.
func (t *turbo) propose(ctx context.Context, regions []trustRegion, n, pending int) ([]Point, error) {
	told := len(t.x)
	stream := func(purpose string, region int) *rand.Rand {
		return rng.New(t.cfg.Seed, uint64(told), uint64(pending), uint64(region), rng.Purpose(purpose))
	}
	active, err := modelled(ctx, regions)
	if len(active) == 0 {
		return nil, err
	}
	sets := t.sets[:len(active)]
	if err := drawCandidates(t.cfg.Threads, sets, active, t.dim, stream); err != nil {
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
	points := make([]Point, n)
	for slot := range points {
		a, i := takeLowest(values, slot)
		if i < 0 {
			return points[:slot], nil // all candidates are taken
		}
		points[slot] = active[a].point(&sets[a], i)
		writeLabel(points[slot], t.cfg.Seed, len(regions), label{told, active[a].index})
	}
	return points, nil
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
	return lowest(values, len(values))
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
