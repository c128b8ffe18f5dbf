// Package strategy is the contract between studies and optimisation methods: what a
// method may know of the parameters (Domain), what it suggests (Suggestion), what it is
// told (Observation), and how it is found by name (Registry).
//
// A method works in the box [-1,1]^D. Each parameter has one coordinate or, if it is a
// choice of labels, one for each label. All objectives are minimised and a limit is kept when it is
// at most 0: whoever asks has turned signs and scales already.
//
// What Ask returns is a function of the configuration, the observations told so far and the
// pending suggestions. Randomness comes from the seed. Telling the same observations to a
// new strategy restores it exactly, whatever the number of cores. Package strategytest
// checks all of this, for methods of your own too.
//
// To add a method, describe it by a Method and put it into a registry:
//
//	registry, err := mahabo.Methods(strategy.Method{Name: "mine", New: newMine})
//
// The registry is an option of mahabo.Minimize, of studies and of the server, and cli.Main
// makes a complete program with it.
package strategy
