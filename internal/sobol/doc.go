// Package sobol generates Sobol's low-discrepancy sequence in up to MaxDim
// dimensions, plain or randomly scrambled.
//
// Glossary
//
//	n     index of a point, from 0
//	g(n)  Gray code n ^ n>>1: g(n) and g(n+1) differ in one bit
//	v[c]  direction numbers of bit c, one 32-bit fraction for each dimension
//	L     lower-triangular 32x32 matrix over GF(2) with unit diagonal
//	s     digital shift
//
// Coordinate j of point n is the exclusive or of all v[c][j] whose bit c is set
// in g(n), read as a binary fraction. Scrambling replaces it by L_j x + s_j with
// random L_j and s_j (J. Matousek, On the L2-discrepancy for anchored boxes,
// J. Complexity 14, 1998), which keeps every net property: in each coordinate,
// the first 2^m points fall one by one into the 2^m dyadic intervals.
//
// The direction numbers are those of S. Joe and F. Y. Kuo, Constructing Sobol
// sequences with better two-dimensional projections, SIAM J. Sci. Comput. 30,
// 2008 (table new-joe-kuo-6.21201).
//
// A point costs O(D). The first 2^m scrambled points cost O(D m^2) more, since a
// direction number is scrambled when the sequence first needs it.
package sobol
