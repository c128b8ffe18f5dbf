package embed

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mahabo/mahabo/internal/fdcheck"
	"github.com/mahabo/mahabo/internal/linalg"
)

var background = context.Background()

func stream(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

// gaussian returns a d x D matrix whose rows have about the given lengths.
func gaussian(low, high int, length float64, r *rand.Rand) linalg.Matrix {
	B := linalg.New(low, high)
	for i := range B.Data {
		B.Data[i] = length * r.NormFloat64() / math.Sqrt(float64(high))
	}
	return B
}

func uniform(n int, scale float64, r *rand.Rand) []float64 {
	x := make([]float64, n)
	for j := range x {
		x[j] = scale * (2*r.Float64() - 1)
	}
	return x
}

func distance(a, b []float64) (far float64) {
	for i := range a {
		far = max(far, math.Abs(a[i]-b[i]))
	}
	return far
}

// rowPart returns B⁺Bx, the part of x that B sees; x less this lies in N(B).
func rowPart(p *PseudoInverse, x []float64) []float64 {
	low, high := p.embedding.Dims()
	z, part := make([]float64, low), make([]float64, high)
	p.embedding.Apply(z, x)
	for j := range part {
		part[j] = linalg.Dot(p.inverse.Row(j), z)
	}
	return part
}

func randomised(t *testing.T, B linalg.Matrix) *Randomised {
	t.Helper()
	p, err := NewPseudoInverse(B)
	if err != nil {
		t.Fatal(err)
	}
	return NewRandomised(p)
}

func TestPullbackIsTheGradient(t *testing.T) {
	r := stream(1)
	l := Linear{gaussian(3, 7, 2, r)}
	z := make([]float64, 3)
	// f = sum of sin(z)
	f := func(x []float64) float64 {
		l.Apply(z, x)
		return math.Sin(z[0]) + math.Sin(z[1]) + math.Sin(z[2])
	}
	x, grad := uniform(7, 1, r), make([]float64, 7)
	l.Apply(z, x)
	l.Pullback(grad, []float64{math.Cos(z[0]), math.Cos(z[1]), math.Cos(z[2])})
	fdcheck.Check(t, f, grad, x, 1e-8)
}

// The four conditions of Moore and Penrose, for all shapes and ranks.
func TestPseudoInverse(t *testing.T) {
	r := stream(2)
	twice := gaussian(3, 20, 5, r)
	copy(twice.Row(2), twice.Row(0))
	for name, c := range map[string]struct {
		B    linalg.Matrix
		rank int
	}{
		"one entry":     {gaussian(1, 1, 3, r), 1},
		"one row":       {gaussian(1, 50, 100, r), 1},
		"two rows":      {gaussian(2, 200, 30, r), 2},
		"square":        {gaussian(6, 6, 1, r), 6},
		"tiny":          {gaussian(2, 30, 1e-30, r), 2},
		"repeated row":  {twice, 2},
		"zero":          {linalg.New(2, 9), 0},
		"zero, one row": {linalg.New(1, 1), 0},
		"view":          {gaussian(4, 40, 1, r).Slice(1, 3, 5, 35), 2},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := NewPseudoInverse(c.B)
			if err != nil {
				t.Fatal(err)
			}
			if p.Rank() != c.rank {
				t.Errorf("rank %d, want %d", p.Rank(), c.rank)
			}
			low, high := c.B.Rows, c.B.Cols
			M := p.Matrix()
			BM, MB := linalg.New(low, low), linalg.New(high, high)
			linalg.Gemm(BM, 0, 1, c.B, M)
			linalg.Gemm(MB, 0, 1, M, c.B)
			BMB, MBM := linalg.New(low, high), linalg.New(high, low)
			linalg.Gemm(BMB, 0, 1, BM, c.B)
			linalg.Gemm(MBM, 0, 1, MB, M)
			alike := func(what string, got, want linalg.Matrix) {
				size := 0.0
				for i := range want.Rows {
					for _, v := range want.Row(i) {
						size = max(size, math.Abs(v))
					}
				}
				for i := range want.Rows {
					if far := distance(got.Row(i), want.Row(i)); far > 1e-12*size {
						t.Errorf("%s: row %d is off by %g of %g", what, i, far, size)
					}
				}
			}
			alike("B B⁺ B = B", BMB, c.B)
			alike("B⁺ B B⁺ = B⁺", MBM, M)
			alike("B B⁺ is symmetric", BM, transposed(BM))
			alike("B⁺ B is symmetric", MB, transposed(MB))
		})
	}
}

