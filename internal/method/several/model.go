package several

import (
	"context"
	"math"
	"slices"

	"github.com/mahabo/mahabo/internal/gp"
	"github.com/mahabo/mahabo/internal/linalg"
	"github.com/mahabo/mahabo/internal/method"
	"github.com/mahabo/mahabo/internal/num"
	"github.com/mahabo/mahabo/strategy"
)

// warp is how a model sees the values of an outcome.
type warp interface {
	Invert(w float64) float64
	Moments(mean, variance float64) (float64, float64)
	Noise(w, std float64) float64 // deviation of w for that of the value
}

// bilog compresses what is far from a limit, on both sides, and keeps the limit: sign(c) log(1 + |c|/size).
// D. Eriksson, M. Poloczek, AISTATS 2021.
type bilog struct{ size float64 }

func (b bilog) of(v float64) float64 { return math.Copysign(math.Log1p(math.Abs(v)/b.size), v) }

func (b bilog) all(values []float64) []float64 {
	w := make([]float64, len(values))
	for i, v := range values {
		w[i] = b.of(v)
	}
	return w
}

// logJacobian is the sum of log dw/dc over values.
func (b bilog) logJacobian(values []float64) (sum float64) {
	for _, v := range values {
		sum -= math.Log(b.size + math.Abs(v))
	}
	return sum
}

// Sizes that a bilog may have: a limit may be told in any unit, and what it depends on may be a sum or a product of
// the parameters.
const (
	mostSizes = 6
	sizeStep  = 10.0 // at least, between two of them
	nearLimit = 0.05 // the share of the values that are nearer to the limit than the least size
)

// sizesOf are the sizes that come into question: the middle distance from the limit in the design first, then lower ones.
func (s *several) sizesOf(numbers []int, k int) (sizes []float64) {
	design := make([]float64, min(len(s.X), s.Config.Init))
	for i := range design {
		design[i] = math.Abs(s.Outcomes[i][k])
	}
	first := num.Median(design)
	if !(first > 0) {
		first = 1
	}
	away := make([]float64, 0, len(numbers))
	for _, i := range numbers {
		if v := math.Abs(s.Outcomes[i][k]); v > 0 {
			away = append(away, v)
		}
	}
	sizes = []float64{first}
	if len(away) == 0 {
		return sizes
	}
	slices.Sort(away)
	least := away[int(nearLimit*float64(len(away)))]
	step := max(sizeStep, math.Pow(first/least, 1.0/(mostSizes-1)))
	for size := first / step; len(sizes) < mostSizes && size > least/2; size /= step {
		sizes = append(sizes, size)
	}
	return sizes
}

// Invert returns the value that is seen as w.
func (b bilog) Invert(w float64) float64 {
	return math.Copysign(b.size*math.Expm1(min(math.Abs(w), 600)), w)
}

// Moments are those of the value, of first order around the mean.
func (b bilog) Moments(mean, variance float64) (float64, float64) {
	slope := b.size * math.Exp(min(math.Abs(mean), 300))
	return b.Invert(mean), slope * slope * variance
}

// Noise returns the standard deviation of w for that of a value, std |dw/dc|.
func (b bilog) Noise(w, std float64) float64 {
	return std / b.size * math.Exp(-math.Abs(w))
}

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

