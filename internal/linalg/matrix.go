package linalg

// Matrix is a row-major view: element (i,j) is Data[i*Stride+j].
type Matrix struct {
	Rows, Cols, Stride int
	Data               []float64
}

// New returns a zero matrix.
func New(rows, cols int) Matrix {
	return Matrix{rows, cols, cols, make([]float64, rows*cols)}
}

// Row returns row i as a slice into the matrix.
func (m Matrix) Row(i int) []float64 {
	return m.Data[i*m.Stride : i*m.Stride+m.Cols : i*m.Stride+m.Cols]
}

// At returns element (i,j).
func (m Matrix) At(i, j int) float64 { return m.Data[i*m.Stride+j] }

// Set stores v at (i,j).
func (m Matrix) Set(i, j int, v float64) { m.Data[i*m.Stride+j] = v }

// Slice returns the view of rows i0..i1-1 and columns j0..j1-1.
func (m Matrix) Slice(i0, i1, j0, j1 int) Matrix {
	if i0 == i1 || j0 == j1 {
		return Matrix{i1 - i0, j1 - j0, m.Stride, nil}
	}
	return Matrix{i1 - i0, j1 - j0, m.Stride, m.Data[i0*m.Stride+j0 : (i1-1)*m.Stride+j1]}
}

// check panics if Data is too short for the view.
func (m Matrix) check() {
	if m.Rows > 0 && m.Cols > 0 && (m.Stride < m.Cols || len(m.Data) < (m.Rows-1)*m.Stride+m.Cols) {
		panic("linalg: matrix data shorter than rows, columns and stride say")
	}
}
