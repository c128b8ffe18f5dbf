package cli

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/study"
)

const (
	mostBest    = 30    // parameters that best lists
	mostNumbers = 6_000 // of trials that are read to put them in order
	runTrials   = 32    // that follow each other in a sample: neighbours are read together
	mostChance  = 0.05  // probability that any parameter goes with the values by chance
	sameTime    = 10    // trials that follow each other and are compared
	groups      = 5     // in which the values of a numeric parameter are divided
)

// rankedParam is a parameter of the best point.
type rankedParam struct {
	space.Param
	value any
	was   any     // in the user's first point, nil when it is the same or there is none
	share float64 // of the variation of the values that goes with it, roughly
	known bool    // chance alone hardly gives as much
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
	ranks := detrended(ranked(outcomes))
	for _, p := range params {
		value, _ := best.Params.Get(p.Name)
		r := rankedParam{Param: p, value: value}
		if was, ok := first.Params.Get(p.Name); ok && was != value {
			r.was = was
		}
		r.share, r.known = share(p, trials, ranks, len(params))
		list = append(list, r)
	}
	list.sort()
	return list, nil
}

// sort leaves parameters where they are when nothing is known of any.
func (r rankedParams) sort() {
	first := func(a, b bool) int {
		switch {
		case a == b:
			return 0
		case a:
			return -1
		}
		return 1
	}
	known := slices.ContainsFunc(r, func(p rankedParam) bool { return p.known })
	slices.SortStableFunc(r, func(a, b rankedParam) int {
		if c := cmp.Or(first(a.was != nil, b.was != nil), first(a.known, b.known)); c != 0 || !known {
			return c
		}
		return cmp.Compare(b.share, a.share)
	})
}

// sampled are the numbers of about so many trials, in runs that are spread evenly.
func sampled(trials, most int) (numbers []int) {
	runs := (trials + runTrials - 1) / runTrials
	kept := runs
	if trials > most {
		kept = min(runs, max(2, (most+runTrials-1)/runTrials))
	}
	for k := range kept {
		r := k * (runs - 1) / max(kept-1, 1) // the first and the last are among them
		for n := r*runTrials + 1; n <= min((r+1)*runTrials, trials); n++ {
			numbers = append(numbers, n)
		}
	}
	return numbers
}

// ranked replaces numbers by their places in order; equal ones share the middle of theirs.
func ranked(values []float64) []float64 {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	ranks := make([]float64, len(values))
	for from := 0; from < len(order); {
		to := from + 1
		for to < len(order) && values[order[to]] == values[order[from]] {
			to++
		}
		for _, i := range order[from:to] {
			ranks[i] = float64(from+to-1) / 2
		}
		from = to
	}
	return ranks
}

// detrended are places less their mean among the trials of the same time. Values get better with time and parameters
// move or come to rest at a bound, so that nearly all of them seem to go with the values.
func detrended(ranks []float64) []float64 {
	for from := 0; from < len(ranks); from += sameTime {
		part := ranks[from:min(from+sameTime, len(ranks))]
		mean := 0.0
		for _, r := range part {
			mean += r / float64(len(part))
		}
		for i := range part {
			part[i] -= mean
		}
	}
	return ranks
}

// share is the part of the variance of the ranks that lies between groups of alike values of a parameter, less what
// chance would give, and whether chance hardly gives as much for any of so many parameters.
func share(p space.Param, trials []study.Trial, ranks []float64, params int) (of float64, known bool) {
	if len(trials) < 2*groups || p.Kind == space.KindFixed {
		return 0, false
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
	sums, sizes := make([]float64, slices.Max(group)+1), make([]float64, slices.Max(group)+1)
	total := 0.0
	for i, g := range group {
		sums[g] += ranks[i]
		sizes[g]++
		total += ranks[i] * ranks[i]
	}
	between, groups := 0.0, 0
	for g, size := range sizes {
		if size > 0 { // equal values leave groups empty
			between += sums[g] * sums[g] / size
			groups++
		}
	}
	if groups < 2 || total == 0 {
		return 0, false
	}
	free, n := float64(groups-1), float64(len(ranks)-(len(ranks)+sameTime-1)/sameTime)
	return max(0, between/total-free/n), chance(n*between/total, free)*float64(params) < mostChance
}

// chance is the probability that chance alone gives this or more in the test of Kruskal and Wallis: that of chi
// squared, by Wilson and Hilferty.
func chance(h, free float64) float64 {
	v := 2 / (9 * free)
	return 0.5 * math.Erfc((math.Cbrt(h/free)-(1-v))/math.Sqrt(2*v))
}

// line writes the first n parameters and says how many there are.
func (r rankedParams) line(n int) string {
	var parts []string
	for _, p := range r[:min(n, len(r))] {
		parts = append(parts, p.Name+"="+shortValue(p.value))
	}
	text := strings.Join(parts, " ")
	if len(r) > n {
		what := fmt.Sprintf("the first %d of %d", n, len(r))
		if r[0].was != nil || r[0].known {
			what = fmt.Sprintf("%d of %d, the most important first", n, len(r))
		}
		text += " (" + what + "; mahabo best lists more)"
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
	case len(t.Outcomes) > 0:
		var parts []string
		for _, name := range slices.Sorted(maps.Keys(t.Outcomes)) {
			parts = append(parts, name+"="+asTold(t.Outcomes[name], t.Stds[name]))
		}
		return string(t.State) + " with " + strings.Join(parts, " ")
	case t.Value != nil:
		return string(t.State) + " with value " + asTold(*t.Value, t.Std)
	case t.Reason != "":
		return string(t.State) + ": " + t.Reason
	}
	return string(t.State)
}

// asTold repeats a value as it was told, every digit of it.
func asTold(value, std float64) string {
	number := func(v float64) string {
		if size := math.Abs(v); v != 0 && (size < 1e-4 || size >= 1e15) {
			return strconv.FormatFloat(v, 'g', -1, 64)
		}
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	if std > 0 {
		return number(value) + " ± " + number(std)
	}
	return number(value)
}
