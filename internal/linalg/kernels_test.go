package linalg

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// What kernels meet beside ordinary numbers. Numbers that are not finite and denormals do not come
// together: infinity times a denormal is NaN where denormals are rounded to zero.
var oddNumbers = map[string][]float64{
	"ordinary":  nil,
	"nonfinite": {math.NaN(), math.Inf(1), math.Inf(-1), 0},
	"tiny":      {5e-324, -3e-310, math.Copysign(0, -1), 1e-200, -1e-160},
}

// spoil replaces about every eighth number.
func spoil(r *rand.Rand, x, odd []float64) []float64 {
	for i := range x {
		if len(odd) > 0 && r.IntN(8) == 0 {
			x[i] = odd[r.IntN(len(odd))]
		}
	}
	return x
}

func oddVector(r *rand.Rand, n int, odd []float64) []float64 {
	return spoil(r, randomVector(r, n), odd)
}

// oddView is view with odd numbers among its elements.
func oddView(r *rand.Rand, rows, cols int, odd []float64) (Matrix, func() error) {
	m, intact := view(r, rows, cols)
	for i := range rows {
		spoil(r, m.Row(i), odd)
	}
	return m, intact
}

// near demands the same NaNs and infinities, and other numbers but for rounding.
func near(t *testing.T, name string, got, want []float64) {
	t.Helper()
	for i, w := range want {
		g := got[i]
		if g == w || math.IsNaN(g) && math.IsNaN(w) || math.Abs(g-w) <= 1e-13*(1+math.Abs(w)) {
			continue
		}
		t.Fatalf("%s: element %d is %g, the portable kernel gives %g", name, i, g, w)
	}
}

// Every kernel against portable Go: all lengths up to 70, odd strides, numbers that are not finite
// and denormals.
func TestKernelsAgainstPortable(t *testing.T) {
	onEveryPath(t, func(t *testing.T) {
		for what, odd := range oddNumbers {
			t.Run(what, func(t *testing.T) {
				r := newRand(31)
				for n := range 71 {
					vectorsAgainstPortable(t, r, n, odd)
					rowsAgainstPortable(t, r, n, odd)
					for _, rows := range []int{1, 2, 3, 4, 5, 8, 13} {
						transposeAgainstPortable(t, r, rows, n, odd)
					}
					if n > 0 {
						for range 8 {
							panelAgainstPortable(t, r, 1+r.IntN(13), 1+r.IntN(active.nr), n, odd)
							panelAgainstPortable(t, r, n, 1+r.IntN(active.nr), 1+r.IntN(9), odd)
						}
					}
				}
				for n := 1; n <= active.nr; n++ {
					for m := 1; m <= 2*active.mr+1; m++ {
						panelAgainstPortable(t, r, m, n, 5, odd)
					}
					triangleAgainstPortable(t, r, n, false, odd)
					triangleAgainstPortable(t, r, n, true, odd)
				}
			})
		}
		r := newRand(32)
		for range 50 {
			factorAgainstPortable(t, r)
		}
	})
}

