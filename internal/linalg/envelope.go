package linalg

// EnvelopeBlock is the tile edge of the envelope routines: large enough for the
// matrix product to run at speed, small enough to follow the band.
const EnvelopeBlock = 24

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

// end returns one past the last row with an entry in tile column J.
func (e Envelope) end(J, from int) int {
	I := max(J, from)
	for I+1 < len(e.First) && e.First[I+1] <= J {
		I++
	}
	return I
}

// Share returns the fraction of the lower triangle's tiles inside.
func (e Envelope) Share() float64 {
	in, all := 0, 0
	for I, f := range e.First {
		in += I - f + 1
		all += I + 1
	}
	return float64(in) / float64(max(all, 1))
}

// CholeskyEnvelope factors the lower triangle of a in place. Cost: the sum over
// rows of the squared row widths.
//
// One tile column at a time: factor the diagonal tile, divide the panel below
// it, subtract the panel's outer product from the window the panel touches.
func CholeskyEnvelope(a Matrix, e Envelope) error {
	last := 0
	for J := range e.First {
		j0, j1 := J*EnvelopeBlock, min((J+1)*EnvelopeBlock, e.N)
		diag := a.Slice(j0, j1, j0, j1)
		if err := Cholesky(diag); err != nil {
			if npd, ok := err.(*NotPositiveDefiniteError); ok {
				npd.Pivot += j0
			}
			return err
		}
		last = e.end(J, last)
		r1 := min((last+1)*EnvelopeBlock, e.N)
		if r1 == j1 {
			continue
		}
		panel := a.Slice(j1, r1, j0, j1)
		solveRightLowerTrans(panel, diag)
		Syrk(a.Slice(j1, r1, j1, r1), 1, -1, panel)
	}
	return nil
}

// SelectedInverse computes the entries of (L Lᵀ)⁻¹ inside the envelope, both
// triangles, from the factor l (Takahashi's recursion on tiles). For the tile
// column J with the window R of rows below it and Y = L_RJ L_JJ⁻¹:
//
//	S_RJ = -S_RR Y,  S_JJ = L_JJ⁻ᵀ L_JJ⁻¹ - Yᵀ S_RJ.
func SelectedInverse(dst, l Matrix, e Envelope) {
	scratch := getScratch()
	defer scratch.release()
	buf := scratch.take((e.N + EnvelopeBlock) * EnvelopeBlock)
	// The window of each column, found from the left once.
	last := make([]int, len(e.First))
	for J, at := 0, 0; J < len(last); J++ {
		at = e.end(J, at)
		last[J] = at
	}
	for J := len(e.First) - 1; J >= 0; J-- {
		j0, j1 := J*EnvelopeBlock, min((J+1)*EnvelopeBlock, e.N)
		nb := j1 - j0
		r1 := min((last[J]+1)*EnvelopeBlock, e.N)
		inv := Matrix{nb, nb, nb, buf[:nb*nb]}
		for i := range nb {
			row := inv.Row(i)
			copy(row[:i+1], l.Row(j0 + i)[j0:j0+i+1])
			clear(row[i+1:])
		}
		InvertLower(inv)
		sjj := dst.Slice(j0, j1, j0, j1)
		GemmTA(sjj, 0, 1, inv, inv)
		w := r1 - j1
		if w == 0 {
			mirror(sjj, 0, nb)
			continue
		}
		y := Matrix{w, nb, nb, buf[nb*nb : nb*nb+w*nb]}
		Gemm(y, 0, 1, l.Slice(j1, r1, j0, j1), inv)
		srj := dst.Slice(j1, r1, j0, j1)
		Gemm(srj, 0, -1, dst.Slice(j1, r1, j1, r1), y)
		GemmTA(sjj, 1, -1, y, srj)
		mirror(sjj, 0, nb)
		sjr := dst.Slice(j0, j1, j1, r1)
		transpose(sjr.Data, sjr.Stride, srj.Data, srj.Stride, w, nb)
	}
}

// SolveEnvelope solves L Lᵀ x = b in place.
func SolveEnvelope(l Matrix, e Envelope, x []float64) {
	for i := range e.N {
		b := e.Begin(i)
		row := l.Row(i)
		x[i] = (x[i] - Dot(row[b:i], x[b:i])) / row[i]
	}
	for i := e.N - 1; i >= 0; i-- {
		b := e.Begin(i)
		row := l.Row(i)
		x[i] /= row[i]
		Axpy(x[b:i], -x[i], row[b:i])
	}
}

// solveRightLowerTrans computes P <- P L⁻ᵀ.
func solveRightLowerTrans(p, l Matrix) {
	n := l.Rows
	scratch := getScratch()
	defer scratch.release()
	buf := scratch.take(n*n + p.Rows*n)
	inv := Matrix{n, n, n, buf[:n*n]}
	for i := range n {
		row := inv.Row(i)
		copy(row[:i+1], l.Row(i)[:i+1])
		clear(row[i+1:])
	}
	InvertLower(inv)
	copied := Matrix{p.Rows, n, n, buf[n*n : n*n+p.Rows*n]}
	for i := range p.Rows {
		copy(copied.Row(i), p.Row(i))
	}
	GemmTB(p, 0, 1, copied, inv)
}
