package problem

import "math"

// interval is the native range of one parameter.
type interval struct{ low, high float64 }

// onBox returns f, which takes points of its native domain, as a function of
// the box [-1,1]^D.
func onBox(f func(x []float64) float64, domain ...interval) func(z []float64) float64 {
	return func(z []float64) float64 {
		x := make([]float64, len(domain))
		for i, d := range domain {
			// native = centre + halfwidth * z
			x[i] = (d.low+d.high)/2 + (d.high-d.low)/2*z[i]
		}
		return f(x)
	}
}

func newBranin() Problem {
	return Problem{
		Name:        "branin",
		Description: "Branin on [-5,10]x[0,15]: a curved valley with three global minima",
		Dim:         2, TrueDim: 2,
		Minimum: 10 / (8 * math.Pi),
		Eval:    onBox(branin, interval{-5, 10}, interval{0, 15}),
	}
}

// branin is (x2 - b x1^2 + c x1 - 6)^2 + 10 (1-t) cos x1 + 10.
func branin(x []float64) float64 {
	const (
		b = 5.1 / (4 * math.Pi * math.Pi)
		c = 5 / math.Pi
		t = 1 / (8 * math.Pi)
	)
	r := x[1] - b*x[0]*x[0] + c*x[0] - 6
	return r*r + 10*(1-t)*math.Cos(x[0]) + 10
}

func newColville() Problem {
	side := interval{-10, 10}
	return Problem{
		Name:        "colville",
		Description: "Colville on [-10,10]^4: a flat curved floor between walls of 1e6",
		Dim:         4, TrueDim: 4,
		Minimum: 0,
		Eval:    onBox(colville, side, side, side, side),
	}
}

// colville is two coupled Rosenbrock valleys.
func colville(x []float64) float64 {
	sq := func(v float64) float64 { return v * v }
	return 100*sq(x[0]*x[0]-x[1]) + sq(x[0]-1) + sq(x[2]-1) + 90*sq(x[2]*x[2]-x[3]) +
		10.1*(sq(x[1]-1)+sq(x[3]-1)) + 19.8*(x[1]-1)*(x[3]-1)
}

func newGoldstein() Problem {
	return Problem{
		Name:        "goldstein",
		Description: "Goldstein-Price on [-2,2]^2, no logarithm: minimum 3 behind a barrier, values up to 1e6",
		Dim:         2, TrueDim: 2,
		Minimum: 3,
		Eval:    onBox(goldstein, interval{-2, 2}, interval{-2, 2}),
	}
}

func goldstein(x []float64) float64 {
	a, b := x[0], x[1]
	s, t := a+b+1, 2*a-3*b
	return (1 + s*s*(19-14*a+3*a*a-14*b+6*a*b+3*b*b)) *
		(30 + t*t*(18-32*a+12*a*a+48*b-36*a*b+27*b*b))
}

func newHartmann6() Problem {
	side := interval{0, 1}
	return Problem{
		Name:        "hartmann6",
		Description: "Hartmann on [0,1]^6: four Gaussian wells on a plain near 0",
		Dim:         6, TrueDim: 6,
		Minimum: -3.3223680114155148,
		Eval:    onBox(hartmann6, side, side, side, side, side, side),
	}
}

// hartmann6 is minus the sum of depth_i exp(-sum_j rate_ij (x_j - centre_ij)^2).
func hartmann6(x []float64) float64 {
	depth := [4]float64{1, 1.2, 3, 3.2}
	rate := [4][6]float64{
		{10, 3, 17, 3.5, 1.7, 8},
		{0.05, 10, 17, 0.1, 8, 14},
		{3, 3.5, 1.7, 10, 17, 8},
		{17, 8, 0.05, 10, 0.1, 14},
	}
	centre := [4][6]float64{
		{0.1312, 0.1696, 0.5569, 0.0124, 0.8283, 0.5886},
		{0.2329, 0.4135, 0.8307, 0.3736, 0.1004, 0.9991},
		{0.2348, 0.1451, 0.3522, 0.2883, 0.3047, 0.6650},
		{0.4047, 0.8828, 0.8732, 0.5743, 0.1091, 0.0381},
	}
	var sum float64
	for i := range depth {
		var e float64
		for j := range rate[i] {
			d := x[j] - centre[i][j]
			e += rate[i][j] * d * d
		}
		sum += depth[i] * math.Exp(-e)
	}
	return -sum
}

func newSixHump() Problem {
	return Problem{
		Name:        "sixhump",
		Description: "six-hump camel on [-5,5]^2: two global and four local minima near the centre",
		Dim:         2, TrueDim: 2,
		Minimum: -1.0316284534898774,
		Eval:    onBox(sixHump, interval{-5, 5}, interval{-5, 5}),
	}
}

func sixHump(x []float64) float64 {
	a, b := x[0]*x[0], x[1]*x[1]
	return (4-2.1*a+a*a/3)*a + x[0]*x[1] + (4*b-4)*b
}
