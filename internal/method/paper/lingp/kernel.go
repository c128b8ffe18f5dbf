package lingp

import (
	"fmt"
	"math"

	"github.com/mahabo/mahabo/internal/gp"
	"github.com/mahabo/mahabo/internal/linalg"
)

// Kernel is a profile over z = Bx (B set) or z = x/lengthScales.
type Kernel struct {
	Profile      gp.Profile
	B            linalg.Matrix // d x D
	LengthScales []float64     // D, used when B is empty
}

// Mahalanobis is exp(-|B(x-x')|²/2), eq:maha_kernel with the ½ of the authors'
// program (the same family of functions).
func Mahalanobis(B linalg.Matrix) Kernel { return Kernel{Profile: gp.RBF, B: B} }

// RBFARD is the squared-exponential kernel with one length-scale per input.
func RBFARD(lengthScales []float64) Kernel {
	return Kernel{Profile: gp.RBF, LengthScales: lengthScales}
}

// Matern52ARD is the Matérn-5/2 kernel with one length-scale per input.
func Matern52ARD(lengthScales []float64) Kernel {
	return Kernel{Profile: gp.Matern52, LengthScales: lengthScales}
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
func (h Hyper) Covariances(r2 []float64) { h.Profile.Apply(r2, nil, h.OutputScale) }

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
