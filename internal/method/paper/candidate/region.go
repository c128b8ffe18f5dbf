package candidate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/mahabo/mahabo/internal/linalg"
	"github.com/mahabo/mahabo/internal/method/paper/lingp"
	"github.com/mahabo/mahabo/internal/rng"
)

// How the region widens and when it gives up proposing.
const (
	firstLambda  = 2.0
	lambdaStep   = 0.1
	patience     = 5000    // proposals without one inside before lambda grows
	maxProposals = 400_000 // proposals of one region in all
	smallChunk   = 128
	largeChunk   = 1024
	poolSize     = 64
)

// RegionConfig describes a relevance region.
type RegionConfig struct {
	Model         lingp.Batch // the model that KDPP uses as well
	Dim           int         // D
	NoiseVariance float64     // added to the variance of the model
	Beta          float64     // weight of the standard deviation
	Threshold     float64     // minimum over the box of mean + beta*std
}

// Validate names the first field that cannot be used.
func (c RegionConfig) Validate() error {
	switch {
	case c.Model == nil:
		return errors.New("Model is nil: the region needs predictions")
	case c.Dim < 1:
		return fmt.Errorf("Dim is %d: a box needs at least one dimension", c.Dim)
	case !(c.NoiseVariance >= 0):
		return fmt.Errorf("NoiseVariance is %g: it must not be negative", c.NoiseVariance)
	}
	return nil
}

// Proposal is a point with the model's variance there, without noise. KDPP accepts it
// when its ratio exceeds Level.
type Proposal struct {
	X        []float64
	Variance float64
	Level    float64
}

// VarianceBounder is a model that can bound its variance at many points much faster than
// it can predict; Region then predicts only where a proposal could be accepted.
type VarianceBounder interface {
	// VarianceBounds fills dst with upper bounds of the variance at the rows of x.
	VarianceBounds(dst []float64, x linalg.Matrix)
	// PredictBounds fills mean with the mean at the rows of x and variance with upper bounds,
	// or says that this is not faster than a prediction.
	PredictBounds(mean, variance []float64, x linalg.Matrix) bool
}

// Region draws uniform points of the box with mean - lambda*beta*std < threshold by
// rejection. Lambda starts at 2 and grows by 0.1 after every 5000 proposals in a row that
// were all outside; it never shrinks, so one Region serves one batch.
//
// After 400,000 proposals the region is widened to the 64 proposals that need the smallest
// lambda, and draws are taken uniformly from these: a draw always ends.
type Region struct {
	RegionConfig
	r      *rand.Rand
	fill   *rng.Filler
	lambda float64

	chunk                linalg.Matrix // proposals with their moments
	draw, mean, variance []float64     // draw decides acceptance: uniform on [0,1)
	next                 int           // first row not examined yet
	far                  []int         // proposals surely outside before each row, and after the last
	screened             int           // proposals of the chunk that can reach their level

	proposed int // in all
	outside  int // in a row
	pool     []pooled
}

// pooled is a proposal kept for the case that proposing is given up.
type pooled struct {
	Proposal
	lambda float64 // from which on the region holds it
}

// NewRegion starts a region; all its randomness comes from r.
func NewRegion(c RegionConfig, r *rand.Rand) (*Region, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	return &Region{RegionConfig: c, r: r, fill: rng.NewFiller(r), lambda: firstLambda, far: make([]int, 1)}, nil
}

// Lambda returns the current width.
func (g *Region) Lambda() float64 { return g.lambda }

// Proposed returns the number of proposals made.
func (g *Region) Proposed() int { return g.proposed }

// Draw returns a point of the region; it is a Proposer.
func (g *Region) Draw(ctx context.Context, bound float64) (Proposal, error) {
	for {
		g.passFar()
		for g.next == g.chunk.Rows {
			if g.proposed >= maxProposals && len(g.pool) > 0 {
				return g.fromPool(bound)
			}
			if err := context.Cause(ctx); err != nil {
				return Proposal{}, err
			}
			if err := g.refill(bound); err != nil {
				return Proposal{}, err
			}
			g.passFar()
		}
		i := g.next
		g.next++
		needed := g.admission(g.mean[i], g.variance[i])
		g.keep(i, needed)
		if needed < g.lambda {
			g.outside = 0
			p := g.proposal(i)
			p.Level = g.draw[i] * bound
			return p, nil
		}
		g.pass()
	}
}

// pass counts a proposal outside the region.
func (g *Region) pass() {
	if g.outside++; g.outside%patience == 0 {
		g.lambda += lambdaStep
	}
}

// passFar counts the proposals before the next row that are surely outside.
func (g *Region) passFar() {
	for ; g.far[g.next] > 0; g.far[g.next]-- {
		g.pass()
	}
}

