package stop

import (
	"fmt"
	"math"
	"slices"
)

// gainRungs are the parts of the last step at which gain looks at a trial.
var gainRungs = []float64{1. / 12, 1. / 6, 1. / 3}

// leastProgress is what counts as progress at least, beside that of the middle one of the complete trials: of a
// curve that is flat just there any gain would be many times its progress.
const leastProgress = 0.1

// unlikely is how likely trials that are stopped are at most to become the best, by the forecast.
const unlikely = 0.05

// gain stops a trial at a rung when all three hold: it is not among the best there; to become the best it would have to
// gain more from there on than complete trials did, but for a few; and the forecast, which also knows where trials are in the
// space, finds it unlikely, too. Gains are measured in the progress that a trial made
// between half of the rung and the rung, so that slow ones, which gain most at the end, are compared with slow ones.
//
// With n complete trials of which k gained as much, (k+1)/(n+1) is how likely it is, if trials come in any order, that this one
// does. The rule learns by itself how much early values are worth: where curves cross late, many have gained much, and few
// trials are stopped. The best at a rung go on in any case, or the rule would learn from nobody any more.
func (r *Rule) gain(one Curve, fresh int, others []Curve) string {
	long := float64(longest(others))
	for _, part := range gainRungs {
		rung := int64(math.Round(part * long))
		i := one.from(rung)
		if rung < 1 || i >= len(one.Steps) || i < fresh {
			continue // it is not there yet, or was looked at before
		}
		var there int
		var better int
		best := math.Inf(1)
		var gained, progress []float64
		for _, c := range others {
			k := c.from(rung)
			if k >= len(c.Steps) {
				continue
			}
			if there++; c.Values[k] < one.Values[i] {
				better++
			}
			if c.Done {
				best = math.Min(best, c.Final)
				gained, progress = append(gained, c.Values[k]-c.Final), append(progress, c.progress(k))
			}
		}
		if keep := max(1, int(r.option("keep")*float64(there+1))); len(gained) == 0 || better < keep {
			continue
		}
		unit := units(progress)
		need := (one.Values[i] - best) / unit(one.progress(i))
		as := 0 // complete trials that gained as much
		for k := range gained {
			if gained[k]/unit(progress[k]) >= need {
				as++
			}
		}
		if float64(as+1) > r.option("chance")*float64(len(gained)+1) {
			continue
		}
		if f := newForecast(others, rung, len(one.At)); f == nil || !f.covers(one) || f.chance(one, best) < unlikely {
			return fmt.Sprintf("gain: place %d of %d at step %d, and to become the best it has to gain %.3g times its latest progress, as %d of %d complete trials did",
				better+1, there+1, one.Steps[i], need, as, len(gained))
		}
	}
	return ""
}

// progress is how much a curve fell from half of the step of a report to that report.
func (c Curve) progress(i int) float64 { return c.halfway(i) - c.Values[i] }

// halfway is the value at half of the step of a report.
func (c Curve) halfway(i int) float64 { return c.Values[min(i, c.from((c.Steps[i]+1)/2))] }

// units returns what a progress counts as when gains are divided by it. Without any progress, gains are compared as they are.
func units(progress []float64) func(float64) float64 {
	sizes := make([]float64, len(progress))
	for i, p := range progress {
		sizes[i] = math.Abs(p)
	}
	slices.Sort(sizes)
	least := leastProgress * sizes[len(sizes)/2]
	if least == 0 {
		return func(float64) float64 { return 1 }
	}
	return func(p float64) float64 { return math.Max(p, least) }
}
