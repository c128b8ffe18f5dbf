package rng

import "golang.org/x/sys/cpu"

// What the processor has; tests set one or both to false.
var (
	hasAVX512 = cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ
	hasAVX2   = cpu.X86.HasAVX2
)

//go:noescape
func fillAVX512(dst *float64, blocks int, s uint64)

//go:noescape
func fillAVX2(dst *float64, blocks int, s uint64)

// fillVector fills the largest part of dst that is a multiple of 16 long from state
// s, as fillScalar would, and returns its length.
func fillVector(dst []float64, s uint64) int {
	blocks := len(dst) / 16
	switch {
	case blocks == 0 || !hasAVX512 && !hasAVX2:
		return 0
	case hasAVX512:
		fillAVX512(&dst[0], blocks, s)
	default:
		fillAVX2(&dst[0], blocks, s)
	}
	return 16 * blocks
}
