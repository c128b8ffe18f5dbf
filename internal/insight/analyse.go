package insight

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/mahabo/mahabo/internal/gp"
	"github.com/mahabo/mahabo/internal/linalg"
	"github.com/mahabo/mahabo/internal/num"
	"github.com/mahabo/mahabo/internal/progress"
)

// fewestPoints are needed for a model: fewer leave nothing to predict.
const fewestPoints = 10

// analyst is an analysis at work.
type analyst struct {
	Data
	sites   []Observation // that the model knows
	y       []float64     // their values, lower being better
	best    []float64     // the best point
	warp    gp.Warp
	sample  *sample
	contest *contest
	coords  []coordinate
	d       int           // directions that are supported
	along   *gp.Posterior // the model with these
	model   *gp.Posterior // the one that predicts best
	shown   *predictor    // the same with its folds
	global  *predictor    // that importances are of
	region  region        // of good points
	brief   bool          // only directions are asked for
	out     *Analysis
}

// Analyse says what the data show. It fails on data that are not valid and when the
// context ends, and answers anything else, if only that there is not enough to go by.
func Analyse(ctx context.Context, d Data) (*Analysis, error) {
	a, err := analyse(ctx, d, false)
	if err != nil {
		return nil, err
	}
	return a.out, nil
}

// analyse returns the analyst with its work done; a brief one looks for directions only.
func analyse(ctx context.Context, d Data, brief bool) (*analyst, error) {
	if err := d.validate(); err != nil {
		return nil, err
	}
	a := &analyst{Data: d, sites: d.sites(), coords: coordinates(d.Space), brief: brief}
	a.out = &Analysis{
		Goal: "minimize", Points: len(a.sites), Dim: d.Space.Dim(), Scale: Plain, Structure: NoModel,
		Evidence: []Evidence{}, Directions: []Direction{}, Importances: []Importance{}, Slices: []Slice{},
	}
	if d.Maximize {
		a.out.Goal = "maximize"
	}
	for _, p := range d.Space.Params() {
		if _, count, _ := d.Space.Coordinates(p.Name); count > 0 {
			a.out.Parameters++
		}
	}
	if err := a.findBest(); err != nil {
		return nil, err
	}
	if why := a.tooLittle(); why != "" {
		a.out.Verdict = why
		return a, nil
	}
	return a, a.run(ctx)
}

// inner returns values of which lower ones are better.
func (a *analyst) inner(value float64) float64 {
	if a.Maximize {
		return -value
	}
	return value
}

func (a *analyst) findBest() error {
	var best *Observation
	for i, o := range a.sites {
		a.y = append(a.y, a.inner(o.Value))
		if best == nil || a.y[i] < a.inner(best.Value) {
			best = &a.sites[i]
		}
	}
	if best == nil {
		return nil
	}
	v := best.Params
	if v.Len() == 0 {
		var err error
		if v, err = a.Space.Decode(best.X); err != nil {
			return err
		}
	}
	a.best = best.X
	a.out.Best = &Best{ID: best.ID, Value: best.Value, Params: v}
	return nil
}

// tooLittle says why there can be no model, if so.
func (a *analyst) tooLittle() string {
	switch n := len(a.sites); {
	case n == 0:
		return "There is no value yet, hence nothing to say."
	case n < fewestPoints:
		return fmt.Sprintf("There are values at %s, too few for a model: at least %d are needed.", plural(n, "point"), fewestPoints)
	case a.Space.Dim() == 0:
		return "No parameter varies, hence there is nothing to learn."
	}
	for _, v := range a.y {
		if v != a.y[0] {
			return ""
		}
	}
	return fmt.Sprintf("All %d values are equal: as far as the data show, no parameter matters.", len(a.y))
}

// run fills the analysis.
func (a *analyst) run(ctx context.Context) error {
	if err := a.findRegion(); err != nil {
		return err
	}
	a.restrict()
	progress.Report(ctx, "the scale of the values", 0)
	isotropic, err := a.chooseScale(ctx)
	if err != nil {
		return err
	}
	progress.Report(ctx, "directions along which the value changes", 0.05)
	if a.contest, err = compare(ctx, a.sample, isotropic, a.Seed); err != nil {
		return err
	}
	progress.Report(ctx, "a weight for each parameter", 0.35)
	if a.contest.weights, err = a.contest.holdWeights(ctx, a.sample, a.warp, owners(a.coords)); err != nil {
		return err
	}
	a.weigh()
	if a.along, err = a.contest.lesson.model(ctx, a.d); err != nil {
		return err
	}
	a.along.Widen(a.contest.inflate[a.d])
	a.directions()
	if a.brief {
		return nil
	}
	if err := a.choosePredictor(ctx); err != nil {
		return err
	}
	if err := a.importances(ctx); err != nil {
		return err
	}
	a.calibrate()
	a.explain()
	a.name()
	progress.Report(ctx, "one parameter at a time", 0.9)
	return a.slices()
}

