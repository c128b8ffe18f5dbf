package strategy

import (
	"math"

	"github.com/mahabo/mahabo/internal/rng"
)

// label names what asked for a point: a region, in the round after so many
// observations.
type label struct{ round, region int }

// A label replaces the low digits of the point's first coordinate, written as a
// multiple of 2^-52. It takes labelBits: a serial number, round*m + region, and
// checkBits that tell it from the digits of other points.
const (
	labelBits  = 28
	checkBits  = 8
	serialBits = labelBits - checkBits
)

// writeLabel changes the first coordinate by less than 2^-24.
func writeLabel(x Point, seed uint64, m int, name label) {
	const steps = 1 << (52 - labelBits)
	high := int64(math.Floor(x[0] * steps))
	high = min(max(high, -steps), steps-1)
	serial := uint64(name.round*m+name.region) % (1 << serialBits)
	low := serial<<checkBits | check(seed, serial, high)
	x[0] = math.Ldexp(float64(high<<labelBits|int64(low)), -52)
}

// readLabel returns the label of a point told as observation number told. Serial
// numbers repeat: it is the latest possible one.
func readLabel(x Point, seed uint64, m, told int) (name label, ok bool) {
	scaled := math.Ldexp(x[0], 52)
	if scaled != math.Trunc(scaled) {
		return name, false
	}
	high, low := int64(scaled)>>labelBits, uint64(int64(scaled))&(1<<labelBits-1)
	serial := low >> checkBits
	if low&(1<<checkBits-1) != check(seed, serial, high) {
		return name, false
	}
	latest := uint64(told)*uint64(m) + uint64(m-1)
	if serial > latest {
		return name, false
	}
	serial += (latest - serial) >> serialBits << serialBits
	return label{int(serial / uint64(m)), int(serial % uint64(m))}, true
}

func check(seed, serial uint64, high int64) uint64 {
	return rng.New(seed, serial, uint64(high), rng.Purpose("turbo label")).Uint64() & (1<<checkBits - 1)
}
