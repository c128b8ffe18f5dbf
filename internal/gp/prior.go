package gp

import (
	"errors"
	"math"
)

// Density is that of a positive hyperparameter v.
type Density interface {
	// LogDensity returns the log density at v > 0 and its derivative in v.
	LogDensity(v float64) (value, slope float64)
}

// GammaPrior has the density Rate^Shape v^(Shape-1) exp(-Rate v) / Gamma(Shape).
type GammaPrior struct{ Shape, Rate float64 }

// LogNormalPrior says that log v is normal with mean Mu and deviation StdDev.
type LogNormalPrior struct{ Mu, StdDev float64 }

var (
	_ Density = GammaPrior{}
	_ Density = LogNormalPrior{}
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

// ErrNoFit says that the likelihood is not finite wherever a fit looked.
var ErrNoFit = errors.New("gp: the likelihood is not finite at any start")
