package problem

import (
	"fmt"
	"math"
	"slices"
)

// wide is the domain of the functions below. It is not symmetric, so that the
// centre of the box, where embedded designs start, is not the minimum.
var wide = interval{-5, 10}

func newAckley(d int) Problem {
	return scalable("ackley", d, "Ackley on [-5,10]^%d: a deep hole among many small ones", ackley)
}

// ackley is 20 + e - 20 exp(-0.2 sqrt(mean x²)) - exp(mean cos 2πx), 0 at 0.
func ackley(x []float64) float64 {
	var square, cosine float64
	for _, v := range x {
		square += v * v
		cosine += math.Cos(2 * math.Pi * v)
	}
	n := float64(len(x))
	return 20 + math.E - 20*math.Exp(-0.2*math.Sqrt(square/n)) - math.Exp(cosine/n)
}

func newLevy(d int) Problem {
	return scalable("levy", d, "Levy on [-5,10]^%d: waves on a bowl", levy)
}

// levy, with w = 1 + (x-1)/4, is 0 at 1:
//
//	sin²πw_1 + sum_{i<d} (w_i-1)² (1 + 10 sin²(πw_i + 1)) + (w_d-1)² (1 + sin²2πw_d)
func levy(x []float64) float64 {
	sinSquare := func(v float64) float64 { s := math.Sin(v); return s * s }
	w := func(i int) float64 { return 1 + (x[i]-1)/4 }
	last := len(x) - 1
	sum := sinSquare(math.Pi*w(0)) + (w(last)-1)*(w(last)-1)*(1+sinSquare(2*math.Pi*w(last)))
	for i := range last {
		sum += (w(i) - 1) * (w(i) - 1) * (1 + 10*sinSquare(math.Pi*w(i)+1))
	}
	return sum
}

func newRosenbrock(d int) Problem {
	return scalable("rosenbrock", d, "Rosenbrock on [-5,10]^%d: a curved valley", rosenbrock)
}

// rosenbrock is sum_{i<d} 100 (x_{i+1} - x_i²)² + (x_i - 1)², 0 at 1.
func rosenbrock(x []float64) float64 {
	var sum float64
	for i := range len(x) - 1 {
		a, b := x[i+1]-x[i]*x[i], x[i]-1
		sum += 100*a*a + b*b
	}
	return sum
}

// scalable is a function of any dimension with minimum 0; d is part of its name.
func scalable(name string, d int, description string, f func([]float64) float64) Problem {
	return Problem{
		Name:        fmt.Sprintf("%s%d", name, d),
		Description: fmt.Sprintf(description, d),
		Dim:         d, TrueDim: d,
		Minimum: 0,
		Eval:    onBox(f, slices.Repeat([]interval{wide}, d)...),
	}
}
