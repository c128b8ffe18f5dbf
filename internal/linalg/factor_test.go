package linalg

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestCholeskyAgainstDefinition(t *testing.T) {
	onEveryPath(t, func(t *testing.T) {
		for _, n := range orders {
			r := newRand(uint64(n))
			a := positive(r, n)
			l, intact := view(r, n, n)
			for i := range n {
				copy(l.Row(i), a.Row(i))
			}
			if err := Cholesky(l); err != nil {
				t.Fatalf("n=%d: %v", n, err)
			}
			if d := differ(square(l), a, true); d > 1e-14*float64(n+10) {
				t.Errorf("n=%d: L*Lᵀ off by %g", n, d)
			}
			for i := range n {
				for j := i + 1; j < n; j++ {
					if !math.IsNaN(l.At(i, j)) {
						t.Fatalf("n=%d: upper element (%d,%d) was written", n, i, j)
					}
				}
			}
			if err := intact(); err != nil {
				t.Errorf("n=%d: %v", n, err)
			}
			many := clone(a)
			if err := factorise(2, many, many, 0); err != nil {
				t.Fatal(err)
			}
			if !sameBytes(lower(many), lower(l)) {
				t.Errorf("n=%d: two threads give other bytes", n)
			}
		}
	})
}

func TestInverseAndSolves(t *testing.T) {
	onEveryPath(t, func(t *testing.T) {
		for _, n := range orders {
			r := newRand(uint64(n))
			l := positive(r, n)
			if err := Cholesky(l); err != nil {
				t.Fatal(err)
			}
			a, low := square(l), lower(l)
			tol := 1e-14 * float64(n+10)

			inv, intact := view(r, n, n)
			InverseFromCholesky(inv, l)
			if d := differ(naive(New(n, n), 0, 1, a, inv), identity(n), false); d > 10*tol {
				t.Errorf("n=%d: A*A⁻¹ off by %g", n, d)
			}
			if !sameBytes(clone(inv), transposed(inv)) {
				t.Errorf("n=%d: the inverse is not symmetric", n)
			}
			if err := intact(); err != nil {
				t.Errorf("n=%d: %v", n, err)
			}
			many := clone(l)
			ParallelLowerInverse(2, many, many)
			if !sameBytes(lower(many), lower(inv)) {
				t.Errorf("n=%d: two threads, in place: other bytes", n)
			}

			x := clone(l)
			InvertLower(x)
			if d := differ(naive(New(n, n), 0, 1, low, lower(x)), identity(n), false); d > tol {
				t.Errorf("n=%d: L*L⁻¹ off by %g", n, d)
			}
			if n > 1 && !math.IsNaN(x.At(0, n-1)) {
				t.Errorf("n=%d: InvertLower wrote above the diagonal", n)
			}

			for _, cols := range []int{0, 1, 5, 24, 61} {
				want, _ := view(r, n, cols)
				b, intact := view(r, n, cols)
				for trans, solve := range map[bool]func(l, b Matrix){false: SolveLower, true: SolveLowerTrans} {
					left := low
					if trans {
						left = transposed(low)
					}
					rhs := naive(New(n, cols), 0, 1, left, want)
					for i := range n {
						copy(b.Row(i), rhs.Row(i))
					}
					solve(l, b)
					if d := differ(b, want, false); d > 10*tol {
						t.Errorf("n=%d cols=%d trans=%v: off by %g", n, cols, trans, d)
					}
					if err := intact(); err != nil {
						t.Errorf("n=%d cols=%d trans=%v: %v", n, cols, trans, err)
					}
				}
			}

			v := randomVector(r, n)
			col := Matrix{n, 1, 1, append([]float64(nil), v...)}
			y := append([]float64(nil), v...)
			SolveLower(l, col)
			SolveLowerVec(l, y)
			if d := differ(Matrix{n, 1, 1, y}, col, false); d > 10*tol {
				t.Errorf("n=%d: SolveLowerVec off by %g", n, d)
			}
			SolveLowerTrans(l, col)
			SolveLowerTransVec(l, y)
			if d := differ(Matrix{n, 1, 1, y}, col, false); d > 10*tol {
				t.Errorf("n=%d: SolveLowerTransVec off by %g", n, d)
			}
		}
	})
}

