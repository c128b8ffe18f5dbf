// Package strategytest checks that a strategy keeps the contract of
// strategy.Strategy. Every method of this module passes it; run it for a strategy
// of your own:
//
//	func TestConformance(t *testing.T) {
//		strategytest.Run(t, func(t testing.TB, cfg strategy.Config) strategy.Strategy {
//			return mine.New(cfg)
//		}, strategytest.Options{Method: "mine", Batch: true})
//	}
//
// The checks, by the name of their subtest:
//
//	box             n points of [-1,1]^D for D from 1 to 1000 and batches of 1, 5, 20
//	design          the first Config.Init points do not depend on how they are asked
//	pending         pending points are not suggested again
//	minimises       clearly better than random search with the same budget
//	replay          the same observations give the same bytes, with any number of cores
//	interleavings   the same for random orders of asking, waiting and telling
//	slices          the caller's slices are neither kept nor changed
//	domains         parameters of all kinds, constraints and held coordinates
//	survives        degenerate values and points still get an answer
//	refuses         bad arguments are an error that changes nothing
//	cancel          a cancelled Ask returns soon, with the context's error or the right points
//
// All randomness is seeded: a failure repeats.
package strategytest
