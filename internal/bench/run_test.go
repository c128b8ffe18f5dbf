package bench

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/internal/methods"
)

func TestValuesDoNotDependOnThreads(t *testing.T) {
	grids := []Grid{
		{
			Methods: []string{"sobol", "random"}, Problems: []string{"branin", "hartmann6"}, Dims: []int{8, 20},
			Batches: []int{1, 4}, Evals: 10, Init: 4, Trials: 3, FirstTrial: 2,
		},
		{
			Methods: []string{"maha:d=1", "maha:d=true,fit=lbfgs"}, Problems: []string{"branin"}, Dims: []int{6},
			Batches: []int{1, 3}, Evals: 3, Init: 5, Trials: 1,
		},
	}
	var want []Trial
	ways := []struct{ procs, jobs, threads int }{{1, 1, 1}, {4, 5, 1}, {4, 1, 7}, {1, 2, 0}, {2, 1, 1}, {2, 2, 1}, {2, 1, 2}}
	if testing.Short() { // the first three have one trial at a time, several, and several threads of one
		ways = ways[:3]
	}
	for _, c := range ways {
		t.Run(fmt.Sprintf("GOMAXPROCS=%d/jobs=%d/threads=%d", c.procs, c.jobs, c.threads), func(t *testing.T) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(c.procs))
			dir := t.TempDir()
			if err := Run(t.Context(), Options{Grids: grids, Dir: dir, Jobs: c.jobs, Threads: c.threads, Version: "test"}); err != nil {
				t.Fatal(err)
			}
			got, err := Read(dir)
			if err != nil {
				t.Fatal(err)
			}
			if len(got) != 2*2*2*2*3+2*2 {
				t.Fatalf("%d trials", len(got))
			}
			if want == nil {
				want = valuesOf(got)
			}
			if diff := cmp.Diff(want, valuesOf(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestTrialsDifferAndMethodsShareTheirStart(t *testing.T) {
	dir := t.TempDir()
	g := small("sobol", "random")
	if err := runIn(t, dir, g); err != nil {
		t.Fatal(err)
	}
	trials, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	start := map[int][]float64{} // values of the initial design by trial
	for _, tr := range trials {
		if len(tr.Curve) != g.Init+g.Evals || tr.Version != "test" {
			t.Errorf("trial is %+v", tr)
		}
		if other, ok := start[tr.Trial]; ok && !cmp.Equal(other, tr.Curve[:g.Init]) {
			t.Errorf("trial %d starts differently for two methods", tr.Trial)
		}
		start[tr.Trial] = tr.Curve[:g.Init]
	}
	if cmp.Equal(start[0], start[1]) {
		t.Error("two trials have the same embedding and design")
	}
}

func TestInterruptedRunContinues(t *testing.T) {
	grid := small("sobol", "random")
	grid.Trials = 5
	whole, dir := t.TempDir(), t.TempDir()
	if err := runIn(t, whole, grid); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	err := Run(ctx, Options{Grids: []Grid{grid}, Dir: dir, Jobs: 1, Version: "test", OnTrial: func(p Progress) {
		if p.Done == 3 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("error is %v", err)
	}
	before := readFile(t, dir, trialsFile)
	if n := strings.Count(before, "\n"); n != 3 {
		t.Fatalf("%d trials before the interruption, want 3", n)
	}
	var seen []Progress
	err = Run(t.Context(), Options{Grids: []Grid{grid}, Dir: dir, Jobs: 1, Version: "test", OnTrial: func(p Progress) { seen = append(seen, p) }})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(readFile(t, dir, trialsFile), before) {
		t.Error("the finished trials were not kept")
	}
	a, errA := Read(whole)
	b, errB := Read(dir)
	if diff := cmp.Diff(valuesOf(a), valuesOf(b)); diff != "" || errA != nil || errB != nil {
		t.Errorf("%v %v (-whole +continued):\n%s", errA, errB, diff)
	}
	first, last := seen[0], seen[len(seen)-1]
	if len(seen) != 8 || first.Done != 3 || first.Kept != 3 || first.Last != nil || !first.Known || last.Done != 10 || last.Total != 10 || last.ETA != 0 {
		t.Errorf("%d progress calls, first %+v, last %+v", len(seen), first, last)
	}
}

// brokenRunner runs four trials, of which those in fails fail at their first
// attempts, as many as the map says.
func brokenRunner(t *testing.T, dir string, fails map[int]int, broken func() error) (notes []string, err error) {
	t.Helper()
	grid := small("sobol")
	grid.Trials = 4
	s := setting{version: "test", threads: 1}
	jobs, err := plan(t.Context(), &s, []Grid{grid})
	if err != nil {
		t.Fatal(err)
	}
	f, err := openFolder(dir, jobs, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	r := newRunner(Options{Jobs: 2, Version: "test", OnNote: func(n string) { notes = append(notes, n) }}, s, f, jobs)
	run := r.execute
	var mu sync.Mutex
	r.execute = func(ctx context.Context, j job) (Trial, error) {
		mu.Lock()
		fails[j.trial]--
		left := fails[j.trial]
		mu.Unlock()
		if left >= 0 {
			return Trial{}, broken()
		}
		return run(ctx, j)
	}
	err = r.run(t.Context())
	if closeErr := f.close(); closeErr != nil {
		t.Fatal(closeErr)
	}
	return notes, err
}

func TestOneFailureDoesNotStopTheOthers(t *testing.T) {
	dir := t.TempDir()
	broken := errors.New("not positive definite")
	notes, err := brokenRunner(t, dir, map[int]int{1: 2, 2: 1}, func() error { return broken })
	if !errors.Is(err, broken) || !strings.Contains(err.Error(), "sobol on branin, dim 5, batch 2, trial 1") || strings.Contains(err.Error(), "trial 2") {
		t.Errorf("error is %v", err)
	}
	if trials, err := Read(dir); err != nil || len(trials) != 3 {
		t.Errorf("%d trials kept, %v", len(trials), err)
	}
	failures, err := ReadFailures(dir)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]bool{}
	for _, f := range failures {
		got[fmt.Sprintf("%d/%d %s %s", f.Trial, f.Attempt, f.Error, f.Version)] = true
	}
	want := map[string]bool{
		"1/1 not positive definite test": true, "1/2 not positive definite test": true, "2/1 not positive definite test": true,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("failures (-want +got):\n%s", diff)
	}
	if all := strings.Join(notes, "\n"); strings.Count(all, "once more") != 2 || strings.Count(all, "left out") != 1 {
		t.Errorf("notes:\n%s", all)
	}

	// The next run makes what is missing.
	if _, err := brokenRunner(t, dir, map[int]int{}, nil); err != nil {
		t.Fatal(err)
	}
	if trials, err := Read(dir); err != nil || len(trials) != 4 {
		t.Errorf("%d trials in the end, %v", len(trials), err)
	}
}

func TestAPanicIsTheFailureOfItsTrial(t *testing.T) {
	dir := t.TempDir()
	_, err := brokenRunner(t, dir, map[int]int{3: 2}, func() error { panic("index out of range") })
	if err == nil || !strings.Contains(err.Error(), "trial 3: panic: index out of range") {
		t.Errorf("error is %v", err)
	}
	if trials, err := Read(dir); err != nil || len(trials) != 3 {
		t.Errorf("%d trials kept, %v", len(trials), err)
	}
}

// stuck is a method that fails to choose every third time.
type stuck struct {
	optimiser
	asked int
}

func (s *stuck) Ask(ctx context.Context, n int) ([]evaluate.Trial, error) {
	s.asked++
	return s.optimiser.Ask(ctx, n)
}

func (s *stuck) fallbacks() int { return s.asked / 3 }

// A benchmark says when its numbers are not all the method's own.
func TestFallbacksAreCountedAndTold(t *testing.T) {
	dir := t.TempDir()
	here := setting{version: "test", threads: 1}
	jobs, err := plan(t.Context(), &here, []Grid{small("sobol")})
	if err != nil {
		t.Fatal(err)
	}
	f, err := openFolder(dir, jobs, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	var notes []string
	r := newRunner(Options{Jobs: 1, Version: "test", OnNote: func(n string) { notes = append(notes, n) }}, here, f, jobs)
	r.execute = func(ctx context.Context, j job) (Trial, error) {
		runtime.LockOSThread() // the CPU clock belongs to a thread
		defer runtime.UnlockOSThread()
		p, end, err := here.problem(ctx, j)
		if err != nil {
			return Trial{}, err
		}
		defer end()
		c, err := j.config(methods.BuiltIn(), p)
		if err != nil {
			return Trial{}, err
		}
		o, err := here.optimiser(ctx, j, c)
		if err != nil {
			return Trial{}, err
		}
		if j.trial == 0 {
			o = &stuck{optimiser: o}
		}
		t, err := j.play(ctx, here, p, o, j.evals)
		return t, errors.Join(err, o.close(ctx))
	}
	if err := errors.Join(r.run(t.Context()), f.close()); err != nil {
		t.Fatal(err)
	}
	trials, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	rounds := 0
	for _, trial := range trials {
		if trial.Trial == 0 {
			rounds = trial.Fallbacks
		} else if trial.Fallbacks != 0 {
			t.Errorf("trial %d has %d fallbacks", trial.Trial, trial.Fallbacks)
		}
	}
	if rounds == 0 || len(notes) != 1 || !strings.Contains(notes[0], fmt.Sprintf("sobol on branin, dim 5, batch 2, trial 0: rounds of uniform points, as the method could not choose: %d", rounds)) {
		t.Errorf("%d fallbacks; notes: %q", rounds, notes)
	}
	table := render(t, func(b *strings.Builder) error { return Table(b, Summarise(trials), CSV) })
	if header, row, _ := strings.Cut(table, "\n"); !strings.HasSuffix(header, ",fallbacks") || !strings.HasSuffix(strings.TrimSpace(row), fmt.Sprint(",", rounds)) {
		t.Errorf("table:\n%s", table)
	}
}

func TestOtherVersionsAreKeptWithANote(t *testing.T) {
	dir := t.TempDir()
	if err := runIn(t, dir, small("sobol")); err != nil {
		t.Fatal(err)
	}
	var notes []string
	origin := Origin{Command: "mahabo bench run", Jobs: 1, Version: "v2", Machine: ThisMachine()}
	o := Options{Grids: []Grid{small("sobol", "random")}, Dir: dir, Jobs: 1, Version: "v2", Origin: &origin, OnNote: func(n string) { notes = append(notes, n) }}
	for range 2 {
		if err := Run(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	if len(notes) != 2 || !strings.Contains(notes[0], "2 finished trials are of version test and are kept, this is v2") {
		t.Errorf("notes are %q", notes)
	}
	origins, err := ReadOrigins(dir)
	if err != nil {
		t.Fatal(err)
	}
	// The second run had nothing to do.
	if diff := cmp.Diff([]Origin{origin}, origins); diff != "" {
		t.Errorf("runs (-want +got):\n%s", diff)
	}
}

func TestProgressOfRows(t *testing.T) {
	grid := small("sobol", "random")
	grid.Batches = []int{1, 2}
	starts := 0
	err := Run(t.Context(), Options{
		Grids: []Grid{grid}, Dir: t.TempDir(), Jobs: 2, Version: "test",
		OnStart: func(p Progress) {
			starts++
			running := 0
			for _, r := range p.Rows {
				running += r.Running
			}
			if running < 1 || running > 2 || len(p.Rows) != 4 {
				t.Errorf("%d trials run, %d rows", running, len(p.Rows))
			}
		},
		OnTrial: func(p Progress) {
			done := 0
			for _, r := range p.Rows {
				done += r.Done
				if r.Total != 2 || r.Done == 2 && r.ETA != 0 {
					t.Errorf("row %+v", r)
				}
			}
			if row, ok := p.Row(); done != p.Done || ok != (p.Last != nil) || ok && (row.Done < 1 || row.Cell != p.Last.Cell) {
				t.Errorf("%d trials of rows, %d of all; the row of the last is %+v", done, p.Done, row)
			}
		},
	})
	if err != nil || starts != 8 {
		t.Errorf("%d trials started, %v", starts, err)
	}
}

func TestPlanOrderAndDuplicates(t *testing.T) {
	g := Grid{Methods: []string{"sobol"}, Problems: []string{"branin"}, Dims: []int{9, 0}, Batches: []int{1, 5}, Evals: 1, Init: 1, Trials: 2}
	jobs, err := plan(t.Context(), &setting{}, []Grid{g, g})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, j := range jobs {
		got = append(got, fmt.Sprintf("trial %d dim %d batch %d", j.trial, j.Dim, j.Batch))
	}
	want := []string{
		"trial 0 dim 2 batch 5", "trial 0 dim 2 batch 1", "trial 0 dim 9 batch 5", "trial 0 dim 9 batch 1",
		"trial 1 dim 2 batch 5", "trial 1 dim 2 batch 1", "trial 1 dim 9 batch 5", "trial 1 dim 9 batch 1",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestBadGrids(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(*Grid)
		says  string
	}{
		{"no method", func(g *Grid) { g.Methods = nil }, "method"},
		{"no problem", func(g *Grid) { g.Problems = nil }, "problem"},
		{"no dim", func(g *Grid) { g.Dims = nil }, "dimension"},
		{"no batch", func(g *Grid) { g.Batches = nil }, "batch"},
		{"negative evals", func(g *Grid) { g.Evals = -1 }, "evals is -1"},
		{"init 0", func(g *Grid) { g.Init = 0 }, "init is 0"},
		{"trials 0", func(g *Grid) { g.Trials = 0 }, "trials is 0"},
		{"negative first trial", func(g *Grid) { g.FirstTrial = -1 }, "first trial is -1"},
		{"negative dim", func(g *Grid) { g.Dims = []int{5, -1} }, "dim is -1"},
		{"dim below the problem's", func(g *Grid) { g.Dims = []int{1} }, "dim is 1"},
		{"batch 0", func(g *Grid) { g.Batches = []int{1, 0} }, "batch is 0"},
		{"unknown method", func(g *Grid) { g.Methods = []string{"sobl"} }, `"sobl"`},
		{"unknown option", func(g *Grid) { g.Methods = []string{"sobol:x=1"} }, `"x"`},
		{"d above D", func(g *Grid) { g.Methods = []string{"maha:d=6"} }, "d is 6"},
		{"unknown problem", func(g *Grid) { g.Problems = []string{"brannin"} }, `"brannin"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := small("sobol")
			c.spoil(&g)
			dir := t.TempDir() + "/results"
			err := runIn(t, dir, g)
			var input *InputError
			if !errors.As(err, &input) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("error is %v, want one that says %q", err, c.says)
			}
			if _, err := Read(dir); err == nil {
				t.Error("a folder was made")
			}
		})
	}
	var input *InputError
	if err := Run(t.Context(), Options{Grids: []Grid{small("sobol")}, Dir: t.TempDir()}); !errors.As(err, &input) {
		t.Errorf("no jobs: error is %v", err)
	}
	other := small("sobol")
	other.Evals++
	if err := runIn(t, t.TempDir(), small("sobol"), other); !errors.As(err, &input) {
		t.Errorf("two grids with different settings: error is %v", err)
	}
}

func TestThreadsAreForOneTrialAtATime(t *testing.T) {
	elsewhere := func(context.Context, Assignment) (Trial, error) { return Trial{}, nil }
	for _, o := range []Options{{Jobs: 1, Threads: -1}, {Jobs: 2, Threads: 2}, {Jobs: 9, Threads: 2, Execute: elsewhere}} {
		o.Grids, o.Dir = []Grid{small("sobol")}, t.TempDir()
		var bad *InputError
		if err := Run(t.Context(), o); !errors.As(err, &bad) || !strings.Contains(err.Error(), "threads is") {
			t.Errorf("%d threads, %d jobs: %v", o.Threads, o.Jobs, err)
		}
	}
}
