package cmaes

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/mahabo/mahabo/internal/linalg"
)

// Config is the start of a search. Zero fields have defaults but for Mean and
// StdDev; Lower and Upper are both given or both nil (no box).
type Config struct {
	Mean         []float64
	StdDev       float64 // of every coordinate at the start
	Lower, Upper []float64
	Population   int     // points of a generation, DefaultPopulation(n)
	TolX         float64 // StdDev below which to stop, 1e-12 of the start's
	TolFun       float64 // change of values below which to stop, relative to them, 1e-12
}

// Search is the state of CMA-ES. It is not safe for concurrent use.
type Search struct {
	cfg   Config // with defaults; its slices are never written
	n     int
	rates rates // of the last number of points told

	mean   []float64
	sigma  float64
	ps, pc []float64
	C      linalg.Matrix // lower triangle
	g      int           // generations told

	B          linalg.Matrix // empty, for I, until the first decomposition
	d          []float64
	decomposed int  // g at the last decomposition
	broken     bool // the last decomposition was refused

	recent          []float64 // best values of the last generations, window of them
	window          int
	lowest, highest float64 // of the last generation

	scratch
}

// New starts a search.
func New(cfg Config) (*Search, error) {
	n := len(cfg.Mean)
	cfg.Mean = append([]float64(nil), cfg.Mean...)
	cfg.Lower = append([]float64(nil), cfg.Lower...)
	cfg.Upper = append([]float64(nil), cfg.Upper...)
	if cfg.Population == 0 && n > 0 {
		cfg.Population = DefaultPopulation(n)
	}
	if cfg.TolX == 0 {
		cfg.TolX = 1e-12 * cfg.StdDev
	}
	if cfg.TolFun == 0 {
		cfg.TolFun = 1e-12
	}
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	s := &Search{
		cfg: cfg, n: n, rates: newRates(n, cfg.Population),
		mean: append([]float64(nil), cfg.Mean...), sigma: cfg.StdDev,
		ps: make([]float64, n), pc: make([]float64, n),
		C: linalg.New(n, n), d: make([]float64, n),
		window: 10 + (30*n+cfg.Population-1)/cfg.Population, scratch: newScratch(n),
	}
	for j := range n {
		s.C.Set(j, j, 1)
		s.d[j] = 1
	}
	return s, nil
}

func (c Config) validate() error {
	n := len(c.Mean)
	switch {
	case n == 0:
		return fmt.Errorf("cmaes: Mean is empty: give a start point")
	case !(c.StdDev > 0) || math.IsInf(c.StdDev, 1):
		return fmt.Errorf("cmaes: StdDev is %g: it must be positive and finite", c.StdDev)
	case c.Population < 2:
		return fmt.Errorf("cmaes: Population is %d: ranks need at least 2 points", c.Population)
	case !(c.TolX >= 0) || !(c.TolFun >= 0):
		return fmt.Errorf("cmaes: TolX is %g and TolFun is %g: neither can be negative", c.TolX, c.TolFun)
	case len(c.Lower) != len(c.Upper) || len(c.Lower) != 0 && len(c.Lower) != n:
		return fmt.Errorf("cmaes: Lower has %d and Upper %d elements: give both %d, or neither", len(c.Lower), len(c.Upper), n)
	}
	for j, m := range c.Mean {
		if math.IsNaN(m) || math.IsInf(m, 0) {
			return fmt.Errorf("cmaes: Mean[%d] is %g: it must be finite", j, m)
		}
		if len(c.Lower) > 0 && !(c.Lower[j] < c.Upper[j] && m >= c.Lower[j] && m <= c.Upper[j]) {
			return fmt.Errorf("cmaes: Mean[%d] is %g: it must lie between Lower %g and Upper %g, which must differ",
				j, m, c.Lower[j], c.Upper[j])
		}
	}
	return nil
}

// Population is the number of points of a generation.
func (s *Search) Population() int { return s.cfg.Population }

// Sample draws u from N(m, sigma² C). Draws are independent, so each may come from
// a stream of its own.
func (s *Search) Sample(u []float64, r *rand.Rand) {
	s.draw(r)
	for j := range u {
		u[j] = s.coordinate(j)
	}
}

// Fold stores in x the point of the box that u stands for. They may be one slice.
func (s *Search) Fold(x, u []float64) {
	for j, v := range u {
		x[j] = s.fold(v, j)
	}
}

// Recover draws u as Sample does and says whether it stands for x, bit for bit. If
// not, u is of no use; finding that out mostly costs n normal numbers.
func (s *Search) Recover(u, x []float64, r *rand.Rand) bool {
	s.draw(r)
	for j, v := range x {
		u[j] = s.coordinate(j)
		if s.fold(u[j], j) != v {
			return false
		}
	}
	return true
}

// Unfold stores in u what is nearest to the mean, coordinate by coordinate, of all
// that stands for x.
func (s *Search) Unfold(u, x []float64) {
	copy(u, x)
	if len(s.cfg.Lower) > 0 {
		for j, v := range x {
			u[j] = unfold(v, s.mean[j], s.cfg.Lower[j], s.cfg.Upper[j])
		}
	}
}

// draw prepares the step d∘z, z ~ N(0, I).
func (s *Search) draw(r *rand.Rand) {
	s.decompose()
	for j := range s.dz {
		s.dz[j] = s.d[j] * r.NormFloat64()
	}
}

// coordinate j of m + sigma B (d∘z).
func (s *Search) coordinate(j int) float64 {
	if s.B.Rows == 0 {
		return s.mean[j] + s.sigma*s.dz[j]
	}
	return s.mean[j] + s.sigma*linalg.Dot(s.B.Row(j), s.dz)
}

func (s *Search) fold(v float64, j int) float64 {
	if len(s.cfg.Lower) == 0 {
		return v
	}
	return fold(v, s.cfg.Lower[j], s.cfg.Upper[j])
}

// Copy makes s, a search of the same dimension or a zero Search, equal to src. It
// keeps the memory of s.
func (s *Search) Copy(src *Search) {
	own := *s
	*s = *src
	s.scratch = own.scratch
	if len(own.mean) == 0 {
		s.scratch = newScratch(src.n)
	}
	s.mean = refill(own.mean, src.mean)
	s.ps = refill(own.ps, src.ps)
	s.pc = refill(own.pc, src.pc)
	s.C.Data = refill(own.C.Data, src.C.Data)
	s.B.Data = refill(own.B.Data, src.B.Data)
	s.d = refill(own.d, src.d)
	s.recent = refill(own.recent, src.recent)
}

// refill returns a copy of src in the memory of dst.
func refill(dst, src []float64) []float64 { return append(dst[:0], src...) }
