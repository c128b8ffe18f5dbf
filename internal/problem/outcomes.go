package problem

import (
	"context"
	"fmt"
	"math"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/internal/rng"
	"github.com/mahabo/mahabo/space"
)

// several is a problem with several outcomes: objectives f0, f1, ... or, if there is one, value,
// all minimised, and limits c0, c1, ..., all at most 0. The objectives come first in what f
// returns.
func several(name, description string, minimum float64, objectives, limits int, reference []float64, f func(space.Params) []float64, parts ...space.Part) Problem {
	var names []string
	for k := range objectives {
		o := space.Outcome{Name: "value", Goal: "minimize"}
		if objectives > 1 {
			o.Name = fmt.Sprintf("f%d", k)
		}
		if reference != nil {
			o.Reference = &reference[k]
		}
		names = append(names, o.Name)
		parts = append(parts, o)
	}
	for k := range limits {
		names = append(names, fmt.Sprintf("c%d", k))
		parts = append(parts, space.Outcome{Name: names[len(names)-1], AtMost: new(0.0)})
	}
	s, err := space.New(parts...)
	if err != nil {
		panic("problem: " + name + ": " + err.Error())
	}
	p := Problem{Name: name, Description: description, Dim: len(s.Params()), Space: s, parts: parts, Minimum: minimum}
	p.Named = func(_ context.Context, v space.Params) (Evaluation, error) {
		y := f(v)
		o := evaluate.Outcome{State: evaluate.Complete, Outcomes: map[string]float64{}}
		for k, name := range names {
			if math.IsNaN(y[k]) || math.IsInf(y[k], 0) {
				return Evaluation{Seen: evaluate.Failure("%s is %g", name, y[k])}, nil
			}
			o.Outcomes[name] = y[k]
		}
		o.Value = y[0]
		return Evaluation{Seen: o, Value: y[0]}, nil
	}
	return p
}

// overBox is several for a function of x0, x1, ..., all in [low, high].
func overBox(name, description string, dim int, low, high, minimum float64, objectives, limits int, reference []float64, f func([]float64) []float64) Problem {
	return several(name, description, minimum, objectives, limits, reference, func(v space.Params) []float64 {
		x := make([]float64, 0, dim)
		for name := range v.All() {
			x = append(x, v.Float(name))
		}
		return f(x)
	}, space.Float(fmt.Sprintf("x[0:%d]", dim-1), low, high))
}

// withLimits are the problems of one objective with limits.
func withLimits() []Problem {
	return []Problem{newSpeedReducer(), newWeldedBeam(), newPressureVessel(), newKeane(30), newAckleyLimits(), newRoverLimit(), newSpring(), newCantilever(124, 68)}
}

// newSpeedReducer is the design of Golinski's gearbox: J. Golinski 1970, with the bounds of L. Lemonge et al. 2010 and the
// optimum 2996.348 of D. Eriksson, M. Poloczek, AISTATS 2021.
func newSpeedReducer() Problem {
	return several("speedreducer", "weight of a gearbox of 7 parameters within 11 limits", 2996.348165, 1, 11, nil, func(v space.Params) []float64 {
		b, m, z := v.Float("b"), v.Float("m"), v.Float("z")
		l1, l2, d1, d2 := v.Float("l1"), v.Float("l2"), v.Float("d1"), v.Float("d2")
		a1, a2 := 745*l1/(m*z), 745*l2/(m*z)
		return []float64{
			0.7854*b*m*m*(3.3333*z*z+14.9334*z-43.0934) - 1.508*b*(d1*d1+d2*d2) + 7.4777*(d1*d1*d1+d2*d2*d2) + 0.7854*(l1*d1*d1+l2*d2*d2),
			27/(b*m*m*z) - 1,
			397.5/(b*m*m*z*z) - 1,
			1.93*l1*l1*l1/(m*z*math.Pow(d1, 4)) - 1,
			1.93*l2*l2*l2/(m*z*math.Pow(d2, 4)) - 1,
			math.Sqrt(a1*a1+16.9e6)/(110*d1*d1*d1) - 1,
			math.Sqrt(a2*a2+157.5e6)/(85*d2*d2*d2) - 1,
			m*z/40 - 1,
			5*m/b - 1,
			b/(12*m) - 1,
			(1.5*d1+1.9)/l1 - 1,
			(1.1*d2+1.9)/l2 - 1,
		}
	}, space.Float("b", 2.6, 3.6), space.Float("m", 0.7, 0.8), space.Float("z", 17, 28), space.Float("l1", 7.3, 8.3), space.Float("l2", 7.8, 8.3),
		space.Float("d1", 2.9, 3.9), space.Float("d2", 5, 5.5))
}

