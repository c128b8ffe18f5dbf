package linalg

import (
	"fmt"
	"math"

	"github.com/mahabo/mahabo/internal/parallel"
)

// Lower is a lower triangle in little more than half of a square's memory: blocks of rows, each as
// wide as its last row is long. Rows can be added. Above the diagonal there are zeros.
type Lower struct {
	blocks []Matrix
	room   int // rows that there is memory for
}

// lowerRows is the number of rows of a block: a multiple of every mr, nr, nb and kc, so that no
// tile and no block of a reduction lies in two of them.
const lowerRows = 768

// NewLower returns a triangle with room for n rows.
func NewLower(n int) *Lower {
	l := &Lower{}
	l.Reserve(n)
	return l
}

// Reserve makes room for n rows and keeps those there are.
func (l *Lower) Reserve(n int) {
	for l.room < n {
		b := l.room / lowerRows
		first := b * lowerRows
		rows := min(n-first, lowerRows)
		m := New(rows, first+rows)
		if b < len(l.blocks) { // it is larger now
			old := l.blocks[b]
			for i := range old.Rows {
				copy(m.Row(i), old.Row(i))
			}
			l.blocks[b] = m
		} else {
			l.blocks = append(l.blocks, m)
		}
		l.room = first + rows
	}
}

// Room is the number of rows that there is memory for.
func (l *Lower) Room() int { return l.room }

// Row returns row i up to the diagonal.
func (l *Lower) Row(i int) []float64 {
	return l.blocks[i/lowerRows].Row(i % lowerRows)[:i+1]
}

// At returns element (i,j), j <= i.
func (l *Lower) At(i, j int) float64 { return l.blocks[i/lowerRows].At(i%lowerRows, j) }

// from returns the memory that begins with row i, and its stride.
func (l *Lower) from(i int) (data []float64, stride int) {
	b := l.blocks[i/lowerRows]
	return b.Data[i%lowerRows*b.Stride:], b.Stride
}

// LogDetLower returns log det(L*Lᵀ) for the first n rows of L.
func LogDetLower(l *Lower, n int) float64 {
	s := 0.0
	for i := range n {
		s += math.Log(l.At(i, i))
	}
	return 2 * s
}

// AppendLower adds rows behind the first n of a factor L, and to its inverse. Row i of k, which is changed, has the
// covariances with the n+i rows before; own is the diagonal, for each row raised in such steps until its pivot is
// positive. The rows share the passes over L. The bytes do not depend on how many are added at once:
//
//	l_i = (k_i - l·L_i)/L_ii,  l_nn = sqrt(own - l·l),  the row of the inverse is -l'L⁻¹/l_nn and 1/l_nn.
func AppendLower(l, inverse *Lower, n int, k Matrix, own, step float64) {
	if k.Cols < n+k.Rows || l.room < n+k.Rows || inverse.room < n+k.Rows {
		panic(fmt.Sprintf("linalg: AppendLower of a %dx%d matrix to %d rows, room %d and %d", k.Rows, k.Cols, n, l.room, inverse.room))
	}
	s := getScratch()
	defer s.release()
	index := make([]int, max(k.Rows, lowerRows))
	for i := range index {
		index[i] = i
	}
	dots := s.take(k.Rows)
	for i := range n {
		r := l.Row(i)
		DotRows(dots, r[:i], index[:k.Rows], k)
		for q, d := range dots {
			k.Data[q*k.Stride+i] = (k.Data[q*k.Stride+i] - d) / r[i]
		}
	}
	for q := range k.Rows {
		row, last := k.Row(q), n+q
		for p := range q {
			i := n + p
			r := l.Row(i)
			row[i] = (row[i] - Dot(r[:i], row[:i])) / r[i]
		}
		square, kk := Dot(row[:last], row[:last]), own
		for !(kk-square > 0) || kk-square > math.MaxFloat64 {
			kk += step
		}
		row[last] = math.Sqrt(kk - square)
		copy(l.Row(last), row)
		for j := range last { // from here on what is added of the inverse
			row[j] = -row[j] / row[last]
		}
	}
	w := New(k.Rows, n+k.Rows)
	for c0 := 0; c0 < n; c0 += appendColumns {
		c1 := min(c0+appendColumns, n)
		for j0 := c0; j0 < n; {
			b, first := inverse.blocks[j0/lowerRows], j0/lowerRows*lowerRows
			j1, cut := min(first+lowerRows, n), min(c1, b.Cols) // behind the block's own columns there are zeros
			part := b.Slice(j0-first, j1-first, c0, cut)
			for q := range k.Rows {
				AddRows(w.Row(q)[c0:cut], k.Row(q)[j0:j1], index[:j1-j0], part)
			}
			j0 = j1
		}
	}
	for q := range k.Rows {
		row, last := w.Row(q), n+q
		for p := range q {
			Axpy(row[:n+p+1], k.At(q, n+p), w.Row(p)[:n+p+1])
		}
		row[last] = 1 / k.At(q, last)
		copy(inverse.Row(last), row)
	}
}

