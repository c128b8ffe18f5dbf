package problem

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/mahabo/mahabo/internal/rng"
)

func TestRoverEqualsReference(t *testing.T) {
	var fixture struct {
		X, Obstacles [][]float64
		F            []float64
	}
	readFixture(t, "testdata/rover.json", &fixture)
	if len(fixture.X) != 17 {
		t.Fatalf("the fixture has %d trajectories, want 17", len(fixture.X))
	}
	p := newRover()
	for k, native := range fixture.X {
		x := make([]float64, p.Dim)
		for i, v := range native {
			x[i] = (v - 0.5) / 0.6
		}
		if got, want := p.Eval(x), fixture.F[k]; math.Abs(got-want) > 1e-10 {
			t.Errorf("trajectory %d costs %.15g, want %.15g: off by %.2g", k, got, want, got-want)
		}
	}
	if len(fixture.Obstacles) != len(roverObstacles) {
		t.Fatalf("%d obstacles, want %d", len(roverObstacles), len(fixture.Obstacles))
	}
	for i, c := range fixture.Obstacles {
		if c[0] != roverObstacles[i][0] || c[1] != roverObstacles[i][1] {
			t.Errorf("obstacle %d is at %v, want %v", i, roverObstacles[i], c)
		}
	}
}

// blocked looks at every obstacle.
func blocked(x, y float64) bool {
	for _, c := range roverObstacles {
		if x >= c[0]-0.025 && x < c[0]+0.025 && y >= c[1]-0.025 && y < c[1]+0.025 {
			return true
		}
	}
	return !(x >= 0 && x < 1 && y >= 0 && y < 1)
}

func TestTerrainEqualsFullSearch(t *testing.T) {
	terrain := newTerrain()
	check := func(x, y float64) {
		t.Helper()
		want := 0.05
		if blocked(x, y) {
			want = 20.05
		}
		if got := terrain.cost(x, y); got != want {
			t.Errorf("the cost at (%v,%v) is %g, want %g", x, y, got, want)
		}
	}
	r := rng.New(1)
	for range 100_000 {
		check(1.2*r.Float64()-0.1, 1.2*r.Float64()-0.1)
	}
	// All sides, and one ulp to either side of them.
	around := func(v float64) []float64 {
		return []float64{math.Nextafter(v, -9), v, math.Nextafter(v, 9)}
	}
	for _, c := range roverObstacles {
		for _, sx := range []float64{-0.025, 0.025} {
			for _, sy := range []float64{-0.025, 0.025} {
				for _, x := range around(c[0] + sx) {
					for _, y := range around(c[1] + sy) {
						check(x, y)
					}
				}
			}
		}
	}
	edges := []float64{math.Inf(-1), -1e300, -1, math.Nextafter(0, -1), 0, 0.5, math.Nextafter(1, 0), 1, 1e300, math.Inf(1), math.NaN()}
	for _, x := range edges {
		for _, y := range edges {
			check(x, y)
		}
	}
}

func randomWay(r *rand.Rand) (px, py [wayPoints]float64) {
	for i := range px {
		px[i], py[i] = r.Float64(), r.Float64()
	}
	return px, py
}

func TestFitEqualsQR(t *testing.T) {
	r := rng.New(4)
	for range 50 {
		px, py := randomWay(r)
		u := chordLengths(&px, &py)
		var cx, cy cubic
		fitCubics(&cx, &cy, &u, &px, &py)

		V, F := mat.NewDense(wayPoints, 4, nil), mat.NewDense(wayPoints, 2, nil)
		for i, t := range u {
			V.SetRow(i, []float64{1, t, t * t, t * t * t})
			F.SetRow(i, []float64{px[i], py[i]})
		}
		var want mat.Dense
		if err := want.Solve(V, F); err != nil {
			t.Fatal(err)
		}
		for l := range cx {
			if math.Abs(cx[l]-want.At(l, 0)) > 1e-11 || math.Abs(cy[l]-want.At(l, 1)) > 1e-11 {
				t.Fatalf("coefficient %d is (%g,%g), want (%g,%g)", l, cx[l], cy[l], want.At(l, 0), want.At(l, 1))
			}
		}
	}
}