func transposed(a linalg.Matrix) linalg.Matrix {
	out := linalg.New(a.Cols, a.Rows)
	for i := range a.Rows {
		for j := range a.Cols {
			out.Set(j, i, a.At(i, j))
		}
	}
	return out
}

func TestPseudoInverseReconstruction(t *testing.T) {
	r := stream(3)
	B := gaussian(2, 30, 4, r)
	p, err := NewPseudoInverse(B)
	if err != nil {
		t.Fatal(err)
	}
	x, z, back := make([]float64, 30), make([]float64, 2), make([]float64, 2)
	// Inside: Bx = z. Far outside: still a point of the box.
	p.embedding.Apply(z, uniform(30, 0.3, r))
	if err := p.Reconstruct(background, x, z, nil); err != nil {
		t.Fatal(err)
	}
	if p.embedding.Apply(back, x); distance(back, z) > 1e-13 {
		t.Errorf("Bx = %v, want %v", back, z)
	}
	if err := p.Reconstruct(background, x, []float64{1e6, -1e6}, nil); err != nil {
		t.Fatal(err)
	}
	for j, v := range x {
		if math.Abs(v) > 1 {
			t.Errorf("coordinate %d is %g", j, v)
		}
	}
}

// thm:randomized_unbiased: the result is in the fibre, and its part in N(B) is that of
// the start.
func TestDescentMovesOnlyInTheRowSpace(t *testing.T) {
	r := stream(4)
	for _, low := range []int{1, 2, 5} {
		const high = 12
		m := randomised(t, gaussian(low, high, 3, r))
		z, back, step := make([]float64, low), make([]float64, low), make([]float64, low)
		successes := 0
		for range 200 {
			x := uniform(high, 0.6, r)
			start := slices.Clone(x)
			m.embedding.Apply(z, uniform(high, 0.6, r))
			steps, ok := m.descend(x, z, back, step)
			if steps > maxSteps {
				t.Fatalf("d=%d: %d steps", low, steps)
			}
			seen, was := rowPart(m.pinv, x), rowPart(m.pinv, start)
			for j := range x {
				if math.Abs((x[j]-seen[j])-(start[j]-was[j])) > 1e-12 {
					t.Fatalf("d=%d: part %d in the null space moved", low, j)
				}
			}
			if !ok {
				continue
			}
			successes++
			m.residual(back, x, z)
			if !reached(back) || distance(x, make([]float64, high)) > 1 {
				t.Fatalf("d=%d: residual %v at %v", low, back, x)
			}
		}
		if successes < 20 {
			t.Errorf("d=%d: only %d of 200 descents succeeded", low, successes)
		}
	}
}

// Starts are dismissed before the descent only when it would leave the box.
func TestDismissedStartsWouldLeaveTheBox(t *testing.T) {
	r := stream(5)
	m := randomised(t, gaussian(2, 6, 1, r))
	all := *m
	all.slack = make([]float64, 6)
	for j := range all.slack {
		all.slack[j] = math.Inf(1)
	}
	z, residual, step := make([]float64, 2), make([]float64, 2), make([]float64, 2)
	dismissed, kept := 0, 0
	for range 3000 {
		x := uniform(6, 1, r)
		again := slices.Clone(x)
		m.embedding.Apply(z, uniform(6, 1, r))
		steps, ok := m.descend(x, z, residual, step)
		_, want := all.descend(again, z, residual, step)
		if ok != want || (ok && !slices.Equal(x, again)) {
			t.Fatalf("with the shortcut %v, without %v", ok, want)
		}
		if ok {
			kept++
		} else if steps == 0 {
			dismissed++
		}
	}
	if dismissed < 500 || kept < 500 {
		t.Errorf("%d dismissed and %d kept of 3000: the case tests nothing", dismissed, kept)
	}
}

