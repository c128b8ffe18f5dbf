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
	if a.out.Structure == Unpredictable && c.Method == LeaveOneOut && c.R2 >= leastPredicted && a.mostPredicted() < leastPredicted {
		c.Verdict += " Told only four fifths of the values, it hardly predicts the others."
	}
	a.out.Calibration = c
}

// leastPredicted is the share of the variance from which on a model predicts anything.
const leastPredicted = 0.1

// verdict says in a sentence how good the predictions and their intervals are, and what the model was told.
func (c *Calibration) verdict() string {
	what := "predicts %s well"
	switch {
	case c.R2 < leastPredicted:
		what = "does not predict %s"
	case c.R2 < 0.5:
		what = "predicts %s roughly"
	case c.R2 < 0.8:
		what = "predicts %s fairly"
	}
	knows, rest := "Told all values but one", "that one"
	if c.Method == HeldOut {
		knows, rest = "Told four fifths of the values", "the others"
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
	return fmt.Sprintf("%s, the model %s (%s of the differences), and %s: %s of the values lie inside their 90 %% interval.",
		knows, fmt.Sprintf(what, rest), percent(max(0, c.R2)), how, percent(c.Coverage90))
}
