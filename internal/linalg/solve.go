package linalg

import "fmt"

// SolveLower replaces B by L⁻¹B. Only the lower triangle of L is read.
func SolveLower(l, b Matrix) {
	s, coef := triangles(l, b, false)
	if s == nil {
		return
	}
	defer s.release()
	n := l.Rows
	for j := 0; j < n; j += nb {
		end := min(j+nb, n)
		if j > 0 {
			Gemm(b.Slice(j, end, 0, b.Cols), 1, -1, l.Slice(j, end, 0, j), b.Slice(0, j, 0, b.Cols))
		}
		for c := 0; c < b.Cols; c += active.nr {
			solveBlock(&s.queue, l, b, coef, j, end, c, min(active.nr, b.Cols-c))
		}
		s.queue.run()
	}
}

// SolveLowerTrans replaces B by L⁻ᵀB. Only the lower triangle of L is read.
func SolveLowerTrans(l, b Matrix) {
	s, coef := triangles(l, b, true)
	if s == nil {
		return
	}
	defer s.release()
	n := l.Rows
	for j := (n - 1) / nb * nb; j >= 0; j -= nb {
		end := min(j+nb, n)
		if end < n {
			GemmTA(b.Slice(j, end, 0, b.Cols), 1, -1, l.Slice(end, n, j, end), b.Slice(end, n, 0, b.Cols))
		}
		for c := 0; c < b.Cols; c += active.nr {
			solveBlockTrans(&s.queue, l, b, coef, j, end, c, min(active.nr, b.Cols-c))
		}
		s.queue.run()
	}
}

// triangles returns the mr x mr diagonal blocks of L for the triangle kernel,
// for L⁻ᵀ transposed and with both orders reversed, which makes them lower
// triangular again. Behind them is room for one tile. nil means no work.
func triangles(l, b Matrix, trans bool) (*scratch, []float64) {
	if l.Rows != l.Cols || l.Rows != b.Rows {
		panic(fmt.Sprintf("linalg: solve with a %dx%d factor and %d rows", l.Rows, l.Cols, b.Rows))
	}
	l.check()
	b.check()
	if b.Rows == 0 || b.Cols == 0 {
		return nil, nil
	}
	s := getScratch()
	mr := active.mr
	coef := s.take(ceilDiv(l.Rows, mr)*mr*mr + mr*active.nr)
	for i := 0; i < l.Rows; i += mr {
		t := coef[i*mr : (i+mr)*mr]
		triangleOf(t, l, i, min(mr, l.Rows-i), mr)
		if trans {
			reverseTranspose(t, mr)
		}
	}
	return s, coef
}

// reverseTranspose reflects a block at its second diagonal.
func reverseTranspose(t []float64, mr int) {
	for r := range mr {
		for c := range mr - 1 - r {
			i, j := r*mr+c, (mr-1-c)*mr+mr-1-r
			t[i], t[j] = t[j], t[i]
		}
	}
}

// solveBlock solves the rows j..end-1 and n columns at c of B.
func solveBlock(q *queue, l, b Matrix, coef []float64, j, end, c, n int) {
	mr := active.mr
	for i := j; i < end; i += mr {
		rows := min(mr, end-i)
		if i > j {
			q.panel(b.Data[i*b.Stride+c:], b.Stride, l.Data[i*l.Stride+j:], l.Stride, 1,
				b.Data[j*b.Stride+c:], b.Stride, rows, n, i-j, -1, 1)
		}
		solveTile(q, b.Slice(i, i+rows, c, c+n), coef, coef[i*mr:(i+mr)*mr], false)
	}
}

// solveBlockTrans is solveBlock for Lᵀ, from the bottom up.
func solveBlockTrans(q *queue, l, b Matrix, coef []float64, j, end, c, n int) {
	mr := active.mr
	for i := j + (end-j-1)/mr*mr; i >= j; i -= mr {
		rows := min(mr, end-i)
		if below := i + rows; below < end {
			q.panel(b.Data[i*b.Stride+c:], b.Stride, l.Data[below*l.Stride+i:], 1, l.Stride,
				b.Data[below*b.Stride+c:], b.Stride, rows, n, end-below, -1, 1)
		}
		solveTile(q, b.Slice(i, i+rows, c, c+n), coef, coef[i*mr:(i+mr)*mr], true)
	}
}

// solveTile applies one diagonal block t; a tile with missing rows is
// completed by zeros in the room behind coef.
func solveTile(q *queue, b Matrix, coef, t []float64, trans bool) {
	mr, nr := active.mr, active.nr
	data, ld := b.Data, b.Stride
	if b.Rows < mr {
		q.run()
		data, ld = coef[len(coef)-mr*nr:], nr
		clear(data)
		for r := range b.Rows {
			copy(data[r*nr:], b.Row(r))
		}
	}
	if trans {
		q.triangle(data, (mr-1)*ld, -ld, t, b.Cols)
	} else {
		q.triangle(data, 0, ld, t, b.Cols)
	}
	if b.Rows < mr {
		q.run()
		for r := range b.Rows {
			copy(b.Row(r), data[r*nr:])
		}
	}
}

// SolveLowerVec replaces x by L⁻¹x.
func SolveLowerVec(l Matrix, x []float64) {
	checkVector(l, x)
	for i := range x {
		row := l.Row(i)
		x[i] = (x[i] - Dot(row[:i], x[:i])) / row[i]
	}
}

// SolveLowerTransVec replaces x by L⁻ᵀx.
func SolveLowerTransVec(l Matrix, x []float64) {
	checkVector(l, x)
	for i := len(x) - 1; i >= 0; i-- {
		row := l.Row(i)
		x[i] /= row[i]
		Axpy(x[:i], -x[i], row[:i])
	}
}

func checkVector(l Matrix, x []float64) {
	if l.Rows != l.Cols || l.Rows != len(x) {
		panic(fmt.Sprintf("linalg: %dx%d factor with a vector of length %d", l.Rows, l.Cols, len(x)))
	}
	l.check()
}