// newWeldedBeam is that of K. Ragsdell, D. Phillips 1976 in the form of C. Coello Coello, E. Mezura Montes 2002, whose best known
// value is 1.724852.
func newWeldedBeam() Problem {
	const load, length, young, shear, most, bend, deflection = 6000.0, 14.0, 30e6, 12e6, 13600.0, 30000.0, 0.25
	return several("weldedbeam", "cost of a welded beam of 4 parameters within 5 limits", 1.724852, 1, 5, nil, func(v space.Params) []float64 {
		h, l, t, b := v.Float("h"), v.Float("l"), v.Float("t"), v.Float("b")
		moment := load * (length + l/2)
		r := math.Sqrt(l*l/4 + (h+t)*(h+t)/4)
		j := 2 * (math.Sqrt2 * h * l * (l*l/12 + (h+t)*(h+t)/4))
		first, second := load/(math.Sqrt2*h*l), moment*r/j
		tau := math.Sqrt(first*first + first*second*l/r + second*second)
		buckling := 4.013 * young * math.Sqrt(t*t*math.Pow(b, 6)/36) / (length * length) * (1 - t/(2*length)*math.Sqrt(young/(4*shear)))
		return []float64{
			1.10471*h*h*l + 0.04811*t*b*(14+l),
			tau/most - 1,
			6*load*length/(b*t*t)/bend - 1,
			h - b,
			4*load*length*length*length/(young*t*t*t*b)/deflection - 1,
			1 - buckling/load,
		}
	}, space.Float("h", 0.125, 10), space.Float("l", 0.1, 10), space.Float("t", 0.1, 10), space.Float("b", 0.1, 10))
}

// newPressureVessel is that of B. Kannan, S. Kramer 1994: thicknesses are multiples of 1/16 inch. The best known value is 6059.714335
// (C. Coello Coello 2000 and many since).
func newPressureVessel() Problem {
	return several("vessel", "cost of a pressure vessel: 2 whole and 2 real parameters within 3 limits", 6059.714335, 1, 3, nil, func(v space.Params) []float64 {
		s, h, r, l := v.Float("shell")/16, v.Float("head")/16, v.Float("radius"), v.Float("length")
		return []float64{
			0.6224*s*r*l + 1.7781*h*r*r + 3.1661*s*s*l + 19.84*s*s*r,
			0.0193*r - s,
			0.00954*r - h,
			(1296000 - math.Pi*r*r*l - 4.0/3*math.Pi*r*r*r) / 1e5,
		}
	}, space.Int("shell", 1, 99), space.Int("head", 1, 99), space.Float("radius", 10, 200), space.Float("length", 10, 200))
}

// newKeane is Keane's bump (A. Keane 1994) of dim parameters in [0, 10]; for 30 the best known value is -0.818.
func newKeane(dim int) Problem {
	return overBox(fmt.Sprintf("keane%d", dim), fmt.Sprintf("Keane's bump of %d parameters within 2 limits", dim), dim, 0, 10, math.NaN(), 1, 2, nil, func(x []float64) []float64 {
		four, two, product, sum, weighted := 0.0, 1.0, 1.0, 0.0, 0.0
		for i, v := range x {
			c := math.Cos(v)
			four += c * c * c * c
			two *= c * c
			product *= v
			sum += v
			weighted += float64(i+1) * v * v
		}
		value := 0.0
		if weighted > 0 {
			value = -math.Abs((four - 2*two) / math.Sqrt(weighted))
		}
		return []float64{value, 0.75 - product, sum - 7.5*float64(len(x))}
	})
}

// newAckleyLimits is Ackley of 10 parameters in [-5, 10] with the two limits of D. Eriksson, M. Poloczek, AISTATS 2021: the sum at
// most 0 and the length at most 5. The optimum is 0 at 0.
func newAckleyLimits() Problem {
	return overBox("ackley10c", "Ackley of 10 parameters within 2 limits", 10, -5, 10, 0, 1, 2, nil, func(x []float64) []float64 {
		sum, square := 0.0, 0.0
		for _, v := range x {
			sum += v
			square += v * v
		}
		return []float64{ackley(x), sum, math.Sqrt(square) - 5}
	})
}

