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
//   - package strategy is the contract with methods, for one's own,
//   - packages evaluate and command have trials evaluated, by a program too,
//   - package study keeps an optimisation that outlives its processes, package store holds it in
//     SQLite or PostgreSQL,
//   - packages server and worker evaluate on several machines,
//   - command cmd/mahabo does all of it from a shell, and measures methods; package cli is
//     that command as a function.
//
// docs/METHOD.md describes the default method, docs/ARCHITECTURE.md how the packages depend on
// each other.
package mahabo