func vectorsAgainstPortable(t *testing.T, r *rand.Rand, n int, odd []float64) {
	t.Helper()
	name := func(kernel string) string { return fmt.Sprintf("%s of length %d", kernel, n) }
	x, y := oddVector(r, n+3, odd)[3:], oddVector(r, n+1, odd)[1:]
	near(t, name("dot"), []float64{dot(x, y)}, []float64{dotPortable(x, y)})

	both := func(kernel string, start []float64, run, portable func(dst []float64)) {
		t.Helper()
		got, want := append(slices.Clone(start), guard), slices.Clone(start)
		run(got[:n])
		portable(want)
		near(t, name(kernel), got, append(want, guard))
	}
	start := oddVector(r, n, odd)
	both("axpy", start, func(d []float64) { axpy(d, -1.3, x) }, func(d []float64) { axpyPortable(d, -1.3, x) })
	both("addProducts", start, func(d []float64) { addProducts(d, x, y) }, func(d []float64) { addProductsPortable(d, x, y) })
	both("addClamp", start, func(d []float64) { addClamp(d, 0.7, x) }, func(d []float64) { addClampPortable(d, 0.7, x) })
	wide := slices.Clone(x)
	for i := range wide {
		wide[i] *= 300
	}
	for _, source := range [][]float64{x, wide} {
		got, want := append(make([]float64, n), guard), make([]float64, n)
		expScaled(got[:n], 2.5, -0.7, source)
		expPortable(want, 2.5, -0.7, source)
		near(t, name("exp"), got, append(want, guard))
	}
	squares := slices.Clone(x)
	for i, v := range squares {
		squares[i] = v * v * math.Exp2(float64(r.IntN(20)-10))
	}
	got, slope := append(slices.Clone(squares), guard), append(make([]float64, n), guard)
	want, wantSlope := slices.Clone(squares), make([]float64, n)
	matern(got[:n], slope[:n], 1.7)
	maternByExp(want, wantSlope, 1.7)
	near(t, name("matern"), got, append(want, guard))
	near(t, name("slope of matern"), slope, append(wantSlope, guard))
	alone := append(slices.Clone(squares), guard)
	matern(alone[:n], nil, 1.7)
	near(t, name("matern without slope"), alone, append(want, guard))
}

func rowsAgainstPortable(t *testing.T, r *rand.Rand, n int, odd []float64) {
	t.Helper()
	rows := 1 + r.IntN(9)
	z, intact := oddView(r, rows, n, odd)
	name := func(kernel string) string { return fmt.Sprintf("%s of %d rows of length %d", kernel, rows, n) }
	w, x, along := oddVector(r, rows, odd), oddVector(r, rows, odd), oddVector(r, n, odd)
	index := make([]int, r.IntN(7))
	for k := range index {
		index[k] = r.IntN(rows)
	}
	coef := oddVector(r, len(index), odd)
	got, want := append(make([]float64, n), guard), append(make([]float64, n), guard)
	compare := func(kernel string) {
		t.Helper()
		near(t, name(kernel), got, want)
		if err := intact(); err != nil {
			t.Fatalf("%s: %v", name(kernel), err)
		}
	}
	if n == 0 {
		return // the functions that call the kernels do not
	}
	// No product is fused into a sum in these three: the same bytes.
	bytes := func(kernel string) {
		t.Helper()
		compare(kernel)
		for i := range want {
			if got[i] != want[i] && !math.IsNaN(want[i]) {
				t.Fatalf("%s: element %d is %g, the portable kernel gives %g", name(kernel), i, got[i], want[i])
			}
		}
	}
	columnDistances(got[:n], x, z)
	columnDistancesPortable(want[:n], x, z)
	bytes("columnDistances")
	rowSquares(got[:n], w, x, z)
	rowSquaresPortable(want[:n], w, x, z)
	bytes("rowSquares")
	columnSquares(got[:n], w, along, z)
	columnSquaresPortable(want[:n], w, along, z)
	bytes("columnSquares")

	addInPlace := func(dst []float64) {
		for k, i := range index {
			axpyPortable(dst, coef[k], z.Row(i))
		}
	}
	copy(got, along)
	copy(want, along)
	if len(index) > 0 {
		addRows(got[:n], coef, index, z)
		addInPlace(want[:n])
		compare("addRows")
	}
	clampedRows(got[:n], along, coef, index, z, 0.3)
	copy(want, along)
	addInPlace(want[:n])
	for i, v := range want[:n] {
		want[i] = max(0, v+0.3)
	}
	compare("clampedRows")

	dots, wantDots := append(make([]float64, len(index)), guard), append(make([]float64, len(index)), guard)
	if len(index) > 0 {
		rowDots(dots[:len(index)], along, index, z)
	}
	for k, i := range index {
		wantDots[k] = dotPortable(along, z.Row(i))
	}
	near(t, name("rowDots"), dots, wantDots)
}

