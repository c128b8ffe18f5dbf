package turbo

import (
	"fmt"
	"math"
	"slices"

	"github.com/mahabo/mahabo/internal/method"
	"github.com/mahabo/mahabo/internal/rng"
	"github.com/mahabo/mahabo/strategy"
)

// proposal says which region proposed a point, in the round after so many observations. The
// round is -1 for points that no region proposed.
type proposal struct{ round, region int }

var notProposed = proposal{round: -1}

// proposedTag is the tag of a point that a region proposed.
func proposedTag(round, region int) string { return fmt.Sprintf("round %d region %d", round, region) }

// designTag is the tag of point k of the region's design.
func (r *trustRegion) designTag(k int) string { return fmt.Sprintf("%s point %d", r.designPrefix(), k) }

func (r *trustRegion) designPrefix() string { return fmt.Sprintf("region %d life %d", r.index, r.life) }

// read returns what the tag of observation number told says. A tag that no Ask can have
// made says nothing.
func (t *turbo) read(tag string, x strategy.Point, told int) proposal {
	var p proposal
	if tag == method.OldTag {
		return readDigits(x, t.cfg.Seed, len(t.regions), told)
	}
	n, _ := fmt.Sscanf(tag, "round %d region %d", &p.round, &p.region)
	if n != 2 || p.round < 0 || p.round > told || p.region < 0 || p.region >= len(t.regions) {
		return notProposed
	}
	return p
}

// designed returns the place of a point in the design of this life, -1 if it has none or was
// told before.
func (r *trustRegion) designed(tag string, x strategy.Point) int {
	var k int
	if tag == method.OldTag {
		k = slices.IndexFunc(r.design, func(p strategy.Point) bool { return slices.Equal(p, x) })
	} else if n, _ := fmt.Sscanf(tag, r.designPrefix()+" point %d", &k); n != 1 {
		return -1
	}
	if k < 0 || k >= len(r.design) || r.used[k] {
		return -1
	}
	return k
}

// Before there were tags, what proposed a point was written into the digits of its first
// coordinate below 1e-7, as a multiple of 2^-52: a serial number, round*m + region, and
// checkBits that tell it from the digits of other points. Logs of that time are still read.
const (
	digitBits  = 28
	checkBits  = 8
	serialBits = digitBits - checkBits
)

// readDigits returns what the digits of observation number told say. Serial numbers repeat:
// it is the latest possible one.
func readDigits(x strategy.Point, seed uint64, m, told int) proposal {
	scaled := math.Ldexp(x[0], 52)
	if scaled != math.Trunc(scaled) {
		return notProposed
	}
	high, low := int64(scaled)>>digitBits, uint64(int64(scaled))&(1<<digitBits-1)
	serial := low >> checkBits
	check := rng.New(seed, serial, uint64(high), rng.Purpose("turbo label")).Uint64() & (1<<checkBits - 1)
	latest := uint64(told)*uint64(m) + uint64(m-1)
	if low&(1<<checkBits-1) != check || serial > latest {
		return notProposed
	}
	serial += (latest - serial) >> serialBits << serialBits
	return proposal{int(serial / uint64(m)), int(serial % uint64(m))}
}
