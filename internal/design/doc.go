// Package design fills the box [-1,1]^D with initial points, one point a row.
//
// Glossary
//
//	n  number of points, the rows of dst
//	D  number of parameters, the columns of dst
//
// Designs
//
//   - Sobol, and its step by step form Sequence: scrambled Sobol points, even in
//     every coordinate. The first k rows do not depend on n, so a design can be
//     continued. (A. Owen, Randomly permuted (t,m,s)-nets, 1995; direction numbers
//     of S. Joe and F. Y. Kuo, 2008.)
//   - LatinHypercube: every coordinate has one point in each of n equal strips.
//     (M. McKay, R. Beckman, W. Conover, Technometrics 21, 1979.)
//   - SymmetricLatinHypercube: the same, and with every point its mirror image
//     about the centre. (K. Ye, W. Li, A. Sudjianto, J. Stat. Plan. Inference 90, 2000.)
//   - Uniform: independent uniform points; also continuable row by row.
//
// Every design costs O(n D); Sobol adds O(D) draws to begin. The same generator
// state gives the same design on every machine.
package design
