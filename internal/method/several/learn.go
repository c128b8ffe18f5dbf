package several

import (
	"context"
	"math"
	"slices"

	"github.com/mahabo/mahabo/internal/gp"
	"github.com/mahabo/mahabo/internal/linalg"
	"github.com/mahabo/mahabo/internal/num"
)

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
	if chosen == nil {
		return best, nil, gp.ErrNoFit
	}
	return best, chosen, nil
}
