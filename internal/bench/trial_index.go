package bench

import (
	"cmp"
	"math"
	"slices"
)

// trialIndex is all trials by task, number and method.
type trialIndex struct {
	methods []string    // in the order of Summarise
	tasks   []BoardTask // ordered; without their numbers
	runs    [][]run     // of the tasks, by trial number
}

// run is one trial of a task by all methods.
type run struct {
	trial int
	of    []*Trial // by method; nil where it is missing
}

func newTrialIndex(trials []Trial) *trialIndex {
	a := &trialIndex{}
	for _, r := range Summarise(trials) {
		if !slices.Contains(a.methods, r.Method) {
			a.methods = append(a.methods, r.Method)
		}
	}
	byTask := map[BoardTask]map[int][]*Trial{}
	for i := range trials {
		t := &trials[i]
		c := BoardTask{Problem: t.Problem, Dim: t.Dim, Batch: t.Batch, Evals: t.Evals, Init: t.Init}
		if byTask[c] == nil {
			byTask[c] = map[int][]*Trial{}
			a.tasks = append(a.tasks, c)
		}
		if byTask[c][t.Trial] == nil {
			byTask[c][t.Trial] = make([]*Trial, len(a.methods))
		}
		byTask[c][t.Trial][slices.Index(a.methods, t.Method)] = t
	}
	slices.SortFunc(a.tasks, BoardTask.compare)
	for _, c := range a.tasks {
		var runs []run
		for trial, of := range byTask[c] {
			runs = append(runs, run{trial, of})
		}
		slices.SortFunc(runs, func(r, s run) int { return cmp.Compare(r.trial, s.trial) })
		a.runs = append(a.runs, runs)
	}
	return a
}

// Task returns the task without its budget.
func (c BoardTask) Task() Task { return Task{c.Problem, c.Dim, c.Batch} }

func (c BoardTask) compare(d BoardTask) int {
	return cmp.Or(c.Task().Compare(d.Task()), cmp.Compare(c.Evals, d.Evals), cmp.Compare(c.Init, d.Init))
}

// has says whether all methods are in a run.
func (r run) has(methods []int) bool {
	return !slices.ContainsFunc(methods, func(m int) bool { return r.of[m] == nil })
}

// shared returns the tasks with a run that has all methods.
func (a *trialIndex) shared(methods []int) []int {
	var list []int
	for i, runs := range a.runs {
		if slices.ContainsFunc(runs, func(r run) bool { return r.has(methods) }) {
			list = append(list, i)
		}
	}
	return list
}

// tasksOf counts the tasks of a method.
func (a *trialIndex) tasksOf(method int) int { return len(a.shared([]int{method})) }

// choose returns the methods to rank; nil when no two can be compared. In doubt the method with
// fewest tasks, and then the last one, is left out.
func (a *trialIndex) choose() []int {
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
func (a *trialIndex) leftMethods(chosen []int) []LeftMethod {
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

// leftTasks lists the tasks without a trial that all chosen methods have.
func (a *trialIndex) leftTasks(chosen []int) []LeftTask {
	list := []LeftTask{}
	ranked := a.shared(chosen)
	for i := range a.tasks {
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

// measured fills in the numbers of a task. The start and the best known value are those of all
// methods, ranked or not, so that targets do not depend on who is ranked.
func (a *trialIndex) measured(task int, chosen []int) BoardTask {
	c := a.tasks[task]
	count := make([]int, len(a.methods))
	var starts []float64
	lowest, stated := math.Inf(1), math.Inf(1)
	for _, r := range a.runs[task] {
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
			if t.Minimum != nil {
				stated = min(stated, *t.Minimum)
			}
		}
	}
	c.Start, c.Best = median(starts), min(lowest, stated)
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
