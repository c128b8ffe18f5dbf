package linalg

import "errors"

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
}

// Factor computes the lower factor of a in place and keeps a view of it. Cost:
// the sum over rows of the squared row widths.
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
		diag := a.Slice(j0, j1, j0, j1)
		if err := Cholesky(diag); err != nil {
			var npd *NotPositiveDefiniteError
			if errors.As(err, &npd) {
				npd.Pivot += j0
			}
			return err
		}
		inv := f.tile(J)
		for i := range inv.Rows {
			row := inv.Row(i)
			copy(row[:i+1], diag.Row(i)[:i+1])
			clear(row[i+1:])
		}
		InvertLower(inv)
		for last+1 < len(e.First) && (last < J || e.First[last+1] <= J) {
			last++
		}
		f.last[J] = last
		r1 := min((last+1)*EnvelopeBlock, e.N)
		if r1 == j1 {
			continue
		}
		// L_RJ = A_RJ L_JJ⁻ᵀ
		panel := a.Slice(j1, r1, j0, j1)
		copied := Matrix{panel.Rows, panel.Cols, panel.Cols, f.y[:panel.Rows*panel.Cols]}
		for i := range panel.Rows {
			copy(copied.Row(i), panel.Row(i))
		}
		GemmTB(panel, 0, 1, copied, inv)
		Syrk(a.Slice(j1, r1, j1, r1), 1, -1, panel)
	}
	return nil
}

// tile returns the inverse of the diagonal tile J.
func (f *EnvelopeFactor) tile(J int) Matrix {
	n := min(EnvelopeBlock, f.e.N-J*EnvelopeBlock)
	return Matrix{n, n, n, f.inverse[J*EnvelopeBlock*EnvelopeBlock:][:n*n]}
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
		mirror(sjj, 0, nb)
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
