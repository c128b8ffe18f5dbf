package bench

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// ErrNotComparable says that no two methods have a task and a trial in common.
var ErrNotComparable = errors.New("no two methods have a trial of the same task: run another method on the same problems, or give more folders")

// Leaderboard ranks methods on the tasks that all of them have.
//
//	rank       in a trial, by the best value, lowest first; equal values share their mean rank
//	mean rank  mean over the tasks of the mean over a task's trials
//	start      median over a task's trials of the best value of the initial design
//	target     best known + left (start - best known)
//	solved     a trial whose best value is at the target or below; every task has the same weight
//
// A task's trials are those that all ranked methods have. Uncertainty is that of a bootstrap: tasks are
// drawn with replacement, and for each drawn task its trials. Its seed is fixed.
type Leaderboard struct {
	Standings   []Standing   `json:"standings"` // by mean rank
	Pairs       []MethodPair `json:"pairs"`     // every two, in the order of the standings
	Tasks       []BoardTask  `json:"tasks"`
	Evaluations []int        `json:"evaluations"` // at which profiles are given, the initial design included
	Profiles    []Profile    `json:"profiles"`
	LeftMethods []LeftMethod `json:"left_out_methods"`
	LeftTasks   []LeftTask   `json:"left_out_tasks"`
}

// Standing is the place of a method.
type Standing struct {
	Method     string   `json:"method"`
	MeanRank   float64  `json:"mean_rank"`
	SE         *float64 `json:"mean_rank_se"`   // nil when there is one trial only
	Low        *float64 `json:"mean_rank_low"`  // 95 % interval, from
	High       *float64 `json:"mean_rank_high"` // to
	First      *float64 `json:"first"`          // share of the resamples in which no mean rank is lower
	Wins       int      `json:"wins"`           // over all rivals and tasks
	Ties       int      `json:"ties"`
	Losses     int      `json:"losses"`
	CPUSeconds float64  `json:"cpu_seconds"` // of a trial: mean over the tasks
	Tasks      int      `json:"tasks"`       // that the method has, ranked or not
}

// MethodPair counts the tasks on which the first of two methods is lower, by Wilcoxon's test with Holm's
// correction for these tasks, those without a shown difference, and those on which it is higher.
//
// Few trials show nothing on one task, but may over many: the same test takes from every task the share of
// trials in which the first is higher less that in which it is lower. Holm's correction is for all pairs.
type MethodPair struct {
	First    string  `json:"first"`
	Second   string  `json:"second"`
	Wins     int     `json:"wins"`
	Ties     int     `json:"ties"`
	Losses   int     `json:"losses"`
	Effect   float64 `json:"effect"` // over the tasks: 1 when the first is lower on all of them, -1 when it is higher
	P        float64 `json:"p"`
	Adjusted float64 `json:"p_adjusted"`
}

// differs says whether one of the two is better over the tasks.
func (d MethodPair) differs() bool { return d.Adjusted < significant }

// BoardTask is a task with its budget, on which methods are ranked.
type BoardTask struct {
	Problem string `json:"problem"`
	Dim     int    `json:"dim"`
	Batch   int    `json:"batch"`
	Evals   int    `json:"evals"`
	Init    int    `json:"init"`

	Trials int     `json:"trials"` // that all ranked methods have
	Most   int     `json:"most"`   // that any of them has
	Start  float64 `json:"start"`
	Best   float64 `json:"best_known"` // the problem's minimum or, where it is not known, the lowest value of any trial
}

// LeftMethod is a method that is not ranked.
type LeftMethod struct {
	Method string `json:"method"`
	Tasks  int    `json:"tasks"`  // that it has
	Shared int    `json:"shared"` // of these, those on which the others are ranked
}

// LeftTask is a task on which the methods are not ranked.
type LeftTask struct {
	BoardTask
	Missing []string `json:"missing"` // ranked methods that lack it; none when they have no trial in common
}

// Rank makes the leaderboard. Where methods lack tasks, the method without which the others share most
// tasks is left out, again and again; the largest product of methods and shared tasks is taken.
func Rank(trials []Trial) (*Leaderboard, error) {
	a := newTrialIndex(trials)
	chosen := a.choose()
	if chosen == nil {
		return nil, &InputError{ErrNotComparable}
	}
	f := a.common(chosen)
	b := &Leaderboard{LeftMethods: a.leftMethods(chosen), LeftTasks: a.leftTasks(chosen)}
	for _, s := range f.tasks {
		b.Tasks = append(b.Tasks, s.BoardTask)
	}
	b.Standings = f.standings()
	for i := range b.Standings {
		b.Standings[i].Tasks = a.tasksOf(slices.Index(a.methods, b.Standings[i].Method))
	}
	slices.SortStableFunc(b.Standings, func(s, t Standing) int { return cmp.Compare(s.MeanRank, t.MeanRank) })
	if err := b.comparePairs(f); err != nil {
		return nil, err
	}
	b.Evaluations, b.Profiles = f.profiles()
	return b, nil
}

