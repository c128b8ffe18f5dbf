// Package acquisition turns a surrogate into a function whose minimiser is the next
// point to evaluate.
//
// LCB is the lower confidence bound (eq:LCB)
//
//	alpha(x) = mean(x) - beta*std(x)
//
// and EST chooses beta so that the minimiser is the point most likely to reach the
// estimated minimum of the objective. The paper writes sigma for the posterior
// variance; the program behind its results uses the standard deviation, and so does
// this package. EI is minus the expected improvement over the best value, LogEI minus
// its logarithm.
//
// Symbols:
//
//	mean, std  posterior moments of the objective, standardised
//	beta       weight of the standard deviation
//	u          (best - mean)/std
//	m          estimate of the global minimum
//	w          level from which m is integrated downwards
//
// Cost: LCB, EI and LogEI are one prediction. EST needs log P at hundreds of bins, each
// a sum over all points; it evaluates about 50 to 150 of these sums, over the points that
// still count, and interpolates the others.
//
// Citations: Wang, Zhou, Jegelka (2016), Optimization as estimation with Gaussian
// processes in bandit settings; Jones, Schonlau, Welch (1998), Efficient global
// optimization; Ament et al. (2023), Unexpected improvements to expected improvement.
package acquisition
