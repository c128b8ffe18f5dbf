// Package cmaes is the covariance matrix adaptation evolution strategy,
// (mu/mu_w, lambda) with active update, as a stepper: Sample points, Tell their
// values. (N. Hansen, The CMA Evolution Strategy: A Tutorial, arXiv:1604.00772;
// the numbers of its equations stand in the code.)
//
// # Symbols
//
//	n, lambda      dimension, points of a generation
//	w, mu_eff      weights by rank, best first, negative ones last; their variance-effective number
//	m, sigma, C    points are drawn from N(m, sigma² C)
//	B, d           C = B diag(d²) Bᵀ at the last decomposition
//	u, x           a sample, and the point of the box it stands for
//	y              (u-m)/sigma, the step of a sample
//	ps, pc         evolution paths of the step size and of the covariance
//	c1, cmu        learning rates of the rank-one and rank-mu updates
//	cs, ds, cc     rate and damping of ps, rate of pc
//
// # Box
//
// The search itself knows no box. A sample u of R^n stands for the point x = Fold(u)
// of the box, as if the faces were mirrors, and the objective it sees is f(Fold(u)):
// continuous, and a minimum on a face is one with both sides. Tell takes u, not x;
// learning from x instead makes steps near a face look biased, and the step size
// explodes there.
//
// # Points from elsewhere
//
// Tell takes any points, and any number from two on; weights and rates follow the
// number. Unfold gives the u of a point that was not sampled. Steps longer than
// sqrt(n)+2 in the metric of C are cut to that length, so that a point from elsewhere
// can pull the distribution but not break it (N. Hansen, Injecting external solutions
// into CMA-ES, 2011). One in four hundred sampled steps is that long.
//
// # Cost
//
//	Sample n² multiply-adds, Tell (1+lambda) n²/2 + 2 lambda n²; before the first
//	decomposition n and (1+lambda) n²/2. The decomposition, about 10 n³, is done
//	every max(1, 1/(10 n (c1+cmu))) generations, which is every few of them
//	(n = 1000: every seventh, some two seconds on one core). Memory 3 n² + O(lambda n),
//	before the first decomposition n².
package cmaes
