// Package suggest is the bridge between the trials of a study and its method: what is known
// of the trials becomes a Question, the method's suggestions become points that can be
// evaluated. Suggestions are drawn back from where they are likely infeasible
// (feasibility.go), moved to the nearest point that keeps the fixed parameters and the
// constraints, and off points that were tried (place.go).
//
// The answer is a pure function of the question.
package suggest
