package bench

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/internal/num"
	"github.com/mahabo/mahabo/internal/problem"
	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/store/memory"
	"github.com/mahabo/mahabo/study"
)

var (
	warmFigures = flag.String("figures", "", "have TestWarm measure all tasks and write the table to this file")
	warmTasks   = flag.String("tasks", "", "only these tasks of TestWarm, separated by commas")
	warmSeeds   = flag.Int("seeds", 5, "runs of each task of TestWarm")
)

// warmTask is a function whose copies are minimised.
type warmTask struct {
	problem string
	dim     int // 0 for its own
}

var warmList = []warmTask{
	{"branin", 0}, {"sixhump", 0}, {"colville", 0}, {"ackley5", 0}, {"hartmann6", 0}, {"levy8", 0}, {"rosenbrock10", 0},
	{"hartmann6:embed=axis", 50}, {"branin", 100}, {"rover", 0},
}

const (
	warmEvals = 60   // of a study
	warmMost  = 90   // of one that is compared
	warmInit  = 10   // of which are the initial design
	warmPart  = 0.01 // of what was gained since the design may be missing
	warmMove  = 0.05 // of the optimum in each parameter, whose range is 2
)

// box is a space of dim floats.
func box(t testing.TB, dim int, low, high float64) *space.Space {
	t.Helper()
	sp, err := space.New(space.Float(fmt.Sprintf("x[0:%d]", dim-1), low, high))
	if err != nil {
		t.Fatal(err)
	}
	return sp
}

// warmRun minimises f and returns the best value after each evaluation, and all trials.
func warmRun(t testing.TB, sp *space.Space, seed uint64, evals int, former map[string][]study.Row, f func(x []float64) float64) (curve []float64, rows []study.Row, said []string) {
	t.Helper()
	ctx := context.Background()
	s, err := study.Create(ctx, memory.New(), study.Config{Name: "s", Space: sp, Method: "adaptive", Seed: seed, Init: warmInit, Budget: evals, Former: former})
	if err != nil {
		t.Fatal(err)
	}
	best := math.Inf(1)
	for range evals {
		b, err := s.Ask(ctx, study.AskRequest{Count: 1})
		if err != nil {
			t.Fatal(err)
		}
		said = b.Former
		trial := b.Trials[0]
		x := make([]float64, 0, trial.Params.Len())
		for j := range trial.Params.Len() {
			x = append(x, trial.Params.Float(fmt.Sprint("x", j)))
		}
		y := f(x)
		best = min(best, y)
		curve = append(curve, best)
		o := evaluate.Value(y)
		rows = append(rows, study.Row{Params: trial.Params, Outcome: o})
		if err := s.Tell(ctx, trial.Number, o); err != nil {
			t.Fatal(err)
		}
	}
	return curve, rows, said
}

// evalsTo is how many evaluations a curve needs for a value, one more than it has when it does not.
func evalsTo(curve []float64, value float64) int {
	for i, v := range curve {
		if v <= value {
			return i + 1
		}
	}
	return len(curve) + 1
}

// warmth are the best values of the runs of one seed, evaluation by evaluation.
type warmth struct {
	cold, alike, unrelated []float64
	design                 float64 // median of the values of the initial design
}

func warm(t testing.TB, task warmTask, seed uint64) (w warmth) {
	t.Helper()
	p, err := problem.New(task.problem, task.dim, seed)
	if err != nil {
		t.Fatal(err)
	}
	// The former study has other bounds, another unit and another offset, and its optimum is elsewhere.
	r := rand.New(rand.NewPCG(seed, 7))
	move, centre := make([]float64, p.Dim), make([]float64, p.Dim)
	for j := range move {
		move[j], centre[j] = warmMove*float64(1-2*r.IntN(2)), 1.6*r.Float64()-0.8
	}
	at := func(x []float64, sign float64) []float64 {
		z := make([]float64, len(x))
		for j := range z {
			z[j] = min(1, max(-1, x[j]+sign*move[j]))
		}
		return z
	}
	_, old, _ := warmRun(t, box(t, p.Dim, -1, 1), 1000+seed, warmEvals, nil, func(x []float64) float64 { return p.Value(at(x, 1)) })
	_, other, _ := warmRun(t, box(t, p.Dim, -1, 1), 2000+seed, warmEvals, nil, func(x []float64) float64 {
		sum := 0.0
		for j := range x {
			sum += (x[j] - centre[j]) * (x[j] - centre[j])
		}
		return sum
	})
	sp := box(t, p.Dim, -0.9, 1.1)
	f := func(x []float64) float64 { return 100 + 7*p.Value(at(x, 0)) }
	var rows []study.Row
	var helped, disturbed []string
	w.cold, rows, _ = warmRun(t, sp, seed, warmMost, nil, f)
	w.alike, _, helped = warmRun(t, sp, seed, warmMost, map[string][]study.Row{"old": old}, f)
	w.unrelated, _, disturbed = warmRun(t, sp, seed, warmMost, map[string][]study.Row{"other": other}, f)
	var design []float64
	for _, row := range rows[:warmInit] {
		design = append(design, row.Outcome.Value)
	}
	w.design = num.Median(design)
	if testing.Verbose() {
		t.Logf("%s seed %d: %.5g; %v: %.5g; %v: %.5g", task.problem, seed, w.cold[warmEvals-1], helped, w.alike[warmEvals-1], disturbed, w.unrelated[warmEvals-1])
	}
	return w
}

