package strategy

import (
	"math"

	"github.com/mahabo/mahabo/internal/gp"
	"github.com/mahabo/mahabo/internal/num"
)

// Predictor is a Strategy that can say what it expects. ok is false when the last Ask had
// no model: it made the initial design, fell back to uniform points, or there was none
// since the last Tell.
type Predictor interface {
	// Predict returns the mean and the standard deviation of a value told at x, learned
	// noise included. Pending points do not count: nothing is known of their values.
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
	return mean, math.Sqrt(variance), !math.IsNaN(mean+variance) && !math.IsInf(mean+variance, 0)
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
	return a.predict(x, a.current().newForecast)
}

// newForecast is that of the run's model; the random points that begin a run have none.
func (a *run) newForecast() (*forecast, error) {
	if a.fit.n == 0 || a.last.model == nil {
		return nil, gp.ErrNoFit
	}
	return &forecast{a.last.model, a.last.model.NoiseVariance(), a.last.Moments}, nil
}