// refill proposes a new chunk: a small one while proposals are accepted, larger ones
// when they are not. Rows that cannot reach their level are left out.
func (g *Region) refill(bound float64) error {
	if g.proposed >= 2*maxProposals {
		return fmt.Errorf("none of %d proposals has a variance that is a number: check the model", g.proposed)
	}
	rows := smallChunk
	if g.proposed > 0 && (g.outside >= smallChunk || g.screened < smallChunk/4) {
		rows = largeChunk
	}
	if cap(g.chunk.Data) < rows*g.Dim {
		g.chunk = linalg.New(rows, g.Dim)
		g.draw, g.mean, g.variance = make([]float64, rows), make([]float64, rows), make([]float64, rows)
		g.far = make([]int, rows+1)
	}
	g.chunk = linalg.Matrix{Rows: rows, Cols: g.Dim, Stride: g.Dim, Data: g.chunk.Data[:rows*g.Dim]}
	g.fill.Uniform(g.chunk.Data)
	for i := range rows {
		g.draw[i] = g.r.Float64()
	}
	clear(g.far)
	g.screened = rows
	if b, ok := g.Model.(VarianceBounder); ok && g.proposed < maxProposals {
		g.screen(b, bound)
		g.screened = g.chunk.Rows
		g.dropFar(b)
	}
	g.proposed += rows
	g.next = 0
	if g.chunk.Rows > 0 {
		g.Model.PredictBatch(g.mean[:g.chunk.Rows], g.variance[:g.chunk.Rows], g.chunk)
	}
	return nil
}

// screen drops the rows whose variance is bounded below their level.
func (g *Region) screen(b VarianceBounder, bound float64) {
	upper := g.variance[:g.chunk.Rows]
	b.VarianceBounds(upper, g.chunk)
	kept := 0
	for i, v := range upper {
		if v+g.NoiseVariance < g.draw[i]*bound {
			continue
		}
		g.move(kept, i)
		kept++
	}
	g.chunk.Rows = kept
}

// dropFar replaces rows by their number where the bounds of the moments tell all that they
// could change: they are outside even if lambda grows, and of no use to the pool.
func (g *Region) dropFar(b VarianceBounder) {
	rows := g.chunk.Rows
	if rows == 0 || len(g.pool) < poolSize || !(g.Beta > 0) {
		return
	}
	if !b.PredictBounds(g.mean[:rows], g.variance[:rows], g.chunk) {
		return
	}
	enough := max(g.lambda+lambdaStep, g.pool[0].lambda)
	kept := 0
	for i := range rows {
		if g.admission(g.mean[i], g.variance[i]) >= enough { // a smaller variance needs more yet
			g.far[kept]++
			continue
		}
		g.move(kept, i)
		kept++
	}
	g.chunk.Rows = kept
}

// move puts row i in the place of a dropped one.
func (g *Region) move(to, i int) {
	if to < i {
		copy(g.chunk.Row(to), g.chunk.Row(i))
		g.draw[to] = g.draw[i]
	}
}

// admission returns the lambda above which the region holds a point with these moments:
// (mean - threshold)/(beta*std), and +Inf when none does or the moments are NaN.
func (g *Region) admission(mean, variance float64) float64 {
	excess := mean - g.Threshold
	spread := g.Beta * math.Sqrt(max(variance, 0)+g.NoiseVariance)
	switch {
	case math.IsNaN(excess) || math.IsNaN(spread):
		return math.Inf(1)
	case spread > 0:
		return excess / spread
	case excess < 0:
		return math.Inf(-1)
	}
	return math.Inf(1)
}

func (g *Region) proposal(i int) Proposal {
	return Proposal{X: append([]float64(nil), g.chunk.Row(i)...), Variance: max(g.variance[i], 0)}
}

// keep enters row i into the pool, a heap with the largest lambda on top.
func (g *Region) keep(i int, needed float64) {
	if math.IsNaN(g.variance[i]) {
		return
	}
	if len(g.pool) < poolSize {
		g.pool = append(g.pool, pooled{g.proposal(i), needed})
		for c := len(g.pool) - 1; c > 0; {
			p := (c - 1) / 2
			if g.pool[p].lambda >= g.pool[c].lambda {
				break
			}
			g.pool[p], g.pool[c] = g.pool[c], g.pool[p]
			c = p
		}
		return
	}
	if needed >= g.pool[0].lambda {
		return
	}
	g.pool[0].lambda, g.pool[0].Variance = needed, max(g.variance[i], 0)
	copy(g.pool[0].X, g.chunk.Row(i))
	for p := 0; ; {
		c := 2*p + 1
		if c >= poolSize {
			return
		}
		if c+1 < poolSize && g.pool[c+1].lambda > g.pool[c].lambda {
			c++
		}
		if g.pool[p].lambda >= g.pool[c].lambda {
			return
		}
		g.pool[p], g.pool[c] = g.pool[c], g.pool[p]
		p = c
	}
}

// fromPool draws from the proposals kept.
func (g *Region) fromPool(bound float64) (Proposal, error) {
	g.lambda = max(g.lambda, g.pool[0].lambda)
	p := g.pool[g.r.IntN(len(g.pool))]
	return Proposal{append([]float64(nil), p.X...), p.Variance, g.r.Float64() * bound}, nil
}
