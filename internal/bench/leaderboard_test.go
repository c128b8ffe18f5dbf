package bench

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// on returns trials, from a number on, of a method on a problem whose minimum is not known.
func on(problem, method string, from int, best ...float64) []Trial {
	trials := with(method, best...)
	for i := range trials {
		trials[i].Problem, trials[i].Trial, trials[i].Seed = problem, from+i, uint64(from+i)
	}
	return trials
}

func rank(t *testing.T, trials ...[]Trial) *Leaderboard {
	t.Helper()
	b, err := Rank(slices.Concat(trials...))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s is %.6g, want %.6g", what, got, want)
	}
}

func TestMeanRanks(t *testing.T) {
	for _, c := range []struct{ values, want []float64 }{
		{[]float64{3, 1, 3, 2}, []float64{3.5, 1, 3.5, 2}},
		{[]float64{7, 7, 7}, []float64{2, 2, 2}},
		{[]float64{-1}, []float64{1}},
	} {
		if diff := cmp.Diff(c.want, meanRanks(c.values)); diff != "" {
			t.Errorf("%v (-want +got):\n%s", c.values, diff)
		}
	}
}

// Task p: a is first, then second; task q has one trial, which a wins and b loses.
func contested() [][]Trial {
	return [][]Trial{
		on("p", "a", 0, 1, 2), on("p", "b", 0, 2, 1), on("p", "c", 0, 3, 3),
		on("q", "a", 0, 1), on("q", "b", 0, 5), on("q", "c", 0, 4),
	}
}

func TestStandings(t *testing.T) {
	b := rank(t, contested()...)
	if diff := cmp.Diff([]string{"a", "b", "c"}, b.Methods()); diff != "" {
		t.Fatalf("order (-want +got):\n%s", diff)
	}
	for i, want := range []float64{(1.5 + 1) / 2, (1.5 + 3) / 2, (3. + 2) / 2} {
		near(t, "mean rank", b.Standings[i].MeanRank, want, 1e-12)
	}
	// A drawn task's mean rank of a has the variance between tasks, ((1.5-1)/2)², and half (one task of two) of
	// that of a mean of two trials, 0.25/2. Two tasks are drawn: se² = (0.0625 + 0.0625)/2.
	a := b.Standings[0]
	near(t, "standard error", *a.SE, 0.25, 0.015)
	near(t, "lower end", *a.Low, 1, 1e-12) // q twice, in a quarter of the resamples
	near(t, "upper end", *a.High, 1.75, 1e-12)
	near(t, "CPU seconds", a.CPUSeconds, 0.125, 1e-12)
	if a.Tasks != 2 || len(b.Tasks) != 2 || len(b.LeftMethods)+len(b.LeftTasks) != 0 {
		t.Errorf("tasks %d, %+v", a.Tasks, b)
	}
	one := rank(t, on("p", "a", 0, 1), on("p", "b", 0, 2))
	if one.Standings[0].SE != nil || one.Standings[0].First != nil {
		t.Error("one trial has an uncertainty")
	}
}

