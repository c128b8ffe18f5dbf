//go:build amd64 || arm64

package linalg

// transpose writes dst[j*ldd+i] = src[i*lds+j] for a rows x cols source, whole
// 4x4 blocks of it with the kernel.
func transpose(dst []float64, ldd int, src []float64, lds, rows, cols int) {
	r, c := rows&^3, cols&^3
	if active.path == portable || r == 0 || c == 0 {
		transposePortable(dst, ldd, src, lds, rows, cols)
		return
	}
	transposeTiles(&dst[0], ldd, &src[0], lds, r, c)
	if r < rows {
		transposePortable(dst[r:], ldd, src[r*lds:], lds, rows-r, c)
	}
	if c < cols {
		transposePortable(dst[c*ldd:], ldd, src[c:], lds, rows, cols-c)
	}
}
