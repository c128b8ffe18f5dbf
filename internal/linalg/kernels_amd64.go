package linalg

// The assembly kernels. Strides count elements; m, n, k are positive and n is
// at most nr.

//go:noescape
func runAVX512(calls *call, count int)

//go:noescape
func runAVX2(calls *call, count int)

//go:noescape
func transposeTiles(dst *float64, ldd int, src *float64, lds, rows, cols int)

//go:noescape
func dotAVX512(x, y *float64, n int) float64

//go:noescape
func dotRowsAVX512(dst, x *float64, n int, index *int, count int, rows *float64, ld int)

//go:noescape
func dotRowsAVX2(dst, x *float64, n int, index *int, count int, rows *float64, ld int)

//go:noescape
func dotAVX2(x, y *float64, n int) float64

//go:noescape
func axpyAVX512(y *float64, alpha float64, x *float64, n int)

//go:noescape
func axpyAVX2(y *float64, alpha float64, x *float64, n int)

//go:noescape
func expAVX512(dst *float64, scale, rate float64, src *float64, n int)

//go:noescape
func expAVX2(dst *float64, scale, rate float64, src *float64, n int)

//go:noescape
func addClampAVX512(dst *float64, shift float64, y *float64, n int)

//go:noescape
func addClampAVX2(dst *float64, shift float64, y *float64, n int)

//go:noescape
func columnDistancesAVX512(dst, x, z *float64, ldz, d, n int)

//go:noescape
func columnDistancesAVX2(dst, x, z *float64, ldz, d, n int)

//go:noescape
func maternAVX512(x, slope *float64, scale float64, n int)

//go:noescape
func maternAVX2(x, slope *float64, scale float64, n int)

//go:noescape
func addRowsAVX512(dst, base *float64, n int, coef *float64, index *int, count int, rows *float64, ld int, shift, floor float64)

//go:noescape
func addRowsAVX2(dst, base *float64, n int, coef *float64, index *int, count int, rows *float64, ld int, shift, floor float64)

//go:noescape
func addProductsAVX512(dst, x, y *float64, n int)

//go:noescape
func addProductsAVX2(dst, x, y *float64, n int)

//go:noescape
func rowSquaresAVX512(dst, w, x, z *float64, ldz, rows, n int)

//go:noescape
func rowSquaresAVX2(dst, w, x, z *float64, ldz, rows, n int)

//go:noescape
func columnSquaresAVX512(dst, w, x, z *float64, ldz, rows, n int)

//go:noescape
func columnSquaresAVX2(dst, w, x, z *float64, ldz, rows, n int)
