package lingp

import (
	"fmt"
	"math"
)

// Interval bounds a positive hyperparameter; a zero end is no bound.
type Interval struct{ Low, High float64 }

func (b Interval) validate(name string) error {
	switch {
	case !(b.Low >= 0) || !(b.High >= 0):
		return fmt.Errorf("gp: %s is [%g, %g]: bounds of a positive number are positive, or 0 for none", name, b.Low, b.High)
	case b.High > 0 && b.Low > b.High:
		return fmt.Errorf("gp: %s is [%g, %g]: the lower bound exceeds the upper one", name, b.Low, b.High)
	}
	return nil
}

// logs returns the bounds of the logarithm.
func (b Interval) logs() (low, high float64) {
	high = math.Inf(1)
	if b.High > 0 {
		high = math.Log(b.High)
	}
	return math.Log(b.Low), high // log 0 is -Inf
}
