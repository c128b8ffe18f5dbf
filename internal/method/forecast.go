package method

import (
	"math"

	"github.com/mahabo/mahabo/strategy"
)

// Forecast is a posterior with the way back from what the model sees to values.
type Forecast struct {
	Model interface {
		Predict(x []float64) (mean, variance float64)
	}
	Noise float64 // its variance
	Back  func(mean, variance float64) (float64, float64)
}

// PredictBy asks the forecast of the last Ask, which build makes when it is first needed.
func (h *History) PredictBy(x strategy.Point, build func() (*Forecast, error)) (mean, std float64, ok bool) {
	if !h.modelled || strategy.CheckPoint(x, h.Dim) != nil {
		return 0, 0, false
	}
	if h.forecast == nil {
		var err error
		if h.forecast, err = build(); err != nil {
			h.modelled = false
			return 0, 0, false
		}
	}
	mean, variance := h.forecast.Model.Predict(x)
	mean, variance = h.forecast.Back(mean, variance+h.forecast.Noise)
	return mean, math.Sqrt(variance), !math.IsNaN(mean+variance) && !math.IsInf(mean+variance, 0)
}