// fit learns hyperparameters when enough observations have come, and conditions the model.
func (s *several) fit(ctx context.Context, _ state, spare int) (*model, error) {
	if n := method.FitCount(len(s.X), exactFits); n != s.fits.n {
		f, err := s.refit(ctx, n)
		if err != nil {
			return nil, err
		}
		s.fits = f
	}
	return s.condition(ctx, s.relevant(len(s.X), mostModel), s.fits, spare)
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

// refit learns the hyperparameters of all groups from the first n observations.
func (s *several) refit(ctx context.Context, n int) (f fits, err error) {
	limit := mostFitted
	if s.weighted() {
		limit = mostScaled
	}
	f, err = s.learnAll(ctx, s.relevant(n, limit), false)
	f.n = n
	return f, err
}

// learnAll learns the hyperparameters of all groups from some observations, of everything or around a
// point.
func (s *several) learnAll(ctx context.Context, numbers []int, around bool) (f fits, err error) {
	points, local := s.points.Subset(numbers), 0.0
	if around {
		local = max(points.MeanSquare(), 1e-12)
	}
	f.logs, f.sizes = make([]bool, s.objectives), make([]float64, s.Config.Limits)
	for _, of := range s.groupsOf() {
		choices := make([][]choice, len(of))
		for a, k := range of {
			y := s.values(numbers, k)
			if k < s.objectives {
				for _, log := range []bool{false, true} {
					t, w := gp.NewWarp(log, y, num.Median(y), 1)
					choices[a] = append(choices[a], choice{w, t.LogJacobian, s.told(numbers, k, w, t)})
				}
				continue
			}
			for _, size := range s.sizesOf(numbers, k) {
				b := bilog{size}
				w := b.all(y)
				choices[a] = append(choices[a], choice{w, b.logJacobian(y), s.told(numbers, k, w, b)})
			}
		}
		hyper, chosen, err := s.learn(ctx, points, choices, local)
		if err != nil {
			return f, err
		}
		f.hypers = append(f.hypers, hyper)
		for a, k := range of {
			if k < s.objectives {
				f.logs[k] = chosen[a] == 1
			} else {
				f.sizes[k-s.objectives] = s.sizesOf(numbers, k)[chosen[a]]
			}
		}
	}
	return f, nil
}

// choice is a way to see the values of an outcome, the sum of the logarithms of its slopes, and the variances of noise that is told.
type choice struct {
	w           []float64
	logJacobian float64
	noise       []float64
}

// choose returns the sum over outcomes of the least loss of their choices, and which these are.
func choose(j *gp.Joint, choices [][]choice) (sum float64, chosen []int) {
	k := 0
	for _, ways := range choices {
		best, at := math.Inf(1), 0
		for i, c := range ways {
			if loss := j.Loss(k) - c.logJacobian; loss < best {
				best, at = loss, i
			}
			k++
		}
		sum, chosen = sum+best, append(chosen, at)
	}
	return sum, chosen
}

// given is the noise told in the mean over outcomes, relative to their scales.
func given(choices [][]choice) (sum []float64) {
	for _, ways := range choices {
		c := ways[0]
		if c.noise == nil {
			continue
		}
		if sum == nil {
			sum = make([]float64, len(c.w))
		}
		linalg.Axpy(sum, 1/(plausibleScale(c.w, c.noise)*float64(len(choices))), c.noise)
	}
	return sum
}

// rows are the values of all choices.
func rows(choices [][]choice) (y [][]float64) {
	for _, ways := range choices {
		for _, c := range ways {
			y = append(y, c.w)
		}
	}
	return y
}

// Grids of hyperparameters that all directions share.
var (
	thetas = []float64{1.0 / 64, 1.0 / 32, 1.0 / 16, 1.0 / 8, 1.0 / 4, 1.0 / 2, 1, 2, 4, 8, 16, 32} // times the median of the prior
	noises = []float64{1e-8, 1e-6, 1e-4, 1e-2, 1e-1}
)

// belief is what is believed of theta and of the noise before the data are seen, as adaptive does: with
// fewer points than parameters the data choose, with more a rough function is rather taken for a
// smooth one with noise.
type belief struct {
	profile            gp.Profile
	theta, spread      float64
	noise, noiseSpread float64
}

// against is minus the logarithm of the density of a noise, without constant terms.
func (b belief) against(noise float64) float64 {
	v := math.Log(noise/b.noise) / b.noiseSpread
	return v * v / 2
}

// beliefs are those that the data choose between.
func (s *several) beliefs(n int, local float64) []belief {
	smooth := belief{gp.RBF, 0.3, 2, 1e-6, 2}
	switch {
	case local > 0:
		return []belief{{gp.Matern52, 0.2 / local, 1, 1e-6, 2}}
	case n >= s.Dim:
		return []belief{{gp.Matern52, 0.3, 0.25, 1e-6, 6}, smooth}
	}
	return []belief{smooth}
}

// learn returns the hyperparameters of processes that share them, and the best way to see each.
func (s *several) learn(ctx context.Context, points *gp.Points, choices [][]choice, local float64) (best gp.Hyper, chosen []int, err error) {
	if s.weighted() {
		return s.learnWeights(ctx, points, choices)
	}
	f := fitting{points: points, choices: choices, y: rows(choices), noise: given(choices), least: math.Inf(1)}
	var b belief
	for _, each := range s.beliefs(len(f.y[0]), local) {
		for _, times := range thetas {
			t := math.Log(times) / each.spread
			if math.Abs(t) > 3 {
				continue
			}
			for _, own := range noises {
				if err := ctx.Err(); err != nil {
					return best, nil, err
				}
				if f.try(gp.Hyper{Profile: each.profile, Metric: gp.Isotropic{Theta: each.theta * times}, Noise: own}, t*t/2+each.against(own)) {
					b = each
				}
			}
		}
	}
	if math.IsInf(f.least, 1) {
		return best, nil, gp.ErrNoFit
	}
	even := f.best
	f.least -= mainCost
	mains := make([]gp.Main, len(mainThetas))
	for i, theta := range mainThetas {
		if local > 0 {
			theta *= 1 / (3 * local)
		}
		mains[i] = gp.NewMain(theta, points)
	}
	withMain := func(lead int, leadTheta, cost float64) error {
		for _, main := range mains {
			for _, part := range mainShares {
				for _, own := range mainNoises {
					if err := ctx.Err(); err != nil {
						return err
					}
					h := even
					h.Noise, h.Main = own, main.With(part).Led(lead, leadTheta)
					f.try(h, b.against(own)+cost)
				}
			}
		}
		return nil
	}
	if err := withMain(0, 0, 0); err != nil {
		return best, nil, err
	}
	if s.objectives > 1 && len(choices) == 1 && local == 0 {
		lead, err := s.leader(ctx, f)
		if err != nil {
			return best, nil, err
		}
		cost := math.Log(float64(s.Dim)) + mainCost
		for _, own := range leadThetas {
			for _, rest := range leadRests {
				h := even
				h.Metric, h.Main = gp.Isotropic{Theta: even.Metric.(gp.Isotropic).Theta * rest}, gp.Main{}.Led(lead, own)
				f.try(h, b.against(h.Noise)+cost)
			}
			if err := withMain(lead, own, cost); err != nil {
				return best, nil, err
			}
		}
	}
	if m := f.best.Main; m != nil { // what it remembers of the points is of no further use
		f.best.Main = &gp.Main{Share: m.Share, Theta: m.Theta, Lead: m.Lead, LeadTheta: m.LeadTheta}
	}
	return f.best, f.chosen, nil
}

// fitting is the hyperparameters that explain data best of those that were tried.
type fitting struct {
	points  *gp.Points
	choices [][]choice
	y       [][]float64 // of all choices
	noise   []float64   // that was told

	best   gp.Hyper
	chosen []int
	least  float64
}

// try says whether hyperparameters are better than all before, with what is believed against them.
func (f *fitting) try(h gp.Hyper, against float64) bool {
	j, err := gp.ConditionJoint(h, f.points, f.y, f.noise, 0)
	if err != nil {
		return false
	}
	loss, ways := choose(j, f.choices)
	if loss += against; !(loss < f.least) {
		return false
	}
	f.best, f.chosen, f.least = h, ways, loss
	return true
}

// leader is the coordinate that explains most when it leads: an objective may depend on all others in a way that one of them says, as where
// that one chooses the place on the front.
func (s *several) leader(ctx context.Context, f fitting) (lead int, err error) {
	ways := f.choices[0]
	n := len(ways[0].w)
	if step := (n + mostScreened - 1) / mostScreened; step > 1 {
		some := slices.DeleteFunc(sequence(n), func(i int) bool { return i%step > 0 })
		var fewer []choice
		for _, c := range ways {
			fewer = append(fewer, choice{at(c.w, some), c.logJacobian * float64(len(some)) / float64(n), at(c.noise, some)})
		}
		f.points, f.noise, f.choices = f.points.Subset(some), at(f.noise, some), [][]choice{fewer}
		f.y = rows(f.choices)
	}
	h, main := f.best, gp.Main{}
	if h.Main != nil {
		main = *gp.NewMain(h.Main.Theta, f.points).With(h.Main.Share)
	}
	f.least = math.Inf(1)
	for c := range s.Dim {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		h.Main = main.Led(c, leadThetas[len(leadThetas)/2])
		if f.try(h, 0) {
			lead = c
		}
	}
	return lead, nil
}

// at picks values.
func at(values []float64, numbers []int) (some []float64) {
	if values == nil {
		return nil
	}
	for _, i := range numbers {
		some = append(some, values[i])
	}
	return some
}

// Coordinates that lead.
var (
	leadThetas = []float64{0.5, 3, 18, 108} // of coordinates in [-1, 1]
	leadRests  = []float64{1, 1.0 / 8, 1.0 / 64}
)

// mostScreened is the number of observations by which the coordinate is found that leads.
const mostScreened = 160

// Main effects that are tried.
var (
	mainThetas = []float64{1, 6, 36} // of coordinates in [-1, 1]
	mainShares = []float64{0.7, 0.97}
	mainNoises = []float64{1e-6, 1e-3}
)

// mainCost is the density that main effects have to be better by, as a logarithm.
const mainCost = 1

// learnWeights finds a length-scale for each parameter: for the first way to see the values, then for the one that looks best
// with those length-scales.
func (s *several) learnWeights(ctx context.Context, points *gp.Points, choices [][]choice) (best gp.Hyper, chosen []int, err error) {
	params := float64(len(s.Config.Domain.Params))
	weight := gp.HyperParam{
		Name: "weight", Prior: gp.LogNormalPrior{Mu: math.Log(0.3 / params), StdDev: 2}, Low: math.Log(1e-8), High: math.Log(400),
	}
	noise := gp.HyperParam{Name: "noise", Prior: gp.LogNormalPrior{Mu: math.Log(1e-5), StdDev: 3}, Low: math.Log(1e-8), High: math.Log(10)}
	prior := gp.Prior{Profile: gp.RBF, Metric: gp.Weighted{Of: s.of, Param: weight}, Noise: noise, Evals: 60}
	ways, least := choices[0], math.Inf(1)
	tried := map[int]bool{}
	for at := 0; !tried[at]; {
		tried[at] = true
		h, loss, err := gp.Fit(ctx, prior, gp.Data{Points: points, Y: ways[at].w, Given: ways[at].noise})
		if err != nil {
			return best, nil, err
		}
		if loss -= ways[at].logJacobian; loss < least {
			best, chosen, least = h, []int{at}, loss
		}
		if len(ways) == 2 {
			at = 1
		} else if j, err := gp.ConditionJoint(h, points, rows(choices[:1]), given(choices[:1]), 0); err == nil {
			_, next := choose(j, choices[:1])
			at = next[0]
		}
	}
	return best, chosen, nil
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

// believe adds a point at what is expected of it: variances shrink.
func (m *model) believe(x strategy.Point) {
	m.believed = append(m.believed, x)
	for _, g := range m.groups {
		g.Believe(x)
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
