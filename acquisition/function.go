package acquisition

// Function is to be minimised over the box. ValueGrad fills grad and returns
// the same number as Value.
type Function interface {
	Value(x []float64) float64
	ValueGrad(grad, x []float64) float64
}
