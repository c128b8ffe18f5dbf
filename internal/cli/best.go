package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/study"
)

const (
	mostBest    = 30    // parameters that best lists
	mostNumbers = 6_000 // of trials that are read to put them in order
	runTrials   = 32    // that follow each other in a sample: neighbours are read together
	groups      = 5     // in which the values of a numeric parameter are divided
)

// rankedParam is a parameter of the best point.
type rankedParam struct {
	space.Param
	value any
	was   any     // in the user's first point, nil when it is the same or there is none
	share float64 // of the variation of the values that goes with it, roughly
}

// rankedParams are in the order in which people want to see them.
type rankedParams []rankedParam

// rankParams puts the parameters of the best trial in order: those that differ from the first
// point of a user come first, then those with which the values change most. That looks at each
// parameter alone, in a sample of the trials, and is quick; mahabo report looks closer.
func rankParams(ctx context.Context, one studied, best study.Best) (list rankedParams, err error) {
	params := one.Config().Space.Params()
	sum, err := one.Summary(ctx)
	if err != nil {
		return nil, err
	}
	sample, err := one.Numbered(ctx, sampled(sum.Trials, max(mostNumbers/len(params), 12*groups))...)
	if err != nil {
		return nil, err
	}
	trials, outcomes := sample[:0], make([]float64, 0, len(sample))
	for _, t := range sample {
		if t.Value != nil && !t.Excluded {
			trials, outcomes = append(trials, t), append(outcomes, *t.Value)
		}
	}
	var first study.Trial
	if of, err := one.Numbered(ctx, 1); err == nil && of[0].Origin != study.FromMethod && best.Number != 1 {
		first = of[0]
	}
	ranks := ranked(outcomes)
	for _, p := range params {
		value, _ := best.Params.Get(p.Name)
		r := rankedParam{Param: p, value: value}
		if was, ok := first.Params.Get(p.Name); ok && was != value {
			r.was = was
		}
		r.share = share(p, trials, ranks)
		list = append(list, r)
	}
	slices.SortStableFunc(list, func(a, b rankedParam) int {
		if changed := a.was != nil; changed != (b.was != nil) {
			if changed {
				return -1
			}
			return 1
		}
		return cmp.Compare(b.share, a.share)
	})
	return list, nil
}

// sampled are the numbers of at most about so many trials, in runs that are spread evenly.
func sampled(trials, most int) (numbers []int) {
	runs := (trials + runTrials - 1) / runTrials
	kept := max(most/runTrials, 1)
	for r := range runs {
		if trials > most && r*kept/runs == (r+1)*kept/runs {
			continue
		}
		for n := r*runTrials + 1; n <= min((r+1)*runTrials, trials); n++ {
			numbers = append(numbers, n)
		}
	}
	return numbers
}

// ranked replaces numbers by their places in order.
func ranked(values []float64) []float64 {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		if c := cmp.Compare(values[a], values[b]); c != 0 {
			return c
		}
		return a - b
	})
	ranks := make([]float64, len(values))
	for place, i := range order {
		ranks[i] = float64(place)
	}
	return ranks
}

// share is the part of the variance of the ranks that lies between groups of alike values of
// a parameter, less what chance would give.
func share(p space.Param, trials []study.Trial, ranks []float64) float64 {
	if len(trials) < 2*groups || p.Kind == space.KindFixed {
		return 0
	}
	group := make([]int, len(trials))
	switch p.Kind {
	case space.KindChoice, space.KindBool:
		seen := map[string]int{}
		for i, t := range trials {
			text, _ := t.Params.Text(p.Name)
			if _, known := seen[text]; !known {
				seen[text] = len(seen)
			}
			group[i] = seen[text]
		}
	default:
		x := make([]float64, len(trials))
		for i, t := range trials {
			x[i] = t.Params.Float(p.Name)
		}
		for i, place := range ranked(x) {
			group[i] = int(place) * groups / len(trials)
		}
	}
	count := slices.Max(group) + 1
	sums, sizes := make([]float64, count), make([]float64, count)
	mean := float64(len(ranks)-1) / 2
	total := 0.0
	for i, g := range group {
		sums[g] += ranks[i] - mean
		sizes[g]++
		total += (ranks[i] - mean) * (ranks[i] - mean)
	}
	between := 0.0
	for g := range sums {
		between += sums[g] * sums[g] / sizes[g]
	}
	return max(0, between/total-float64(count-1)/float64(len(ranks)-1))
}

// line writes the first n parameters and says how many there are.
func (r rankedParams) line(n int) string {
	var parts []string
	for _, p := range r[:min(n, len(r))] {
		parts = append(parts, p.Name+"="+shortValue(p.value))
	}
	text := strings.Join(parts, " ")
	if len(r) > n {
		text += fmt.Sprintf(" (%d of %d, the most important ones; mahabo best lists more)", n, len(r))
	}
	return text
}

// params lists the parameters of the best point, one a line.
func (c *bestCmd) params(ctx context.Context, s streams, one studied, best study.Best) error {
	list, err := rankParams(ctx, one, best)
	if err != nil {
		return err
	}
	shown := list
	if !c.All {
		shown = list[:min(len(list), mostBest)]
	}
	w := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
	for _, p := range shown {
		line := p.Name + "\t" + shortValue(p.value)
		if p.Unit != "" {
			line += " " + p.Unit
		}
		if p.was != nil {
			line += "\t(" + shortValue(p.was) + " in trial 1)"
		}
		fmt.Fprintln(w, line)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if more := len(list) - len(shown); more > 0 {
		fmt.Fprintf(s.err, "%s (--all lists them)\n", counted(more, "more parameter"))
	}
	return nil
}

// outcomeText says what became of a trial.
func outcomeText(t study.Trial) string {
	switch {
	case t.Value != nil:
		return string(t.State) + " with value " + valueText(t)
	case t.Reason != "":
		return string(t.State) + ": " + t.Reason
	}
	return string(t.State)
}
