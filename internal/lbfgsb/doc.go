// Package lbfgsb minimises a smooth function over a box with limited-memory
// BFGS (L-BFGS-B, version 3.0 of the algorithm).
//
//	minimise f(x) subject to lower <= x <= upper
//
// An iteration has four parts, one file each: the generalised Cauchy point
// along the projected gradient path (cauchy.go), the minimiser of the quadratic
// model over the variables free there (subspace.go), a Moré-Thuente line
// search towards it (linesearch.go), and the update of the model (memory.go).
//
// Symbols, with n variables and m stored corrections:
//
//	S, Y    last steps s = x+ - x and gradient changes y = g+ - g (m rows of n)
//	theta   scale of the initial matrix, y'y / s'y
//	W, M    B = theta*I - W M W', W = [Y theta*S], the quadratic model
//	D, L    diagonal and strict lower triangle of S'Y
//	Z, A    projections on the free and on the active variables
//
// The stopping rules and their defaults are SciPy's. The cost of an iteration
// beside f is O(mn) plus O(m^2) for each breakpoint passed and each variable
// that changes between free and active; nothing is allocated in an iteration.
//
// Citations: Byrd, Lu, Nocedal, Zhu (1995), A limited memory algorithm for bound
// constrained optimization; Morales, Nocedal (2011), Remark on algorithm 778;
// Moré, Thuente (1994), Line search algorithms with guaranteed sufficient decrease.
package lbfgsb
