// Package gp is exact Gaussian-process regression for a few thousand points in up to
// thousands of dimensions.
//
// A stationary kernel is a Profile of a squared distance r², and r² is a Metric: all
// coordinates alike (Isotropic), one weight for each parameter (Weighted), or all alike but
// for a few directions (Spiked). Fit finds the most probable hyperparameters of a metric,
// Condition makes the Posterior:
//
//	cov(y_i, y_j) = s [phi(r_ij) + Noise w_i (i = j)] + v_i (i = j),
//
// with v_i the variance of noise that is known beforehand. The constant mean has a closed
// form, and so has s unless v_i are given or it is fixed.
//
// Symbols
//
//	n, D    points, coordinates
//	R       correlations including all noise, cov/s
//	L, S    lower Cholesky factor of R and its inverse R⁻¹
//	alpha   S (y - mean)
//	unit    S 1, and total = 1'S1
//	slope   -2 d phi/d(r²), for the RBF phi itself
//
// Complexity: the distances of points are kept with them, O(n D) for a new one. A
// likelihood costs O(n³), with weights O(n³ + n² D); a prediction of b points at once
// O(b n D + b n²) as matrix products.
//
// A matrix that is not positive definite climbs a ladder of jitters; Posterior.Jitter says
// how far.
//
// Reference: Rasmussen & Williams 2006.
package gp
