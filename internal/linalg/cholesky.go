package linalg

import (
	"fmt"
	"math"

	"github.com/mahabo/mahabo/internal/parallel"
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
// upper triangle has no influence and is not written. On failure A is unchanged and
// the error is a *NotPositiveDefiniteError; NaN and Inf fail too.
func Cholesky(a Matrix) error { return factorise(1, a, a, 0) }

// factorise writes the factor of A + jitter*I to the lower triangle of dst,
// which may be A. The bytes do not depend on threads.
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
	if threads <= 1 {
		for p := range f.panels {
			f.pack(a, p, jitter)
		}
		if err := f.factorise(&s.queue); err != nil {
			return err
		}
		for p := range f.panels {
			f.unpack(dst, p)
		}
		return nil
	}
	parallel.For(threads, f.panels, func(_, p int) { f.pack(a, p, jitter) })
	if err := f.parallelFactorise(threads, &s.queue); err != nil {
		return err
	}
	parallel.For(threads, f.panels, func(_, p int) { f.unpack(dst, p) })
	return nil
}

// upperFactor holds the upper triangle of a symmetric matrix, then U, in
// panels of w columns: panel p has the columns p*w.. and the rows 0..(p+1)*w-1,
// row after row, so that both operands of every product are contiguous. The
// order is padded to a multiple of w with the identity.
type upperFactor struct {
	data   []float64
	coef   []float64 // an mr x mr triangle with reciprocal diagonal per mr rows
	pivots []float64
	n      int
	rows   int // n rounded up to a multiple of mr
	w, mr  int
	panels int
}

func newUpperFactor(s *scratch, n int) *upperFactor {
	w, mr := active.nr, active.mr
	panels := ceilDiv(n, w)
	rows := ceilDiv(n, mr) * mr
	size := w * w * panels * (panels + 1) / 2
	buf := s.take(size + rows*mr + rows)
	s.upper = upperFactor{
		data: buf[:size], coef: buf[size : size+rows*mr], pivots: buf[size+rows*mr:],
		n: n, rows: rows, w: w, mr: mr, panels: panels,
	}
	return &s.upper
}

// at returns panel p from row r on.
func (f *upperFactor) at(p, r int) []float64 {
	return f.data[f.w*f.w*p*(p+1)/2+r*f.w : f.w*f.w*(p+1)*(p+2)/2]
}

// pack fills panel p from the lower triangle of A. What lies below U's
// diagonal is arbitrary: it never meets a column of U.
func (f *upperFactor) pack(a Matrix, p int, jitter float64) {
	f.packRows(a.Data[p*f.w*a.Stride:], a.Stride, p, jitter)
}

// packRows is pack for the rows of A that begin with the panel's first.
func (f *upperFactor) packRows(data []float64, stride, p int, jitter float64) {
	w, j0 := f.w, p*f.w
	cols := min(w, f.n-j0)
	dst := f.at(p, 0)
	if cols < w {
		clear(dst)
	}
	transpose(dst, w, data, stride, cols, j0+cols)
	diag := dst[j0*w:]
	for x := range w {
		if x < cols {
			diag[x*w+x] += jitter
		} else {
			diag[x*w+x] = 1
		}
	}
}

// unpack writes panel p to the lower triangle of dst.
func (f *upperFactor) unpack(dst Matrix, p int) {
	f.unpackRows(dst.Data[p*f.w*dst.Stride:], dst.Stride, p)
}

// unpackRows is unpack for the rows of dst that begin with the panel's first.
func (f *upperFactor) unpackRows(data []float64, stride, p int) {
	w, j0 := f.w, p*f.w
	cols := min(w, f.n-j0)
	src := f.at(p, 0)
	if j0 > 0 {
		transpose(data, stride, src, w, j0, cols)
	}
	var tile [maxNR * maxNR]float64
	transpose(tile[:], w, src[j0*w:], w, cols, cols)
	for x := range cols {
		copy(data[x*stride+j0:], tile[x*w:x*w+x+1])
	}
}