// The fibre of 0 under B = (1, 1) is the segment (u, -u). From a uniform start u is the
// difference of two uniform numbers, whose law is the triangle on [-1,1].
func TestSamplesCoverTheFibre(t *testing.T) {
	m := randomised(t, linalg.Matrix{Rows: 1, Cols: 2, Stride: 2, Data: []float64{1, 1}})
	r := stream(6)
	const n = 20000
	x := make([]float64, 2)
	var bins [8]float64
	for range n {
		out, err := m.Sample(background, x, []float64{0}, r)
		// In one dimension an exact line search needs one step.
		if err != nil || out.Fallback || out.Starts != 1 || out.Steps > 1 {
			t.Fatalf("outcome %+v, error %v", out, err)
		}
		if math.Abs(x[0]+x[1]) > math.Sqrt(2*tolerance) {
			t.Fatalf("%v is not in the fibre", x)
		}
		u := (x[0] - x[1]) / 2
		bins[min(int(4*(u+1)), 7)]++
	}
	cumulative := func(u float64) float64 {
		if u < 0 {
			return (1 + u) * (1 + u) / 2
		}
		return 1 - (1-u)*(1-u)/2
	}
	for i, got := range bins {
		left := float64(i)/4 - 1
		p := cumulative(left+0.25) - cumulative(left)
		if sd := math.Sqrt(n * p * (1 - p)); math.Abs(got-n*p) > 4.5*sd {
			t.Errorf("bin %d holds %g samples, want %g", i, got, n*p)
		}
	}
}

// What cannot be reached ends at the pseudo-inverse and says so.
func TestRandomisedFallsBack(t *testing.T) {
	r := stream(7)
	twice := gaussian(2, 8, 1, r)
	copy(twice.Row(1), twice.Row(0))
	for name, c := range map[string]struct {
		B linalg.Matrix
		z []float64
	}{
		"z outside the zonotope": {gaussian(2, 10, 1, r), []float64{50, -3}},
		"z outside the range":    {twice, []float64{0.3, -0.3}},
		"no embedding":           {linalg.New(1, 5), []float64{1}},
	} {
		t.Run(name, func(t *testing.T) {
			m := randomised(t, c.B)
			x, want := make([]float64, c.B.Cols), make([]float64, c.B.Cols)
			out, err := m.Sample(background, x, c.z, r)
			if err != nil || !out.Fallback || out.Starts != maxStarts {
				t.Fatalf("outcome %+v, error %v", out, err)
			}
			if err := m.pinv.Reconstruct(background, want, c.z, nil); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(x, want) {
				t.Errorf("x = %v, want the clamped pseudo-inverse %v", x, want)
			}
		})
	}
}

// A rank-deficient B still reaches what lies in its range.
func TestRandomisedWithRepeatedRows(t *testing.T) {
	r := stream(8)
	B := gaussian(2, 8, 1, r)
	copy(B.Row(1), B.Row(0))
	m := randomised(t, B)
	x := make([]float64, 8)
	out, err := m.Sample(background, x, []float64{0.3, 0.3}, r)
	if err != nil || out.Fallback {
		t.Errorf("outcome %+v, error %v", out, err)
	}
}

func TestSamplesAreDeterministic(t *testing.T) {
	m := randomised(t, gaussian(2, 8, 2, stream(9)))
	a, b := make([]float64, 8), make([]float64, 8)
	for _, x := range [][]float64{a, b} {
		if err := m.Reconstruct(background, x, []float64{0.2, -0.4}, stream(10)); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(a, b) {
		t.Errorf("%v and %v", a, b)
	}
}

func TestBadArgumentsAreRefused(t *testing.T) {
	nan := linalg.New(1, 3)
	nan.Set(0, 1, math.NaN())
	for name, B := range map[string]linalg.Matrix{"empty": {}, "more rows than columns": linalg.New(3, 2), "NaN": nan} {
		if _, err := NewPseudoInverse(B); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
	m := randomised(t, gaussian(2, 8, 2, stream(1)))
	for _, re := range []Reconstruction{m, m.pinv} {
		for name, c := range map[string]struct{ x, z []float64 }{
			"short x": {make([]float64, 7), make([]float64, 2)},
			"short z": {make([]float64, 8), make([]float64, 1)},
			"NaN":     {make([]float64, 8), []float64{0, math.NaN()}},
			"Inf":     {make([]float64, 8), []float64{math.Inf(1), 0}},
		} {
			if err := re.Reconstruct(background, c.x, c.z, stream(1)); err == nil {
				t.Errorf("%T: %s was accepted", re, name)
			}
		}
	}
	ctx, cancel := context.WithCancel(background)
	cancel()
	if _, err := m.Sample(ctx, make([]float64, 8), make([]float64, 2), stream(1)); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