// summarise returns the medians of the evaluations that the runs of a task need for the value that a study
// without former ones has in the median after warmEvals, but for a small part of what it gained.
func summarise(runs []warmth) (cold, alike, unrelated float64) {
	var last, design []float64
	for _, w := range runs {
		last, design = append(last, w.cold[warmEvals-1]), append(design, w.design)
	}
	target := num.Median(last)
	target += warmPart * (num.Median(design) - target)
	median := func(curve func(warmth) []float64) float64 {
		var counts []float64
		for _, w := range runs {
			counts = append(counts, float64(evalsTo(curve(w), target)))
		}
		return num.Median(counts)
	}
	return median(func(w warmth) []float64 { return w.cold }), median(func(w warmth) []float64 { return w.alike }),
		median(func(w warmth) []float64 { return w.unrelated })
}

// Former studies help, and unrelated ones may cost evaluations: docs/results/warm.md comes from here,
//
//	go test ./internal/bench -run TestWarm -timeout 60m -args -figures ../../docs/results/warm.md
func TestWarm(t *testing.T) {
	tasks, seeds := []warmTask{{"hartmann6", 0}}, 1 // Branin alone is found too soon to tell
	switch {
	case *warmFigures != "" || *warmTasks != "":
		tasks, seeds = warmList, *warmSeeds
	case testing.Short():
		t.Skip("it runs whole studies; make test runs it")
	}
	var table strings.Builder
	var alike, unrelated []float64
	for _, task := range tasks {
		name := task.problem
		if task.dim > 0 {
			name += fmt.Sprintf(", D=%d", task.dim)
		}
		if *warmTasks != "" && !slices.Contains(strings.Split(*warmTasks, ","), fmt.Sprint(task.problem, "/", task.dim)) {
			continue
		}
		var runs []warmth
		for seed := range seeds {
			runs = append(runs, warm(t, task, uint64(seed+1)))
		}
		c, a, u := summarise(runs)
		alike, unrelated = append(alike, a/c), append(unrelated, u/c)
		fmt.Fprintf(&table, "| %s | %.0f | %.0f | %.0f | %.2f | %.2f |\n", name, c, a, u, a/c, u/c)
	}
	fmt.Fprintf(&table, "| median | | | | %.2f | %.2f |\n", num.Median(alike), num.Median(unrelated))
	t.Log("\n" + table.String())
	if *warmFigures == "" {
		if *warmTasks == "" && alike[0] > 0.8 {
			t.Errorf("with a former study it took %.2f of the evaluations", alike[0])
		}
		return
	}
	text := fmt.Sprintf(`# Former studies

    go test ./internal/bench -run TestWarm -timeout 60m -args -figures ../../docs/results/warm.md -seeds %d

How many evaluations does a new study need when it may learn from a former one? The studies use %s with one evaluation at a time; the first %d evaluations are the initial design. The target is what studies without a former one
reach after %d evaluations, in the median of %d seeds, up to %.0f %% of their gain over the design. The columns have the median number of evaluations until the target is reached, and the ratios. %d would mean that it was not reached.

- *without*: no former study.
- *alike*: the former study, of %d evaluations, has the same function, shifted by %.3g of the range of every parameter, with other bounds, values seven times smaller and no offset of 100.
- *unrelated*: the former study has a quadratic bowl with its minimum elsewhere.

| task | without | alike | unrelated | alike / without | unrelated / without |
|---|---:|---:|---:|---:|---:|
`, seeds, "`adaptive`", warmInit, warmEvals, seeds, 100*warmPart, warmMost+1, warmEvals, warmMove/2)
	if err := os.WriteFile(*warmFigures, []byte(text+table.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}
