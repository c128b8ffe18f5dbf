// Package problem has the test problems: functions of the optimisation
// literature, the rover's trajectory, the penalties of a regression, the ways to
// make them harder, and their names.
//
// A problem is minimised over parameters, which are by default x0 .. x{D-1} in [-1,1]; a
// native domain is mapped to that box by native = centre + halfwidth * z. Others have a
// space of their own, with labels, whole numbers or constraints.
//
// Glossary
//
//	D, x  dimension and point of the box an optimiser works in
//	d, z  dimension and point of the function inside, z = A x
//	A     d x D embedding; each row has L1 norm 1, so z stays in [-1,1]^d
//
// Problems compose: Embed hides a problem in a random subspace of a larger box,
// EmbedSparse in a few of its coordinates, Noisy adds noise to what the optimiser
// sees. A specification does the same: `branin:embed=axis,noise=0.01`. A user's own problem is a Problem
// literal with an Eval on the box or a function of named parameters.
//
// Sources: S. Surjanovic, D. Bingham, Virtual library of simulation experiments
// (Branin, Colville, Goldstein-Price, Hartmann 6, six-hump camel, Ackley, Levy,
// Rosenbrock); K. Sehic et al., LassoBench, AutoML 2022 (the idea of the Lasso
// problems, and the sizes of the large ones; the data are our own); X. Wan et al., Think
// global and act local, ICML 2021 (Ackley of bools and floats); C. Oh et al., Combinatorial
// Bayesian optimization using the graph Cartesian product, NeurIPS 2019 (contamination, pests,
// MaxSAT; the random numbers are our own); T. Packebusch, S. Mertens, Low autocorrelation
// binary sequences, J. Phys. A 49, 2016; Z. Wang et al., Batched large-scale Bayesian optimization in high-dimensional spaces,
// AISTATS 2018 (rover).
//
// An evaluation costs about 0.1 microseconds, 15 for the rover, 300 for the small Lasso, and O(d D) more
// when embedded.
package problem