// newRoverLimit is the rover's trajectory with a limit on its length beyond the straight line: at most 30 % longer.
func newRoverLimit() Problem {
	rover := newRover()
	return overBox("rover60c", "rover trajectory of 60 parameters within a limit on its length", 2*wayPoints, -1, 1, math.NaN(), 1, 1, nil, func(z []float64) []float64 {
		var px, py [wayPoints]float64
		for i := range px {
			px[i], py[i] = 0.5+0.6*z[2*i], 0.5+0.6*z[2*i+1]
		}
		u := chordLengths(&px, &py)
		var cx, cy cubic
		fitCubics(&cx, &cy, &u, &px, &py)
		length := 0.0
		x, y := cx.at(0), cy.at(0)
		for i := 1; i < curvePoints; i++ {
			s := float64(i) / (curvePoints - 1)
			nx, ny := cx.at(s), cy.at(s)
			length += math.Hypot(nx-x, ny-y)
			x, y = nx, ny
		}
		return []float64{rover.Eval(z), length/(1.3*0.9*math.Sqrt2) - 1}
	})
}

// newSpring is the design of a tension spring with a whole number of coils and a wire from a list: D. Arora 1989 with
// the kinds of E. Sandgren 1990. Our wires are those of the table that are in the bounds.
func newSpring() Problem {
	return several("spring", "weight of a spring: a list of wires, whole coils and a real diameter within 4 limits", math.NaN(), 1, 4, nil, func(v space.Params) []float64 {
		d, n, c := v.Float("wire"), v.Float("coils"), v.Float("diameter")
		return []float64{
			(n + 2) * c * d * d * 1000,
			1 - c*c*c*n/(71785*math.Pow(d, 4)),
			(4*c*c-d*c)/(12566*(c*d*d*d-math.Pow(d, 4))) + 1/(5108*d*d) - 1,
			1 - 140.45*d/(c*c*n),
			(c+d)/1.5 - 1,
		}
	}, space.Ordinal("wire", 0.05, 0.052, 0.054, 0.056, 0.058, 0.06, 0.063, 0.067, 0.07, 0.075, 0.08), space.Int("coils", 2, 15), space.Float("diameter", 0.25, 1.3))
}

// newCantilever is a problem of our own of the kind of a car's body: many thicknesses, most of which belong at their lower
// bounds, and many limits, of which a few bind. Each limit is a smooth response to a random few of the parameters,
// stiffer with each. It has no point that keeps all limits in a random design of thousands.
func newCantilever(dim, limits int) Problem {
	r := rng.New(1, rng.Purpose("panels"))
	weight := make([]float64, dim)
	for j := range weight {
		weight[j] = 0.2 + r.Float64()
	}
	gain, demand := make([][]float64, limits), make([]float64, limits)
	for k := range gain {
		gain[k] = make([]float64, dim)
		sum := 0.0
		for range 12 {
			j := r.IntN(dim)
			gain[k][j] += r.ExpFloat64()
		}
		for _, g := range gain[k] {
			sum += g
		}
		demand[k] = (0.7 + 0.2*r.Float64()) * sum
	}
	return overBox(fmt.Sprintf("panels%d", dim), fmt.Sprintf("weight of %d panels within %d limits, our own", dim, limits), dim, 0, 1, math.NaN(), 1, limits, nil, func(x []float64) []float64 {
		y := make([]float64, 1+limits)
		for j, v := range x {
			y[0] += weight[j] * (v + 0.2*v*v)
		}
		for k, row := range gain {
			stiff := 0.0
			for j, g := range row {
				if g > 0 {
					stiff += g * (1 - math.Exp(-1.5*x[j])) / (1 - math.Exp(-1.5))
				}
			}
			y[1+k] = 1 - stiff/demand[k]
		}
		return y
	})
}

// withObjectives are the problems of several objectives.
func withObjectives() []Problem {
	list := []Problem{newVehicle(), newC2DTLZ2(12), newGears()}
	for _, d := range []int{30, 100} {
		list = append(list, newZDT(1, d), newZDT(2, d), newZDT(3, d), newDTLZ2(2, d))
	}
	return list
}

// newZDT is number 1, 2 or 3 of E. Zitzler, K. Deb, L. Thiele 2000. The reference for hypervolumes is (11, 11), as in pymoo's and
// BoTorch's tables.
func newZDT(number, dim int) Problem {
	return overBox(fmt.Sprintf("zdt%d-%d", number, dim), fmt.Sprintf("ZDT%d: 2 objectives of %d parameters", number, dim), dim, 0, 1, math.NaN(), 2, 0, []float64{11, 11}, func(x []float64) []float64 {
		g := 0.0
		for _, v := range x[1:] {
			g += v
		}
		g = 1 + 9*g/float64(len(x)-1)
		f := x[0]
		h := 1 - math.Sqrt(f/g)
		switch number {
		case 2:
			h = 1 - f*f/(g*g)
		case 3:
			h = 1 - math.Sqrt(f/g) - f/g*math.Sin(10*math.Pi*f)
		}
		return []float64{f, g * h}
	})
}