// appendColumns of the inverse stay in the cache while several rows are added.
const appendColumns = 64

// lowerChunk is the number of rows or columns of one task of a product: a multiple of what a dot
// product takes at once.
const lowerChunk = 192

// MulLowerTrans computes V = K*Lᵀ for the first n rows of L. The bytes are those of GemmTB with a
// square that has zeros above the diagonal, and do not depend on threads.
func MulLowerTrans(threads int, v, k Matrix, l *Lower) {
	n := v.Cols
	if k.Cols != n || k.Rows != v.Rows || l.room < n {
		panic(fmt.Sprintf("linalg: MulLowerTrans: V is %dx%d, K is %dx%d, L has %d rows", v.Rows, n, k.Rows, k.Cols, l.room))
	}
	parallel.For(productThreads(threads, n), ceilDiv(n, lowerChunk), func(_, task int) {
		i0 := task * lowerChunk
		i1 := min(i0+lowerChunk, n)
		b, first := l.blocks[i0/lowerRows], i0/lowerRows*lowerRows
		// A prefix whose length is a multiple of lowerChunk, or all: what is left out is zero.
		GemmTB(v.Slice(0, v.Rows, i0, i1), 0, 1, k.Slice(0, k.Rows, 0, i1), b.Slice(i0-first, i1-first, 0, i1))
	})
}

// MulLower computes W = V*L for the first n rows of L. The bytes are those of Gemm with a square
// that has zeros above the diagonal, and do not depend on threads.
func MulLower(threads int, w, v Matrix, l *Lower) {
	n := w.Cols
	if v.Cols != n || v.Rows != w.Rows || l.room < n {
		panic(fmt.Sprintf("linalg: MulLower: W is %dx%d, V is %dx%d, L has %d rows", w.Rows, n, v.Rows, v.Cols, l.room))
	}
	parallel.For(productThreads(threads, n), ceilDiv(n, lowerChunk), func(_, task int) {
		j0 := task * lowerChunk
		j1 := min(j0+lowerChunk, n)
		beta := 0.0
		for i0 := j0 / kcLong * kcLong; i0 < n; {
			b, first := l.blocks[i0/lowerRows], i0/lowerRows*lowerRows
			i1 := min(first+lowerRows, n)
			cut := min(j1, first+b.Rows) // the block's own columns end there; behind them are zeros
			Gemm(w.Slice(0, w.Rows, j0, cut), beta, 1, v.Slice(0, v.Rows, i0, i1), b.Slice(i0-first, i1-first, j0, cut))
			if cut < j1 && beta == 0 {
				scale(w.Slice(0, w.Rows, cut, j1), 0)
			}
			i0, beta = i1, 1
		}
	})
}

// productThreads leaves small products to one thread.
func productThreads(threads, n int) int {
	if n < lowerRows {
		return 1
	}
	return threads
}

// Factor is a Cholesky factor and its inverse, to which rows can be added. The bytes are those of
// Cholesky and InvertLower of all rows at once.
type Factor struct {
	L, Inverse *Lower
	n          int
	coef       []float64 // of the diagonal blocks of L
}

// NewFactor has no rows yet, and room for n.
func NewFactor(n int) *Factor { return &Factor{L: NewLower(n), Inverse: NewLower(n)} }

// Len is the number of rows that are factorised.
func (f *Factor) Len() int { return f.n }

// Clear forgets all rows but keeps the room.
func (f *Factor) Clear() { f.n = 0 }

// Reserve makes room for n rows.
func (f *Factor) Reserve(n int) {
	f.L.Reserve(n)
	f.Inverse.Reserve(n)
}

// Start is the row from which on the matrix is needed to add rows: where the last tile begins.
func (f *Factor) Start() int { return f.n / active.nr * active.nr }

