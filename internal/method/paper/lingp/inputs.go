package lingp

import "github.com/mahabo/mahabo/internal/linalg"

// Inputs keeps the points in both orientations, because the projection Z = B Xᵀ
// and the gradient C X each want to run along memory.
type Inputs struct {
	n, dim int
	rows   linalg.Matrix // capacity x D
	cols   linalg.Matrix // D x capacity
}

// NewInputs returns an empty set of points with dim coordinates.
func NewInputs(dim int) *Inputs { return &Inputs{dim: dim} }

// Len returns the number of points.
func (in *Inputs) Len() int { return in.n }

// Dim returns the number of coordinates.
func (in *Inputs) Dim() int { return in.dim }

// At returns point i, not to be changed.
func (in *Inputs) At(i int) []float64 { return in.rows.Row(i) }

// Append adds a copy of a point.
func (in *Inputs) Append(x []float64) {
	if len(x) != in.dim {
		panic("gp: point has the wrong number of coordinates")
	}
	if in.n == in.rows.Rows {
		in.grow(max(64, 2*in.n))
	}
	copy(in.rows.Row(in.n), x)
	for j, v := range x {
		in.cols.Data[j*in.cols.Stride+in.n] = v
	}
	in.n++
}

// Clone returns an independent copy.
func (in *Inputs) Clone() *Inputs {
	out := NewInputs(in.dim)
	if in.n > 0 {
		out.grow(in.n + 8)
		for i := range in.n {
			out.Append(in.At(i))
		}
	}
	return out
}

// First returns the first n points. They share memory with in: neither the result nor
// its points are to be changed.
func (in *Inputs) First(n int) *Inputs {
	return &Inputs{n: n, dim: in.dim, rows: in.rows, cols: in.cols}
}

func (in *Inputs) grow(capacity int) {
	rows, cols := padded(capacity, in.dim), padded(in.dim, capacity)
	for i := range in.n {
		copy(rows.Row(i), in.rows.Row(i))
	}
	for j := range in.dim {
		copy(cols.Row(j), in.cols.Slice(j, j+1, 0, in.n).Data)
	}
	in.rows, in.cols = rows, cols
}

// X returns the n x D view.
func (in *Inputs) X() linalg.Matrix { return in.rows.Slice(0, in.n, 0, in.dim) }

// XT returns the D x n view.
func (in *Inputs) XT() linalg.Matrix { return in.cols.Slice(0, in.dim, 0, in.n) }

// padded avoids strides that are multiples of a page, which would put all rows
// of a column block into the same cache set.
func padded(rows, cols int) linalg.Matrix {
	stride := (cols+7)/8*8 + 8
	if stride%64 == 0 {
		stride += 8
	}
	return linalg.Matrix{Rows: rows, Cols: cols, Stride: stride, Data: make([]float64, rows*stride)}
}