// Orders of several reduction blocks, checked by products with a vector.
func TestLargeOrders(t *testing.T) {
	onEveryPath(t, func(t *testing.T) {
		for _, n := range []int{400, 613} {
			a := gram(n)
			v := randomVector(newRand(uint64(n)), n)
			l := clone(a)
			if err := Cholesky(l); err != nil {
				t.Fatal(err)
			}
			low := lower(l)
			if d := farthest(times(low, times(transposed(low), v)), times(a, v)); d > 1e-12 {
				t.Errorf("n=%d: L*Lᵀv off by %g", n, d)
			}
			inv := New(n, n)
			InverseFromCholesky(inv, l)
			if d := farthest(times(a, times(inv, v)), v); d > 1e-11 {
				t.Errorf("n=%d: A*A⁻¹v off by %g", n, d)
			}
			many, inverse := clone(a), New(n, n)
			if err := factorise(3, many, many, 0); err != nil {
				t.Fatal(err)
			}
			ParallelLowerInverse(3, inverse, many)
			if !sameBytes(many, l) || !sameBytes(lower(inverse), lower(inv)) {
				t.Errorf("n=%d: three threads give other bytes", n)
			}
			x := New(n, 30)
			fill(newRand(1), x)
			b := naive(New(n, 30), 0, 1, low, x)
			SolveLower(l, b)
			if d := differ(b, x, false); d > 1e-11 {
				t.Errorf("n=%d: SolveLower off by %g", n, d)
			}
			b = naive(New(n, 30), 0, 1, transposed(low), x)
			SolveLowerTrans(l, b)
			if d := differ(b, x, false); d > 1e-11 {
				t.Errorf("n=%d: SolveLowerTrans off by %g", n, d)
			}
		}
	})
}

func identity(n int) Matrix {
	m := New(n, n)
	for i := range n {
		m.Set(i, i, 1)
	}
	return m
}

func TestLogDet(t *testing.T) {
	l := Matrix{2, 2, 2, []float64{2, 9, 1, 3}}
	if got, want := LogDet(l), math.Log(36); math.Abs(got-want) > 1e-15 {
		t.Errorf("got %g, want %g", got, want)
	}
}

func TestCholeskyFailures(t *testing.T) {
	onEveryPath(t, func(t *testing.T) {
		for _, n := range []int{1, 5, 30, 130} {
			for _, at := range []int{0, n / 2, n - 1} {
				for _, bad := range []float64{0, -3, math.NaN(), math.Inf(1), math.Inf(-1)} {
					a := identity(n)
					a.Set(at, at, bad)
					before := clone(a)
					err := Cholesky(a)
					var e *NotPositiveDefiniteError
					if !errors.As(err, &e) {
						t.Fatalf("n=%d: pivot %d = %g gives error %v", n, at, bad, err)
					}
					if e.Pivot != at || math.Float64bits(e.Value) != math.Float64bits(bad) && !math.IsNaN(bad) {
						t.Errorf("n=%d: pivot %d = %g is reported as %+v", n, at, bad, e)
					}
					if !sameBytes(a, before) {
						t.Errorf("n=%d: A changed in spite of the failure", n)
					}
				}
				if at == 0 {
					continue
				}
				for _, bad := range []float64{2, math.NaN(), math.Inf(1)} {
					a := identity(n)
					a.Set(at, at-1, bad)
					var e *NotPositiveDefiniteError
					if err := Cholesky(a); !errors.As(err, &e) || e.Pivot != at {
						t.Errorf("n=%d: element (%d,%d) = %g gives error %v", n, at, at-1, bad, err)
					}
				}
			}
		}
	})
}

func TestCholeskyJitter(t *testing.T) {
	ones := func(n int) Matrix {
		a := New(n, n)
		for i := range a.Data {
			a.Data[i] = 1
		}
		return a
	}
	onEveryPath(t, func(t *testing.T) {
		for _, n := range []int{2, 40, 150} {
			a := ones(n)
			ladder := DefaultLadder(a)
			dst := New(n, n)
			jitter, err := CholeskyJitter(dst, a, ladder)
			if err != nil || jitter != ladder[0] || jitter != 1e-10 {
				t.Fatalf("n=%d: jitter %g, %v; want the first rung of %v", n, jitter, err, ladder)
			}
			if !sameBytes(a, ones(n)) {
				t.Errorf("n=%d: A changed", n)
			}
			for i := range n {
				a.Set(i, i, a.At(i, i)+jitter)
			}
			if d := differ(square(dst), a, true); d > 1e-13 {
				t.Errorf("n=%d: L*Lᵀ off by %g", n, d)
			}
		}
		if jitter, err := CholeskyJitter(New(3, 3), identity(3), nil); jitter != 0 || err != nil {
			t.Errorf("identity: jitter %g, %v", jitter, err)
		}
		a := identity(4)
		a.Set(2, 2, -1)
		_, err := CholeskyJitter(New(4, 4), a, []float64{0.1, 0.5})
		var all *JitterError
		var last *NotPositiveDefiniteError
		if !errors.As(err, &all) || all.Last != 0.5 || !errors.As(err, &last) || last.Pivot != 2 {
			t.Errorf("hopeless matrix: %v", err)
		}
		if jitter, err := CholeskyJitter(New(4, 4), a, []float64{0.1, 1.5, 9}); jitter != 1.5 || err != nil {
			t.Errorf("second rung: jitter %g, %v", jitter, err)
		}
	})
}

