package bench

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestProgramSpecifications(t *testing.T) {
	for spec, want := range map[string]program{
		"exec:python3 walker.py":                 {"exec:walker", []string{"python3", "walker.py"}},
		"exec:python3.12 -u lib/walker.py --n 1": {"exec:walker", []string{"python3.12", "-u", "lib/walker.py", "--n", "1"}},
		"exec:./solver --file in.txt":            {"exec:solver", []string{"./solver", "--file", "in.txt"}},
		"exec:hard=python3 walker.py --level=3":  {"exec:hard", []string{"python3", "walker.py", "--level=3"}},
		`exec:"python3 walker.py"`:               {"exec:walker", []string{"python3", "walker.py"}},
		`exec:w="my python" 'a b.py' c\ d`:       {"exec:w", []string{"my python", "a b.py", "c d"}},
		`exec:./a --rate=0.5`:                    {"exec:a", []string{"./a", "--rate=0.5"}},
		"exec:walker":                            {"exec:walker", []string{"walker"}},
	} {
		got, err := parseProgram(spec)
		if err != nil || got.name != want.name || !slices.Equal(got.argv, want.argv) {
			t.Errorf("%s is %+v, %v", spec, got, err)
		}
	}
	for spec, says := range map[string]string{
		"exec:":           "the command is empty",
		"exec:name=":      "the command is empty",
		`exec:python3 "x`: "a quote is not closed",
		"exec:./ä":        "is no name for tables",
	} {
		if _, err := parseProgram(spec); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: want %q, got %v", spec, says, err)
		}
	}
	g := Grid{Methods: []string{"exec:a.py", "exec:b/a.py"}, Problems: []string{"branin"}, Dims: []int{0}, Batches: []int{1}, Init: 2, Trials: 1}
	if _, err := plan(t.Context(), &setting{}, []Grid{g}); err == nil || !strings.Contains(err.Error(), "the name of two commands") {
		t.Errorf("two commands of one name: %v", err)
	}
}

// runPrograms runs a grid of programs.
func runPrograms(t *testing.T, dir, method, problem string, limit time.Duration) ([]Trial, error) {
	t.Helper()
	g := Grid{Methods: []string{method}, Problems: []string{problem}, Dims: []int{0}, Batches: []int{2}, Evals: 6, Init: 4, Trials: 2}
	err := Run(t.Context(), Options{Grids: []Grid{g}, Dir: dir, Jobs: 2, Limit: limit, Version: "test"})
	trials, readErr := Read(dir)
	if readErr != nil && err == nil {
		t.Fatal(readErr)
	}
	slices.SortFunc(trials, func(a, b Trial) int { return a.Trial - b.Trial })
	return trials, err
}

