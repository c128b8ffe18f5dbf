package adaptive

import (
	"context"
	"math"
	"math/bits"
	"slices"

	"github.com/mahabo/mahabo/internal/gp"
	"github.com/mahabo/mahabo/internal/linalg"
	"github.com/mahabo/mahabo/internal/method"
)

// crowd is a model of more observations than an exact one can hold: a sparse process of the first
// count of them, and exactly those that came later. Counts are such that all of it is a function of
// the observations, whenever points are asked for.
type crowd struct {
	hyper  gp.Hyper
	scaled // of the first count values; w and noise of all
	sparse *gp.Sparse
	count  int
	chosen []int // numbers of the observations that the process has the points of
}

const (
	mostCrowd = 512    // observations after which a sparse process is made anew, at most
	mostPairs = 5e10   // observations times the square of the chosen points: what one costs
	mostPoint = 2496   // chosen points, at most
	fewPoint  = 480    // and at least
	weightCut = 3. / 5 // of them for models with weights, of which there may be several
)

// crowdCount is the number of observations that a sparse process is made of when there are n.
func crowdCount(n int) int { return n &^ (min(1<<max(bits.Len(uint(n))-5, 0), mostCrowd) - 1) }

// crowdPoints is the number of points that it has.
func crowdPoints(count int, cut float64) int {
	most := min(math.Sqrt(mostPairs/float64(count)), mostPoint)
	m := min(max(int(cut*most), fewPoint), count)
	return m / gp.SparseMultiple * gp.SparseMultiple
}

// chosen returns the numbers of m of the values, in order: a third is the lowest, a third the latest,
// and the rest is spread evenly over the others.
func chosen(y []float64, m int) []int {
	kept := relevant(y, m-m/3)
	is := make([]bool, len(y))
	for _, i := range kept {
		is[i] = true
	}
	others := make([]int, 0, len(y)-len(kept))
	for i := range y {
		if !is[i] {
			others = append(others, i)
		}
	}
	for k := range m / 3 {
		kept = append(kept, others[k*len(others)/(m/3)])
	}
	slices.Sort(kept)
	return kept
}

// many says that there are more observations than an exact model holds.
func (a *run) many() bool { return len(a.y) > a.MostModel }

// gather brings a model up to date with all observations; old is nil or the model before.
func (a *run) gather(ctx context.Context, old *crowd, hyper gp.Hyper, log bool, cut float64) (*crowd, error) {
	n := len(a.y)
	c, count := old, crowdCount(n)
	if c == nil || c.count != count || c.Log != log || !c.hyper.Alike(hyper) || c.noise != nil && c.hyper.Scale != hyper.Scale {
		s := a.newScaled(log, a.y[:count], a.std[:count], a.designMedian(count))
		numbers := chosen(a.y[:count], crowdPoints(count, cut))
		sparse, err := gp.NewSparse(ctx, a.Config.Threads, hyper, gp.Data{Points: a.points, Y: s.w, Given: s.noise}, numbers)
		if err != nil {
			return nil, err
		}
		c = &crowd{hyper: hyper, scaled: s, sparse: sparse, count: count, chosen: numbers}
	}
	for i := c.sparse.Len(); i < n; i++ {
		w, noise := c.See(a.y[i]), 0.0
		if a.std[i] > 0 {
			noise = min(c.Noise(w, a.std[i]), surelyNoise)
		}
		c.w = append(c.w, w)
		if c.noise != nil {
			c.noise = append(c.noise, noise*noise)
		}
		c.sparse.Add(a.points.At(i), w, noise*noise)
	}
	return c, nil
}

// posterior returns what the model says; the points and values are those of all observations.
func (c *crowd) posterior(a *run, spare int) (posterior, error) {
	model, err := c.sparse.Posterior(spare)
	return posterior{Data: gp.Data{Points: a.points, Y: a.y}, scaled: c.scaled, std: a.std, model: model, crowd: c}, err
}

// lowest returns points at which the model is likely lowest, and what it expects there: those of the
// lowest values and of the latest.
func (c *crowd) lowest(p posterior) (points [][]float64, expected []float64) {
	numbers := method.Lowest(c.w[:c.count], lowestLooked)
	slices.Sort(numbers)
	x := linalg.New(len(numbers), p.Points.Dim())
	for r, i := range numbers {
		copy(x.Row(r), p.Points.At(i))
		points = append(points, p.Points.At(i))
	}
	expected = make([]float64, len(numbers))
	p.model.PredictRows(expected, make([]float64, len(numbers)), x)
	for i, v := range p.model.Fitted()[len(c.chosen):] {
		points, expected = append(points, p.Points.At(c.count+i)), append(expected, v)
	}
	return points, expected
}

// lowestLooked is the number of lowest values whose points are compared by what is expected there.
const lowestLooked = 96

// logDensity returns that of value i, not scaled, given the others. With the share a of the variance
// of what is expected there that the others leave, and λ of the value's own, its removal makes
//
//	1/a' = 1/a - 1/λ,  mean' = a' (mean/a - w/λ).
func (c *crowd) logDensity(p posterior, i int) float64 {
	w := c.w[i]
	mean, variance := p.model.Predict(p.Points.At(i))
	tau := 0.0
	if i < c.count {
		tau = p.model.OutputScale() * c.sparse.Tau[i]
	}
	own := tau + p.model.NoiseVariance() + smallestNoise*p.model.OutputScale()
	if c.noise != nil {
		own += c.noise[i]
	}
	a := min(max(variance-tau, smallestNoise*own), (1-smallestNoise)*own)
	rest := a * own / (own - a)
	mean, variance = rest*(mean/a-w/own), rest+own
	return math.Log(c.Noise(w, 1)) - 0.5*math.Log(variance) - 0.5*(w-mean)*(w-mean)/variance
}

const smallestNoise = 1e-9

// rebase begins the models with weights anew when there are many observations, and with every doubling of
// them: a process that starts then has not to go through all that was before.
func (v *relevance) rebase() {
	n := len(v.run.y)
	if !v.run.many() {
		return
	}
	if base := 1 << max(bits.Len(uint(n))-2, 0); base != v.base {
		v.base, v.n, v.models, v.growers = base, 0, nil, growers{}
	}
}

// growers keep the factors of models with weights between calls of Ask.
type growers struct{ slots []growerSlot }

type growerSlot struct {
	model  int // its number
	inUse  bool
	grower *gp.Grower
}

// of returns the one of model k, with the memory of another one that is not in use where it has none.
func (g *growers) of(k, threads int) *gp.Grower {
	free := -1
	for i := range g.slots {
		if s := &g.slots[i]; s.model == k {
			s.inUse = true
			return s.grower
		} else if !s.inUse {
			free = i
		}
	}
	if free < 0 {
		free = len(g.slots)
		g.slots = append(g.slots, growerSlot{grower: &gp.Grower{Threads: threads}})
	}
	g.slots[free].model, g.slots[free].inUse = k, true
	return g.slots[free].grower
}

// thin ends the use of all, and keeps the first only: each has 8n² bytes.
func (g *growers) thin() {
	if len(g.slots) > 1 {
		clear(g.slots[1:])
		g.slots = g.slots[:1]
	}
	if len(g.slots) > 0 {
		g.slots[0].inUse = false
	}
}
