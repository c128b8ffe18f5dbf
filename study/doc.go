// Package study runs an optimisation: it asks a strategy for points, evaluates
// them and tells the values back.
//
// A run has an initial design of Init points, asked for in one call, followed
// by Evals evaluations in rounds of Batch points; the last round is cut to what
// is left. The run itself costs nothing beside the strategy and the objective:
// Result.Optimiser is the wall time of Ask and Tell alone.
//
// Glossary
//
//	evaluation   one call of the objective; numbers start at 1 and count the
//	             initial design
//	round        one Ask, its evaluations and one Tell
//	curve        lowest value seen after each evaluation, Init+Evals numbers
package study
