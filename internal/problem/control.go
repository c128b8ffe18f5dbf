package problem

import (
	"math"
	"math/rand/v2"
	"sync"

	"github.com/mahabo/mahabo/internal/rng"
	"github.com/mahabo/mahabo/space"
)

// Control of a food chain against contamination and of an orchard against pests: C. Oh et al.,
// Combinatorial Bayesian optimization using the graph Cartesian product, NeurIPS 2019. Both
// average over simulations, whose random numbers are always the same here.
const (
	stages      = 25
	simulations = 100
	threshold   = 0.1 // share of the food, or of the plants, that is too much
)

// uniform draws numbers of [0,1) by row.
func uniform(r *rand.Rand, rows int) [][]float64 {
	list := make([][]float64, rows)
	for i := range list {
		list[i] = make([]float64, simulations)
		for k := range list[i] {
			list[i][k] = r.Float64()
		}
	}
	return list
}

const (
	contaminationTolerance = 0.05
	contaminationPenalty   = 0.01 // for every prevention, beside its cost of 1
)

// contamination holds the fractions of the simulations: at the start, what spreads at a
// stage, and what a prevention restores there.
type contamination struct {
	start         []float64
	spread, clean [][]float64
}

func newContamination() Problem {
	data := sync.OnceValue(generateContamination)
	return onSpace("contamination", "contamination control: at which of 25 stages of a food chain to prevent; cost less the margins of safety", math.NaN(),
		func(v space.Params) float64 {
			x := make([]bool, 0, stages)
			for _, b := range v.All() {
				x = append(x, b == true)
			}
			return data().cost(x)
		}, space.Param{Name: "stage[0:24]", Kind: space.KindBool})
}

func generateContamination() *contamination {
	r := rng.New(0, rng.Purpose("contamination"))
	apply := func(rows [][]float64, b float64) [][]float64 {
		for _, row := range rows {
			for k, u := range row {
				row[k] = beta1(u, b)
			}
		}
		return rows
	}
	return &contamination{
		start:  apply(uniform(r, 1), 30)[0],
		spread: apply(uniform(r, stages), 17.0/3),
		clean:  apply(uniform(r, stages), 3.0/7),
	}
}

// cost is sum_i x_i - (P(Z_i < 0.1) - 0.95), and the penalty. Without prevention a fraction
// of the clean food is contaminated, Z' = Z + spread (1-Z); with it Z' = (1-clean) Z.
func (c *contamination) cost(x []bool) float64 {
	z := append([]float64(nil), c.start...)
	var cost float64
	for i, prevent := range x {
		below := 0
		for k := range z {
			if prevent {
				z[k] *= 1 - c.clean[i][k]
			} else {
				z[k] += c.spread[i][k] * (1 - z[k])
			}
			if z[k] < threshold {
				below++
			}
		}
		cost -= float64(below)/simulations - (1 - contaminationTolerance)
		if prevent {
			cost += 1 + contaminationPenalty
		}
	}
	return cost
}

// pesticide has a price, of which part is saved when it is used at all stages, and kills a
// fraction Beta(1, strength) of the pests; they become tolerant by use.
type pesticide struct{ price, discount, strength, tolerance float64 }

var pesticides = [...]pesticide{
	{1.0, 0.2, 2.0 / 7, 1.0 / 7}, {0.8, 0.3, 3.0 / 7, 2.5 / 7}, {0.7, 0.3, 3.0 / 7, 2.0 / 7}, {0.5, 0.0, 5.0 / 7, 0.5 / 7},
}

// pest holds uniform numbers: what a pesticide kills depends on how often it was used.
type pest struct {
	start        []float64
	spread, kill [][]float64
}

func newPest() Problem {
	data := sync.OnceValue(generatePest)
	labels := []string{"none", "first", "second", "third", "fourth"}
	return onSpace("pest", "pest control: one of 4 pesticides or none at 25 stages; price, and the share of orchards with too many pests", math.NaN(),
		func(v space.Params) float64 {
			x := make([]int, 0, stages)
			for _, label := range v.All() {
				for i, l := range labels {
					if label == l {
						x = append(x, i)
					}
				}
			}
			return data().cost(x)
		}, space.Choice("stage[0:24]", labels...))
}

func generatePest() *pest {
	r := rng.New(0, rng.Purpose("pest"))
	return &pest{start: uniform(r, 1)[0], spread: uniform(r, stages), kill: uniform(r, stages)}
}

// cost is the price and the sum over the stages of the share of simulations with too many
// pests before the stage.
func (p *pest) cost(x []int) float64 {
	var used [len(pesticides) + 1]int
	for _, choice := range x {
		used[choice]++
	}
	var strength [len(pesticides) + 1]float64
	for i, s := range pesticides {
		strength[i+1] = s.strength
	}
	pests := make([]float64, simulations)
	for k, u := range p.start {
		pests[k] = beta1(u, 30)
	}
	var cost float64
	for i, choice := range x {
		above := 0
		for k := range pests {
			if pests[k] > threshold {
				above++
			}
			if choice > 0 {
				pests[k] *= 1 - beta1(p.kill[i][k], strength[choice])
			} else {
				pests[k] += beta1(p.spread[i][k], 17.0/3) * (1 - pests[k])
			}
		}
		cost += float64(above) / simulations
		if choice > 0 {
			s := pesticides[choice-1]
			strength[choice] += s.tolerance / stages
			cost += s.price * (1 - s.discount/stages*float64(used[choice]))
		}
	}
	return cost
}
