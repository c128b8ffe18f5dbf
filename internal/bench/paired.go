package bench

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
)

// Paired is the comparison of two sides on the trials that both have. Trial t is
// the same function with the same start for both.
type Paired struct {
	Cell                // its method is empty when two methods are compared
	Pairs       int     // trials that both sides have
	First       float64 // mean best value over the pairs
	Second      float64
	FirstSteps  float64 // mean of the steps that evaluations reported, 0 when they report none
	SecondSteps float64
	Difference  float64 // mean of first - second
	SE          *float64
	Lower       int     // trials in which the first is lower
	Higher      int     // in which it is higher; the others are equal
	Effect      float64 // rank-biserial correlation, 1: the first is always lower
	P, Adjusted float64 // Wilcoxon's signed-rank test, and with Holm's correction for all rows
}

// significant is the level at which a verdict is given.
const significant = 0.05

// enoughPairs is how many pairs it takes for a difference to be significant when all of them
// point the same way: two-sided, 2^(1-6) < 0.05.
const enoughPairs = 6

// sign is -1 when the first is lower and chance is no explanation, 1 when it is higher, and 0 otherwise.
func (p Paired) sign() int {
	switch {
	case p.Adjusted >= significant:
		return 0
	case p.Effect > 0:
		return -1
	}
	return 1
}

// Verdict says which side is lower, when chance is no explanation.
func (p Paired) Verdict() string {
	if p.sign() == 0 && math.Pow(2, 1-float64(p.Pairs)) >= significant {
		return fmt.Sprintf("%d pairs cannot show one, %d can", p.Pairs, enoughPairs)
	}
	return map[int]string{-1: "first lower", 0: "no difference shown", 1: "second lower"}[p.sign()]
}

// PairFolders compares the cells that two sets of trials share.
func PairFolders(first, second []Trial) ([]Paired, error) {
	return pair(first, second, func(t Trial) Cell { return t.Cell })
}

// PairMethods compares two methods on the tasks that they share.
func PairMethods(trials []Trial, first, second string) ([]Paired, error) {
	of := func(method string) ([]Trial, error) { return Filter{Methods: []string{method}}.Apply(trials) }
	a, err := of(first)
	if err != nil {
		return nil, err
	}
	b, err := of(second)
	if err != nil {
		return nil, err
	}
	return pairTasks(a, b)
}

// pairTasks compares the trials of two methods, task by task.
func pairTasks(first, second []Trial) ([]Paired, error) {
	return pair(first, second, func(t Trial) Cell { return Cell{"", t.Problem, t.Dim, t.Batch} })
}

// pair joins trials of equal key and number.
func pair(first, second []Trial, key func(Trial) Cell) ([]Paired, error) {
	type place struct {
		Cell
		trial int
	}
	other := map[place]Trial{}
	for _, t := range second {
		other[place{key(t), t.Trial}] = t
	}
	pairs := map[Cell][][2]Trial{}
	var cells []Cell
	for _, t := range first {
		u, ok := other[place{key(t), t.Trial}]
		if !ok {
			continue
		}
		compared := u.job()
		compared.steps = t.StepLimit // what is reached with fewer steps is what one wants to know
		if field, a, b := settingsDiffer(t, compared); field != "" {
			return nil, &InputError{fmt.Errorf("%s has %s %d, %s has %d: they cannot be compared", t.Cell, field, a, u.Cell, b)}
		}
		if pairs[key(t)] == nil {
			cells = append(cells, key(t))
		}
		pairs[key(t)] = append(pairs[key(t)], [2]Trial{t, u})
	}
	if len(cells) == 0 {
		return nil, &InputError{fmt.Errorf("the two sides share no trial of the same problem, dimension and batch size")}
	}
	slices.SortFunc(cells, func(a, b Cell) int { return cmp.Or(cmp.Compare(a.Method, b.Method), a.Task().Compare(b.Task())) })
	list := make([]Paired, len(cells))
	ps := make([]float64, len(cells))
	for i, c := range cells {
		list[i] = pairedOf(c, pairs[c])
		ps[i] = list[i].P
	}
	for i, p := range holm(ps) {
		list[i].Adjusted = p
	}
	return list, nil
}

// pairedOf sums up the pairs of one row.
func pairedOf(c Cell, pairs [][2]Trial) Paired {
	slices.SortFunc(pairs, func(a, b [2]Trial) int { return cmp.Compare(a[0].Trial, b[0].Trial) })
	p := Paired{Cell: c, Pairs: len(pairs)}
	var d []float64
	for _, ab := range pairs {
		a, b := ab[0].Best, ab[1].Best
		switch {
		case a < b:
			p.Lower++
		case a > b:
			p.Higher++
		}
		d = append(d, a-b)
	}
	p.First, _ = meanSE(pairs, func(ab [2]Trial) float64 { return ab[0].Best })
	p.Second, _ = meanSE(pairs, func(ab [2]Trial) float64 { return ab[1].Best })
	p.FirstSteps, _ = meanSE(pairs, func(ab [2]Trial) float64 { return float64(ab[0].Steps) })
	p.SecondSteps, _ = meanSE(pairs, func(ab [2]Trial) float64 { return float64(ab[1].Steps) })
	p.Difference, p.SE = meanSE(d, func(v float64) float64 { return v })
	p.Effect, p.P = signedRank(d)
	return p
}

// ComparePaired writes the comparison of two sides, which are named.
func ComparePaired(w io.Writer, list []Paired, first, second string, format Format) error {
	s := sheet{
		caption: fmt.Sprintf("first: %s, second: %s", first, second),
		header:  []string{"method", "problem", "dim", "batch", "pairs", "first", "second", "difference", "lower/equal/higher", "effect", "p", "p adjusted", "verdict"},
		left:    2, measured: []int{7},
	}
	steps := slices.ContainsFunc(list, func(p Paired) bool { return p.FirstSteps+p.SecondSteps > 0 })
	if steps {
		s.header = append(s.header, "first steps", "second steps")
	}
	for _, p := range list {
		line := slices.Concat(p.words(), words(strconv.Itoa(p.Pairs), fmt.Sprintf("%.4g", p.First), fmt.Sprintf("%.4g", p.Second)),
			[]entry{measure(p.Difference, p.SE)},
			words(fmt.Sprintf("%d/%d/%d", p.Lower, p.Pairs-p.Lower-p.Higher, p.Higher), fmt.Sprintf("%+.2f", p.Effect),
				fmt.Sprintf("%.2g", p.P), fmt.Sprintf("%.2g", p.Adjusted), p.Verdict()))
		if steps {
			line = append(line, words(fmt.Sprintf("%.0f", p.FirstSteps), fmt.Sprintf("%.0f", p.SecondSteps))...)
		}
		s.add(line...)
	}
	if list[0].Method == "" { // two methods: the column would be empty
		s.dropFirst()
	}
	return s.write(w, format)
}