// factorise goes down the block rows J of U:
//
//	U[J,J]ᵀ U[J,J] = A[J,J] - U[:J,J]ᵀ U[:J,J]
//	U[J,p] = U[J,J]⁻ᵀ (A[J,p] - U[:J,J]ᵀ U[:J,p])  for the panels p right of J
func (f *upperFactor) factorise(q *queue) error {
	for j := 0; j < f.rows; j += nb {
		end := min(j+nb, f.rows)
		right := ceilDiv(end, f.w)
		for p := j / f.w; p < right; p++ {
			f.subtract(q, p, j, min(end, (p+1)*f.w))
		}
		if err := f.diagonal(q, j, j, end); err != nil {
			return err
		}
		for p := right; p < f.panels; p++ {
			f.subtract(q, p, j, end)
			f.solve(q, p, j, end)
		}
	}
	q.run()
	return nil
}

// parallelFactorise is factorise with the panels of a block row shared out.
func (f *upperFactor) parallelFactorise(threads int, own *queue) error {
	for j := 0; j < f.rows; j += nb {
		end := min(j+nb, f.rows)
		first, right := j/f.w, ceilDiv(end, f.w)
		parallelQueues(threads, right-first, func(q *queue, i int) {
			p := first + i
			f.subtract(q, p, j, min(end, (p+1)*f.w))
		})
		if err := f.diagonal(own, j, j, end); err != nil {
			return err
		}
		parallelQueues(threads, f.panels-right, func(q *queue, i int) {
			f.subtract(q, right+i, j, end)
			f.solve(q, right+i, j, end)
		})
	}
	return nil
}

// subtract computes U[J,p] -= U[:J,J]ᵀ U[:J,p] for the rows J = j..end-1.
func (f *upperFactor) subtract(q *queue, p, j, end int) {
	w := f.w
	for k0 := 0; k0 < j; k0 += kcLong {
		b := f.at(p, k0)
		for r := j; r < end; r += w {
			q.panel(f.at(p, r), w, f.at(r/w, k0), 1, w, b, w, min(w, end-r), w, min(kcLong, j-k0), -1, 1)
		}
	}
}

// solve finishes U[J,p], mr rows at a time.
func (f *upperFactor) solve(q *queue, p, j, end int) {
	for i := j; i < end; i += f.mr {
		f.advance(q, p, j, i)
		q.triangle(f.at(p, i), 0, f.w, f.block(i), f.w)
	}
}

// advance subtracts from the mr rows at i of panel p what the rows j..i-1 give.
func (f *upperFactor) advance(q *queue, p, j, i int) {
	if i > j {
		q.panel(f.at(p, i), f.w, f.at(i/f.w, j)[i%f.w:], 1, f.w, f.at(p, j), f.w, f.mr, f.w, i-j, -1, 1)
	}
}

// block is the coefficient block of the rows at i.
func (f *upperFactor) block(i int) []float64 { return f.coef[i*f.mr : (i+f.mr)*f.mr] }

// diagonal factorises U[J,J] from row start on. Numbers after a bad pivot are arbitrary.
func (f *upperFactor) diagonal(q *queue, j, start, end int) error {
	right := ceilDiv(end, f.w)
	for i := start; i < end; i += f.mr {
		first, t := i/f.w, f.block(i)
		for p := first; p < right; p++ {
			f.advance(q, p, j, i)
		}
		q.factor(t, f.pivots[i:], f.at(first, i)[i%f.w:], f.w)
		for p := first; p < right; p++ {
			q.triangle(f.at(p, i), 0, f.w, t, f.w)
		}
	}
	q.run()
	for i := start; i < end; i++ {
		d := f.pivots[i]
		if !(d > 0) || d > math.MaxFloat64 {
			return &NotPositiveDefiniteError{Pivot: i, Value: d}
		}
		f.at(i/f.w, i)[i%f.w] = math.Sqrt(d)
	}
	return nil
}
