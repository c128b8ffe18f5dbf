package lingp

import "github.com/mahabo/mahabo/internal/linalg"

// Surrogate predicts the latent function, without observation noise.
type Surrogate interface {
	Predict(x []float64) (mean, variance float64)
}

// Differentiable also gives the gradients of both moments in x.
type Differentiable interface {
	Surrogate
	PredictGrad(dMean, dVar, x []float64) (mean, variance float64)
}

// Batch predicts many points at once; row i of x is a point.
type Batch interface {
	Surrogate
	PredictBatch(mean, variance []float64, x linalg.Matrix)
}

// BatchDifferentiable gives the gradients at many points at once: PredictGrads makes of
// every row of x what PredictGrad makes of it, to the byte.
type BatchDifferentiable interface {
	Differentiable
	PredictGrads(dMean, dVar linalg.Matrix, mean, variance []float64, x linalg.Matrix)
}

// Joint also gives covariances and can be conditioned on a point whose value
// is not known yet: the mean stays, the covariance shrinks.
type Joint interface {
	Surrogate
	Cov(x, y []float64) float64
	Condition(x []float64) (Joint, error)
}
