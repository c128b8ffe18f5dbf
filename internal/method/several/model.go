package several

import (
	"context"
	"math"
	"slices"

	"github.com/mahabo/mahabo/internal/gp"
	"github.com/mahabo/mahabo/internal/linalg"
	"github.com/mahabo/mahabo/internal/method"
	"github.com/mahabo/mahabo/internal/num"
	"github.com/mahabo/mahabo/internal/pareto"
	"github.com/mahabo/mahabo/strategy"
)

// group is outcomes that share hyperparameters.
type group struct {
	*gp.Joint
	of             []int // outcomes, in the order of its processes
	mean, variance linalg.Matrix
	dMean, dVar    linalg.Matrix
}

// model is the processes of all outcomes, and the observations that it knows.
type model struct {
	groups   []*group
	warps    []warp
	outcomes int
	w        [][]float64 // by outcome, what the model sees of its observations, or where noise is told what it makes of them
	kept     []int       // their numbers
	believed []strategy.Point
}

// Sizes of the data of a model.
const (
	mostModel   = 1000 // observations that a model knows
	mostPairs   = 4000 // observations whose distances are kept: more would be gigabytes, and are computed for those of a model
	mostFitted  = 300  // that its hyperparameters are fitted to
	mostScaled  = 150  // of those, where each parameter has a length-scale
	manyWeights = 24   // parameters from which on they share one
	manyModels  = 30   // outcomes from which on limits share hyperparameters also with few parameters
	exactFits   = 6    // a fit uses all observations below 2^exactFits
)

// fits are the hyperparameters for the first n observations: remembered, not state.
type fits struct {
	n      int
	hypers []gp.Hyper // by group
	logs   []bool     // by objective
	sizes  []float64  // by limit, of its bilog
}

// values are those of outcome k of observations.
func (s *several) values(numbers []int, k int) []float64 {
	y := make([]float64, len(numbers))
	for a, i := range numbers {
		y[a] = s.Outcomes[i][k]
	}
	return y
}

// data returns what a model sees of observations: w by outcome.
func (s *several) data(numbers []int, f fits) (w [][]float64, warps []warp) {
	for k := range s.objectives + s.Config.Limits {
		y := s.values(numbers, k)
		if k < s.objectives {
			t, seen := gp.NewWarp(f.logs[k], y, num.Median(y), 1)
			w, warps = append(w, seen), append(warps, t)
			continue
		}
		b := bilog{f.sizes[k-s.objectives]}
		w, warps = append(w, b.all(y)), append(warps, b)
	}
	return w, warps
}

// weighted says that each parameter has a length-scale for each outcome.
func (s *several) weighted() bool {
	return len(s.Config.Domain.Params) < manyWeights && s.objectives+s.Config.Limits < manyModels
}

// groupsOf are the outcomes that share hyperparameters.
func (s *several) groupsOf() (groups [][]int) {
	m := s.objectives + s.Config.Limits
	for k := range m {
		if k <= s.objectives || s.weighted() {
			groups = append(groups, nil)
		}
		last := len(groups) - 1
		groups[last] = append(groups[last], k)
	}
	return groups
}

// relevant are the numbers of the observations that a model knows: all, or the best and the latest.
func (s *several) relevant(n, limit int) []int {
	if n <= limit {
		return sequence(n)
	}
	latest := n - limit/2
	numbers := method.Lowest(s.merits(latest), limit-limit/2)
	for i := latest; i < n; i++ {
		numbers = append(numbers, i)
	}
	slices.Sort(numbers)
	return numbers
}

// merits order observations: with several objectives by the sum of their ranks.
func (s *several) merits(n int) []float64 {
	if s.objectives == 1 {
		return s.Penalised(n)
	}
	sums := make([]float64, n)
	for k := range s.objectives {
		y := make([]float64, n)
		for i := range y {
			y[i] = s.Outcomes[i][k]
		}
		for rank, i := range method.Lowest(y, n) {
			sums[i] += float64(rank)
		}
	}
	if s.Config.Limits > 0 {
		for rank, i := range method.Lowest(s.Penalised(n), n) {
			sums[i] += float64(rank)
		}
	}
	return sums
}

