package problem

// Problem is a function to be minimised over the box [-1,1]^Dim.
type Problem struct {
	Name        string
	Description string // one line

	Dim     int // D, number of parameters
	TrueDim int // d, how many linear combinations of them matter at most; 0 when unknown

	// Minimum is the lowest noise-free value over the box, NaN when unknown.
	// For an embedded problem it is that of the function inside: a lower
	// bound, for the embedding may not reach it.
	Minimum float64

	// Eval returns what an optimiser sees at x, which has Dim elements. It is a
	// pure function and safe for concurrent use; it does not keep x.
	Eval func(x []float64) float64

	// NoiseFree is Eval without noise; nil when Eval has none.
	NoiseFree func(x []float64) float64
}

// Value returns the noise-free value at x, by which results are judged.
func (p Problem) Value(x []float64) float64 {
	if p.NoiseFree != nil {
		return p.NoiseFree(x)
	}
	return p.Eval(x)
}
