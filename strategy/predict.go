package strategy

import (
	"math"

	"github.com/mahabo/mahabo/gp"
	"github.com/mahabo/mahabo/internal/num"
)

// Predictor is a Strategy that can say what it expects. ok is false when the last Ask had
// no model: it made the initial design, fell back to uniform points, or there was none
// since the last Tell.
type Predictor interface {
	// Predict returns the mean and the standard deviation of a value told at x, noise
	// included. Pending points do not count: nothing is known of their values.
	Predict(x Point) (mean, std float64, ok bool)
}

var (
	_ Predictor = (*adaptive)(nil)
	_ Predictor = (*vanilla)(nil)
	_ Predictor = (*maha)(nil)
)

// forecast is a posterior with the way back from what the model sees to values.
type forecast struct {
	model gp.Surrogate
	noise float64 // its variance
	back  func(mean, variance float64) (float64, float64)
}

// predict asks the forecast of the last Ask, which build makes when it is first needed.
func (h *history) predict(x Point, build func() (*forecast, error)) (mean, std float64, ok bool) {
	if !h.modelled || checkPoint(x, h.dim) != nil {
		return 0, 0, false
	}
	if h.forecast == nil {
		var err error
		if h.forecast, err = build(); err != nil {
			h.modelled = false
			return 0, 0, false
		}
	}
	mean, variance := h.forecast.model.Predict(x)
	mean, variance = h.forecast.back(mean, variance+h.forecast.noise)
	return mean, math.Sqrt(variance), !math.IsNaN(mean) && !math.IsInf(mean, 0) && !math.IsInf(variance, 0)
}

// standardised is the forecast of a model of standardised values.
func (h *history) standardised(hyper gp.Hyper, in *gp.Inputs) (*forecast, error) {
	y, _ := standardise(h.y)
	model, err := gp.NewModel(hyper, in, y)
	if err != nil {
		return nil, err
	}
	mean, std := num.MeanStd(h.y)
	return &forecast{model, hyper.NoiseVariance, func(m, v float64) (float64, float64) {
		return mean + std*m, std * std * v
	}}, nil
}

// Predict returns what the model of the last Ask expects at a point.
func (v *vanilla) Predict(x Point) (mean, std float64, ok bool) {
	return v.predict(x, func() (*forecast, error) { return v.standardised(v.hyper, v.in) })
}

// Predict returns what the model of the last Ask expects at a point.
func (m *maha) Predict(x Point) (mean, std float64, ok bool) {
	return m.predict(x, func() (*forecast, error) { return m.standardised(m.hyper, m.in) })
}

// Predict returns what the model of the last Ask expects at a point.
func (a *adaptive) Predict(x Point) (mean, std float64, ok bool) {
	return a.predict(x, a.now.newForecast)
}

// newForecast undoes the scale of the fit. Of log(1+u) ~ N(m, v) the moments of u are
//
//	E u = exp(m + v/2) - 1,  var u = (exp(v) - 1) exp(2m + v).
func (a *run) newForecast() (*forecast, error) {
	if a.fit.n == 0 { // random points begin a run
		return nil, gp.ErrNoFit
	}
	cloud, y := a.cloud, a.y
	if len(y) > maxConditioned {
		kept := relevant(y, maxConditioned)
		cloud, y = cloud.Subset(kept), pick(y, kept)
	}
	model, err := gp.NewIsotropicModel(a.fit.hyper, cloud, a.fit.scale.apply(y, a.designMedian()).w, 0)
	if err != nil {
		return nil, err
	}
	seen := excess(y, a.designMedian())
	low, unit := lineOf(y, seen)
	if a.fit.scale == logarithmic {
		for i, u := range seen {
			seen[i] = math.Log1p(u)
		}
	}
	mean, std := num.MeanStd(seen)
	if !(std > 0) {
		std = 1
	}
	logs := a.fit.scale == logarithmic
	return &forecast{model, model.NoiseVariance(), func(m, v float64) (float64, float64) {
		m, v = mean+std*m, std*std*v
		if logs {
			m, v = math.Expm1(m+v/2), math.Expm1(v)*math.Exp(2*m+v)
		}
		return low + unit*m, unit * unit * v
	}}, nil
}

// lineOf returns low and unit of y = low + unit u.
func lineOf(y, u []float64) (low, unit float64) {
	least, most := 0, 0
	for i := range u {
		if u[i] < u[least] {
			least = i
		}
		if u[i] > u[most] {
			most = i
		}
	}
	if !(u[most] > 0) {
		return y[least], 0
	}
	return y[least], (y[most] - y[least]) / u[most]
}
