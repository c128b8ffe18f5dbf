// Package lingp is exact Gaussian-process regression for few thousand points in up
// to thousands of dimensions.
//
// A kernel is a stationary profile of the distance between z = T x and
// z' = T x', T linear: a learned d x D matrix B (the Mahalanobis kernel of
// eq:maha_kernel) or one length-scale per input (ARD). Everything but T x costs
// what a d-dimensional problem costs.
//
// FitAdam and FitLBFGS maximise the marginal likelihood, FitMAP the posterior of the
// length-scales and scalars under priors.
//
// Symbols
//
//	n, D, d   observations, inputs, dimension of z
//	X, Z      inputs (n x D) and z (d x n, one row per coordinate)
//	s         output scale: k(x,x') = s phi(|z-z'|²)
//	noise     variance of the observation noise, K = k(X,X) + noise I
//	mean      constant prior mean
//	alpha     K⁻¹ (y - mean)
//	S         K⁻¹
//	L, M      lower Cholesky factor of K and its inverse
//	U         upper triangular B, the factor of a full metric UᵀU on few inputs
//	u         coordinate of z along the direction in which the points spread most
//
// The squared-exponential profile exp(-r²/2) falls below 1e-15 at r = 8.4. Points sorted by u
// therefore have a banded K once B has grown (|u-u'| > 8.4 implies k = 0), and
// likelihoods use an envelope Cholesky with a selected inverse; the posterior
// touches only the points near x. Nothing is approximated beyond that 1e-15, except in
// likelihoods of fits with more points than inputs: kernels of low rank are cut off at 1e-6 of
// the noise (lowrank.go), and before the first step of Adam a flat kernel is one to first order.
//
// Complexity: one likelihood with gradient O(n w² + n d D), w the width of the
// band, n when there is none; one prediction O(d D + w²). With ARD and many inputs the
// likelihood is O(n³ + n² D), as matrix products, a prediction O(n D + n²); FitBounded
// needs O(n³ + n² c) when points differ from an earlier one in c coordinates on average.
//
// Of a full metric a posterior can be had, not only the best fit: SampleTriangular draws
// from its Laplace approximation, and Mixture averages the processes.
//
// References: Rasmussen & Williams 2006; Horiguchi et al. 2022 for the
// Mahalanobis kernel and its fit.
package lingp
