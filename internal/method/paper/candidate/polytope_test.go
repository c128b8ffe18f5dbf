package candidate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mahabo/mahabo/internal/linalg"
	"github.com/mahabo/mahabo/internal/method/paper/acquisition"
	"gonum.org/v1/gonum/mat"
)

// randomPolytope has high pairs of constraints in low dimensions; stretch is the ratio
// of its longest and shortest axes.
func randomPolytope(t *testing.T, high, low int, stretch float64, r *rand.Rand) *Polytope {
	t.Helper()
	M := linalg.New(high, low)
	for i := range high {
		for a := range low {
			M.Set(i, a, r.NormFloat64()*math.Pow(stretch, float64(a)/float64(max(low-1, 1))))
		}
	}
	p, err := NewPolytope(M)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// violation is how far Mz leaves [-1,1].
func (p *Polytope) violation(z []float64) (worst float64) {
	for i := range p.m.Rows {
		worst = max(worst, math.Abs(linalg.Dot(p.m.Row(i), z))-1)
	}
	return worst
}

// quadratic is (z-c)ᵀA(z-c) with A = QᵀQ.
func quadratic(q linalg.Matrix, centre []float64) function {
	low := q.Cols
	return func(grad, z []float64) (sum float64) {
		d := make([]float64, low)
		for a := range d {
			d[a] = z[a] - centre[a]
		}
		clear(grad)
		for k := range q.Rows {
			v := linalg.Dot(q.Row(k), d)
			sum += v * v
			linalg.Axpy(grad, 2*v, q.Row(k))
		}
		return sum
	}
}

func linear(c []float64) function {
	return func(grad, z []float64) float64 {
		copy(grad, c)
		return linalg.Dot(c, z)
	}
}

// checkKKT looks for multipliers with grad f + sum_i lambda_i m_i = 0 over the active
// constraints, lambda_i of the sign of m_i z.
func checkKKT(t *testing.T, p *Polytope, f function, z []float64, tol float64) {
	t.Helper()
	if v := p.violation(z); v > 1e-9 {
		t.Errorf("violates a constraint by %g", v)
	}
	grad := make([]float64, len(z))
	f(grad, z)
	size := norm(grad)
	var normals []float64
	active := 0
	for i := range p.m.Rows {
		v := linalg.Dot(p.m.Row(i), z)
		if math.Abs(v) > 1-1e-6 {
			active++
			for _, m := range p.m.Row(i) {
				normals = append(normals, math.Copysign(1, v)*m)
			}
		}
	}
	rest := slices.Clone(grad)
	if active > 0 {
		if active > len(z) {
			t.Fatalf("%d constraints are active in %d dimensions", active, len(z))
		}
		var lambda mat.VecDense
		n := mat.NewDense(active, len(z), normals)
		if err := lambda.SolveVec(n.T(), mat.NewVecDense(len(z), grad)); err != nil {
			t.Fatal(err)
		}
		for k := range active {
			if l := lambda.AtVec(k); l > tol*(1+size) {
				t.Errorf("multiplier %d has the wrong sign: %g, gradient %g", k, l, size)
			}
			linalg.Axpy(rest, -lambda.AtVec(k), normals[k*len(z):(k+1)*len(z)])
		}
	}
	if norm(rest) > tol*(1+size) {
		t.Errorf("%d active constraints leave %g of a gradient of %g", active, norm(rest), size)
	}
}

func TestPolytopeKKT(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		high, low int
		stretch   float64
	}{{1, 1, 1}, {40, 1, 1}, {2, 2, 1}, {30, 2, 1}, {30, 2, 100}, {500, 2, 10}, {6, 6, 1}, {50, 6, 10}, {200, 12, 1}, {1000, 20, 3}} {
		t.Run(fmt.Sprintf("D=%d,d=%d,stretch=%g", c.high, c.low, c.stretch), func(t *testing.T) {
			p := randomPolytope(t, c.high, c.low, c.stretch, r)
			q, near, far, cost := linalg.New(c.low, c.low), make([]float64, c.low), make([]float64, c.low), make([]float64, c.low)
			for i := range q.Data {
				q.Data[i] = r.NormFloat64()
			}
			for a := range c.low {
				near[a], far[a], cost[a] = 1e-3*r.NormFloat64()/c.stretch, r.NormFloat64(), r.NormFloat64()
			}
			for name, f := range map[string]function{
				"inside": quadratic(q, near), "outside": quadratic(q, far), "linear": linear(cost),
			} {
				z, value, err := p.Minimize(context.Background(), f, Options{Starts: 1}, rand.New(rand.NewPCG(3, 4)))
				if err != nil {
					t.Fatal(err)
				}
				if value != f.Value(z) {
					t.Errorf("%s: value %g, f(z) = %g", name, value, f.Value(z))
				}
				checkKKT(t, p, f, z, 1e-5)
			}
		})
	}
}

