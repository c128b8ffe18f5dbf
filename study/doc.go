// Package study keeps optimisations that outlive their processes, and runs bare
// strategies.
//
// # In one process
//
// Run asks a strategy for points, evaluates them and tells the values back. A
// run has an initial design of Init points, asked for in one call, followed by
// Evals evaluations in rounds of Batch points; the last round is cut to what is
// left. The run itself costs nothing beside the strategy and the objective:
// Result.Optimiser is the wall time of Ask and Tell alone.
//
// # That outlives its processes
//
// A Study is an optimisation in a Store. Any number of processes may Ask for
// trials and Tell their outcomes, and any of them may die at any moment.
//
//	s, err := study.Create(ctx, store, study.Config{Name: "rig", Space: space, Method: "maha"})
//	batch, err := s.Ask(ctx, study.AskRequest{Count: 2, RequestID: "a1", Lease: time.Hour})
//	err = s.Tell(ctx, batch.Trials[0].Number, evaluate.Outcome{State: evaluate.Complete, Value: 1.5})
//
// The truth is a log of events that only grows; the table of trials is derived
// from it and written in the same transaction. Every write names the place in
// the log it expects to take. A process that was overtaken reads what is new and
// decides again, so that no lock is held while a method chooses. Ask records in
// Asked.Basis how much of the log its method knew: new values that arrive while
// it chooses do not disturb it, another Ask makes it choose again. Replaying the
// log up to the basis gives the same points.
//
// What a method is told, Observations, depends on the trials alone:
//
//   - trials at one point count once, at the mean of their values, each weighed by
//     its precision 1/std² where that is known, and with the std of that mean;
//   - every trial without a value is a pending point: the method looks elsewhere.
//     Failed trials stay that for ever, infeasible ones too;
//   - an excluded trial is neither, but its point counts as tried;
//   - between two choices they come in the order of their numbers, so that it does
//     not matter which evaluation of a round ends first.
//
// Infeasible trials have no value to model. From them and the complete ones a
// probability of feasibility is learned, and suggestions are drawn back to where it
// is high. Three or more failed trials with consecutive numbers count like infeasible
// ones there: that is seldom an accident. No point is suggested twice.
//
// Correct mends what was recorded of a trial. Points that were suggested before it replay
// with what was known then; every later Ask knows only what is right.
//
// Ask serves waiting trials first, then stale ones, then points of the method.
//
// # Glossary
//
//	evaluation   one call of the objective; numbers start at 1 and count the
//	             initial design
//	round        one Ask, its evaluations and one Tell
//	curve        lowest value seen after each evaluation, Init+Evals numbers
//	trial        one point of a study and what came of it; numbers start at 1
//	batch        the trials that one Ask served; numbers start at 1
//	lease        until when a worker has to tell or to send a heartbeat; later
//	             its trial is stale and may be served to another worker; that of
//	             a long trial grows to a tenth of the time that it has run
//	request id   a word that a caller chooses: repeating a request under the
//	             same id returns what the first one did and changes nothing
package study
