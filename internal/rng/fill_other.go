//go:build !amd64

package rng

// fillVector fills nothing: there are no vector instructions to use.
func fillVector([]float64, uint64) int { return 0 }
