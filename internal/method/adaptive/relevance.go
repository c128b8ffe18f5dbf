package adaptive

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/mahabo/mahabo/internal/gp"
	"github.com/mahabo/mahabo/internal/linalg"
	"github.com/mahabo/mahabo/internal/method"
	"github.com/mahabo/mahabo/internal/num"
	"github.com/mahabo/mahabo/internal/parallel"
	"github.com/mahabo/mahabo/strategy"
)

// relevance are models with one weight for each parameter, beside the one that treats all
// parameters alike. What a model says of points that its weights were fitted to proves
// nothing: a few parameters always explain a few points. So the models are fitted to the first
// observations at certain counts, and each has to predict those from there to the next count.
// How well it did decides how many queries it makes. The counts do not depend on when
// points are asked for, so that all of this is a function of the observations.
type relevance struct {
	run    *run
	turned bool     // the models have directions of their own
	n      int      // observations of the last fits
	even   scaleFit // of the model that treats all parameters alike
	models []weighted

	growers growers
	crowds  map[int]*crowd // by number of the model
	base    int            // first count with many observations, else 0
}

// weighted is a model with one weight for each parameter.
type weighted struct {
	profile gp.Profile
	sparse  bool // few weights are expected to be large
	tied    bool // all weights are the same
	turned  bool // the weights are those of directions
	known   bool // there is a fit
	hyper   gp.Hyper
	lead    float64 // sum of log densities of the observations, less those under the even model
}

// members are the models: smooth and rough functions, weights that are expected to be alike or not.
// With few parameters there are also models with the same weight for all of them, whatever it
// is: the even model expects functions to be smooth on the whole.
var members = []weighted{{profile: gp.RBF}, {profile: gp.Matern52}, {profile: gp.RBF, sparse: true}, {profile: gp.Matern52, sparse: true}}

// learn goes through the observations up to the last count. When the context ends, the next call
// goes on where it was.
func (v *relevance) learn(ctx context.Context) error {
	v.rebase()
	for n := v.next(); n <= len(v.run.y); n = v.next() {
		if v.n == 0 {
			v.models = slices.Clone(members)
			if v.turned {
				v.models = slices.Clone(turnedMembers)
			} else if v.run.few() {
				v.models = append(v.models, weighted{profile: gp.RBF, tied: true}, weighted{profile: gp.Matern52, tied: true})
			}
		}
		models := v.score(n)
		even, err := v.fit(ctx, models, n)
		if err != nil {
			return err
		}
		v.n, v.even, v.models = n, even, models
	}
	return nil
}

// next is the count that follows.
func (v *relevance) next() int {
	a := v.run
	if v.n == 0 && v.turned {
		return max(a.Config.Init, 2*a.params, v.base)
	}
	if v.n == 0 {
		return max(a.Config.Init, min(a.WeightsFrom, 2*a.params), v.base)
	}
	n := v.n + 1
	for method.FitCount(n, a.weightFits(n)) != n {
		n++
	}
	return n
}

// weightFits is FitCount's precision for n observations. Once a fit sees a part of them only, it changes little: two counts
// until they have doubled instead of eight keep a new process, which has to go through all of them, from taking long.
func (a *run) weightFits(n int) int {
	if n > a.MostFitted {
		return rareFits
	}
	return oftenFits
}

const (
	oftenFits     = 4
	rareFits      = 2   // also for models that predict badly
	resting       = -15 // lead below which a model does
	firstGradient = 60  // gradients of a model's first fit
	laterGradient = 15  // of the others, which begin where the last one ended
)

