package problem

import (
	"math"
	"math/rand/v2"
	"sync"

	"github.com/mahabo/mahabo/internal/rng"
	"github.com/mahabo/mahabo/space"
)

const (
	satVariables = 60
	satClauses   = 480 // eight for each variable: no assignment keeps all
	satLargest   = 10  // weight
)

// clause is broken when each of its three variables has the value that it does not want.
type clause struct {
	variable [3]int
	wanted   [3]bool
	weight   int
}

// newMaxSAT is a weighted satisfiability problem whose clauses come from a generator with a
// fixed seed.
func newMaxSAT() Problem {
	clauses := sync.OnceValue(func() []clause {
		return randomClauses(rng.New(0, rng.Purpose("maxsat")), satVariables, satClauses)
	})
	return onSpace("maxsat60", "weighted MaxSAT: 60 bools, 480 random clauses of three; weight of those that are broken", math.NaN(),
		func(v space.Params) float64 {
			x := make([]bool, 0, satVariables)
			for _, b := range v.All() {
				x = append(x, b == true)
			}
			return float64(brokenWeight(clauses(), x))
		}, space.Param{Name: "v[0:59]", Kind: space.KindBool})
}

// randomClauses draws clauses of three different variables.
func randomClauses(r *rand.Rand, variables, count int) []clause {
	clauses := make([]clause, count)
	for i := range clauses {
		c := &clauses[i]
		copy(c.variable[:], r.Perm(variables))
		for k := range c.wanted {
			c.wanted[k] = r.IntN(2) == 1
		}
		c.weight = 1 + r.IntN(satLargest)
	}
	return clauses
}

func brokenWeight(clauses []clause, x []bool) (weight int) {
	for _, c := range clauses {
		if x[c.variable[0]] != c.wanted[0] && x[c.variable[1]] != c.wanted[1] && x[c.variable[2]] != c.wanted[2] {
			weight += c.weight
		}
	}
	return weight
}
