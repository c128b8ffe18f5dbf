package problem

import (
	"math"

	"github.com/mahabo/mahabo/space"
)

const (
	ackleyBits   = 50
	ackleyFloats = 3
)

// newAckley53 is that of X. Wan et al., Think global and act local, ICML 2021.
func newAckley53() Problem {
	return onSpace("ackley53", "Ackley of 50 bools, as 0 and 1, and 3 floats of [-1,1]", 0, func(v space.Params) float64 {
		x := make([]float64, 0, ackleyBits+ackleyFloats)
		for name := range v.All() {
			x = append(x, v.Float(name))
		}
		return ackley(x)
	}, space.Param{Name: "b[0:49]", Kind: space.KindBool}, space.Float("x[0:2]", -1, 1))
}

const (
	labsLength  = 50
	labsMinimum = 153 // lowest energy of this length: T. Packebusch, S. Mertens, J. Phys. A 49 (2016)
)

// newLABS is the search for binary sequences of low autocorrelation.
func newLABS() Problem {
	return onSpace("labs50", "low autocorrelation of a sequence of 50 bools: minus the merit factor", -meritFactor(labsLength, labsMinimum),
		func(v space.Params) float64 {
			s := make([]int, 0, labsLength)
			for _, b := range v.All() {
				s = append(s, sign(b == true))
			}
			return -meritFactor(len(s), energy(s))
		}, space.Param{Name: "s[0:49]", Kind: space.KindBool})
}

func sign(positive bool) int {
	if positive {
		return 1
	}
	return -1
}

// energy is sum_k (sum_i s_i s_{i+k})², 0 < k < n.
func energy(s []int) int {
	var sum int
	for k := 1; k < len(s); k++ {
		var c int
		for i := range len(s) - k {
			c += s[i] * s[i+k]
		}
		sum += c * c
	}
	return sum
}

// meritFactor is n²/2E.
func meritFactor(n, energy int) float64 { return float64(n*n) / float64(2*energy) }

// beta1 turns a uniform number into one of Beta(1, b): F(x) = 1 - (1-x)^b.
func beta1(u, b float64) float64 { return -math.Expm1(math.Log1p(-u) / b) }
