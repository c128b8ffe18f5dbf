package gp

import (
	"fmt"
	"math"

	"github.com/mahabo/mahabo/internal/linalg"
)

// Profile is the correlation as a function of the distance r in z.
type Profile int

const (
	// RBF is exp(-r²/2).
	RBF Profile = iota
	// Matern52 is (1 + sqrt(5) r + 5 r²/3) exp(-sqrt(5) r).
	Matern52
)

// radius is the distance beyond which the correlation is below 1e-15.
func (p Profile) radius() float64 {
	if p == RBF {
		return 8.4
	}
	return 19
}

// apply replaces squared distances by scale*phi. When slope is not nil it
// receives -2 scale d phi/d(r²), which for the RBF is scale*phi itself.
func (p Profile) apply(r2, slope []float64, scale float64) {
	if p == RBF {
		linalg.ExpScaled(r2, scale, -0.5, r2)
		copy(slope, r2)
		return
	}
	linalg.Matern52(r2, slope, scale)
}

// correlate fills k with phi at r² = rate*d2, and slope as apply does. k may be d2.
func (p Profile) correlate(k, slope []float64, rate float64, d2 []float64) {
	for i, v := range d2 {
		k[i] = rate * v
	}
	p.apply(k, slope, 1)
}

// Kernel is a profile over z = Bx (B set) or z = x/lengthScales.
type Kernel struct {
	Profile      Profile
	B            linalg.Matrix // d x D
	LengthScales []float64     // D, used when B is empty
}

// Mahalanobis is exp(-|B(x-x')|²/2), eq:maha_kernel with the ½ of the authors'
// program (the same family of functions).
func Mahalanobis(B linalg.Matrix) Kernel { return Kernel{Profile: RBF, B: B} }

// RBFARD is the squared-exponential kernel with one length-scale per input.
func RBFARD(lengthScales []float64) Kernel {
	return Kernel{Profile: RBF, LengthScales: lengthScales}
}

// Matern52ARD is the Matérn-5/2 kernel with one length-scale per input.
func Matern52ARD(lengthScales []float64) Kernel {
	return Kernel{Profile: Matern52, LengthScales: lengthScales}
}

// Dims returns d and D.
func (k Kernel) Dims() (low, high int) {
	if k.B.Rows > 0 {
		return k.B.Rows, k.B.Cols
	}
	return len(k.LengthScales), len(k.LengthScales)
}

// project computes z = T x.
func (k Kernel) project(z, x []float64) {
	if k.B.Rows > 0 {
		for a := range z {
			z[a] = linalg.Dot(k.B.Row(a), x)
		}
		return
	}
	for j, l := range k.LengthScales {
		z[j] = x[j] / l
	}
}

// pullback computes gradX = Tᵀ gradZ.
func (k Kernel) pullback(gradX, gradZ []float64) {
	if k.B.Rows > 0 {
		clear(gradX)
		for a, g := range gradZ {
			linalg.Axpy(gradX, g, k.B.Row(a))
		}
		return
	}
	for j, l := range k.LengthScales {
		gradX[j] = gradZ[j] / l
	}
}

// Hyper are the hyperparameters of a model.
type Hyper struct {
	Kernel
	OutputScale   float64
	NoiseVariance float64
	Mean          float64
}

// Covariances replaces squared distances in z by prior covariances.
func (h Hyper) Covariances(r2 []float64) { h.Profile.apply(r2, nil, h.OutputScale) }

// validate checks the hyperparameters against the inputs.
func (h Hyper) validate(dim int) error {
	low, high := h.Dims()
	switch {
	case high != dim:
		return fmt.Errorf("gp: kernel is over %d inputs, the data have %d", high, dim)
	case low < 1 || low > high:
		return fmt.Errorf("gp: embedding dimension %d is outside 1..%d", low, high)
	case !(h.OutputScale > 0) || math.IsInf(h.OutputScale, 0):
		return fmt.Errorf("gp: output scale %g is not a positive number", h.OutputScale)
	case !(h.NoiseVariance >= 0) || math.IsInf(h.NoiseVariance, 0):
		return fmt.Errorf("gp: noise variance %g is not a number >= 0", h.NoiseVariance)
	case math.IsNaN(h.Mean) || math.IsInf(h.Mean, 0):
		return fmt.Errorf("gp: mean %g is not finite", h.Mean)
	}
	return nil
}
