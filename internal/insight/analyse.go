package insight

import (
	"context"
	"fmt"

	"github.com/mahabo/mahabo/internal/gp"
	"github.com/mahabo/mahabo/internal/linalg"
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
	model   *gp.Posterior // with these
	out     *Analysis
}

// Analyse says what the data show. It fails on data that are not valid and when the
// context ends, and answers anything else, if only that there is not enough to go by.
func Analyse(ctx context.Context, d Data) (*Analysis, error) {
	if err := d.validate(); err != nil {
		return nil, err
	}
	a := &analyst{Data: d, sites: d.sites(), coords: coordinates(d.Space)}
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
		return a.out, nil
	}
	return a.out, a.run(ctx)
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
	a.restrict()
	isotropic, err := a.chooseScale(ctx)
	if err != nil {
		return err
	}
	if a.contest, err = compare(ctx, a.sample, isotropic, a.Seed); err != nil {
		return err
	}
	a.weigh()
	if a.model, err = a.contest.lesson.model(ctx, a.d); err != nil {
		return err
	}
	a.model.Widen(a.contest.inflate[a.d])
	if err := a.importances(); err != nil {
		return err
	}
	a.directions()
	if err := a.slices(); err != nil {
		return err
	}
	a.calibrate()
	return nil
}

// restrict keeps the points that the model gets.
func (a *analyst) restrict() {
	var sites []Observation
	var y []float64
	for _, i := range relevant(a.y, a.Space.Dim()) {
		sites, y = append(sites, a.sites[i]), append(y, a.y[i])
	}
	a.sites, a.y = sites, y
	a.out.Used = len(sites)
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