// Extend goes on to n rows. The caller has put the rows of the matrix from Start on into L. After a
// *NotPositiveDefiniteError there are no rows.
func (f *Factor) Extend(threads, n int, jitter float64) error {
	start := f.Start()
	f.n = 0
	if n == 0 {
		return nil
	}
	if n < lowerRows {
		threads = 1
	}
	s := getScratch()
	defer s.release()
	u := newUpperFactor(s, n)
	first := start / u.w
	copy(u.coef, f.coef[:start*u.mr])
	parallel.For(threads, u.panels, func(_, p int) {
		data, stride := f.L.from(p * u.w)
		if p < first {
			u.packRows(data, stride, p, 0)
		} else {
			u.packRows(data, stride, p, jitter)
		}
	})
	if err := u.extend(threads, &s.queue, first); err != nil {
		return err
	}
	parallel.For(threads, u.panels-first, func(_, p int) {
		data, stride := f.L.from((first + p) * u.w)
		u.unpackRows(data, stride, first+p)
	})
	f.coef = append(f.coef[:0], u.coef...)
	f.invert(threads, start/nb*nb, n)
	f.n = n
	return nil
}

// extend is factorise for the panels from first on; those before them hold U already.
func (f *upperFactor) extend(threads int, own *queue, first int) error {
	known := first * f.w
	for j := 0; j < f.rows; j += nb {
		end := min(j+nb, f.rows)
		right := ceilDiv(end, f.w)
		from := max(j/f.w, first)
		parallelQueues(threads, right-from, func(q *queue, i int) {
			p := from + i
			f.subtract(q, p, j, min(end, (p+1)*f.w))
		})
		for i := j; i < min(end, known); i += f.mr {
			for p := from; p < right; p++ {
				f.advance(own, p, j, i)
				own.triangle(f.at(p, i), 0, f.w, f.block(i), f.w)
			}
		}
		if known < end {
			if err := f.diagonal(own, j, max(j, known), end); err != nil {
				return err
			}
		}
		own.run()
		after := max(right, first)
		parallelQueues(threads, f.panels-after, func(q *queue, i int) {
			f.subtract(q, after+i, j, end)
			f.solve(q, after+i, j, end)
		})
	}
	return nil
}

// invertGroup is the number of panels that share the passes over L.
const invertGroup = 4

// invert computes the rows from start on of the inverse, a multiple of nb, by forward
// substitution as lowerInverse does.
func (f *Factor) invert(threads, start, n int) {
	w, mr := active.nr, active.mr
	coef := make([]float64, ceilDiv(n-start, mr)*mr*mr)
	for i := start; i < n; i += mr {
		data, stride := f.L.from(i)
		triangleAt(coef[(i-start)*mr:(i-start+mr)*mr], data[i:], stride, min(mr, n-i), mr)
	}
	panels := ceilDiv(n, w)
	parallel.For(threads, ceilDiv(panels, invertGroup), func(_, task int) {
		s := getScratch()
		defer s.release()
		p0, p1 := task*invertGroup, min((task+1)*invertGroup, panels)
		rows := panels*w - p0*w
		buf := s.take(invertGroup * rows * w)
		x := func(p, r int) []float64 { // panel p from row r on
			return buf[((p-p0)*rows+r-p0*w)*w : (p-p0+1)*rows*w]
		}
		for p := p0; p < p1; p++ {
			top := p * w
			for r := top; r < start; r++ {
				row := f.Inverse.Row(r)
				d := x(p, r)[:w]
				clear(d)
				copy(d, row[top:min(top+w, r+1)])
			}
			if top >= start { // its diagonal block starts as the identity
				d := x(p, top)
				clear(d[:(min((top/nb+1)*nb, panels*w)-top)*w])
				for c := range w {
					d[c*w+c] = 1
				}
			}
		}
		for j := max(start, p0*w/nb*nb); j < n; j += nb {
			end := min(j+nb, n)
			data, ld := f.L.from(j)
			for p := p0; p < p1; p++ {
				top := p * w
				beta := 0.0
				for k0 := top; k0 < j; k0 += kcLong {
					s.queue.panel(x(p, j), w, data[k0:], ld, 1, x(p, k0), w, end-j, w, min(kcLong, j-k0), -1, beta)
					beta = 1
				}
				k0 := max(j, top)
				for i := k0; i < end; i += mr {
					if i > k0 {
						s.queue.panel(x(p, i), w, data[(i-j)*ld+k0:], ld, 1, x(p, k0), w, min(mr, end-i), w, i-k0, -1, 1)
					}
					s.queue.triangle(x(p, i), 0, w, coef[(i-start)*mr:(i-start+mr)*mr], w)
				}
			}
		}
		s.queue.run()
		for p := p0; p < p1; p++ {
			top := p * w
			for r := max(top, start); r < n; r++ {
				copy(f.Inverse.Row(r)[top:min(top+w, r+1)], x(p, r))
			}
		}
	})
}
