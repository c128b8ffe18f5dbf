package linalg

import (
	"fmt"
	"math"
)

// InverseFromCholesky writes (L*Lᵀ)⁻¹, both triangles and exactly symmetric,
// to dst. Only the lower triangle of L is read; dst may be L itself.
func InverseFromCholesky(dst, l Matrix) {
	ParallelLowerInverse(1, dst, l)
	for j, w := 0, active.nr; j < l.Rows; j += w {
		mirror(dst, j, min(j+w, l.Rows))
	}
}

// ParallelLowerInverse is InverseFromCholesky on several threads, for those who read the lower
// triangle only: what dst holds above the diagonal is arbitrary. The bytes do not depend on threads.
func ParallelLowerInverse(threads int, dst, l Matrix) {
	if dst.Rows != l.Rows || dst.Cols != l.Cols {
		panic(fmt.Sprintf("linalg: inverse of a %dx%d factor into %dx%d", l.Rows, l.Cols, dst.Rows, dst.Cols))
	}
	dst.check()
	s := getScratch()
	defer s.release()
	x := invert(threads, s, l)
	if x == nil {
		return
	}
	if threads <= 1 {
		for p := 0; p < x.panels; p += x.group {
			x.gram(&s.queue, dst, p)
		}
		s.queue.run()
		return
	}
	parallelQueues(threads, ceilDiv(x.panels, x.group), func(q *queue, g int) { x.gram(q, dst, g*x.group) })
}

// InvertLower replaces the lower triangle of L by L⁻¹; the strict upper
// triangle is neither read nor written.
func InvertLower(l Matrix) {
	s := getScratch()
	defer s.release()
	x := invert(1, s, l)
	if x == nil {
		return
	}
	for p := range x.panels {
		src := x.at(p, p*x.w)
		cols := min(x.w, x.n-p*x.w)
		for r := p * x.w; r < x.n; r++ {
			copy(l.Row(r)[p*x.w:min(p*x.w+cols, r+1)], src[(r-p*x.w)*x.w:])
		}
	}
}

// LogDet returns log det(L*Lᵀ).
func LogDet(l Matrix) float64 {
	s := 0.0
	for i := range l.Rows {
		s += math.Log(l.At(i, i))
	}
	return 2 * s
}

// lowerInverse holds X = L⁻¹ in panels of w columns: panel p has the columns
// p*w.. and the rows p*w.., row after row, with zeros above the diagonal.
type lowerInverse struct {
	data   []float64
	coef   []float64
	l      Matrix
	n      int
	rows   int // n padded to a multiple of w
	w, mr  int
	panels int
	group  int // panels of one task
}

// invert returns X for the lower triangle of L, nil for order 0.
func invert(threads int, s *scratch, l Matrix) *lowerInverse {
	if l.Rows != l.Cols {
		panic(fmt.Sprintf("linalg: inverse of a %dx%d factor", l.Rows, l.Cols))
	}
	l.check()
	if l.Rows == 0 {
		return nil
	}
	w, mr := active.nr, active.mr
	panels := ceilDiv(l.Rows, w)
	size := w * w * panels * (panels + 1) / 2
	buf := s.take(size + panels*w*mr)
	s.lower = lowerInverse{
		data: buf[:size], coef: buf[size:], l: l, n: l.Rows, rows: panels * w, w: w, mr: mr,
		panels: panels, group: nb / w,
	}
	x := &s.lower
	for i := 0; i < x.n; i += mr {
		triangleOf(x.coef[i*mr:(i+mr)*mr], l, i, min(mr, x.n-i), mr)
	}
	if threads <= 1 {
		for p := 0; p < panels; p += x.group {
			x.solve(&s.queue, p)
		}
		s.queue.run() // dst may be L
		return x
	}
	// Panels are independent of each other: smaller tasks for more threads.
	if threads > 2 {
		x.group /= 2
	}
	parallelQueues(threads, ceilDiv(panels, x.group), func(q *queue, g int) { x.solve(q, g*x.group) })
	return x
}

