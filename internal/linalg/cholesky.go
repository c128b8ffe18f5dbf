package linalg

import (
	"fmt"
	"math"
)

// nb is the block of rows of a factorisation: a multiple of every mr and nr.
const nb = 96

// NotPositiveDefiniteError reports the first pivot of a factorisation that is
// not a positive finite number.
type NotPositiveDefiniteError struct {
	Pivot int
	Value float64
}

func (e *NotPositiveDefiniteError) Error() string {
	return fmt.Sprintf("linalg: matrix is not positive definite: pivot %d is %g", e.Pivot, e.Value)
}

// Cholesky replaces the lower triangle of A by L with L*Lᵀ = A. The strict
// upper triangle is neither read nor written. On failure A is unchanged and
// the error is a *NotPositiveDefiniteError; NaN and Inf fail too.
func Cholesky(a Matrix) error { return ParallelCholesky(1, a) }

// ParallelCholesky is Cholesky on several threads; the bytes do not depend on
// threads.
func ParallelCholesky(threads int, a Matrix) error { return factorise(threads, a, a, 0) }

// factorise writes the factor of A + jitter*I to the lower triangle of dst,
// which may be A.
func factorise(threads int, dst, a Matrix, jitter float64) error {
	if a.Rows != a.Cols || dst.Rows != a.Rows || dst.Cols != a.Cols {
		panic(fmt.Sprintf("linalg: Cholesky of a %dx%d matrix into %dx%d", a.Rows, a.Cols, dst.Rows, dst.Cols))
	}
	a.check()
	dst.check()
	if a.Rows == 0 {
		return nil
	}
	s := getScratch()
	defer s.release()
	f := newUpperFactor(s, a.Rows)
	parallelFor(threads, f.panels, func(p int) { f.pack(a, p, jitter) })
	if err := f.factorise(threads); err != nil {
		return err
	}
	parallelFor(threads, f.panels, func(p int) { f.unpack(dst, p) })
	return nil
}

// upperFactor holds the upper triangle of a symmetric matrix, then U, in
// panels of w columns: panel p has the columns p*w.. and the rows 0..(p+1)*w-1,
// row after row, so that both operands of every product are contiguous. The
// order is padded to a multiple of w with the identity.
type upperFactor struct {
	data   []float64
	coef   []float64 // mr x mr triangle and reciprocal pivots per block row
	n      int
	w, mr  int
	panels int
}

func newUpperFactor(s *scratch, n int) *upperFactor {
	w, mr := active.nr, active.mr
	panels := ceilDiv(n, w)
	size := w * w * panels * (panels + 1) / 2
	buf := s.take(size + panels*w*mr)
	return &upperFactor{data: buf[:size], coef: buf[size:], n: n, w: w, mr: mr, panels: panels}
}

// at returns panel p from row r on.
func (f *upperFactor) at(p, r int) []float64 {
	return f.data[f.w*f.w*p*(p+1)/2+r*f.w : f.w*f.w*(p+1)*(p+2)/2]
}

// pack fills panel p from the lower triangle of A.
func (f *upperFactor) pack(a Matrix, p int, jitter float64) {
	w, j0 := f.w, p*f.w
	cols := min(w, f.n-j0)
	dst := f.at(p, 0)
	if cols < w {
		clear(dst)
	}
	if j0 > 0 {
		transpose(dst, w, a.Data[j0*a.Stride:], a.Stride, cols, j0)
	}
	diag := dst[j0*w:]
	for x := range w {
		if x >= cols {
			diag[x*w+x] = 1
			continue
		}
		row := a.Data[(j0+x)*a.Stride+j0:]
		for r := range x {
			diag[r*w+x] = row[r]
		}
		diag[x*w+x] = row[x] + jitter
	}
}

// unpack writes panel p to the lower triangle of dst.
func (f *upperFactor) unpack(dst Matrix, p int) {
	w, j0 := f.w, p*f.w
	cols := min(w, f.n-j0)
	src := f.at(p, 0)
	if j0 > 0 {
		transpose(dst.Data[j0*dst.Stride:], dst.Stride, src, w, j0, cols)
	}
	diag := src[j0*w:]
	for x := range cols {
		row := dst.Data[(j0+x)*dst.Stride+j0:]
		for r := range x + 1 {
			row[r] = diag[r*w+x]
		}
	}
}

