package gp

import (
	"fmt"
	"math"
)

// Prior is the density of a positive hyperparameter v.
type Prior interface {
	// LogDensity returns the log density at v > 0 and its derivative in v.
	LogDensity(v float64) (value, slope float64)
}

// GammaPrior has the density Rate^Shape v^(Shape-1) exp(-Rate v) / Gamma(Shape).
type GammaPrior struct{ Shape, Rate float64 }

// LogNormalPrior says that log v is normal with mean Mu and deviation StdDev.
type LogNormalPrior struct{ Mu, StdDev float64 }

var (
	_ Prior = GammaPrior{}
	_ Prior = LogNormalPrior{}
)

// LogDensity returns the log density at v > 0 and its derivative.
func (p GammaPrior) LogDensity(v float64) (value, slope float64) {
	norm, _ := math.Lgamma(p.Shape)
	value = p.Shape*math.Log(p.Rate) - norm + (p.Shape-1)*math.Log(v) - p.Rate*v
	return value, (p.Shape-1)/v - p.Rate
}

// LogDensity returns the log density at v > 0 and its derivative.
func (p LogNormalPrior) LogDensity(v float64) (value, slope float64) {
	t := (math.Log(v) - p.Mu) / p.StdDev
	value = -math.Log(v*p.StdDev) - 0.5*math.Log(2*math.Pi) - 0.5*t*t
	return value, -(1 + t/p.StdDev) / v
}

// Mode returns the v of largest density, exp(Mu - StdDev²).
func (p LogNormalPrior) Mode() float64 { return math.Exp(p.Mu - p.StdDev*p.StdDev) }

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