func TestAProgramAsAProblem(t *testing.T) {
	dir := t.TempDir()
	spec := stub(t, "bowl", "problem", "good")
	trials, err := runPrograms(t, dir, "adaptive", spec, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if len(trials) != 2 || trials[0].Problem != "exec:bowl" || trials[0].Dim != 3 || trials[0].Best > 8 || trials[1].Best < 1000 {
		t.Errorf("trials are %+v", trials)
	}
	for _, name := range []string{spec, "exec:bowl"} { // again, and for a table
		f := Filter{Problems: []string{name}}
		if got, err := f.Apply(trials); err != nil || len(got) != 2 {
			t.Errorf("%s chooses %d trials, %v", name, len(got), err)
		}
	}
	rows, err := Replay(t.Context(), ReplayOptions{Trials: trials, PerCell: 2, Jobs: 1, Problems: []string{spec}})
	if err != nil || !rows[0].Same() {
		t.Errorf("replay: %+v, %v", rows, err)
	}
	if rows, err = Replay(t.Context(), ReplayOptions{Trials: trials, PerCell: 1, Jobs: 1}); err != nil || rows[0].Failure == nil || !strings.Contains(rows[0].Failure.Error(), "exec:bowl=COMMAND") {
		t.Errorf("replay without the command: %+v, %v", rows, err)
	}

	reward, err := runPrograms(t, t.TempDir(), "adaptive", stub(t, "bowl", "problem", "maximize"), time.Minute)
	if err != nil || len(reward) != 2 {
		t.Fatalf("%d trials, %v", len(reward), err)
	}
	// The minimum that a program names is kept with its trials, turned to what is minimised.
	if trials[0].Minimum != nil || reward[0].Minimum == nil || *reward[0].Minimum != -7 {
		t.Errorf("minima are %v and %v, want none and -7", trials[0].Minimum, reward[0].Minimum)
	}
	if c := Curves(reward)[0]; c.Minimum == nil || *c.Minimum != -7 {
		t.Errorf("the curve's minimum is %v, want -7", c.Minimum)
	}
	if !slices.Equal(trials[0].Curve[:4], reward[0].Curve[:4]) {
		t.Errorf("maximised: %v, minimised: %v", reward[0].Curve, trials[0].Curve)
	}
}

func TestEvaluationsOfAProgramThatFail(t *testing.T) {
	trials, err := runPrograms(t, t.TempDir(), "random", stub(t, "bowl", "problem", "fails"), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if got := trials[0]; got.Failed != 7 || got.Failure != "the answer has no finite value" || len(got.Curve) != 10 {
		t.Errorf("trial is %+v", got)
	}
}

// A method that is a program begins where built-in methods begin.
func TestAProgramAsAMethod(t *testing.T) {
	spec := stub(t, "peer", "method", "slow")
	trials, err := runPrograms(t, t.TempDir(), spec, "branin", time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	built, err := runPrograms(t, t.TempDir(), "adaptive", "branin", time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	for i, tr := range trials {
		if tr.Method != "exec:peer" || len(tr.Curve) != 10 || !slices.Equal(tr.Curve[:4], built[i].Curve[:4]) {
			t.Errorf("trial is %+v, that of a built-in method %+v", tr, built[i])
		}
		// Four asks of 20 ms each.
		if tr.Seconds < 0.08 || runtime.GOOS == "linux" && tr.CPUSeconds >= tr.Seconds {
			t.Errorf("%v s, %v s of them CPU time", tr.Seconds, tr.CPUSeconds)
		}
	}
	again, err := runPrograms(t, t.TempDir(), spec, "branin", time.Minute)
	if diff := cmp.Diff(valuesOf(trials), valuesOf(again)); err != nil || diff != "" {
		t.Errorf("%v (-first +second):\n%s", err, diff)
	}
	if _, err := runPrograms(t, t.TempDir(), spec, stub(t, "bowl", "problem", "fails"), time.Minute); err != nil {
		t.Errorf("failed evaluations: %v", err)
	}
}

func TestProgramsThatMisbehave(t *testing.T) {
	good := map[string]string{"problem": "branin", "method": "random"}
	for _, c := range []struct{ role, kind, says string }{
		{"problem", "crash", "Segmentation fault"},
		{"problem", "hang", "no answer in time"},
		{"problem", "garbage", `it answered "step 5 of 10"`},
		{"method", "crash", "exit status 7"},
		{"method", "hang", "no answer in time"},
		{"method", "garbage", "not a JSON object"},
		{"method", "few", "answered with 1 points, asked for 2"},
		{"method", "outside", `parameter "x0" is 3`},
		{"method", "nan", "x0"},
	} {
		t.Run(c.role+" "+c.kind, func(t *testing.T) {
			specs := map[string]string{"problem": good["problem"], "method": good["method"]}
			specs[c.role] = stub(t, "bad", c.role, c.kind)
			limit := time.Minute
			if c.kind == "hang" {
				limit = time.Second / 2 // there is no answer, however long it is
			}
			dir := t.TempDir()
			_, err := runPrograms(t, dir, specs["method"], specs["problem"], limit)
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("want %q, got %v", c.says, err)
			}
			failures, err := ReadFailures(dir)
			if err != nil || len(failures) != 4 || !strings.Contains(failures[0].Error, c.says) {
				t.Errorf("failures are %+v, %v", failures, err)
			}
		})
	}
	for kind, says := range map[string]string{
		"limits": "the answer has no outcomes", "silent": "the first line: ",
	} {
		if _, err := runPrograms(t, t.TempDir(), "random", stub(t, "bad", "problem", kind), time.Minute); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: want %q, got %v", kind, says, err)
		}
	}
}

// A program that dies once costs an attempt.
func TestAProgramThatDiesIsStartedAgain(t *testing.T) {
	for _, role := range []string{"problem", "method"} {
		specs := map[string]string{"problem": "branin", "method": "random"}
		specs[role] = stub(t, "fragile", role, "crash-once")
		dir := t.TempDir()
		trials, err := runPrograms(t, dir, specs["method"], specs["problem"], time.Minute)
		failures, _ := ReadFailures(dir)
		if err != nil || len(trials) != 2 || len(failures) != 1 {
			t.Errorf("%s: %d trials, failures %+v, %v", role, len(trials), failures, err)
		}
	}
}

func TestProgramsStayHere(t *testing.T) {
	g := Grid{Methods: []string{"exec:a.py"}, Problems: []string{"branin"}, Dims: []int{0}, Batches: []int{1}, Init: 2, Trials: 1}
	err := Run(t.Context(), Options{Grids: []Grid{g}, Dir: t.TempDir(), Jobs: 1, Execute: func(context.Context, Assignment) (Trial, error) { panic("run") }})
	var input *InputError
	if !errors.As(err, &input) || !strings.Contains(err.Error(), "run here only") {
		t.Errorf("error is %v", err)
	}
}
