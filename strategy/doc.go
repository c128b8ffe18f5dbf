// Package strategy holds the optimisation methods, one file each, behind one
// small interface: Ask for points, Tell their values.
//
// Methods are built by name, `name:key=value,...`:
//
//	s, err := strategy.New("maha:d=1", strategy.Config{Dim: 1000, Seed: 7})
//	points, err := s.Ask(ctx, 5, nil)
//	err = s.Tell(strategy.Observation{X: points[0], Value: f(points[0])})
//
// Points live in the box [-1,1]^D, values are minimised. Randomness comes from
// streams named by the seed, the numbers of observations and pending points, and
// a purpose; no state besides the observations matters, so telling them to a new
// strategy restores it exactly, whatever the number of cores.
package strategy