// Ranks are over what all methods have; the rest is named.
func TestRankLeavesOut(t *testing.T) {
	longer := on("s", "b", 0, 1)
	longer[0].Evals, longer[0].Curve = 4, []float64{3, 2, 1, 1, 1, 1}
	b := rank(t,
		on("p", "a", 0, 1, 1, 1, 1), on("p", "b", 2, 2, 2, 2), on("p", "late", 0, 0, 0, 0, 0),
		on("q", "a", 0, 1), on("q", "b", 0, 2),
		on("r", "a", 0, 1), on("r", "b", 0, 2),
		on("s", "a", 0, 1), longer,
		on("u", "a", 0, 1), on("u", "b", 1, 2),
		on("v", "late", 0, 1))
	// All three share p: 3 cells. Without the late one there are p, q and r: 6 cells.
	if diff := cmp.Diff([]string{"a", "b"}, b.Methods()); diff != "" {
		t.Errorf("ranked (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]LeftMethod{{"late", 2, 1}}, b.LeftMethods); diff != "" {
		t.Errorf("left out (-want +got):\n%s", diff)
	}
	var got []string
	for _, c := range b.Tasks {
		got = append(got, fmt.Sprintf("%s %d of %d from %g to %g", c.Problem, c.Trials, c.Most, c.Start, c.Best))
	}
	// Trials 2 and 3 of p are common. Its start, of all trials: 2 2 2 2, 3 3 3, 1 1 1 1.
	want := []string{"p 2 of 4 from 2 to 0", "q 1 of 1 from 2.5 to 1", "r 1 of 1 from 2.5 to 1"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("tasks (-want +got):\n%s", diff)
	}
	got = nil
	for _, l := range b.LeftTasks {
		got = append(got, fmt.Sprintf("%s %d without %v", l.Problem, l.Evals, l.Missing))
	}
	if diff := cmp.Diff([]string{"s 3 without [b]", "s 4 without [a]", "u 3 without []", "v 3 without [a b]"}, got); diff != "" {
		t.Errorf("tasks left out (-want +got):\n%s", diff)
	}
	if b.Standings[0].Tasks != 5 {
		t.Errorf("%d tasks of a, want 5", b.Standings[0].Tasks)
	}
	text := render(t, func(w *strings.Builder) error { return b.Write(w, Text) })
	for _, part := range []string{
		"leaderboard of 2 methods on 3 tasks", "3 of 5", "2 of 4", "without b", "no ranked method has it", "no trial in common", "late (2 tasks, 1 of them ranked)",
		"4 of 7", "Wins and losses take trials: 6 that both methods have on a task and, for the first of 3 tasks, 7.",
	} {
		if !strings.Contains(text, part) {
			t.Errorf("the text lacks %q:\n%s", part, text)
		}
	}
	if _, err := Rank(slices.Concat(on("p", "a", 0, 1), on("q", "b", 0, 1))); !errors.Is(err, ErrNotComparable) {
		t.Errorf("methods on different tasks: %v", err)
	}
	// Two pairs of methods that share nothing: the two with more tasks.
	b = rank(t, on("p", "a", 0, 1), on("p", "b", 0, 1), on("q", "c", 0, 1), on("q", "d", 0, 1), on("r", "c", 0, 1), on("r", "d", 0, 1))
	if diff := cmp.Diff([]string{"c", "d"}, b.Methods()); diff != "" {
		t.Errorf("ranked (-want +got):\n%s", diff)
	}
}

func TestMethodPairs(t *testing.T) {
	seven := []float64{1, 2, 3, 4, 5, 6, 7}
	higher := []float64{2, 4, 6, 8, 10, 12, 14}
	b := rank(t,
		on("p", "a", 0, seven...), on("p", "b", 0, higher...),
		on("q", "a", 0, seven...), on("q", "b", 0, higher...))
	// Each task has p = 2/2^7, and both together twice that; two tasks alone show nothing.
	want := MethodPair{"a", "b", 2, 0, 0, 1, 0.5, 0.5}
	if diff := cmp.Diff(want, b.Pairs[0]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(MethodPair{"b", "a", 0, 0, 2, -1, 0.5, 0.5}, b.Pair("b", "a")); diff != "" {
		t.Errorf("the other way (-want +got):\n%s", diff)
	}
	if s := b.Standings[1]; s.Wins != 0 || s.Ties != 0 || s.Losses != 2 {
		t.Errorf("the loser has %s", s.score())
	}
	// Six tasks of three trials: none is decided, all of them are, p = 2/2^6.
	var trials [][]Trial
	for i := range 6 {
		trials = append(trials, on(fmt.Sprint(i), "a", 0, 1, 2, 3), on(fmt.Sprint(i), "b", 0, 2, 3, 4))
	}
	b = rank(t, trials...)
	if diff := cmp.Diff(MethodPair{"a", "b", 0, 6, 0, 1, 2. / 64, 2. / 64}, b.Pairs[0], cmp.Comparer(closeOrNaN)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if text := render(t, func(w *strings.Builder) error { return b.Write(w, Text, PairPart) }); strings.Count(text, "0/6/0 *") != 2 {
		t.Errorf("no star:\n%s", text)
	}
}

func TestFewestPairs(t *testing.T) {
	// 2/2^5 > 0.05 > 2/2^6, and 14 · 2/2^9 > 0.05 > 14 · 2/2^10.
	for tasks, want := range map[int]int{1: 6, 2: 7, 14: 10} {
		if got := fewestPairs(tasks); got != want {
			t.Errorf("%d tasks: %d trials, want %d", tasks, got, want)
		}
	}
}

func TestProfiles(t *testing.T) {
	of := func(problem, method string, trial int, curve ...float64) []Trial {
		tr := sample(method, trial)
		tr.Problem, tr.Curve, tr.Best = problem, curve, curve[len(curve)-1]
		return []Trial{tr}
	}
	b := rank(t,
		// From 100 to 0: the targets are 50, 10, 1 and 0.1.
		of("p", "a", 0, 100, 100, 50, 10, 1), of("p", "a", 1, 100, 100, 51, 51, 50),
		of("p", "b", 0, 100, 100, 60, 60, 60), of("p", "b", 1, 100, 100, 9, 0, 0),
		// From 3 to -1: 1, -0.6, -0.96 and -0.996.
		of("q", "a", 0, 5, 3, 3, 3, 1), of("q", "b", 0, 4, 3, 3, -1, -1))
	if diff := cmp.Diff([]int{2, 3, 4, 5}, b.Evaluations); diff != "" {
		t.Fatalf("evaluations (-want +got):\n%s", diff)
	}
	for i, want := range []map[string][]float64{
		{"a": {0, 0.25, 0.25, 1}, "b": {0, 0.25, 0.75, 0.75}},
		{"a": {0, 0, 0.25, 0.25}, "b": {0, 0.25, 0.75, 0.75}},
		{"a": {0, 0, 0, 0.25}, "b": {0, 0, 0.75, 0.75}},
		{"a": {0, 0, 0, 0}, "b": {0, 0, 0.75, 0.75}},
	} {
		for method, solved := range want {
			if diff := cmp.Diff(solved, b.Profiles[i].Curve(method).Solved); diff != "" {
				t.Errorf("%s, %s (-want +got):\n%s", b.Profiles[i].Target(), method, diff)
			}
		}
	}
	// b solves q and half of p: between tasks (0.5/2)², within p 0.25/2 in half of the draws; two tasks are drawn.
	near(t, "standard error", b.Profiles[0].Curve("b").SE[3], math.Sqrt((0.0625+0.0625)/2), 0.025)
	if se := b.Profiles[0].Curve("a").SE; se[0] != 0 || se[3] > 1e-12 {
		t.Errorf("none and all have standard errors %v", se)
	}
}

// The best known value is the minimum of the function, where there is one.
func TestBestKnown(t *testing.T) {
	b := rank(t, with("a", 3, 4), with("b", 5, 6))
	near(t, "best known", b.Tasks[0].Best, 0.397887, 1e-6)
	near(t, "start", b.Tasks[0].Start, 5.5, 1e-12)

	stated := slices.Concat(with("a", 3, 4), with("b", 5, 6)) // by a program
	for i := range stated {
		stated[i].Problem, stated[i].Minimum = "exec:oven", new(float64)
		*stated[i].Minimum = 2.5
	}
	near(t, "best known of a program", rank(t, stated).Tasks[0].Best, 2.5, 1e-12)
}

func TestLeaderboardOrderIsThatOfTheData(t *testing.T) {
	trials := slices.Concat(contested()...)
	want, err := json.Marshal(rank(t, trials))
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		rand.Shuffle(len(trials), func(i, j int) { trials[i], trials[j] = trials[j], trials[i] })
		if got, _ := json.Marshal(rank(t, trials)); string(got) != string(want) {
			t.Fatalf("the leaderboard depends on the order of the trials:\n%s\n%s", want, got)
		}
	}
}

func TestLeaderboardFormats(t *testing.T) {
	b := rank(t, on("p", "<a>_1", 0, 1, 2), on("p", "b", 0, 2, 3))
	for format, part := range map[Format]string{
		Markdown: "| **1.00 ± 0.00** |", CSV: "<a>_1,1,0,1.00 to 1.00", LaTeX: `<a>\_1 & \textbf{1.00 $\pm$ 0.00}`, HTML: "<td>&lt;a&gt;_1</td>", Text: "There is one task",
	} {
		if text := render(t, func(w *strings.Builder) error { return b.Write(w, format) }); !strings.Contains(text, part) {
			t.Errorf("format %d lacks %q:\n%s", format, part, text)
		}
	}
}
