// Package candidate searches the box [-1,1]^D for points to evaluate.
//
// Minimize minimises an acquisition function by L-BFGS-B from several starts, chosen by
// Starts among Sobol samples and, where the caller adds them, samples Around the best
// points; Polytope.Minimize does so over {z : -1 <= Mz <= 1} by sequential quadratic
// programming, MinimizeTogether with all starts in turns. Region samples the relevance
// region, and KDPP draws a diverse batch from it:
//
//	R = {x : mean(x) - lambda*beta*std(x) < min over the box of (mean + beta*std)}
//	P(S) proportional to det K(S), |S| = k
//
// Symbols:
//
//	S       the batch without its first point, on which the model is conditioned
//	K       posterior covariance plus the noise variance on the diagonal
//	lambda  width of the region, 2 and more
//	eta     inverse temperature of the choice of starts
//
// Cost: Minimize takes Samples values and at most Starts*MaxIter gradients. A proposal
// of KDPP takes one prediction for each point the region rejects, then k-1 covariances
// and O(k^2); 5*k^2 + k proposals are accepted.
//
// Citations: Balandat et al. (2020), BoTorch (starts); Contal et al. (2013) and Kathuria,
// Deshpande, Kohli (2016) (relevance region, batches by DPP); Rezaei, Gharan (2019), A
// polynomial time MCMC method for sampling from continuous determinantal point processes.
package candidate