// dtlz2 is that of K. Deb et al. 2002: directions of a sphere, and the distance from it.
func dtlz2(x []float64, objectives int) []float64 {
	g := 0.0
	for _, v := range x[objectives-1:] {
		g += (v - 0.5) * (v - 0.5)
	}
	y := make([]float64, objectives)
	for k := range y {
		y[k] = 1 + g
		for _, v := range x[:objectives-1-k] {
			y[k] *= math.Cos(v * math.Pi / 2)
		}
		if k > 0 {
			y[k] *= math.Sin(x[objectives-1-k] * math.Pi / 2)
		}
	}
	return y
}

// newDTLZ2 has the reference of S. Daulton et al., Multi-objective Bayesian optimization over high-dimensional search spaces, UAI 2022: 6 in
// each objective.
func newDTLZ2(objectives, dim int) Problem {
	return overBox(fmt.Sprintf("dtlz2-%d", dim), fmt.Sprintf("DTLZ2: %d objectives of %d parameters", objectives, dim), dim, 0, 1, math.NaN(), objectives, 0, []float64{6, 6}, func(x []float64) []float64 {
		return dtlz2(x, objectives)
	})
}

// newC2DTLZ2 is DTLZ2 with the limit of H. Jain, K. Deb 2014, radius 0.2, as in BoTorch: reference 1.1.
func newC2DTLZ2(dim int) Problem {
	const radius = 0.2
	return overBox("c2dtlz2", "C2-DTLZ2: 2 objectives of 12 parameters within a limit", dim, 0, 1, math.NaN(), 2, 1, []float64{1.1, 1.1}, func(x []float64) []float64 {
		y := dtlz2(x, 2)
		square, least, even := 0.0, math.Inf(1), 0.0
		for _, v := range y {
			square += v * v
		}
		for _, v := range y {
			least = min(least, (v-1)*(v-1)+square-v*v-radius*radius)
			even += (v - 1/math.Sqrt2) * (v - 1/math.Sqrt2)
		}
		return append(y, min(least, even-radius*radius))
	})
}

// newVehicle is the crash of X. Liao et al. 2008 in the form of R. Tanabe, H. Ishibuchi 2020 (RE3-5-4): mass, acceleration and
// intrusion, with BoTorch's reference.
func newVehicle() Problem {
	return overBox("vehicle", "vehicle safety: 3 objectives of 5 thicknesses", 5, 1, 3, math.NaN(), 3, 0, []float64{1864.72022, 11.81993945, 0.2903999384}, func(x []float64) []float64 {
		a, b, c, d, e := x[0], x[1], x[2], x[3], x[4]
		return []float64{
			1640.2823 + 2.3573285*a + 2.3220035*b + 4.5688768*c + 7.7213633*d + 4.4559504*e,
			6.5856 + 1.15*a - 1.0427*b + 0.9738*c + 0.8364*d - 0.3695*a*d + 0.0861*a*e + 0.3628*b*d - 0.1106*a*a - 0.3437*c*c + 0.1764*d*d,
			-0.0551 + 0.0181*a + 0.1024*b + 0.0421*c - 0.0073*a*b + 0.024*b*c - 0.0118*b*d - 0.0204*c*d - 0.008*c*e - 0.0241*b*b + 0.0109*d*d,
		}
	})
}

// newGears is the gear train of K. Deb, A. Srinivasan 2006 (RE2-4-5 of Tanabe and Ishibuchi has its like), all parameters whole:
// the error of the ratio, as a logarithm, and the largest wheel.
func newGears() Problem {
	return several("gears", "gear train: 2 objectives of 4 whole parameters", math.NaN(), 2, 0, []float64{0, 61}, func(v space.Params) []float64 {
		a, b, c, d := v.Float("a"), v.Float("b"), v.Float("c"), v.Float("d")
		e := 1/6.931 - a*b/(c*d)
		return []float64{math.Log10(e*e + 1e-12), max(a, b, c, d)}
	}, space.Int("a", 12, 60), space.Int("b", 12, 60), space.Int("c", 12, 60), space.Int("d", 12, 60))
}
