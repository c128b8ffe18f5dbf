// Package num has small scalar functions that stay accurate where the plain
// formula overflows, underflows or cancels. Every function states its domain
// and gives NaN for NaN.
//
// Glossary
//
//	Phi, phi  distribution function and density of the standard normal
//	softplus  log(1 + e^x), the smooth map from the reals to positive numbers
//
// All scalar functions cost tens of nanoseconds and do not allocate; MeanStd and
// Average are O(n), Median O(n log n) with one copy.
package num