// choosePredictor takes the model that predicts held-out values best: with directions, or
// with a weight for each parameter.
func (a *analyst) choosePredictor(ctx context.Context) (err error) {
	c := a.contest
	a.shown = c.weights
	if c.score(c.weights.held) <= c.score(c.held[a.d]) {
		a.shown = &predictor{model: Isotropic, warp: a.warp, sample: a.sample, hyper: a.along.Hyper, held: c.held[a.d], inflate: c.inflate[a.d], highest: slices.Max(a.sample.w)}
		for _, f := range c.folds {
			a.shown.folds = append(a.shown.folds, f.hypers[a.d])
		}
		if a.d > 0 {
			a.shown.model = Directional
		}
	}
	if a.model = a.along; a.shown == c.weights {
		if a.model, err = a.shown.condition(a.shown.hyper, 0); err != nil {
			return err
		}
	}
	a.out.Predictor = a.shown.model
	return a.chooseGlobal(ctx)
}

// chooseGlobal takes the model that importances are of. They are shares of the variance of the
// values themselves, so that a model on a logarithmic scale, which is made to tell good values
// apart, has to predict them clearly better than one on the plain scale; and only a model with
// weights says that a parameter which was never changed may matter.
func (a *analyst) chooseGlobal(ctx context.Context) (err error) {
	if a.global = a.contest.weights; a.out.Scale != Plain {
		t, w := gp.NewWarp(false, a.y, a.y[0], 0)
		if a.global, err = a.contest.holdWeights(ctx, newSample(a.sample.points, a.sites, t, w), t, owners(a.coords)); err != nil {
			return err
		}
	}
	for _, other := range []*predictor{a.contest.weights, a.shown} {
		if other != a.global && a.clearlyBetter(other, a.global) {
			a.global = other
		}
	}
	return nil
}

// clearlyBetter compares the squared errors of predicted values.
func (a *analyst) clearlyBetter(p, q *predictor) bool {
	d := make([]float64, len(a.y))
	for i := range d {
		d[i] = q.miss(i) - p.miss(i)
	}
	mean, std := num.MeanStd(d)
	return mean > std/math.Sqrt(float64(len(d)))
}

// miss is the squared error of a held-out value, of which the highest is 1.
func (p *predictor) miss(i int) float64 {
	w := []float64{p.sample.w[i], p.held.mean[i]}
	p.plain(w)
	return (w[0] - w[1]) * (w[0] - w[1])
}

// restrict keeps the points that the model gets.
func (a *analyst) restrict() {
	var sites []Observation
	var y []float64
	for _, i := range relevant(a.y, a.Space.Dim()) {
		sites, y = append(sites, a.sites[i]), append(y, a.y[i])
	}
	a.sites, a.y = sites, y
	a.out.Used, a.out.GoodPoints = len(sites), a.region.points
}

// chooseScale takes the scale under which the values are more probable,
//
//	log p(y) = log p(w) + sum log dw/dy,
//
// and returns the hyperparameters of the isotropic model on it.
func (a *analyst) chooseScale(ctx context.Context) (hyper gp.Hyper, err error) {
	var least float64
	// The sum is over the points of the fit.
	share := min(1, mostFitted/float64(len(a.y)))
	points := gp.NewPoints(a.Space.Dim())
	for _, o := range a.sites {
		points.Append(o.X)
	}
	for k, scale := range []Scale{Plain, Logarithmic} {
		t, w := gp.NewWarp(scale == Logarithmic, a.y, a.y[0], 0)
		s := newSample(points, a.sites, t, w)
		h, loss, err := s.fit(ctx, linalg.Matrix{}, nil)
		if err != nil {
			return hyper, err
		}
		if loss -= t.LogJacobian * share; k == 0 || loss < least {
			least, hyper = loss, h
			a.warp, a.sample, a.out.Scale = t, s, scale
		}
	}
	return hyper, nil
}
