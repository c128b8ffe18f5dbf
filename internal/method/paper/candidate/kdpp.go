package candidate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

const (
	maxRejections = 2000   // in one step, before the proposal of largest ratio is taken
	maxDraws      = 40_000 // proposals in all, after which the chain ends where it is
	boundSample   = 64     // proposals that set the first bound of the ratio
)

// Covariance is the part of lingp.Joint that KDPP needs: the posterior covariance given the
// points chosen before.
type Covariance interface {
	Cov(x, y []float64) float64
}

// Anchored models do the work that depends on one argument alone only once: Anchor(s)
// returns the function x -> Cov(x, s). KDPP asks for an anchor for every point it takes.
type Anchored interface {
	Anchor(s []float64) func(x []float64) float64
}

// KDPPConfig describes a continuous k-DPP.
type KDPPConfig struct {
	Model         Covariance // conditioned on the first point of the batch
	NoiseVariance float64    // on the diagonal of K
	K             int        // points to draw
}

// Validate names the first field that cannot be used.
func (c KDPPConfig) Validate() error {
	switch {
	case c.K < 0:
		return fmt.Errorf("K is %d: it must not be negative", c.K)
	case c.K > 0 && c.Model == nil:
		return errors.New("Model is nil: the k-DPP needs covariances")
	case !(c.NoiseVariance >= 0):
		return fmt.Errorf("NoiseVariance is %g: it must not be negative", c.NoiseVariance)
	}
	return nil
}

// KDPP draws k points with density proportional to det K(S) with respect to the law of
// the proposals, by Gibbs sampling: points are added one by one, then 5*k^2 times a random
// one is replaced. A proposal x is accepted with probability min(1, r/bound), where
//
//	r = det K(S+x)/det K(S) = K(x,x) - K(x,S) K(S)^-1 K(S,x)
//
// is its predictive variance given S. Any bound of r gives the same law; the tightest one
// that needs no search is the largest K(x,x) among 64 proposals or more. It is capped at
// 1, as in the paper's program, so that draws are exact as long as variances are at most
// the variance of the standardised data. Where variances are so small that 2000
// proposals in a row are rejected, the one of largest r is taken, and after 40,000
// proposals the chain ends: a draw always does.
func KDPP(ctx context.Context, c KDPPConfig, propose Proposer, r *rand.Rand) ([][]float64, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	g := gibbs{KDPPConfig: c, source: propose, r: r, schur: newSchur(c.K)}
	for range min(c.K, 1) * boundSample {
		p, err := g.draw(ctx, 0)
		if err != nil {
			return nil, err
		}
		g.queue = append(g.queue, p)
	}
	for range c.K {
		if err := g.add(ctx); err != nil {
			return nil, err
		}
	}
	for range 5 * c.K * c.K {
		if g.draws >= maxDraws {
			break
		}
		g.drop(r.IntN(c.K))
		if err := g.add(ctx); err != nil {
			return nil, err
		}
	}
	batch := make([][]float64, c.K)
	for i, m := range g.members {
		batch[i] = m.X
	}
	return batch, nil
}

// Proposer returns the next proposal, with the variance of the k-DPP's model and a Level
// drawn uniformly from [0, bound). It may pass over proposals whose variance, noise
// included, is below their level: they would be rejected. The caller owns the point.
type Proposer func(ctx context.Context, bound float64) (Proposal, error)

// gibbs is the state of the chain.
type gibbs struct {
	KDPPConfig
	source  Proposer
	queue   []Proposal // drawn for the bound and not examined yet
	bound   float64    // largest variance with noise of all proposals drawn, at most 1
	draws   int
	r       *rand.Rand
	members []member
	schur   schur
}

// member is a point of S.
type member struct {
	Proposal
	cov func(x []float64) float64 // covariance with the point
}

// draw takes a proposal from the source and raises the bound to its variance.
func (g *gibbs) draw(ctx context.Context, bound float64) (Proposal, error) {
	if err := context.Cause(ctx); err != nil {
		return Proposal{}, err
	}
	p, err := g.source(ctx, bound)
	if err != nil {
		return Proposal{}, err
	}
	g.draws++
	if total := min(p.Variance+g.NoiseVariance, 1); total > g.bound {
		g.bound = total
	}
	return p, nil
}

// propose returns the next proposal to examine.
func (g *gibbs) propose(ctx context.Context) (Proposal, error) {
	if len(g.queue) == 0 {
		return g.draw(ctx, g.bound)
	}
	p := g.queue[0]
	g.queue = g.queue[1:]
	p.Level = g.r.Float64() * g.bound
	return p, nil
}

func (g *gibbs) anchor(x []float64) func([]float64) float64 {
	if a, ok := g.Model.(Anchored); ok {
		return a.Anchor(x)
	}
	return func(y []float64) float64 { return g.Model.Cov(y, x) }
}

// add draws a point given S and adds it.
func (g *gibbs) add(ctx context.Context) error {
	var best Proposal
	bestRatio := math.Inf(-1)
	row, bestRow := make([]float64, len(g.members)), make([]float64, len(g.members))
	for range maxRejections {
		p, err := g.propose(ctx)
		if err != nil {
			return err
		}
		for j, m := range g.members {
			row[j] = m.cov(p.X)
		}
		ratio := g.schur.ratio(row, p.Variance+g.NoiseVariance)
		accepted := p.Level < ratio
		if accepted || ratio > bestRatio || best.X == nil {
			best, bestRatio = p, ratio
			row, bestRow = bestRow, row
		}
		if accepted {
			break
		}
	}
	g.schur.add(bestRow, best.Variance+g.NoiseVariance)
	g.members = append(g.members, member{best, g.anchor(best.X)})
	return nil
}

// drop removes member i.
func (g *gibbs) drop(i int) {
	g.schur.drop(i)
	g.members = slices.Delete(g.members, i, i+1)
}
