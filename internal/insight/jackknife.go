package insight

import (
	"cmp"
	"math"
	"slices"

	"github.com/mahabo/mahabo/internal/linalg"
)

// deviations returns standard deviations from estimates that were made without one fold
// each, by the jackknife: sqrt((K-1)/K sum (estimate - mean)²).
func deviations(without [][]float64) []float64 {
	K := float64(len(without))
	out := make([]float64, len(without[0]))
	for j := range out {
		var mean, square float64
		for _, e := range without {
			mean += e[j] / K
		}
		for _, e := range without {
			square += (e[j] - mean) * (e[j] - mean)
		}
		out[j] = math.Sqrt((K - 1) / K * square)
	}
	return out
}

// spread is how uncertain directions are.
type spread struct {
	loadings [][]float64 // standard deviations, by direction and coordinate
	accuracy []float64   // cosine with the truth
}

// jackknife compares the first d directions with those learned without each fold. With
// |v - true|² about the sum of the variances, the cosine is 1 - |v - true|²/2.
func (c *contest) jackknife(d int) spread {
	V := c.lesson.first(d)
	without := make([]linalg.Matrix, len(c.folds))
	for k, f := range c.folds {
		without[k] = alignTo(V, f.lesson.first(d))
	}
	var s spread
	for k := range V.Rows {
		var rows [][]float64
		for _, W := range without {
			rows = append(rows, W.Row(k))
		}
		dev := deviations(rows)
		s.loadings = append(s.loadings, dev)
		s.accuracy = append(s.accuracy, max(0, 1-linalg.Dot(dev, dev)/2))
	}
	return s
}

// directions describes those that are supported.
func (a *analyst) directions() {
	V, s := a.contest.lesson.first(a.d), a.contest.jackknife(a.d)
	for k := range V.Rows {
		v := V.Row(k)
		d := Direction{Share: a.contest.lesson.shares[k], Accuracy: s.accuracy[k]}
		var fourth float64
		for j, c := range a.coords {
			d.Loadings = append(d.Loadings, Loading{Param: c.name, Label: c.label, Value: v[j], StdDev: s.loadings[k][j]})
			fourth += math.Pow(v[j], 4)
		}
		d.Active = 1 / fourth
		d.Sentence = a.sentence(d.Loadings)
		slices.SortStableFunc(d.Loadings, func(p, q Loading) int { return cmp.Compare(math.Abs(q.Value), math.Abs(p.Value)) })
		d.Response = a.response(v)
		a.out.Directions = append(a.out.Directions, d)
	}
}
