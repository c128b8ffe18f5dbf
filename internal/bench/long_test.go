package bench

import (
	"strings"
	"testing"
)

// learned runs a method on boosted stumps.
func learned(t *testing.T, method string, evals int, steps int64) Trial {
	t.Helper()
	name, err := canonicalMethod(method)
	if err != nil {
		t.Fatal(err)
	}
	one, err := Assignment{Cell: Cell{Method: name, Problem: "learn-boosted", Dim: 5, Batch: 1}, Evals: evals, Init: 5, StepLimit: steps}.Run(t.Context(), nil, "test", 1)
	if err != nil {
		t.Fatal(err)
	}
	return one
}

// A rule behind a method's name ends evaluations early; fewer steps are reported, and trials say so.
func TestRulesOfMethods(t *testing.T) {
	plain, early := learned(t, "sobol", 10, 0), learned(t, "sobol+asha:after=2", 10, 0)
	if plain.Steps != 15*81 || plain.Stopped != 0 {
		t.Errorf("without a rule there are %d steps and %d stopped", plain.Steps, plain.Stopped)
	}
	if early.Steps >= plain.Steps/2 || early.Stopped == 0 || early.Failed != 0 || early.Method != "sobol+asha:after=2" || len(early.Curve) != 15 {
		t.Errorf("with one the trial is %+v", early)
	}
	for _, wrong := range []string{"sobol+halve", "sobol+asha:factor=1", "nobody+asha"} {
		if _, err := canonicalMethod(wrong); err == nil {
			t.Errorf("%s is taken", wrong)
		}
	}
}

// A trial with a limit of steps has no more. The evaluation that reaches it counts, one that would go beyond it is cut, and what
// the rule saves goes into further evaluations.
func TestStepLimit(t *testing.T) {
	whole := learned(t, "sobol", 30, 0)
	exact := learned(t, "sobol", 30, 10*81)
	if exact.Steps != 10*81 || exact.Stopped != 0 || exact.Best != whole.Curve[9] || len(exact.Curve) != 35 {
		t.Errorf("with a limit of ten evaluations the trial is %+v", exact)
	}
	cut := learned(t, "sobol", 30, 10*81+7)
	if cut.Steps != 10*81+7 || cut.Stopped != 1 || cut.Best != exact.Best {
		t.Errorf("with seven steps more it is %+v", cut)
	}
	early := learned(t, "sobol+asha:after=2", 30, 10*81)
	if early.Steps > 10*81 || early.Stopped < 10 {
		t.Errorf("with a rule it is %+v", early)
	}

	// What was read is what was written, and a cell has one limit.
	line := encodeAll(t, cut)
	var c contents
	if _, err := c.add("trials.jsonl", line); err != nil {
		t.Fatal(err)
	}
	if got := c.trials[0]; got.Steps != cut.Steps || got.StepLimit != cut.StepLimit || got.Stopped != 1 {
		t.Errorf("read back it is %+v", got)
	}
	exact.Trial, exact.Seed = 1, 1
	if _, err := c.add("other.jsonl", encodeAll(t, exact)); err == nil || !strings.Contains(err.Error(), "step_limit") {
		t.Errorf("another limit gave %v", err)
	}

	// It is made again with its limit.
	rows, err := Replay(t.Context(), ReplayOptions{Trials: []Trial{cut}, PerCell: 1, Jobs: 1})
	if err != nil || !rows[0].Same() {
		t.Errorf("made again it is %+v (%v)", rows, err)
	}

	// Tables say how many steps there were.
	early.Trial, early.Seed = cut.Trial, cut.Seed
	table := render(t, func(b *strings.Builder) error { return Table(b, Summarise([]Trial{cut, early}), Text) })
	if !strings.Contains(table, "steps") || !strings.Contains(table, "817") || !strings.Contains(table, "stopped") {
		t.Errorf("the table is\n%s", table)
	}
	pairs, err := PairMethods([]Trial{cut, early}, "sobol", "sobol+asha:after=2")
	if err != nil {
		t.Fatal(err)
	}
	table = render(t, func(b *strings.Builder) error { return ComparePaired(b, pairs, "a", "b", Text) })
	if !strings.Contains(table, "first steps") || !strings.Contains(table, "817") {
		t.Errorf("the comparison is\n%s", table)
	}
}

// A program that hears of reports knows by then how the evaluations before ended, those of the initial design too.
func TestProgramsHearOfOutcomesBeforeReports(t *testing.T) {
	dir := t.TempDir()
	g := Grid{Methods: []string{stub(t, "hearer", "method", "hears")}, Problems: []string{"learn-boosted"}, Dims: []int{0}, Batches: []int{1}, Evals: 1, Init: 5, Trials: 1}
	if err := Run(t.Context(), Options{Grids: []Grid{g}, Dir: dir, Jobs: 1, Version: "test"}); err != nil {
		t.Fatal(err)
	}
	trials, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	if got := trials[0]; got.Stopped != 4 || got.Steps != 2*81+4*3 {
		t.Errorf("%d evaluations were ended, %d steps reported", got.Stopped, got.Steps)
	}
}