// score returns the models with leads that count the observations up to n. Far differences are
// cut off, and old ones are forgotten.
func (v *relevance) score(n int) []weighted {
	models := slices.Clone(v.models)
	if v.n == 0 {
		return models
	}
	a := v.run
	if n-v.n > a.MostFitted-a.MostFitted/8 { // counts are far apart: the first that follow say enough
		n = v.n + a.MostFitted/2
	}
	first := max(0, n-a.MostFitted)
	s := a.newScaled(v.even.log, a.y[first:n], a.std[first:n], a.designMedian(n))
	d := gp.Data{Points: a.points, Y: s.w, Given: s.noise}
	if first > 0 || a.many() {
		d.Points = a.points.Subset(numbers(first, n))
	}
	even, err := gp.Ahead(v.even.hyper, d, v.n-first)
	if err != nil {
		return models
	}
	for i := range models {
		m := &models[i]
		if !m.known {
			continue
		}
		own, err := gp.Ahead(m.hyper, d, v.n-first)
		if err != nil {
			continue
		}
		for k, density := range own {
			gain := density - even[k]
			m.lead = a.Memory*m.lead + min(max(gain, -a.MostGain), a.MostGain)
		}
	}
	return models
}

// numbers are those from first to below n.
func numbers(first, n int) []int {
	list := make([]int, n-first)
	for i := range list {
		list[i] = first + i
	}
	return list
}

// fit fits the models to the first n observations and returns the fit of the even one.
func (v *relevance) fit(ctx context.Context, models []weighted, n int) (even scaleFit, err error) {
	a := v.run
	d, std := a.keep(n, a.MostFitted)
	if even = a.fit; even.n != n {
		if even, err = a.fitScale(ctx, a.prior(len(d.Y)), d, std, a.designMedian(n)); err != nil {
			return even, err
		}
	}
	s := a.newScaled(even.log, d.Y, std, a.designMedian(n))
	parallel.For(a.Config.Threads, len(models), func(_, i int) {
		m := &models[i]
		if m.known && m.lead < resting && method.FitCount(n, rareFits) != n {
			return
		}
		prior := a.weightPrior(m)
		if prior.Evals = firstGradient; m.known {
			prior.Start, prior.Evals = m.hyper.Logs, laterGradient
		}
		data := gp.Data{Points: d.Points, Y: s.w, Given: s.noise}
		if m.turned && !a.turn(&prior, m, even.hyper, data) {
			return
		}
		hyper, loss, err := gp.Fit(ctx, prior, data)
		if err == nil && a.few() && n <= mostNoisy {
			prior.Start = noisy(prior)
			if other, otherLoss, err := gp.Fit(ctx, prior, data); err == nil && otherLoss < loss {
				hyper = other
			}
		}
		if err == nil && ctx.Err() == nil {
			m.hyper, m.known = hyper, true
			m.hyper.Metric = a.floored(hyper.Metric)
		}
	})
	if ctx.Err() != nil {
		return even, ctx.Err()
	}
	return even, nil
}

// noisy is a start of a fit with much noise. From little noise there is often no way up: the
// evidence does not change with it.
func noisy(prior gp.Prior) []float64 {
	var start []float64
	for _, h := range prior.Metric.Params() {
		start = append(start, h.Prior.Mu)
	}
	copy(start, prior.Start)
	return append(start, math.Log(muchNoise))
}

// mostNoisy is the number of observations up to which both fits are made: later ones go on from
// the better one.
const mostNoisy = 128

// muchNoise is the variance of the noise, relative to that of the function, that such a fit begins with.
const muchNoise = 0.05

// weightPrior is that of a model. A function does not look more complex only
// for having more parameters: their length-scales are expected to grow as sqrt(D) (Hvarfner et
// al. 2024).
func (a *run) weightPrior(m *weighted) gp.Prior {
	mu := 2*(3-math.Sqrt2-math.Ln2) - math.Log(float64(a.params))
	if m.sparse {
		mu -= a.Sparsity
	}
	noise := gp.LogNormalPrior{Mu: math.Log(a.Noise), StdDev: a.NoiseSpread}
	if a.few() {
		noise.StdDev = a.NoiseSpreadMany
	}
	prior := gp.Prior{Profile: m.profile, Noise: gp.NoiseParam(noise)}
	if prior.Metric = (gp.Weighted{Of: a.of, Param: gp.HyperParam{
		Name: "weight", Prior: gp.LogNormalPrior{Mu: mu, StdDev: a.WeightSpread}, Low: math.Log(1e-30), High: math.Log(400),
	}}); m.tied {
		prior.Metric = gp.Isotropic{Prior: gp.LogNormalPrior{Mu: math.Log(a.Theta), StdDev: a.ThetaSpread}}
	}
	return prior
}