// With several minima, no point of a fine grid inside the polytope is lower.
func TestPolytopeAgainstAGrid(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 5 {
		p := randomPolytope(t, 25, 2, 2, r)
		for _, beta := range []float64{-1, 0.5, 3} {
			f := &acquisition.LCB{Model: stubGP(r, 12, 2, 0.3), Beta: beta}
			z, value, err := p.Minimize(context.Background(), f, Options{}, r)
			if err != nil {
				t.Fatal(err)
			}
			if v := p.violation(z); v > 1e-9 {
				t.Errorf("violates a constraint by %g", v)
			}
			grid := math.Inf(1)
			for i := range 121 {
				for j := range 121 {
					if at := []float64{float64(i)/60 - 1, float64(j)/60 - 1}; p.violation(at) == 0 {
						grid = min(grid, f.Value(at))
					}
				}
			}
			if value > grid+1e-9 {
				t.Errorf("beta %g: value %g, a grid reaches %g", beta, value, grid)
			}
		}
	}
}

// A rotated square: the law of the samples is uniform, so coordinates along its sides
// have mean 0 and variance 1/3, and all lie inside.
func TestPolytopeSamplesAreUniform(t *testing.T) {
	M := linalg.Matrix{Rows: 2, Cols: 2, Stride: 2, Data: []float64{3, 4, -0.4, 0.3}}
	p, err := NewPolytope(M)
	if err != nil {
		t.Fatal(err)
	}
	const n = 4000
	z := linalg.New(n, 2)
	p.Sample(z, rand.New(rand.NewPCG(7, 8)))
	var quarter [4][4]float64
	for i := range n {
		if p.violation(z.Row(i)) > 1e-15 {
			t.Fatalf("sample %d is outside", i)
		}
		a, b := linalg.Dot(M.Row(0), z.Row(i)), linalg.Dot(M.Row(1), z.Row(i))
		quarter[min(int(2*(a+1)), 3)][min(int(2*(b+1)), 3)]++
	}
	for a := range 4 {
		for b := range 4 {
			if got := quarter[a][b]; math.Abs(got-n/16.) > 5*math.Sqrt(n/16.) {
				t.Errorf("cell %d,%d holds %g samples, want %g", a, b, got, n/16.)
			}
		}
	}
}

// More constraints through one corner than dimensions, and repeated ones.
func TestPolytopeDegenerateCorners(t *testing.T) {
	// |a|, |b|, |a+b|/2, |a+3b|/4 <= 1 all meet at (1,1); each is given three times.
	var rows []float64
	for range 3 {
		rows = append(rows, 1, 0, 0, 1, 0.5, 0.5, 0.25, 0.75)
	}
	p, err := NewPolytope(linalg.Matrix{Rows: 12, Cols: 2, Stride: 2, Data: rows})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ cost, want []float64 }{
		{[]float64{-1, -1}, []float64{1, 1}},
		{[]float64{-1, -5}, []float64{1, 1}},
		{[]float64{5, 1}, []float64{-1, -1}},
		{[]float64{1, -1e-3}, []float64{-1, 1}},
	} {
		z, _, err := p.Minimize(context.Background(), linear(c.cost), Options{}, rand.New(rand.NewPCG(1, 1)))
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(z[0]-c.want[0])+math.Abs(z[1]-c.want[1]) > 1e-9 {
			t.Errorf("cost %v: %v, want %v", c.cost, z, c.want)
		}
	}
}

// Directions that M does not bound stay at 0.
func TestPolytopeOfLowRank(t *testing.T) {
	f := linear([]float64{1, 2})
	for _, c := range []struct{ rows, want []float64 }{
		{[]float64{1, 1, 2, 2}, []float64{-0.25, -0.25}},
		{[]float64{0, 0, 0, 0}, []float64{0, 0}},
		{[]float64{0, 0, 0, 4}, []float64{0, -0.25}},
	} {
		p, err := NewPolytope(linalg.Matrix{Rows: 2, Cols: 2, Stride: 2, Data: c.rows})
		if err != nil {
			t.Fatal(err)
		}
		z, _, err := p.Minimize(context.Background(), f, Options{}, rand.New(rand.NewPCG(1, 1)))
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(z[0]-c.want[0])+math.Abs(z[1]-c.want[1]) > 1e-9 {
			t.Errorf("M = %v: %v, want %v", c.rows, z, c.want)
		}
	}
}

