package insight

import (
	"fmt"
	"math"
)

// calibrate compares the values with predictions made without them. Directions and weights
// that were learned from a value would predict it too well, so that with them the folds are
// used.
func (a *analyst) calibrate() {
	n := a.sample.len()
	c := &Calibration{Method: LeaveOneOut}
	p := newPredictions(n)
	if a.shown.model != Isotropic {
		c.Method, p = HeldOut, a.shown.held
	} else {
		for i := range p.mean {
			p.mean[i], p.variance[i] = a.model.LeaveOneOut(i)
		}
	}
	c.R2 = r2(a.sample.w, p.mean)
	for i, s := range a.sites {
		residual := (a.sample.w[i] - p.mean[i]) / math.Sqrt(p.variance[i])
		median, low, high := a.interval(p.mean[i], p.variance[i])
		c.Points = append(c.Points, Predicted{ID: s.ID, Observed: s.Value, Median: median, Low: low, High: high, Residual: residual})
		c.Spread += residual * residual / float64(n)
		if math.Abs(residual) <= quantile50 {
			c.Coverage50 += 1 / float64(n)
		}
		if math.Abs(residual) <= quantile90 {
			c.Coverage90 += 1 / float64(n)
		}
	}
	c.Spread = math.Sqrt(c.Spread)
	c.Verdict = c.verdict()
	a.out.Calibration = c
}

// verdict says in a sentence how good the predictions and their intervals are.
func (c *Calibration) verdict() string {
	what := "predicts values well"
	switch {
	case c.R2 < 0.1:
		what = "does not predict values"
	case c.R2 < 0.5:
		what = "predicts values roughly"
	case c.R2 < 0.8:
		what = "predicts values fairly"
	}
	// A share of n values has a standard deviation of sqrt(0.9 0.1/n).
	slack := max(0.05, 3*math.Sqrt(0.09/float64(len(c.Points))))
	how := "its intervals are honest"
	switch {
	case c.Coverage90 < 0.9-slack || c.Spread > 2:
		how = "its intervals are too narrow, take them with care"
	case c.Coverage50 > 0.5+2.5*slack && c.Spread < 0.7:
		how = "its intervals are wider than they need to be"
	}
	return fmt.Sprintf("The model %s (%s of the differences between them), and %s: %s of the values lie inside their 90 %% interval.",
		what, percent(max(0, c.R2)), how, percent(c.Coverage90))
}
