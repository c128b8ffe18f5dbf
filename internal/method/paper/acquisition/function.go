package acquisition

import "github.com/mahabo/mahabo/internal/linalg"

// Function is to be minimised over the box. ValueGrad fills grad and returns
// the same number as Value.
type Function interface {
	Value(x []float64) float64
	ValueGrad(grad, x []float64) float64
}

// BatchFunction evaluates many points at once; row i of x is a point.
type BatchFunction interface {
	Function
	Values(dst []float64, x linalg.Matrix)
}