func TestPolytopeWithoutGradients(t *testing.T) {
	p := randomPolytope(t, 10, 3, 1, rand.New(rand.NewPCG(9, 9)))
	z, value, err := p.Minimize(context.Background(), brokenGradient{}, Options{}, rand.New(rand.NewPCG(1, 1)))
	if err != nil || value != z[0] || value >= 0 {
		t.Errorf("value %v at %v, error %v", value, z, err)
	}
	never := function(func(grad, x []float64) float64 { return math.NaN() })
	if z, _, err := p.Minimize(context.Background(), never, Options{}, rand.New(rand.NewPCG(1, 1))); !errors.Is(err, ErrNotFinite) || z != nil {
		t.Errorf("no finite value: point %v, error %v", z, err)
	}
}

func TestPolytopeIsDeterministic(t *testing.T) {
	p := randomPolytope(t, 60, 3, 5, rand.New(rand.NewPCG(9, 9)))
	f := &acquisition.LCB{Model: stubGP(rand.New(rand.NewPCG(1, 1)), 12, 3, 0.3), Beta: 2}
	a, va, _ := p.Minimize(context.Background(), f, Options{}, rand.New(rand.NewPCG(8, 9)))
	b, vb, _ := p.Minimize(context.Background(), f, Options{}, rand.New(rand.NewPCG(8, 9)))
	if va != vb || !slices.Equal(a, b) {
		t.Errorf("the same seed gave %v at %v and %v at %v", va, a, vb, b)
	}
}

func TestPolytopeCancelled(t *testing.T) {
	p := randomPolytope(t, 40, 3, 1, rand.New(rand.NewPCG(9, 9)))
	ctx, cancel := context.WithCancel(context.Background())
	calls := 0
	f := countingFunction{quadratic(linalg.Matrix{Rows: 1, Cols: 3, Stride: 3, Data: []float64{1, 2, 3}}, []float64{1, 1, 1}), func() {
		if calls++; calls == 3 {
			cancel()
		}
	}}
	z, value, err := p.Minimize(ctx, f, Options{}, rand.New(rand.NewPCG(1, 1)))
	if !errors.Is(err, context.Canceled) || calls > 10 || len(z) != 3 || p.violation(z) > 1e-9 || f.Value(z) != value {
		t.Errorf("point %v, value %v, error %v after %d gradients", z, value, err, calls)
	}
	if z, _, err := p.Minimize(ctx, f, Options{}, rand.New(rand.NewPCG(1, 1))); z != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled before: point %v, error %v", z, err)
	}
}

// As many constraints hold at a corner as there are dimensions.
func TestPolytopeCorners(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	for low := 1; low <= 6; low++ {
		p := randomPolytope(t, 50, low, 3, r)
		corners := linalg.New(20, low)
		if err := p.Corners(corners, r); err != nil {
			t.Fatal(err)
		}
		for i := range corners.Rows {
			z, tight := corners.Row(i), 0
			for k := range p.m.Rows {
				if math.Abs(linalg.Dot(p.m.Row(k), z)) > 1-1e-6 {
					tight++
				}
			}
			if p.violation(z) > 1e-12 || tight < low {
				t.Errorf("d=%d: %v leaves the polytope by %g and lies on %d of its faces", low, z, p.violation(z), tight)
			}
		}
	}
}

func TestPolytopeErrors(t *testing.T) {
	inf := linalg.New(3, 1)
	inf.Set(1, 0, math.Inf(1))
	for name, M := range map[string]linalg.Matrix{"empty": {}, "no columns": linalg.New(3, 0), "infinite": inf} {
		if _, err := NewPolytope(M); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
	p := randomPolytope(t, 5, 2, 1, rand.New(rand.NewPCG(9, 9)))
	for _, o := range []Options{{Starts: -1}, {Joint: true}} {
		if _, _, err := p.Minimize(context.Background(), linear([]float64{1, 1}), o, rand.New(rand.NewPCG(1, 1))); err == nil {
			t.Errorf("%+v was accepted", o)
		}
	}
}

func BenchmarkPolytope(b *testing.B) {
	r := rand.New(rand.NewPCG(5, 6))
	M := linalg.New(1000, 2)
	for i := range M.Data {
		M.Data[i] = 0.3 * r.NormFloat64()
	}
	p, err := NewPolytope(M)
	if err != nil {
		b.Fatal(err)
	}
	f := &acquisition.LCB{Model: stubGP(r, 12, 2, 0.3), Beta: 1}
	for b.Loop() {
		if _, _, err := p.Minimize(context.Background(), f, Options{}, r); err != nil {
			b.Fatal(err)
		}
	}
}
