package bench

import (
	"math"
	"math/rand/v2"
	"slices"
	"sort"
)

// Profile is a data profile: the share of tasks that are solved after some evaluations.
type Profile struct {
	Left   float64        `json:"left"` // of the way from the start to the best known value
	Curves []ProfileCurve `json:"curves"`
}

// ProfileCurve is the profile of a method at the leaderboard's evaluations.
type ProfileCurve struct {
	Method string    `json:"method"`
	Solved []float64 `json:"solved"`
	SE     []float64 `json:"se"` // by the bootstrap
}

// lefts are the tasks of the way that a target leaves.
func lefts() []float64 { return []float64{0.5, 0.1, 0.01, 0.001} }

const (
	profilePoints    = 100
	profileResamples = 500
)

// target is the value at which so much of the way is left.
func (c BoardTask) target(left float64) float64 { return c.Best + left*max(0, c.Start-c.Best) }

// reached is the number of evaluations after which a curve is at the target; its length + 1 if never.
func reached(curve []float64, target float64) int {
	return 1 + sort.Search(len(curve), func(i int) bool { return curve[i] <= target })
}

// evaluations are numbers from the shortest initial design to the largest budget, in about equal ratios.
func (f *ranking) evaluations() []int {
	first, last := math.MaxInt, 0
	for _, s := range f.tasks {
		first, last = min(first, s.Init), max(last, s.Init+s.Evals)
	}
	var list []int
	for k := range profilePoints {
		at := float64(k) / (profilePoints - 1)
		list = append(list, int(math.Round(float64(first)*math.Pow(float64(last)/float64(first), at))))
	}
	return slices.Compact(list)
}

// profiles makes one profile per target.
func (f *ranking) profiles() ([]int, []Profile) {
	at := f.evaluations()
	var list []Profile
	for _, left := range lefts() {
		p := Profile{Left: left}
		for m := range f.methods {
			p.Curves = append(p.Curves, f.profile(m, left, at))
		}
		list = append(list, p)
	}
	return at, list
}

// profile sums the weights of the trials at the evaluation that solves them.
func (f *ranking) profile(method int, left float64, at []int) ProfileCurve {
	place := make([][]int, len(f.tasks)) // first of the evaluations by which a trial is solved
	for i, s := range f.tasks {
		for _, of := range s.runs {
			n := reached(of[method].Curve, s.target(left))
			if n > s.Init+s.Evals {
				n = math.MaxInt
			}
			k, _ := slices.BinarySearch(at, n)
			place[i] = append(place[i], k)
		}
	}
	sum := func(visit func(func(task, trial int, weight float64))) []float64 {
		solved := make([]float64, len(at)+1)
		visit(func(i, k int, weight float64) { solved[place[i][k]] += weight })
		for k := 1; k < len(at); k++ {
			solved[k] += solved[k-1]
		}
		return solved[:len(at)]
	}
	c := ProfileCurve{Method: f.methods[method], Solved: sum(f.each), SE: make([]float64, len(at))}
	if !f.uncertain() {
		return c
	}
	random := rand.New(rand.NewPCG(bootstrapSeed, 1)) // the same resamples for all
	drawn := make([][]float64, len(at))               // by evaluations and resample
	for range profileResamples {
		for k, v := range sum(func(visit func(task, trial int, weight float64)) { f.draw(random, visit) }) {
			drawn[k] = append(drawn[k], v)
		}
	}
	for k := range at {
		c.SE[k] = deviation(drawn[k])
	}
	return c
}
