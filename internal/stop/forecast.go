package stop

import (
	"context"
	"math"
	"slices"

	"github.com/mahabo/mahabo/internal/gp"
)

// forecast says what trials that have reached a step come to, as complete ones did that have reached it.
//
// Outcomes and values at the step are seen on a logarithmic scale that begins at the lowest. There a line leads from value to
// outcome, and a Gaussian process follows what the line leaves: it may depend on the value, on the latest progress, and on where
// the trial is in the space, as trials near each other have curves that are alike. The data say how much each of the three matters.
type forecast struct {
	step             int64
	outcomes, values gp.Warp
	worst            float64 // of the values, as they are seen
	slope            float64
	model            *gp.Posterior
}

// MostComplete is how many complete trials, the latest, a forecast looks at.
const MostComplete = 100

const (
	leastComplete = 3 // trials that a forecast takes

	beyond = 1   // standard deviations of the values by which the line leads further
	below  = 1e3 // and as many to the other side, so that all stays finite

	usualSlope  = 0.7 // of the line, worth as much as one trial
	usualRate   = 0.5 // of change with the value, the progress and the place
	rateSpread  = 1.5 // standard deviation of its logarithm
	usualNoise  = 0.3 // share of what the line leaves that nothing explains
	noiseSpread = 1   // standard deviation of its logarithm
)

// newForecast learns from the complete ones of some trials. It is nil when there are too few.
func newForecast(trials []Curve, step int64, coordinates int) *forecast {
	var known []Curve
	for _, c := range slices.Backward(trials) {
		if c.Done && c.from(step) < len(c.Steps) && len(c.At) == coordinates && len(known) < MostComplete {
			known = append(known, c)
		}
	}
	if len(known) < leastComplete {
		return nil
	}
	f := &forecast{step: step}
	outcomes, values := make([]float64, len(known)), make([]float64, len(known))
	for i, c := range known {
		outcomes[i], values[i] = c.Final, c.Values[c.from(step)]
	}
	f.outcomes, outcomes = gp.NewWarp(true, outcomes, outcomes[0], 0)
	f.values, values = gp.NewWarp(true, values, values[0], 0)
	f.worst = slices.Max(values)
	product, square := usualSlope, 1.0 // both sets have the mean 0
	for i, v := range values {
		product, square = product+v*outcomes[i], square+v*v
	}
	f.slope = product / square
	points := gp.NewPoints(coordinates + 2)
	for i, c := range known {
		points.Append(f.features(c))
		outcomes[i] -= f.slope * values[i]
	}
	of := make([]int, coordinates+2) // one weight for all coordinates
	of[coordinates], of[coordinates+1] = 1, 2
	data := gp.Data{Points: points, Y: outcomes}
	hyper, _, err := gp.Fit(context.Background(), gp.Prior{
		Profile: gp.Matern52, Restricted: true,
		Metric: gp.Weighted{Of: of, Param: gp.HyperParam{
			Name: "weight", Prior: gp.LogNormalPrior{Mu: math.Log(usualRate), StdDev: rateSpread}, Low: math.Log(1e-6), High: math.Log(400),
		}},
		Noise: gp.NoiseParam(gp.LogNormalPrior{Mu: math.Log(usualNoise), StdDev: noiseSpread}),
	}, data)
	if err != nil {
		return nil
	}
	if f.model, err = gp.Condition(hyper, data, 0); err != nil {
		return nil
	}
	return f
}

// features are what the process sees of a trial: its coordinates, which count as one together, the value and twice the progress.
func (f *forecast) features(c Curve) []float64 {
	x := make([]float64, 0, len(c.At)+2)
	for _, v := range c.At {
		x = append(x, v/math.Sqrt(float64(len(c.At))))
	}
	i := c.from(f.step)
	now, before := f.see(c.Values[i]), f.see(c.halfway(i))
	return append(x, now, 2*(before-now))
}

// see returns how a value is seen. Those far beyond all of complete trials are alike.
func (f *forecast) see(value float64) float64 {
	return max(min(f.values.See(value), f.worst+beyond), -below)
}

// of returns mean and standard deviation of a trial's outcome, as the outcomes are seen.
func (f *forecast) of(c Curve) (mean, std float64) {
	mean, variance := f.model.Predict(f.features(c))
	return mean + f.slope*f.see(c.Values[c.from(f.step)]), math.Sqrt(variance + f.model.NoiseVariance())
}

// covers says whether some complete trial had a value as bad. Of others a forecast knows little.
func (f *forecast) covers(c Curve) bool { return f.see(c.Values[c.from(f.step)]) <= f.worst }

// chance is how likely the outcome of a trial is below a value.
func (f *forecast) chance(c Curve, value float64) float64 {
	mean, std := f.of(c)
	return normalBelow((f.outcomes.See(value) - mean) / math.Max(std, 1e-300))
}

// Estimate is what a trial would have come to, with the standard deviation of that, when it was stopped after its last report. Not ok
// are too few complete trials that have come as far.
func Estimate(one Curve, others []Curve) (value, std float64, ok bool) {
	if len(one.Steps) == 0 {
		return 0, 0, false
	}
	f := newForecast(others, one.last(), len(one.At))
	if f == nil {
		return 0, 0, false
	}
	mean, doubt := f.of(one)
	value = f.outcomes.Invert(mean)
	std = (f.outcomes.Invert(mean+doubt) - f.outcomes.Invert(mean-doubt)) / 2
	return value, std, !math.IsNaN(value) && !math.IsInf(std, 0)
}