// floored has no weight below a share of their mean: no parameter is left out for ever.
func (a *run) floored(m gp.Metric) gp.Metric {
	switch m := m.(type) {
	case gp.Isotropic:
		return a.floored(gp.Weighted{Of: a.of, Weights: slices.Repeat([]float64{m.Theta / float64(a.Dim)}, a.params)})
	case gp.Turned:
		m.Weighted = a.floored(m.Weighted).(gp.Weighted)
		return m
	}
	w := m.(gp.Weighted)
	mean, _ := num.MeanStd(w.Weights)
	w.Weights = slices.Clone(w.Weights)
	for i := range w.Weights {
		w.Weights[i] = max(w.Weights[i], a.WeightFloor*mean)
	}
	return w
}

// weights are those of the model, and the directions that they are of; none for those of the parameters.
func (m *weighted) weights() (w []float64, directions linalg.Matrix) {
	if t, ok := m.hyper.Metric.(gp.Turned); ok {
		return t.Weights, t.Directions
	}
	return m.hyper.Metric.(gp.Weighted).Weights, linalg.Matrix{}
}

// share is the part of the queries that models with weights make, and that of each model in
// it.
func (v *relevance) share() (share float64, of []float64) {
	a, most, sum := v.run, math.Inf(-1), 0.0
	for _, m := range v.models {
		if m.known {
			most = max(most, m.lead)
		}
	}
	largest := a.WeightShare
	if a.few() && largest > 0 {
		largest = a.FewShare
	}
	share = largest / (1 + math.Exp(a.enough()-most))
	if len(a.y) >= a.params && !a.few() && most > resting {
		share = max(share, a.WeightHedge)
	}
	if math.IsInf(most, -1) || share < smallestShare {
		return 0, nil
	}
	for _, m := range v.models {
		p := 0.0
		if m.known {
			p = math.Exp(m.lead - most)
		}
		of = append(of, p)
		sum += p
	}
	for k := range of {
		of[k] /= sum
	}
	return share, of
}

// best is the number of the model with the largest lead, if it leads.
func (v *relevance) best() (k int, ok bool) {
	for i, m := range v.models {
		if m.known && (!v.models[k].known || m.lead > v.models[k].lead) {
			k = i
		}
	}
	return k, len(v.models) > 0 && v.models[k].known && v.models[k].lead > v.run.enough()
}

// tell says which weights are in use: those of the model that predicts best.
func (v *relevance) tell(report *strategy.AskReport) {
	share, of := v.share()
	if share == 0 {
		return
	}
	m := v.models[slices.Index(of, slices.Max(of))]
	report.WeightShare, report.WeightLead = share, m.lead
	report.Weights = slices.Clone(m.hyper.Metric.(gp.Weighted).Weights)
	largest := slices.Max(report.Weights)
	for i := range report.Weights {
		report.Weights[i] /= largest
	}
}

// enough is the lead at which models with weights get half of their share. The fewer parameters
// there are, the fewer wrong weights could look right.
func (a *run) enough() float64 {
	return min(a.Lead, a.Lead*float64(a.params*a.params)/(manyParams*manyParams))
}

// few says whether there are so few parameters that weights need not prove themselves.
func (a *adaptive) few() bool { return a.params < manyParams }

const manyParams = 20

// smallestShare is one that is not worth its cost.
const smallestShare = 0.1

// draw chooses the model of a query; ok is false for the even one.
func (v *relevance) draw(r *rand.Rand) (k int, ok bool) {
	share, of := v.share()
	if share == 0 || r.Float64() >= share {
		return 0, false
	}
	u := r.Float64()
	for k, p := range of {
		if u -= p; u < 0 {
			return k, true
		}
	}
	return len(of) - 1, true
}