func sequence(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// modelled are the observations that the model knows. Where those that keep all limits are good in nothing else, none of them
// may be among the best and the latest: then the best of them take the places of the least.
func (s *several) modelled(kept []int) []int {
	numbers := s.relevant(len(s.X), mostModel)
	if len(kept) == 0 || slices.ContainsFunc(numbers, func(i int) bool { return pareto.Kept(s.Limits(i)) }) {
		return numbers
	}
	merits := s.merits(len(s.X))
	of := func(list []int) []float64 {
		values := make([]float64, len(list))
		for a, i := range list {
			values[a] = merits[i]
		}
		return values
	}
	some := min(len(kept), len(numbers)/4)
	var chosen []int
	for _, a := range method.Lowest(of(numbers), len(numbers)-some) {
		chosen = append(chosen, numbers[a])
	}
	for _, a := range method.Lowest(of(kept), some) {
		chosen = append(chosen, kept[a])
	}
	slices.Sort(chosen)
	return chosen
}

// fit learns hyperparameters when enough observations have come, and conditions the model.
func (s *several) fit(ctx context.Context, st state, spare int) (*model, error) {
	if n := method.FitCount(len(s.X), exactFits); n != s.fits.n {
		f, err := s.refit(ctx, n)
		if err != nil {
			return nil, err
		}
		s.fits = f
	}
	return s.condition(ctx, s.modelled(st.kept), s.fits, spare)
}

// condition makes a model of some observations.
func (s *several) condition(ctx context.Context, numbers []int, f fits, spare int) (*model, error) {
	m := &model{kept: numbers, outcomes: s.objectives + s.Config.Limits}
	m.w, m.warps = s.data(numbers, f)
	for g, of := range s.groupsOf() {
		joint, err := gp.ConditionJoint(f.hypers[g], s.points.Subset(numbers), pickRows(m.w, of), s.relative(numbers, of, m, f.hypers[g].Scale), spare)
		if err != nil {
			return nil, err
		}
		m.groups = append(m.groups, &group{Joint: joint, of: of})
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	if s.noisy() {
		m.calm(s.points.Subset(numbers).X())
	}
	return m, nil
}

// told are the variances of the noise of outcome k, as the model sees them; nil when none is told.
func (s *several) told(numbers []int, k int, w []float64, t warp) (variances []float64) {
	for a, i := range numbers {
		if s.Stds[i] == nil || s.Stds[i][k] == 0 {
			continue
		}
		if variances == nil {
			variances = make([]float64, len(numbers))
		}
		std := min(t.Noise(w[a], s.Stds[i][k]), mostNoise)
		variances[a] = std * std
	}
	return variances
}

// mostNoise bounds what a model sees of the noise, which is in the order of 1 where values differ much.
const mostNoise = 1e3

// relative is the noise told of processes that share hyperparameters, in the mean over them, relative to their
// scales. Where those were not learned with the noise they are what the values' variances leave.
func (s *several) relative(numbers, of []int, m *model, scale float64) (given []float64) {
	for _, k := range of {
		variances := s.told(numbers, k, m.w[k], m.warps[k])
		if variances == nil {
			continue
		}
		if given == nil {
			given = make([]float64, len(numbers))
		}
		by := scale
		if by == 0 {
			by = plausibleScale(m.w[k], variances)
		}
		linalg.Axpy(given, 1/(by*float64(len(of))), variances)
	}
	return given
}

// plausibleScale is the variance of values without that of their noise.
func plausibleScale(w, noise []float64) float64 {
	_, std := num.MeanStd(w)
	mean, _ := num.MeanStd(noise)
	return max(std*std-mean, std*std/10, 1e-12)
}

// noisy says that noise was told.
func (s *several) noisy() bool {
	return slices.ContainsFunc(s.Stds, func(stds []float64) bool {
		return slices.ContainsFunc(stds, func(v float64) bool { return v > 0 })
	})
}

// calm replaces values by what the model makes of them: the best of many noisy ones is mostly lucky.
func (m *model) calm(x linalg.Matrix) {
	mean := linalg.New(x.Rows, m.outcomes)
	m.moments(mean, linalg.Matrix{}, x)
	for k, w := range m.w {
		seen := make([]float64, len(w))
		for a := range seen {
			seen[a] = mean.At(a, k)
		}
		m.w[k] = seen
	}
}

func pickRows(w [][]float64, of []int) (rows [][]float64) {
	for _, k := range of {
		rows = append(rows, w[k])
	}
	return rows
}

// near makes a model of the observations around a point, nil while there are few. A model of
// everything is as smooth as the functions are on the whole; this one as they are there.
func (s *several) near(ctx context.Context, x strategy.Point, spare int) (*model, error) {
	count := neighbours + 2*s.Dim
	if len(s.X) < 3*count/2 {
		return nil, nil
	}
	r2 := make([]float64, len(s.X))
	for i, p := range s.X {
		r2[i] = method.SquaredDistance(p, x)
	}
	numbers := method.Lowest(r2, min(count, mostNear))
	slices.Sort(numbers)
	f, err := s.learnAll(ctx, numbers, true)
	if err != nil {
		return nil, ctx.Err()
	}
	m, err := s.condition(ctx, numbers, f, spare)
	if err != nil {
		return nil, ctx.Err()
	}
	return m, nil
}

// Observations of a model around a point.
const (
	neighbours = 20
	mostNear   = 150
)

// believe adds points at what is expected of them: variances shrink.
func (m *model) believe(points ...strategy.Point) {
	m.believed = append(m.believed, points...)
	for _, g := range m.groups {
		gp.BelieveAll(g.Posterior, points)
	}
}

func (m *model) jitter() (largest float64) {
	for _, g := range m.groups {
		largest = max(largest, g.Jitter())
	}
	return largest
}

// moments fills the moments of all outcomes at the rows of x; without rows in variance only means.
func (m *model) moments(mean, variance, x linalg.Matrix) {
	rows := x.Rows
	for _, g := range m.groups {
		if g.mean.Rows < rows {
			size := len(g.of)
			g.mean, g.variance, g.dMean, g.dVar = linalg.New(rows, size), linalg.New(rows, size), linalg.New(rows, size), linalg.New(rows, size)
		}
		mu, v := g.mean.Slice(0, rows, 0, len(g.of)), linalg.Matrix{}
		if variance.Rows > 0 {
			v = g.variance.Slice(0, rows, 0, len(g.of))
		}
		g.MomentsAt(mu, v, x)
		for i := range rows {
			for a, k := range g.of {
				mean.Set(i, k, mu.At(i, a))
				if variance.Rows > 0 {
					variance.Set(i, k, v.At(i, a))
				}
			}
		}
	}
}

// pull adds the gradients of functions with these derivatives at the rows of the last moments.
func (m *model) pull(grad, dMean, dVariance linalg.Matrix) {
	rows := grad.Rows
	for _, g := range m.groups {
		dm, dv := g.dMean.Slice(0, rows, 0, len(g.of)), linalg.Matrix{}
		if dVariance.Rows > 0 {
			dv = g.dVar.Slice(0, rows, 0, len(g.of))
		}
		for i := range rows {
			for a, k := range g.of {
				dm.Set(i, a, dMean.At(i, k))
				if dVariance.Rows > 0 {
					dv.Set(i, a, dVariance.At(i, k))
				}
			}
		}
		g.Pull(grad, dm, dv)
	}
}

// predict returns the moments of the outcomes themselves, noise included.
func (m *model) predict(x strategy.Point) (means, stds []float64) {
	mean, variance := linalg.New(1, m.outcomes), linalg.New(1, m.outcomes)
	m.moments(mean, variance, linalg.Matrix{Rows: 1, Cols: len(x), Stride: len(x), Data: slices.Clone(x)})
	means, stds = make([]float64, m.outcomes), make([]float64, m.outcomes)
	for _, g := range m.groups {
		for a, k := range g.of {
			mu, v := m.warps[k].Moments(mean.At(0, k), variance.At(0, k)+g.Noises(a))
			means[k], stds[k] = mu, math.Sqrt(v)
		}
	}
	return means, stds
}
