// Package mahabo minimises expensive functions of tens to thousands of parameters by
// Bayesian optimisation.
//
// Minimize does all of it:
//
//	s, err := space.New(space.Float("w[0:199]", -1, 1), space.Log("rate", 1e-5, 1e-1))
//	result, err := mahabo.Minimize(ctx, simulate, s, mahabo.Options{Evals: 200, Batch: 4, Parallel: 4})
//	fmt.Println(result.Best.Value, result.Best.Params)
//
// An Optimizer is asked and told, for evaluations that happen elsewhere:
//
//	o, err := mahabo.New(s, mahabo.Options{})
//	trials, err := o.Ask(ctx, 4)
//	err = o.Tell(trials[0].Number, mahabo.Value(y))
//
// Parameters keep the linear constraints of their space always, and no set of parameters
// is suggested twice. What a method learns from are the values that were evaluated, whole
// numbers and labels included, not the points it had in mind.
//
// # Elsewhere
//
//   - package space has the parameters and their file,
//   - package strategy the methods, over the box [-1,1]^D, and their registry,
//   - packages evaluate and command have trials evaluated, by a program too,
//   - package study keeps an optimisation that outlives its processes, package store holds it in
//     SQLite or PostgreSQL,
//   - package problem has test problems, package bench measures methods on them,
//   - command cmd/mahabo does all of it from a shell.
//
// The models and solvers beneath are in packages gp, acquisition, candidate and
// design. docs/ARCHITECTURE.md shows how the packages depend on each other, and
// docs/notation.md translates the papers' symbols.
//
// The central method is that of S. A. Horiguchi, T. Iwata, T. Tsuzuki and
// Y. Ozawa, Linear Embedding-based High-dimensional Batch Bayesian Optimization
// without Reconstruction Mappings (2022): a Gaussian process with a Mahalanobis
// kernel learns which few linear combinations of the parameters matter, and
// points are chosen directly in the full space.
package mahabo
