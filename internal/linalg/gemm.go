package linalg

import "fmt"

const (
	// kcLong keeps a kc x nr panel of B in the first-level cache.
	kcLong = 256
	// kcSkinny streams B row by row when A has few rows.
	kcSkinny = 16
	// mcRows keeps an mcRows x kc block of A in the second-level cache.
	mcRows = 512
	// packRows is the number of rows of C from which copying B's panel to
	// contiguous memory costs less than reading it with a stride.
	packRows = 96
	// dotRows is the number of rows of A up to which A*Bᵀ is a set of dots.
	dotRows = 2
)

// Gemm computes C = beta*C + alpha*A*B. With beta = 0 the old content of C is
// not read. C must not overlap A or B.
func Gemm(c Matrix, beta, alpha float64, a, b Matrix) {
	checkProduct("Gemm", c, a.Rows, a.Cols, b.Rows, b.Cols, a, b)
	p := product{c: c, beta: beta, alpha: alpha, a: a.Data, ras: a.Stride, cas: 1, b: b, k: a.Cols}
	p.multiply()
}

// GemmTA computes C = beta*C + alpha*Aᵀ*B.
func GemmTA(c Matrix, beta, alpha float64, a, b Matrix) {
	checkProduct("GemmTA", c, a.Cols, a.Rows, b.Rows, b.Cols, a, b)
	p := product{c: c, beta: beta, alpha: alpha, a: a.Data, ras: 1, cas: a.Stride, b: b, k: a.Rows}
	p.multiply()
}

// GemmTB computes C = beta*C + alpha*A*Bᵀ.
func GemmTB(c Matrix, beta, alpha float64, a, b Matrix) {
	checkProduct("GemmTB", c, a.Rows, a.Cols, b.Cols, b.Rows, a, b)
	p := product{c: c, beta: beta, alpha: alpha, a: a.Data, ras: a.Stride, cas: 1, b: b, k: a.Cols, transB: true}
	p.multiply()
}

func checkProduct(name string, c Matrix, m, k, kb, n int, a, b Matrix) {
	if k != kb || c.Rows != m || c.Cols != n {
		panic(fmt.Sprintf("linalg: %s: C is %dx%d, the product is %dx%d times %dx%d", name, c.Rows, c.Cols, m, k, kb, n))
	}
	c.check()
	a.check()
	b.check()
}

// product is C = beta*C + alpha*A*op(B); element (i,l) of A is a[i*ras+l*cas].
type product struct {
	c           Matrix
	beta, alpha float64
	a           []float64
	ras, cas    int
	b           Matrix
	k           int
	transB      bool

	kc int
}

func (p *product) multiply() {
	if p.c.Rows == 0 || p.c.Cols == 0 {
		return
	}
	if p.k == 0 || p.alpha == 0 {
		scale(p.c, p.beta)
		return
	}
	p.kc = kcLong
	switch {
	case p.transB && p.c.Rows <= dotRows:
		p.runDots()
	case p.transB && p.c.Rows < 2*active.nr:
		p.runSwapped()
	case p.transB || p.c.Rows >= packRows:
		p.runPacked()
	default:
		if p.c.Rows <= active.mr {
			p.kc = kcSkinny
		}
		p.runDirect()
	}
}

// runDirect reads panels of B in place.
func (p *product) runDirect() {
	s := getScratch()
	defer s.release()
	nr, ldc, ldb := active.nr, p.c.Stride, p.b.Stride
	beta := p.beta
	for k0 := 0; k0 < p.k; k0 += p.kc {
		kk := min(p.kc, p.k-k0)
		for j := 0; j < p.c.Cols; j += nr {
			s.queue.panel(p.c.Data[j:], ldc, p.a[k0*p.cas:], p.ras, p.cas,
				p.b.Data[k0*ldb+j:], ldb, p.c.Rows, min(nr, p.c.Cols-j), kk, p.alpha, beta)
		}
		beta = 1
	}
	s.queue.run()
}

// packRoom is the number of elements of packed panels that wait for their product together.
const packRoom = 1 << 14