// factorise goes down the block rows J of U:
//
//	U[J,J]ᵀ U[J,J] = A[J,J] - U[:J,J]ᵀ U[:J,J]
//	U[J,p] = U[J,J]⁻ᵀ (A[J,p] - U[:J,J]ᵀ U[:J,p])  for the panels p right of J
func (f *upperFactor) factorise(threads int) error {
	for j := 0; j < f.panels*f.w; j += nb {
		end := min(j+nb, f.panels*f.w)
		first, right := j/f.w, end/f.w
		parallelFor(threads, right-first, func(i int) {
			p := first + i
			f.subtract(p, j, (p+1)*f.w)
		})
		if err := f.diagonal(j, end); err != nil {
			return err
		}
		parallelFor(threads, f.panels-right, func(i int) {
			f.subtract(right+i, j, end)
			f.solve(right+i, j, end)
		})
	}
	return nil
}

// subtract computes U[J,p] -= U[:J,J]ᵀ U[:J,p] for the rows J = j..end-1.
func (f *upperFactor) subtract(p, j, end int) {
	w := f.w
	for k0 := 0; k0 < j; k0 += kcLong {
		b := f.at(p, k0)
		for r := j; r < end; r += w {
			panel(f.at(p, r), w, f.at(r/w, k0), 1, w, b, w, w, w, min(kcLong, j-k0), -1, 1)
		}
	}
}

// solve finishes U[J,p], mr rows at a time.
func (f *upperFactor) solve(p, j, end int) {
	for i := j; i < end; i += f.mr {
		f.advance(p, j, i)
		triangle(f.at(p, i), 0, f.w, f.block(i), f.w)
	}
}

// advance subtracts from the mr rows at i of panel p what the rows j..i-1 give.
func (f *upperFactor) advance(p, j, i int) {
	if i > j {
		panel(f.at(p, i), f.w, f.at(i/f.w, j)[i%f.w:], 1, f.w, f.at(p, j), f.w, f.mr, f.w, i-j, -1, 1)
	}
}

// block is the coefficient block of the rows at i.
func (f *upperFactor) block(i int) []float64 { return f.coef[i*f.mr : (i+f.mr)*f.mr] }

// diagonal factorises U[J,J].
func (f *upperFactor) diagonal(j, end int) error {
	for i := j; i < end; i += f.mr {
		q, x := i/f.w, i%f.w
		for p := q; p < end/f.w; p++ {
			f.advance(p, j, i)
		}
		t := f.block(i)
		rows := f.at(q, i)
		if bad, value := smallFactor(t, rows[x:], f.w, f.mr); bad >= 0 {
			return &NotPositiveDefiniteError{Pivot: i + bad, Value: value}
		}
		for p := q; p < end/f.w; p++ {
			triangle(f.at(p, i), 0, f.w, t, f.w)
		}
		// Columns up to the diagonal: zeros, then U itself.
		for r := range f.mr {
			row := rows[r*f.w : r*f.w+x+f.mr]
			clear(row[:x+r])
			row[x+r] = 1 / t[r*f.mr+r]
		}
	}
	return nil
}

// smallFactor factorises the mr x mr upper triangle u (row stride ldu). t
// receives L with reciprocal pivots. It returns the index and value of a bad
// pivot, or -1.
func smallFactor(t, u []float64, ldu, mr int) (int, float64) {
	for r := range mr {
		row := t[r*mr : r*mr+mr]
		for s := range r {
			v := u[s*ldu+r]
			prev := t[s*mr : s*mr+s]
			for k, y := range prev {
				v -= row[k] * y
			}
			row[s] = v * t[s*mr+s]
		}
		d := u[r*ldu+r]
		for _, y := range row[:r] {
			d -= y * y
		}
		if !(d > 0) || d > math.MaxFloat64 {
			return r, d
		}
		row[r] = 1 / math.Sqrt(d)
		clear(row[r+1:])
	}
	return -1, 0
}
