package linalg

import "math"

// EnvelopeBlock is the tile edge of the envelope routines: large enough for the
// matrix product to run at speed, small enough to follow the band.
const EnvelopeBlock = 16

// Envelope says which tiles of a symmetric matrix can be non-zero: the tile row
// I is non-zero from tile column First[I] to the diagonal. First never
// decreases, as in a kernel matrix of sorted points whose kernel vanishes
// beyond some distance; Cholesky factors then have no fill outside.
//
// Storage stays that of the full matrix; tiles outside are never read or
// written. A matrix without zeros (First all zero) costs what the dense
// routines cost.
type Envelope struct {
	N     int
	First []int
}

// NewEnvelope builds the envelope of an n x n matrix from the first non-zero
// column of each row; first must not decrease.
func NewEnvelope(n int, first func(row int) int) Envelope {
	e := Envelope{N: n, First: make([]int, (n+EnvelopeBlock-1)/EnvelopeBlock)}
	for I := range e.First {
		e.First[I] = first(I*EnvelopeBlock) / EnvelopeBlock
	}
	return e
}

// Begin returns the first column inside the envelope of row i.
func (e Envelope) Begin(row int) int { return e.First[row/EnvelopeBlock] * EnvelopeBlock }

// EnvelopeFactor is the Cholesky factor of a matrix with an envelope. The zero
// value is ready; factoring again reuses its memory.
type EnvelopeFactor struct {
	l       Matrix
	e       Envelope
	inverse []float64 // L_JJ⁻¹ of every diagonal tile
	last    []int     // last tile row of the window under every tile column
	y       []float64 // scratch of one panel
	diag    diagonalTile
	queue   queue
}

// Factor computes the lower factor of a in place and keeps a view of it; what lies
// above the diagonal inside the envelope becomes arbitrary. Cost: the sum over rows
// of the squared row widths.
//
// One tile column at a time: factor the diagonal tile, divide the panel below
// it, subtract the panel's outer product from the window the panel touches.
func (f *EnvelopeFactor) Factor(a Matrix, e Envelope) error {
	f.l, f.e = a, e
	tile := EnvelopeBlock * EnvelopeBlock
	if need := len(e.First) * tile; len(f.inverse) < need {
		f.inverse, f.last, f.y = make([]float64, need), make([]int, len(e.First)), make([]float64, need)
	}
	last := 0
	for J := range e.First {
		j0, j1 := J*EnvelopeBlock, min((J+1)*EnvelopeBlock, e.N)
		if pivot, value := f.diag.factor(a.Slice(j0, j1, j0, j1)); pivot >= 0 {
			return &NotPositiveDefiniteError{Pivot: j0 + pivot, Value: value}
		}
		f.diag.invert(f.inverse[J*tile : (J+1)*tile])
		for last+1 < len(e.First) && (last < J || e.First[last+1] <= J) {
			last++
		}
		f.last[J] = last
		r1 := min((last+1)*EnvelopeBlock, e.N)
		if r1 == j1 {
			continue
		}
		// L_RJ = A_RJ L_JJ⁻ᵀ
		below := a.Slice(j1, r1, j0, j1)
		copied := Matrix{below.Rows, below.Cols, below.Cols, f.y[:below.Rows*below.Cols]}
		for i := range below.Rows {
			copy(copied.Row(i), below.Row(i))
		}
		GemmTB(below, 0, 1, copied, f.tile(J))
		f.subtractOuter(a.Slice(j1, r1, j1, r1), below)
	}
	return nil
}

// subtractOuter computes C -= P Pᵀ on and below the diagonal, in strips that may
// write above it.
func (f *EnvelopeFactor) subtractOuter(c, p Matrix) {
	w, nr := p.Rows, active.nr
	transpose(f.y, w, p.Data, p.Stride, w, p.Cols)
	for j := 0; j < w; j += nr {
		f.queue.panel(c.Data[j*c.Stride+j:], c.Stride, f.y[j:], 1, w, f.y[j:], w, w-j, min(nr, w-j), p.Cols, -1, 1)
	}
	f.queue.run()
}

// tile returns the inverse of the diagonal tile J.
func (f *EnvelopeFactor) tile(J int) Matrix {
	n := min(EnvelopeBlock, f.e.N-J*EnvelopeBlock)
	return Matrix{n, n, EnvelopeBlock, f.inverse[J*EnvelopeBlock*EnvelopeBlock:][:n*EnvelopeBlock]}
}

// diagonalTile holds the upper factor U = Lᵀ of one tile, padded with the identity
// to whole strips of every kernel path. Below U's diagonal it is arbitrary.
type diagonalTile struct {
	u    [EnvelopeBlock * tileStride]float64
	coef [maxMR * maxMR]float64
}

// tileStride is a multiple of every nr, not below EnvelopeBlock.
const tileStride = 24