// runPacked copies panels of B, or transposes them, to scratch.
func (p *product) runPacked() {
	s := getScratch()
	defer s.release()
	nr, ldc := active.nr, p.c.Stride
	size := min(p.kc, p.k) * nr
	room := s.take(max(packRoom/size, 1) * size)
	for r0 := 0; r0 < p.c.Rows; r0 += mcRows {
		m := min(mcRows, p.c.Rows-r0)
		beta := p.beta
		for k0 := 0; k0 < p.k; k0 += p.kc {
			kk := min(p.kc, p.k-k0)
			buf := room
			for j := 0; j < p.c.Cols; j += nr {
				if len(buf) == 0 {
					s.queue.run()
					buf = room
				}
				n := min(nr, p.c.Cols-j)
				p.packB(buf, k0, kk, j, n)
				s.queue.panel(p.c.Data[r0*ldc+j:], ldc, p.a[r0*p.ras+k0*p.cas:], p.ras, p.cas,
					buf, nr, m, n, kk, p.alpha, beta)
				buf = buf[size:]
			}
			s.queue.run()
			beta = 1
		}
	}
}

// packB copies rows k0..k0+kk-1 and columns j..j+n-1 of op(B) to a panel.
func (p *product) packB(buf []float64, k0, kk, j, n int) {
	nr, ldb := active.nr, p.b.Stride
	if p.transB {
		transpose(buf, nr, p.b.Data[j*ldb+k0:], ldb, n, kk)
		return
	}
	for l := range kk {
		copy(buf[l*nr:l*nr+n], p.b.Data[(k0+l)*ldb+j:(k0+l)*ldb+j+n])
	}
}

// swappedRows is the number of rows of B per scratch block of runSwapped.
const swappedRows = 96

// runSwapped serves A*Bᵀ with few rows in A: the rows of B are the left
// operand as they lie, and the tiles of Cᵀ are transposed on their way out.
func (p *product) runSwapped() {
	s := getScratch()
	defer s.release()
	nr, ldb := active.nr, p.b.Stride
	buf := s.take(p.k*nr + swappedRows*nr)
	at, tile := buf[:p.k*nr], buf[p.k*nr:]
	for i := 0; i < p.c.Rows; i += nr {
		m := min(nr, p.c.Rows-i)
		transpose(at, nr, p.a[i*p.ras:], p.ras, m, p.k)
		for j := 0; j < p.c.Cols; j += swappedRows {
			n := min(swappedRows, p.c.Cols-j)
			beta := 0.0
			for k0 := 0; k0 < p.k; k0 += p.kc {
				panel(tile, nr, p.b.Data[j*ldb+k0:], ldb, 1, at[k0*nr:], nr, n, m, min(p.kc, p.k-k0), p.alpha, beta)
				beta = 1
			}
			addTransposed(p.c.Slice(i, i+m, j, j+n), p.beta, tile, nr)
		}
	}
}

// runDots serves A*Bᵀ with a row or two in A, at the speed of reading B.
func (p *product) runDots() {
	for j := range p.c.Cols {
		row := p.b.Row(j)
		for i := range p.c.Rows {
			s := p.alpha * dot(p.a[i*p.ras:i*p.ras+p.k], row)
			if p.beta != 0 {
				s += p.beta * p.c.At(i, j)
			}
			p.c.Set(i, j, s)
		}
	}
}

// addTransposed computes C = beta*C + Tᵀ.
func addTransposed(c Matrix, beta float64, t []float64, ldt int) {
	if beta == 0 {
		transpose(c.Data, c.Stride, t, ldt, c.Cols, c.Rows)
		return
	}
	for i := range c.Rows {
		row := c.Row(i)
		for j, v := range row {
			row[j] = beta*v + t[j*ldt+i]
		}
	}
}

// scale computes C = beta*C; zero overwrites.
func scale(c Matrix, beta float64) {
	for i := range c.Rows {
		row := c.Row(i)
		if beta == 0 {
			clear(row)
			continue
		}
		for j := range row {
			row[j] *= beta
		}
	}
}
