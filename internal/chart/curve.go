package chart

import "github.com/mahabo/mahabo/study"

// Curve is how the values of a study went. Of many, the highest and the lowest of every
// stretch are kept.
type Curve struct {
	Total   int        `json:"total" doc:"Complete trials."`
	Numbers []int      `json:"numbers" nullable:"false" doc:"Of the trials chosen, increasing."`
	Values  []float64  `json:"values" nullable:"false"`
	Best    []*float64 `json:"best" nullable:"false" doc:"Best value of all trials up to there, of those that keep all limits; null before the first of them."`
}

// NewCurve follows values in the order of their numbers; points are the most to return.
func NewCurve(values []study.Value, goal study.Goal, points int) Curve {
	c := Curve{Total: len(values), Numbers: []int{}, Values: []float64{}, Best: []*float64{}}
	best := make([]*float64, len(values))
	for i, v := range values {
		if i > 0 {
			best[i] = best[i-1]
		}
		if !v.Broken && (best[i] == nil || Better(goal, v.Value, *best[i])) {
			best[i] = &v.Value
		}
	}
	for _, i := range extremes(values, points) {
		c.Numbers = append(c.Numbers, values[i].Number)
		c.Values = append(c.Values, values[i].Value)
		c.Best = append(c.Best, best[i])
	}
	return c
}

// Better says whether a is a better value than b.
func Better(goal study.Goal, a, b float64) bool {
	if goal == study.Maximize {
		return a > b
	}
	return a < b
}

// extremes returns the places of the first and last value and of the lowest and
// highest value of equal stretches between them: a chart of these looks like one of
// all.
func extremes(values []study.Value, points int) []int {
	n := len(values)
	chosen := make([]int, 0, min(n, points))
	if n <= points {
		for i := range n {
			chosen = append(chosen, i)
		}
		return chosen
	}
	stretches := (points - 2) / 2
	chosen = append(chosen, 0)
	for k := range stretches {
		from, to := 1+k*(n-2)/stretches, 1+(k+1)*(n-2)/stretches
		low, high := from, from
		for i := from; i < to; i++ {
			if values[i].Value < values[low].Value {
				low = i
			}
			if values[i].Value > values[high].Value {
				high = i
			}
		}
		chosen = append(chosen, min(low, high))
		if low != high {
			chosen = append(chosen, max(low, high))
		}
	}
	return append(chosen, n-1)
}