// Way-points that lie on a curve of lower degree, with repetitions, are fitted exactly.
func TestFitOfFewPlaces(t *testing.T) {
	places := [][2]float64{{0.1, 0.2}, {0.9, 0.3}, {0.4, 0.8}, {0.2, 0.5}}
	for n := 1; n <= 4; n++ {
		var px, py [wayPoints]float64
		for i := range px {
			px[i], py[i] = places[i*n/wayPoints][0], places[i*n/wayPoints][1]
		}
		u := chordLengths(&px, &py)
		var cx, cy cubic
		fitCubics(&cx, &cy, &u, &px, &py)
		for i, s := range u {
			if math.Abs(cx.at(s)-px[i]) > 1e-12 || math.Abs(cy.at(s)-py[i]) > 1e-12 {
				t.Errorf("%d places: way-point %d is (%g,%g), the curve passes (%g,%g)", n, i, px[i], py[i], cx.at(s), cy.at(s))
			}
		}
		for l := n; l < 4; l++ {
			if cx[l] != 0 || cy[l] != 0 {
				t.Errorf("%d places give a curve of degree %d", n, l)
			}
		}
	}
}

func TestCoincidentWayPoints(t *testing.T) {
	p := newRover()
	for _, c := range []struct{ z, native float64 }{{0, 0.5}, {1, 1.1}, {-1, -0.1}, {-0.75, 0.05}} {
		x := make([]float64, p.Dim)
		for i := range x {
			x[i] = c.z
		}
		// A curve of no length costs only its distance from start and goal.
		want := 20 * (math.Abs(c.native-0.05) + math.Abs(c.native-0.95))
		if got := p.Eval(x); math.Abs(got-want) > 1e-12 {
			t.Errorf("all way-points at %g cost %g, want %g", c.native, got, want)
		}
	}
}

// Whatever the way-points, the cost is finite and, by the triangle inequality,
// at least that of a free straight way from start to goal.
func TestRoverIsFinite(t *testing.T) {
	p := newRover()
	coordinate := rapid.OneOf(
		rapid.SampledFrom([]float64{-1, 1, 0, 0.25, 1e-9, -1e-9, 1e-17, 3, -1e6}),
		rapid.Float64Range(-1, 1),
	)
	rapid.Check(t, func(t *rapid.T) {
		// A short list, repeated, makes way-points coincide.
		few := rapid.SliceOfN(coordinate, 1, 12).Draw(t, "few")
		x := make([]float64, p.Dim)
		for i := range x {
			x[i] = few[i*len(few)/len(x)]
		}
		if v := p.Eval(x); !(v >= 0.05*math.Sqrt2*0.9-1e-9) || math.IsInf(v, 0) {
			t.Fatalf("the cost at %v is %g", x, v)
		}
	})
}

// Way-points on the diagonal give the diagonal.
func TestRoverOnTheDiagonal(t *testing.T) {
	p := newRover()
	x := make([]float64, p.Dim)
	for i := range wayPoints {
		s := -0.75 + 1.5*float64(i)/(wayPoints-1)
		x[2*i], x[2*i+1] = s, s
	}
	// The share of the diagonal that is blocked, by a finer rule.
	const n = 1_000_000
	var share float64
	sides := 0 // of obstacles, that the diagonal crosses
	was := false
	for i := range n {
		s := 0.05 + 0.9*(float64(i)+0.5)/n
		is := blocked(s, s)
		if is {
			share += 1. / n
		}
		if is != was {
			sides++
		}
		was = is
	}
	want := 0.9 * math.Sqrt2 * (0.05 + 20*share)
	// The trapezoid rule places each side to half a step.
	step := 0.9 * math.Sqrt2 / (curvePoints - 1)
	if got := p.Eval(x); math.Abs(got-want) > float64(sides)*20*step/2 {
		t.Errorf("the diagonal costs %g, want about %g", got, want)
	}
}
