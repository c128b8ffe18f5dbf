package lingp

import (
	"slices"

	"github.com/mahabo/mahabo/internal/method"
	"github.com/mahabo/mahabo/internal/num"
	"github.com/mahabo/mahabo/strategy"
)

// Believe returns the data with the pending points added at their predicted means
// (the means stay, the variances near them shrink).
func Believe(h Hyper, in *Inputs, y []float64, pending []strategy.Point) (*Inputs, []float64, error) {
	if len(pending) == 0 {
		return in, y, nil
	}
	model, err := NewModel(h, in, y)
	if err != nil {
		return nil, nil, err
	}
	all := in.Clone()
	y = slices.Clone(y)
	for _, p := range pending {
		mean, _ := model.Predict(p)
		all.Append(p)
		y = append(y, mean)
	}
	return all, y, nil
}

// NewForecast is that of a model of standardised values.
func NewForecast(hyper Hyper, in *Inputs, values []float64) (*method.Forecast, error) {
	y, _ := method.Standardise(values)
	model, err := NewModel(hyper, in, y)
	if err != nil {
		return nil, err
	}
	mean, std := num.MeanStd(values)
	return &method.Forecast{Model: model, Noise: hyper.NoiseVariance, Back: func(m, v float64) (float64, float64) {
		return mean + std*m, std * std * v
	}}, nil
}
