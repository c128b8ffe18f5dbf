package problem

import "math"

const (
	wayPoints   = 30   // way-points (p1x, p1y, p2x, ...) of the trajectory
	curvePoints = 1000 // places where the cost is evaluated
)

func newRover() Problem {
	t := newTerrain()
	return Problem{
		Name:        "rover",
		Description: "rover trajectory: 30 way-points in [-0.1,1.1]^2 from corner to corner past 113 obstacles",
		Dim:         2 * wayPoints, TrueDim: 2 * wayPoints,
		Minimum: math.NaN(),
		Eval: func(z []float64) float64 {
			var px, py [wayPoints]float64
			for i := range px {
				px[i], py[i] = 0.5+0.6*z[2*i], 0.5+0.6*z[2*i+1]
			}
			return t.trajectoryCost(&px, &py)
		},
	}
}

// trajectoryCost is the cost of the cubic curve fitted to the way-points: the
// integral of the terrain's cost along its length, and 10 times the L1 distances
// of its ends from the start (0.05,0.05) and the goal (0.95,0.95).
func (t *terrain) trajectoryCost(px, py *[wayPoints]float64) float64 {
	u := chordLengths(px, py)
	var cx, cy cubic
	fitCubics(&cx, &cy, &u, px, py)

	x, y := cx.at(0), cy.at(0)
	c := t.cost(x, y)
	total := 10 * (math.Abs(x-0.05) + math.Abs(y-0.05))
	var integral float64
	for i := 1; i < curvePoints; i++ {
		s := float64(i) / (curvePoints - 1)
		nx, ny := cx.at(s), cy.at(s)
		nc := t.cost(nx, ny)
		// Trapezoid rule in arc length.
		integral += (c + nc) / 2 * math.Sqrt((nx-x)*(nx-x)+(ny-y)*(ny-y))
		x, y, c = nx, ny, nc
	}
	return total + integral + 10*(math.Abs(x-0.95)+math.Abs(y-0.95))
}

// chordLengths returns the cumulative chord length at each way-point as a
// fraction of the whole, or zeros when all way-points coincide.
func chordLengths(px, py *[wayPoints]float64) (u [wayPoints]float64) {
	for i := 1; i < wayPoints; i++ {
		u[i] = u[i-1] + math.Hypot(px[i]-px[i-1], py[i]-py[i-1])
	}
	if whole := u[wayPoints-1]; whole > 0 {
		for i := range u {
			u[i] /= whole
		}
	}
	return u
}

// cubic holds polynomial coefficients, lowest degree first.
type cubic [4]float64

func (c *cubic) at(t float64) float64 { return c[0] + t*(c[1]+t*(c[2]+t*c[3])) }

// fitCubics finds the least-squares cubics of px and py in u.
//
// It expands in the polynomials q_k that are orthogonal on the points u,
//
//	q_{k+1} = (t - a_k) q_k - b_k q_{k-1},  a_k = <t q_k, q_k> / |q_k|^2,  b_k = |q_k|^2 / |q_{k-1}|^2,
//
// which needs no normal equations. Repeated way-points may leave fewer than
// four distinct u: a q_k that (nearly) vanishes on all of them is not determined
// by the way-points, and the fit stops at the degree below. Coincident way-points
// thus give a constant curve, two distinct places a straight one.
func fitCubics(cx, cy *cubic, u, px, py *[wayPoints]float64) {
	// A root mean square below 1e-6: three clusters of u, each narrower than
	// about a millionth of the path.
	const vanishing = 1e-12 * wayPoints

	rx, ry := *px, *py // residuals
	var q, qPrev [wayPoints]float64
	var m, mPrev cubic // coefficients of q_k and q_{k-1}
	for i := range q {
		q[i] = 1
	}
	m[0] = 1
	normPrev := 1.0
	for k := range m {
		var norm, tnorm, sx, sy float64
		for i, v := range q {
			norm += v * v
			tnorm += u[i] * v * v
			sx += rx[i] * v
			sy += ry[i] * v
		}
		if norm < vanishing {
			return
		}
		sx, sy = sx/norm, sy/norm
		for i, v := range q {
			rx[i] -= sx * v
			ry[i] -= sy * v
		}
		for l := range m {
			cx[l] += sx * m[l]
			cy[l] += sy * m[l]
		}
		a, b := tnorm/norm, norm/normPrev
		if k == 0 {
			b = 0
		}
		for i, v := range q {
			q[i], qPrev[i] = (u[i]-a)*v-b*qPrev[i], v
		}
		next := cubic{-a * m[0]}
		for l := 1; l < len(m); l++ {
			next[l] = m[l-1] - a*m[l]
		}
		for l := range m {
			next[l] -= b * mPrev[l]
		}
		m, mPrev = next, m
		normPrev = norm
	}
}
