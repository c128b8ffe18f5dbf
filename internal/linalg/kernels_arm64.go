package linalg

// The assembly kernels. Strides count elements; m, n, k are positive and n is
// at most nr.

//go:noescape
func panelNEON(c *float64, ldc int, a *float64, ras, cas int, b *float64, ldb, m, n, k int, alpha, beta float64)

//go:noescape
func triangleNEON(c *float64, ldc int, coef *float64, n int)

//go:noescape
func factorNEON(coef, pivots, u *float64, ldu int)

//go:noescape
func transposeTiles(dst *float64, ldd int, src *float64, lds, rows, cols int)

//go:noescape
func dotNEON(x, y *float64, n int) float64

//go:noescape
func axpyNEON(y *float64, alpha float64, x *float64, n int)

//go:noescape
func expNEON(dst *float64, scale, rate float64, src *float64, n int)

//go:noescape
func maternNEON(x, slope *float64, scale float64, n int)

//go:noescape
func addClampNEON(dst *float64, shift float64, y *float64, n int)

//go:noescape
func columnDistancesNEON(dst, x, z *float64, ldz, d, n int)

//go:noescape
func addRowsNEON(dst, base *float64, n int, coef *float64, index *int, count int, rows *float64, ld int, shift, floor float64)

//go:noescape
func addProductsNEON(dst, x, y *float64, n int)

//go:noescape
func rowSquaresNEON(dst, w, x, z *float64, ldz, rows, n int)

//go:noescape
func columnSquaresNEON(dst, w, x, z *float64, ldz, rows, n int)