func transposeAgainstPortable(t *testing.T, r *rand.Rand, rows, cols int, odd []float64) {
	t.Helper()
	if cols == 0 {
		return
	}
	src, _ := oddView(r, rows, cols, odd)
	dst, intact := view(r, cols, rows)
	transpose(dst.Data, dst.Stride, src.Data, src.Stride, rows, cols)
	for i := range rows {
		for j := range cols {
			if math.Float64bits(dst.At(j, i)) != math.Float64bits(src.At(i, j)) {
				t.Fatalf("transpose of %dx%d: element (%d,%d) is %g, want %g", rows, cols, j, i, dst.At(j, i), src.At(i, j))
			}
		}
	}
	if err := intact(); err != nil {
		t.Fatalf("transpose of %dx%d: %v", rows, cols, err)
	}
}

func panelAgainstPortable(t *testing.T, r *rand.Rand, m, n, k int, odd []float64) {
	t.Helper()
	a, _ := oddView(r, m, k, odd)
	ras, cas := a.Stride, 1
	if r.IntN(2) == 0 {
		a = transposed(a)
		ras, cas = 1, a.Stride
	}
	b, _ := oddView(r, k, n, odd)
	c, intact := oddView(r, m, n, odd)
	scale := scalars[r.IntN(len(scalars))]
	beta, alpha := scale[0], scale[1]
	want := clone(c)
	panelPortable(want.Data, want.Stride, a.Data, ras, cas, b.Data, b.Stride, m, n, k, alpha, beta)
	panel(c.Data, c.Stride, a.Data, ras, cas, b.Data, b.Stride, m, n, k, alpha, beta)
	name := fmt.Sprintf("panel m=%d n=%d k=%d beta=%g alpha=%g", m, n, k, beta, alpha)
	for i := range m {
		near(t, fmt.Sprintf("%s row %d", name, i), c.Row(i), want.Row(i))
	}
	if err := intact(); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

func triangleAgainstPortable(t *testing.T, r *rand.Rand, n int, backwards bool, odd []float64) {
	t.Helper()
	mr := active.mr
	c, intact := oddView(r, mr, n, odd)
	coef := randomVector(r, mr*mr)
	want := clone(c)
	at, ld, wantLd := 0, c.Stride, want.Stride
	wantAt := 0
	if backwards {
		at, wantAt, ld, wantLd = (mr-1)*ld, (mr-1)*wantLd, -ld, -wantLd
	}
	trianglePortable(want.Data, wantAt, wantLd, coef, mr, n)
	triangle(c.Data, at, ld, coef, n)
	for i := range mr {
		for j := range n {
			g, w := c.At(i, j), want.At(i, j)
			if g != w && !(math.IsNaN(g) && math.IsNaN(w)) && !(math.Abs(g-w) <= 1e-11*(1+math.Abs(w))) {
				t.Fatalf("triangle of %d columns, backwards %v: element (%d,%d) is %g, the portable kernel gives %g", n, backwards, i, j, g, w)
			}
		}
	}
	if err := intact(); err != nil {
		t.Fatalf("triangle of %d columns: %v", n, err)
	}
}

func factorAgainstPortable(t *testing.T, r *rand.Rand) {
	t.Helper()
	mr := active.mr
	a := positive(r, mr)
	u, intact := view(r, mr, mr)
	for i := range mr {
		for j := i; j < mr; j++ {
			u.Set(i, j, a.At(j, i))
		}
	}
	coef, pivots := append(make([]float64, mr*mr), guard), append(make([]float64, mr), guard)
	wantCoef, wantPivots := make([]float64, mr*mr), make([]float64, mr)
	factor(coef, pivots, u.Data, u.Stride)
	factorPortable(wantCoef, wantPivots, u.Data, u.Stride, mr)
	near(t, "pivots", pivots, append(wantPivots, guard))
	for j := range mr {
		near(t, fmt.Sprintf("row %d of the factor", j), coef[j*mr+j:j*mr+mr], wantCoef[j*mr+j:j*mr+mr])
	}
	if err := intact(); err != nil || coef[mr*mr] != guard {
		t.Fatalf("factor writes outside (%v)", err)
	}
}
