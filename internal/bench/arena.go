package bench

import (
	"cmp"
	"math"
	"slices"
)

// arena is all trials by task, number and method.
type arena struct {
	methods  []string  // in the order of Summarise
	contests []Contest // ordered; without their numbers
	runs     [][]run   // of the contests, by trial number
}

// run is one trial of a task by all methods.
type run struct {
	trial int
	of    []*Trial // by method; nil where it is missing
}

func newArena(trials []Trial) *arena {
	a := &arena{}
	for _, r := range Summarise(trials) {
		if !slices.Contains(a.methods, r.Method) {
			a.methods = append(a.methods, r.Method)
		}
	}
	byContest := map[Contest]map[int][]*Trial{}
	for i := range trials {
		t := &trials[i]
		c := Contest{Problem: t.Problem, Dim: t.Dim, Batch: t.Batch, Evals: t.Evals, Init: t.Init}
		if byContest[c] == nil {
			byContest[c] = map[int][]*Trial{}
			a.contests = append(a.contests, c)
		}
		if byContest[c][t.Trial] == nil {
			byContest[c][t.Trial] = make([]*Trial, len(a.methods))
		}
		byContest[c][t.Trial][slices.Index(a.methods, t.Method)] = t
	}
	slices.SortFunc(a.contests, Contest.compare)
	for _, c := range a.contests {
		var runs []run
		for trial, of := range byContest[c] {
			runs = append(runs, run{trial, of})
		}
		slices.SortFunc(runs, func(r, s run) int { return cmp.Compare(r.trial, s.trial) })
		a.runs = append(a.runs, runs)
	}
	return a
}

// Task returns the contest without its budget.
func (c Contest) Task() Task { return Task{c.Problem, c.Dim, c.Batch} }

func (c Contest) compare(d Contest) int {
	return cmp.Or(c.Task().Compare(d.Task()), cmp.Compare(c.Evals, d.Evals), cmp.Compare(c.Init, d.Init))
}

// has says whether all methods are in a run.
func (r run) has(methods []int) bool {
	return !slices.ContainsFunc(methods, func(m int) bool { return r.of[m] == nil })
}

// shared returns the contests with a run that has all methods.
func (a *arena) shared(methods []int) []int {
	var list []int
	for i, runs := range a.runs {
		if slices.ContainsFunc(runs, func(r run) bool { return r.has(methods) }) {
			list = append(list, i)
		}
	}
	return list
}

// tasksOf counts the contests of a method.
func (a *arena) tasksOf(method int) int { return len(a.shared([]int{method})) }

// choose returns the methods to rank; nil when no two can be compared. In doubt the method with
// fewest tasks, and then the last one, is left out.
func (a *arena) choose() []int {
	var methods, best []int
	for m := range a.methods {
		methods = append(methods, m)
	}
	largest := 0
	for len(methods) >= 2 {
		if n := len(methods) * len(a.shared(methods)); n > largest {
			largest, best = n, methods
		}
		var next []int
		most, fewest := -1, 0
		for i, m := range slices.Backward(methods) {
			rest := slices.Delete(slices.Clone(methods), i, i+1)
			n, own := len(a.shared(rest)), a.tasksOf(m)
			if n > most || n == most && own < fewest {
				next, most, fewest = rest, n, own
			}
		}
		methods = next
	}
	return best
}

// leftMethods lists the methods that were not chosen.
func (a *arena) leftMethods(chosen []int) []LeftMethod {
	list := []LeftMethod{}
	ranked := a.shared(chosen)
	for m, name := range a.methods {
		if slices.Contains(chosen, m) {
			continue
		}
		own := a.shared([]int{m})
		left := LeftMethod{Method: name, Tasks: len(own)}
		for _, i := range own {
			if slices.Contains(ranked, i) {
				left.Shared++
			}
		}
		list = append(list, left)
	}
	return list
}

// leftTasks lists the contests without a trial that all chosen methods have.
func (a *arena) leftTasks(chosen []int) []LeftTask {
	list := []LeftTask{}
	ranked := a.shared(chosen)
	for i := range a.contests {
		if slices.Contains(ranked, i) {
			continue
		}
		left := LeftTask{a.measured(i, chosen), []string{}}
		for _, m := range chosen {
			if !slices.ContainsFunc(a.runs[i], func(r run) bool { return r.of[m] != nil }) {
				left.Missing = append(left.Missing, a.methods[m])
			}
		}
		list = append(list, left)
	}
	return list
}

// measured fills in the numbers of a contest. The start and the best known value are those of all
// methods, ranked or not, so that targets do not depend on who is ranked.
func (a *arena) measured(contest int, chosen []int) Contest {
	c := a.contests[contest]
	count := make([]int, len(a.methods))
	var starts []float64
	lowest := math.Inf(1)
	for _, r := range a.runs[contest] {
		if r.has(chosen) {
			c.Trials++
		}
		for m, t := range r.of {
			if t == nil {
				continue
			}
			if count[m]++; slices.Contains(chosen, m) {
				c.Most = max(c.Most, count[m])
			}
			starts = append(starts, t.Curve[t.Init-1])
			lowest = min(lowest, t.Best)
		}
	}
	c.Start, c.Best = median(starts), lowest
	if minimum, known := c.Task().Minimum(); known {
		c.Best = min(lowest, minimum)
	}
	return c
}

// median is the middle value, or the mean of the two.
func median(of []float64) float64 {
	s := slices.Sorted(slices.Values(of))
	n := len(s)
	return s[(n-1)/2]/2 + s[n/2]/2
}