// at returns panel p from row r >= p*w on.
func (x *lowerInverse) at(p, r int) []float64 {
	start := p * (2*x.rows - (p-1)*x.w) / 2
	return x.data[(start+r-p*x.w)*x.w : (start+x.rows-p*x.w)*x.w]
}

// triangleOf makes coefficients of the triangle kernel from the diagonal block
// of L at i: column after column, reciprocal diagonal, and the identity in the
// rows that a block at the end of L lacks.
func triangleOf(t []float64, l Matrix, i, rows, mr int) {
	triangleAt(t, l.Data[i*l.Stride+i:], l.Stride, rows, mr)
}

// triangleAt is triangleOf for the block at the beginning of data.
func triangleAt(t, data []float64, stride, rows, mr int) {
	clear(t)
	for r := range rows {
		row := data[r*stride:]
		for c, v := range row[:r] {
			t[c*mr+r] = v
		}
		t[r*mr+r] = 1 / row[r]
	}
	for r := rows; r < mr; r++ {
		t[r*mr+r] = 1
	}
}

// solve computes the group of panels that starts with from by forward substitution:
// X[J] = L[J,J]⁻¹ (I[J] - L[J,:J] X[:J]).
func (x *lowerInverse) solve(q *queue, from int) {
	to := min(from+x.group, x.panels)
	w, mr, ld := x.w, x.mr, x.l.Stride
	// The block with the diagonal starts as the identity; blocks below it are
	// overwritten by their first product. Rows from n on are never read.
	for p := from; p < to; p++ {
		top := p * w
		d := x.at(p, top)
		clear(d[:(min((top/nb+1)*nb, x.rows)-top)*w])
		for c := range w {
			d[c*w+c] = 1
		}
	}
	for j := from * w / nb * nb; j < x.n; j += nb {
		end := min(j+nb, x.n)
		for p := from; p < to; p++ {
			top := p * w
			beta := 0.0
			for k0 := top; k0 < j; k0 += kcLong {
				q.panel(x.at(p, j), w, x.l.Data[j*ld+k0:], ld, 1, x.at(p, k0), w, end-j, w, min(kcLong, j-k0), -1, beta)
				beta = 1
			}
			k0 := max(j, top)
			for i := k0; i < end; i += mr {
				if i > k0 {
					q.panel(x.at(p, i), w, x.l.Data[i*ld+k0:], ld, 1, x.at(p, k0), w, min(mr, end-i), w, i-k0, -1, 1)
				}
				q.triangle(x.at(p, i), 0, w, x.coef[i*mr:(i+mr)*mr], w)
			}
		}
	}
}

// gram computes a group of panels of the lower triangle of XᵀX. The
// blocks of the reduction lie on one grid for all panels.
func (x *lowerInverse) gram(calls *queue, dst Matrix, from int) {
	to := min(from+x.group, x.panels)
	w := x.w
	for k0 := from * w / kcGram * kcGram; k0 < x.n; k0 += kcGram {
		k1 := min(k0+kcGram, x.n)
		for q := from; q < x.panels && q*w < k1; q++ {
			start, beta := k0, 1.0
			if q*w >= k0 {
				start, beta = q*w, 0
			}
			a := x.at(q, start)
			for p := from; p < min(to, q+1); p++ {
				calls.panel(dst.Data[q*w*dst.Stride+p*w:], dst.Stride, a, 1, w, x.at(p, start), w,
					min(w, x.n-q*w), min(w, x.n-p*w), k1-start, 1, beta)
			}
		}
	}
}

// kcGram is the reduction block of gram: a multiple of every w.
const kcGram = 192

// mirror copies the columns j0..j1-1 below the diagonal to the rows above it.
func mirror(a Matrix, j0, j1 int) {
	for i := j0; i < j1; i++ {
		for j := j0; j < i; j++ {
			a.Set(j, i, a.At(i, j))
		}
	}
	if j1 < a.Rows {
		transpose(a.Data[j0*a.Stride+j1:], a.Stride, a.Data[j1*a.Stride+j0:], a.Stride, a.Rows-j1, j1-j0)
	}
}
