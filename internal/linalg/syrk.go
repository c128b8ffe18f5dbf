package linalg

import "fmt"

// Syrk computes the lower triangle of C = beta*C + alpha*A*Aᵀ; the strict
// upper triangle of C is neither read nor written.
func Syrk(c Matrix, beta, alpha float64, a Matrix) {
	if c.Rows != c.Cols || c.Rows != a.Rows {
		panic(fmt.Sprintf("linalg: Syrk: C is %dx%d, A has %d rows", c.Rows, c.Cols, a.Rows))
	}
	c.check()
	a.check()
	n := c.Rows
	if n == 0 {
		return
	}
	if a.Cols == 0 || alpha == 0 {
		scaleLower(c, beta)
		return
	}
	for j := 0; j < n; j += active.nr {
		syrkPanel(c, beta, alpha, a, j)
	}
}

// syrkPanel computes the columns j..j+nr-1 of C from the diagonal down. The
// diagonal tile goes through scratch, which shields C's upper triangle.
func syrkPanel(c Matrix, beta, alpha float64, a Matrix, j int) {
	s := getScratch()
	defer s.release()
	nr, n := active.nr, min(active.nr, c.Rows-j)
	buf := s.take(kcLong*nr + nr*nr)
	bt, tile := buf[:kcLong*nr], buf[kcLong*nr:]
	lower := c.Slice(j, j+n, j, j+n)
	for i := range n {
		copy(tile[i*nr:i*nr+i+1], lower.Row(i)[:i+1])
		clear(tile[i*nr+i+1 : i*nr+n])
	}
	for k0 := 0; k0 < a.Cols; k0 += kcLong {
		kk := min(kcLong, a.Cols-k0)
		transpose(bt, nr, a.Data[j*a.Stride+k0:], a.Stride, n, kk)
		panel(tile, nr, a.Data[j*a.Stride+k0:], a.Stride, 1, bt, nr, n, n, kk, alpha, beta)
		if below := c.Rows - j - n; below > 0 {
			panel(c.Data[(j+n)*c.Stride+j:], c.Stride, a.Data[(j+n)*a.Stride+k0:], a.Stride, 1, bt, nr, below, n, kk, alpha, beta)
		}
		beta = 1
	}
	for i := range n {
		copy(lower.Row(i)[:i+1], tile[i*nr:i*nr+i+1])
	}
}

func scaleLower(c Matrix, beta float64) {
	for i := range c.Rows {
		scale(c.Slice(i, i+1, 0, i+1), beta)
	}
}