// factor replaces the tile a by its factor L. It returns the first pivot that is
// not a positive finite number, or -1.
func (t *diagonalTile) factor(a Matrix) (pivot int, value float64) {
	mr, nr, u := active.mr, active.nr, t.u[:]
	if a.Rows < EnvelopeBlock {
		clear(u)
		for i := range EnvelopeBlock {
			u[i*tileStride+i] = 1
		}
	}
	transpose(u, tileStride, a.Data, a.Stride, a.Rows, a.Rows)
	for i := 0; i < EnvelopeBlock; i += mr {
		rows := u[i*tileStride:]
		// U[i,:] = U[i,i]⁻ᵀ (A[i,:] - U[:i,i]ᵀ U[:i,:])
		for c := i / nr * nr; c < EnvelopeBlock && i > 0; c += nr {
			panel(rows[c:], tileStride, u[i:], 1, tileStride, u[c:], tileStride, mr, nr, i, -1, 1)
		}
		var pivots [maxMR]float64
		factor(t.coef[:], pivots[:], rows[i:], tileStride)
		for r, d := range pivots[:mr] {
			if !(d > 0) || d > math.MaxFloat64 {
				return i + r, d
			}
		}
		for c := i / nr * nr; c < EnvelopeBlock; c += nr {
			triangle(rows[c:], 0, tileStride, t.coef[:], nr)
		}
		for r, d := range pivots[:mr] {
			rows[r*tileStride+i+r] = math.Sqrt(d)
		}
	}
	transpose(a.Data, a.Stride, u, tileStride, a.Rows, a.Rows)
	return -1, 0
}

// invert writes L⁻¹ to x, a tile with zeros above the diagonal.
func (t *diagonalTile) invert(x []float64) {
	mr, u := active.mr, t.u[:]
	clear(x)
	for i := 0; i < EnvelopeBlock; i += mr {
		for r := range mr {
			row := t.coef[r*mr : (r+1)*mr]
			copy(row[r:], u[(i+r)*tileStride+i+r:])
			row[r] = 1 / row[r]
			x[(i+r)*EnvelopeBlock+i+r] = 1
		}
		// X[i,:] = U[i,i]⁻ᵀ (I[i,:] - U[:i,i]ᵀ X[:i,:])
		for c := 0; c < i+mr; c += active.nr {
			rows, n := x[i*EnvelopeBlock+c:], min(active.nr, EnvelopeBlock-c)
			if i > 0 {
				panel(rows, EnvelopeBlock, u[i:], 1, tileStride, x[c:], EnvelopeBlock, mr, n, i, -1, 1)
			}
			triangle(rows, 0, EnvelopeBlock, t.coef[:], n)
		}
	}
}

// SelectedInverse writes the entries of (L Lᵀ)⁻¹ inside the envelope, both
// triangles, to dst (Takahashi's recursion on tiles). For the tile column J with
// the window R of rows below it and Y = L_RJ L_JJ⁻¹:
//
//	S_RJ = -S_RR Y,  S_JJ = L_JJ⁻ᵀ L_JJ⁻¹ - Yᵀ S_RJ.
func (f *EnvelopeFactor) SelectedInverse(dst Matrix) {
	for J := len(f.e.First) - 1; J >= 0; J-- {
		j0, j1 := J*EnvelopeBlock, min((J+1)*EnvelopeBlock, f.e.N)
		r1 := min((f.last[J]+1)*EnvelopeBlock, f.e.N)
		nb, w := j1-j0, r1-j1
		inv, sjj := f.tile(J), dst.Slice(j0, j1, j0, j1)
		GemmTA(sjj, 0, 1, inv, inv)
		if w > 0 {
			y := Matrix{w, nb, nb, f.y[:w*nb]}
			Gemm(y, 0, 1, f.l.Slice(j1, r1, j0, j1), inv)
			srj, sjr := dst.Slice(j1, r1, j0, j1), dst.Slice(j0, j1, j1, r1)
			Gemm(srj, 0, -1, dst.Slice(j1, r1, j1, r1), y)
			GemmTA(sjj, 1, -1, y, srj)
			transpose(sjr.Data, sjr.Stride, srj.Data, srj.Stride, w, nb)
		}
		transpose(f.y, nb, sjj.Data, sjj.Stride, nb, nb)
		for i := range nb - 1 {
			copy(sjj.Row(i)[i+1:], f.y[i*nb+i+1:])
		}
	}
}

// Solve solves L Lᵀ x = b in place.
func (f *EnvelopeFactor) Solve(x []float64) {
	for i := range f.e.N {
		b, row := f.e.Begin(i), f.l.Row(i)
		x[i] = (x[i] - Dot(row[b:i], x[b:i])) / row[i]
	}
	for i := f.e.N - 1; i >= 0; i-- {
		b, row := f.e.Begin(i), f.l.Row(i)
		x[i] /= row[i]
		Axpy(x[b:i], -x[i], row[b:i])
	}
}