// A Gram matrix of clustered points: condition number near 1e10, where a
// factorisation through explicit inverses of blocks would lose digits.
func TestIllConditioned(t *testing.T) {
	onEveryPath(t, func(t *testing.T) {
		const n = 150
		x := New(n, 2)
		fill(newRand(5), x)
		k := New(n, n)
		SquaredDistances(k, x, x)
		for i := range n {
			ExpScaled(k.Row(i), 1, -0.05, k.Row(i))
			k.Set(i, i, 1+1e-8)
		}
		l := clone(k)
		if err := Cholesky(l); err != nil {
			t.Fatal(err)
		}
		if d := differ(square(l), k, true); d > 1e-14 {
			t.Errorf("L*Lᵀ off by %g", d)
		}
		v := randomVector(newRand(6), n)
		y := append([]float64(nil), v...)
		SolveLower(l, Matrix{n, 1, 1, y})
		back := naive(New(n, 1), 0, 1, lower(l), Matrix{n, 1, 1, y})
		if d := differ(back, Matrix{n, 1, 1, v}, false); d > 1e-11 {
			t.Errorf("residual of the solve is %g", d)
		}
	})
}

func TestAppendRemoveProperties(t *testing.T) {
	onEveryPath(t, func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			n := rapid.IntRange(1, 60).Draw(t, "n")
			i := rapid.IntRange(0, n-1).Draw(t, "i")
			r := newRand(rapid.Uint64().Draw(t, "seed"))
			a := positive(r, n)
			full := clone(a)
			if err := Cholesky(full); err != nil {
				t.Fatal(err)
			}

			grown := New(n, n)
			for k := range n {
				if err := AppendRow(grown.Slice(0, k+1, 0, k+1), a.Row(k)[:k], a.At(k, k)); err != nil {
					t.Fatal(err)
				}
			}
			if d := differ(grown, full, true); d > 1e-12 {
				t.Fatalf("appending all rows differs from Cholesky by %g", d)
			}

			// Remove i, then append it behind: the factor of the reordered matrix.
			order := make([]int, 0, n)
			for k := range n {
				if k != i {
					order = append(order, k)
				}
			}
			order = append(order, i)
			want := New(n, n)
			for x, ox := range order {
				for y, oy := range order {
					want.Set(x, y, a.At(max(ox, oy), min(ox, oy)))
				}
			}
			small := RemoveRow(full, i)
			if small.Rows != n-1 || small.Cols != n-1 {
				t.Fatalf("RemoveRow returns %dx%d", small.Rows, small.Cols)
			}
			if err := AppendRow(full, append([]float64(nil), want.Row(n - 1)[:n-1]...), want.At(n-1, n-1)); err != nil {
				t.Fatal(err)
			}
			if d := differ(square(full), want, true); d > 1e-12 {
				t.Fatalf("remove and append: off by %g", d)
			}
		})
	})
}

func TestRankOneProperties(t *testing.T) {
	onEveryPath(t, func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			n := rapid.IntRange(1, 60).Draw(t, "n")
			r := newRand(rapid.Uint64().Draw(t, "seed"))
			l := positive(r, n)
			if err := Cholesky(l); err != nil {
				t.Fatal(err)
			}
			old := clone(l)
			v := randomVector(r, n)
			kept := append([]float64(nil), v...)
			UpdateRankOne(l, v)
			col := Matrix{n, 1, 1, v}
			want := naive(square(old), 1, 1, col, transposed(col))
			if d := differ(square(l), want, true); d > 1e-12 {
				t.Fatalf("update: off by %g", d)
			}
			if err := DowndateRankOne(l, v); err != nil {
				t.Fatal(err)
			}
			if d := differ(l, old, true); d > 1e-11 {
				t.Fatalf("downdate: off by %g", d)
			}
			if !sameBytes(Matrix{n, 1, 1, kept}, col) {
				t.Fatal("v was changed")
			}
			v[0] = 2 * l.At(0, 0) // more than the first diagonal element has
			before := clone(l)
			var e *NotPositiveDefiniteError
			if err := DowndateRankOne(l, v); !errors.As(err, &e) {
				t.Fatalf("impossible downdate: %v", err)
			}
			if !sameBytes(lower(l), lower(before)) {
				t.Fatal("a failed downdate changed L")
			}
		})
	})
}

func TestAppendRowFailure(t *testing.T) {
	l := identity(3)
	for _, kk := range []float64{0.5, math.NaN(), math.Inf(1)} {
		var e *NotPositiveDefiniteError
		if err := AppendRow(l, []float64{1, 0}, kk); !errors.As(err, &e) || e.Pivot != 2 {
			t.Errorf("kk=%g: %v", kk, err)
		}
	}
}

func TestPathsAgree(t *testing.T) {
	const n = 205
	a := positive(newRand(9), n)
	results := map[string]Matrix{}
	for _, p := range supported() {
		usePath(t, p)
		l := clone(a)
		if err := Cholesky(l); err != nil {
			t.Fatal(err)
		}
		InverseFromCholesky(l, l)
		results[p.String()] = l
	}
	for name, inv := range results {
		if d := differ(inv, results["portable"], false); d > 1e-12 {
			t.Errorf("%s and portable differ by %g", name, d)
		}
	}
	if got := fmt.Sprint(choose("portable", supported()).path, choose("none", []kernelPath{portable, avx2}).path); got != "portable avx2" {
		t.Errorf("choose: %s", got)
	}
}
