package lingp

import (
	"github.com/mahabo/mahabo/internal/gp"
	"github.com/mahabo/mahabo/internal/linalg"
	"github.com/mahabo/mahabo/internal/num"
)

// MinNoise is the lower bound of a fitted noise variance (of standardised
// outputs).
const MinNoise = 1e-4

// raw are the parameters that the fits move, free of constraints, in one slice:
// mean, softplus⁻¹(output scale), softplus⁻¹(noise - MinNoise), then the map:
// B row by row, or softplus⁻¹ of the length-scales.
type raw []float64

const rawScalars = 3

// toRaw returns the raw parameters of h.
func toRaw(h Hyper) raw {
	low, high := h.Dims()
	r := raw{h.Mean, num.InvSoftplus(h.OutputScale), num.InvSoftplus(max(h.NoiseVariance-MinNoise, 1e-12))}
	if h.B.Rows > 0 {
		for a := range low {
			r = append(r, h.B.Row(a)...)
		}
		return r
	}
	for j := range high {
		r = append(r, num.InvSoftplus(h.LengthScales[j]))
	}
	return r
}

// shape is what the raw parameters do not say.
type shape struct {
	profile   gp.Profile
	ard       bool
	low, high int
}

func (h Hyper) shape() shape {
	low, high := h.Dims()
	return shape{h.Profile, h.B.Rows == 0, low, high}
}

// mapLen returns the number of map parameters.
func (s shape) mapLen() int {
	if s.ard {
		return s.high
	}
	return s.low * s.high
}

// hyper turns scalars and map parameters into hyperparameters. B shares the
// memory of the map parameters.
func (s shape) hyper(scalars, mapping []float64) Hyper {
	h := Hyper{
		Kernel:        Kernel{Profile: s.profile},
		Mean:          scalars[0],
		OutputScale:   num.Softplus(scalars[1]),
		NoiseVariance: num.Softplus(scalars[2]) + MinNoise,
	}
	if !s.ard {
		h.B = linalg.Matrix{Rows: s.low, Cols: s.high, Stride: s.high, Data: mapping}
		return h
	}
	h.LengthScales = make([]float64, s.high)
	for j, v := range mapping {
		h.LengthScales[j] = num.Softplus(v)
	}
	return h
}

// scalarGradient converts the derivatives of log p(y) in the scalars into those
// of the loss -log p(y)/n in the raw scalars.
func scalarGradient(dst []float64, ev evaluation, scalars []float64, n int) {
	c := -1 / float64(n)
	dst[0] = c * ev.dMean
	dst[1] = c * ev.dLogScale / num.Softplus(scalars[1]) * num.Sigmoid(scalars[1])
	dst[2] = c * ev.dNoise * num.Sigmoid(scalars[2])
}

// lengthScaleLossGradient writes the derivatives of the loss in the raw
// length-scales.
func lengthScaleLossGradient(dst, mapping []float64, h Hyper, dZ linalg.Matrix, in *Inputs) {
	lengthScaleGradient(dst, h.LengthScales, dZ, in)
	for j, v := range mapping {
		dst[j] *= -num.Sigmoid(v) / float64(in.n)
	}
}
