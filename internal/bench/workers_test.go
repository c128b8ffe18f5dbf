package bench

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// A crew never has more trials under way than workers, time does not run back, and the same crew does the
// same again; with constant durations rounds and no rounds are the same.
func TestCrew(t *testing.T) {
	base := Crew{Method: "sobol", Problem: "branin", Dim: 2, Workers: 8, Durations: "heavy", Evals: 60, Init: 10, Trial: 3}
	run := func(change func(*Crew)) CrewRun {
		c := base
		change(&c)
		r, err := c.run(t.Context(), setting{version: "test", threads: 1}, 0)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Times) == 0 || !slices.IsSorted(r.Times) || !slices.IsSortedFunc(r.Best, func(a, b float64) int { return int(math.Copysign(1, b-a)) }) {
			t.Errorf("%+v: times %v, values %v", c, r.Times, r.Best)
		}
		return r
	}
	heavy := run(func(*Crew) {})
	if again := run(func(*Crew) {}); !slices.Equal(again.Times, heavy.Times) || !slices.Equal(again.Best, heavy.Best) {
		t.Error("the same crew does something else")
	}
	rounds := run(func(c *Crew) { c.Rounds = true })
	if len(rounds.Times) >= len(heavy.Times) {
		t.Errorf("in rounds %d evaluations end in the same time, without %d", len(rounds.Times), len(heavy.Times))
	}
	constant := run(func(c *Crew) { c.Durations = "constant" })
	if inRounds := run(func(c *Crew) { c.Durations, c.Rounds = "constant", true }); !slices.Equal(inRounds.Best, constant.Best) {
		t.Error("evaluations that take the same are in rounds anyway")
	}
	run(func(c *Crew) { c.Durations = "correlated" })
	one := run(func(c *Crew) { c.Workers = 1 })
	if len(one.Times) != 70 {
		t.Errorf("one worker makes %d evaluations, want 70", len(one.Times))
	}
	rows := CrewRows([]CrewRun{one, heavy, rounds})
	if len(rows) != 2 || rows[0].Trials != 1 {
		t.Fatalf("rows %+v", rows)
	}
}

// Durations have the mean 1, or nearly: a heavy tail's is never reached by few.
func TestCrewDurations(t *testing.T) {
	var sum, longest float64
	const n = 20000
	for i := range n {
		d := Crew{Durations: "heavy"}.duration(i, 0, nil)
		sum, longest = sum+d, max(longest, d)
	}
	if mean := sum / n; mean < 0.9 || mean > 1.1 || longest < 30 {
		t.Errorf("heavy durations have the mean %g and are %g at most", mean, longest)
	}
	before := []float64{1, 2, 3, 4}
	if good, bad := (Crew{Durations: "correlated"}).duration(0, 0, before), (Crew{Durations: "correlated"}).duration(0, 5, before); !(good > 1.5 && bad < 0.5) {
		t.Errorf("a good point takes %g, a bad one %g", good, bad)
	}
}

// RunCrews goes on where a folder ends.
func TestRunCrews(t *testing.T) {
	dir := t.TempDir()
	crews := []Crew{
		{Method: "random", Problem: "branin", Dim: 2, Workers: 1, Durations: "constant", Evals: 20, Init: 5},
		{Method: "random", Problem: "branin", Dim: 2, Workers: 4, Durations: "constant", Evals: 20, Init: 5},
	}
	count := 0
	for k := range 2 {
		runs, err := RunCrews(t.Context(), dir, crews, CrewOptions{Version: "test", Threads: 1, OnRun: func(CrewRun) { count++ }})
		if err != nil || len(runs) != 2 || count != 2 {
			t.Fatalf("time %d: %d runs, %d of them new so far, %v", k, len(runs), count, err)
		}
	}
	runs, err := ReadCrews(dir)
	if err != nil || len(runs) != 2 {
		t.Fatalf("%d runs are read, %v", len(runs), err)
	}
	var b strings.Builder
	if err := CrewTable(&b, CrewRows(runs), Markdown); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| one worker | all workers |", fmt.Sprintf("%.6g", runs[0].Best[24]), fmt.Sprintf("%.6g", runs[1].Best[len(runs[1].Best)-1])} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the table has no %q:\n%s", want, b.String())
		}
	}
	if _, err := ReadCrews(t.TempDir()); err == nil {
		t.Error("a folder without runs is read")
	}
}

// A program is asked for the points of a round at once, and told all of them before the next; without a run of one worker the
// table has no comparison.
func TestCrewOfAProgram(t *testing.T) {
	dir, file := t.TempDir(), filepath.Join(t.TempDir(), "notes")
	spec := fmt.Sprintf(`exec:peer="%s" method notes "%s"`, os.Args[0], file)
	crews := []Crew{{Method: spec, Problem: "branin", Dim: 2, Workers: 4, Durations: "constant", Evals: 8, Init: 4}}
	for range 2 {
		runs, err := RunCrews(t.Context(), dir, crews, CrewOptions{Version: "test", Threads: 1})
		if err != nil || len(runs) != 1 || runs[0].Method != "exec:peer" || len(runs[0].Times) != 32 || runs[0].Cut {
			t.Fatalf("runs are %+v, %v", runs, err)
		}
	}
	notes, err := os.ReadFile(file)
	if want := strings.Repeat("4 0\n0 4\n", 7) + "4 0\n"; err != nil || string(notes) != want {
		t.Errorf("asked and told were\n%s, want\n%s, %v", notes, want, err)
	}
	runs, err := ReadCrews(dir)
	if err != nil {
		t.Fatal(err)
	}
	table := func(runs []CrewRun) string {
		var b strings.Builder
		if err := CrewTable(&b, CrewRows(runs), CSV); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	if got, want := table(runs), fmt.Sprintf("exec:peer,branin 2,constant,4,1,32,,%.6g,,,", runs[0].Best[31]); !strings.Contains(got, want) {
		t.Errorf("the table has no %q:\n%s", want, got)
	}
	one := CrewRun{Crew: runs[0].Crew, Times: []float64{1}, Best: []float64{1e9}}
	one.Workers = 1
	second := runs[0]
	second.Trial, second.Best = 1, []float64{5e9}
	if got, want := table(append(runs, second, one)), "exec:peer,branin 2,constant,4,1,32,1e+09,"; !strings.Contains(got, want) {
		t.Errorf("the table has no %q:\n%s", want, got)
	}
}

// A run that has had its time keeps what is told by then.
func TestCrewWithALimit(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pid")
	spec := fmt.Sprintf(`exec:peer="%s" method hang "%s"`, os.Args[0], file) // in the third round
	crews := []Crew{{Method: spec, Problem: "branin", Dim: 2, Workers: 4, Durations: "constant", Evals: 8, Init: 4}}
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() {
		for !exists(file) {
			time.Sleep(time.Millisecond)
		}
		cancel(errCut)
	}()
	runs, err := RunCrews(ctx, t.TempDir(), crews, CrewOptions{Version: "test", Threads: 1, RunLimit: time.Hour})
	if err != nil || len(runs) != 1 || len(runs[0].Best) != 8 || !runs[0].Cut {
		t.Errorf("runs are %+v, %v", runs, err)
	}
	if _, err := RunCrews(t.Context(), t.TempDir(), crews, CrewOptions{Version: "test", Threads: 1, RunLimit: 1}); err == nil {
		t.Error("a run without evaluations is kept")
	}
	if _, err := RunCrews(t.Context(), t.TempDir(), []Crew{{Method: "exec:"}}, CrewOptions{}); err == nil {
		t.Error("an empty command is run")
	}
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}
