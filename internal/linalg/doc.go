// Package linalg is the dense float64 linear algebra of the hot paths: matrix
// products, Cholesky factors and what is made from them, and the vector
// functions a Gaussian process needs.
//
// # Conventions
//
// Matrices are row-major views (Matrix). The destination comes first. A
// symmetric argument is read from its lower triangle only. Functions panic on
// a size mismatch and return typed errors for numerical failure.
//
// # Symbols
//
//	m, n, k   rows of C, columns of C, length of the reduction in C = A*B
//	mr, nr    rows and columns of the register tile of the active kernels
//	kc        length of one block of the reduction
//	nb        rows of one block of a factorisation
//	w         width of a packed column panel (w = nr)
//	L, U, X   lower factor, U = Lᵀ, X = L⁻¹
//
// # Kernels
//
// Four sets of kernels exist: AVX-512 (tile 8x24), AVX2 with FMA (tile 4x12),
// NEON on arm64 (tile 4x12) and portable Go (tile 4x8). One is chosen at
// start-up from the CPU; the environment variable
// MAHABO_SIMD=avx512|avx2|neon|portable forces one that the CPU supports.
// Results differ between the sets by rounding only. TestKernelsAgainstPortable
// compares each kernel with portable Go.
//
// Everything of order n³ is built on two kernels: a panel product
// C = beta*C + alpha*A*B with one accumulator per element of C, and the solve
// with an mr x mr triangle held in registers (Van Zee & van de Geijn, BLIS,
// ACM TOMS 41(3), 2015). An element's value depends on kc and not on the tile
// it falls in, so the Parallel functions, which split C and never a reduction,
// return the same bytes for every number of threads.
//
// Panels and triangles of AVX-512 and AVX2 run with denormals rounded to zero. To change that
// mode twice takes longer than a small tile: calls wait in a queue and share the change. The NEON
// kernels keep denormals.
//
// # Speed
//
// BenchmarkPaths runs kernels on every path in turn and prints which share of the
// path's own peak they reach; docs/results/kernels.md has what it printed. The
// NEON kernels were tested on an emulated processor only: their speed is not
// measured.
//
// # Cost
//
//	Gemm m*n*k multiply-adds, Syrk half of it; Cholesky n³/6, inverse n³/3;
//	solves n²/2 per right-hand side; AppendRow, RemoveRow and the rank-one
//	changes O(n²).
package linalg