// comparePairs compares every two methods, and counts for each.
func (b *Leaderboard) comparePairs(f *ranking) error {
	var ps []float64
	for i := range b.Standings {
		for j := i + 1; j < len(b.Standings); j++ {
			first, second := &b.Standings[i], &b.Standings[j]
			list, err := pairTasks(f.trials[first.Method], f.trials[second.Method])
			if err != nil {
				return fmt.Errorf("%s and %s: %w", first.Method, second.Method, err)
			}
			d := newPair(first.Method, second.Method, list)
			first.Wins, first.Ties, first.Losses = first.Wins+d.Wins, first.Ties+d.Ties, first.Losses+d.Losses
			second.Wins, second.Ties, second.Losses = second.Wins+d.Losses, second.Ties+d.Ties, second.Losses+d.Wins
			b.Pairs = append(b.Pairs, d)
			ps = append(ps, d.P)
		}
	}
	for i, p := range holm(ps) {
		b.Pairs[i].Adjusted = p
	}
	return nil
}

// newPair counts the tasks of a comparison.
func newPair(first, second string, list []Paired) MethodPair {
	d := MethodPair{First: first, Second: second}
	var balance []float64
	for _, p := range list {
		switch p.sign() {
		case 0:
			d.Ties++
		case -1:
			d.Wins++
		default:
			d.Losses++
		}
		balance = append(balance, float64(p.Higher-p.Lower)/float64(p.Pairs))
	}
	d.Effect, d.P = signedRank(balance)
	return d
}

// Methods lists the ranked methods, the first one first.
func (b *Leaderboard) Methods() []string {
	var list []string
	for _, s := range b.Standings {
		list = append(list, s.Method)
	}
	return list
}

// Pair returns the comparison of two ranked methods, seen from the first.
func (b *Leaderboard) Pair(first, second string) MethodPair {
	for _, d := range b.Pairs {
		if d.First == first && d.Second == second {
			return d
		}
		if d.First == second && d.Second == first {
			return MethodPair{first, second, d.Losses, d.Ties, d.Wins, -d.Effect, d.P, d.Adjusted}
		}
	}
	return MethodPair{First: first, Second: second}
}

// Notes are what a reader must know of the numbers.
func (b *Leaderboard) Notes() []string {
	var notes []string
	few, most := b.Tasks[0].Trials, 0
	for _, t := range b.Tasks {
		few, most = min(few, t.Trials), max(most, t.Trials)
	}
	if len(b.Tasks) == 1 {
		notes = append(notes, "There is one task: the uncertainty is over its trials and says nothing of other tasks.")
	}
	if most == 1 {
		notes = append(notes, "There is one trial per task: the uncertainty is over the tasks alone.")
	}
	if n := fewestPairs(len(b.Tasks)); few < n {
		notes = append(notes, fmt.Sprintf("Wins and losses take trials: %d that both methods have on a task and, for the first of %s, %d. With fewer the paired test can show nothing, and the task is a tie.",
			fewestPairs(1), counted(len(b.Tasks), "task"), n))
	}
	if len(b.LeftMethods) > 0 {
		var names []string
		for _, m := range b.LeftMethods {
			names = append(names, fmt.Sprintf("%s (%s, %d of them ranked)", m.Method, counted(m.Tasks, "task"), m.Shared))
		}
		notes = append(notes, "Not ranked, as they lack tasks of the others: "+strings.Join(names, ", ")+". Choose other methods with --method.")
	}
	if n := len(b.LeftTasks); n > 0 {
		notes = append(notes, fmt.Sprintf("Tasks that do not count, as not all ranked methods have them: %d of %d.", n, n+len(b.Tasks)))
	}
	return notes
}

// fewestPairs is the number of trials with which signedRank, whose p is 2/2^n at least, can decide the first of some
// tasks, for whose number Holm's correction multiplies it.
func fewestPairs(tasks int) int {
	n := 1
	for float64(tasks)*math.Pow(2, float64(1-n)) >= significant {
		n++
	}
	return n
}
