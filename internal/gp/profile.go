package gp

import "github.com/mahabo/mahabo/internal/linalg"

// Profile is the correlation as a function of the distance r.
type Profile int

const (
	// RBF is exp(-r²/2).
	RBF Profile = iota
	// Matern52 is (1 + sqrt(5) r + 5 r²/3) exp(-sqrt(5) r).
	Matern52
)

// Radius is the distance beyond which the correlation is below 1e-15.
func (p Profile) Radius() float64 {
	if p == RBF {
		return 8.4
	}
	return 19
}

// Apply replaces squared distances by scale*phi. When slope is not nil it
// receives -2 scale d phi/d(r²), which for the RBF is scale*phi itself.
func (p Profile) Apply(r2, slope []float64, scale float64) {
	if p == RBF {
		linalg.ExpScaled(r2, scale, -0.5, r2)
		copy(slope, r2)
		return
	}
	linalg.Matern52(r2, slope, scale)
}

// Correlate fills k with phi at r² = rate*d2, and slope as Apply does. k may be d2.
func (p Profile) Correlate(k, slope []float64, rate float64, d2 []float64) {
	for i, v := range d2 {
		k[i] = rate * v
	}
	p.Apply(k, slope, 1)
}
