// Package evaluate has trials evaluated, several at a time: it asks a source for
// trials, hands them to an evaluator and tells the outcomes back.
//
// A source is anything that can be asked and told, an evaluator anything that can
// find out the value of a set of parameters: a Go function (Func), a command (package
// command), a person.
//
// # When trials are asked for
//
// The initial design is asked for in one call, then Batch trials at a time. With
// nothing left to start, the next batch is asked for as soon as it fits beside the
// trials that still run, or nothing runs:
//
//	running + Batch <= Parallel, or running == 0
//
// Batches of 5 on 2 workers are therefore rounds, the last of which is complete before
// the next is chosen; single trials on 4 workers are asynchronous: whenever one ends
// the next is chosen, the other three pending.
//
// # States
//
//	complete    has a finite value
//	failed      has none: the evaluation went wrong and may be tried again
//	infeasible  has none: these parameters cannot be evaluated
package evaluate
