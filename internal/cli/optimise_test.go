//go:build unix

package cli

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/study"
)

const wide = `
parameters:
  "w[0:198]": {float: [-1, 1]}
  layers: {int: [1, 4]}
constraints:
  - w0 + w1 <= 0.5
`

// sumSquares reads the JSON object on standard input: the sum of all squares.
const sumSquares = `#!/bin/sh
tr ',{}' '\n' | awk -F: 'NF == 2 { n++; s += $2*$2 } END { if (n != 200) exit 1; print "parameters", n; print s }'
`

// readTrials returns the trials of a study in a store.
func readTrials(t *testing.T, store, name string) (trials []study.Trial) {
	t.Helper()
	for line := range strings.Lines(must(t, "study", "export", name, "--format", "jsonl", "--store", store)) {
		trials = append(trials, decode[study.Trial](t, line))
	}
	return trials
}

// inStore is a store in a fresh folder.
func inStore(t *testing.T) string { return "sqlite:" + filepath.Join(t.TempDir(), "studies.db") }

func TestCommandOfTwoHundredParameters(t *testing.T) {
	file, script := write(t, "space.yaml", wide), write(t, "simulate", sumSquares)
	keep := filepath.Join(t.TempDir(), "output")
	run := func(store string, evals int) (got optimiseResult) {
		return decode[optimiseResult](t, must(t, "minimize", "--space", file, "--store", store, "--method", "sobol", "--init", "5", "--evals", strconv.Itoa(evals), "--batch", "5",
			"--parallel", "2", "--keep-output", keep, "--json", "--", script, "--trial={trial}", "{w0}", "{{}}"))
	}
	store := inStore(t)
	got := run(store, 15)
	trials := readTrials(t, store, "space")
	if len(trials) != 20 || got.Trials != 20 || got.Failed+got.Infeasible != 0 || got.Params.Len() != 200 || got.Method != "sobol" || got.Goal != "minimize" || got.Study != "space" {
		t.Fatalf("%d trials, result %+v", len(trials), got)
	}
	for i, trial := range trials {
		var sum float64
		for name := range trial.Params.All() {
			sum += trial.Params.Float(name) * trial.Params.Float(name)
		}
		if trial.Number != i+1 || trial.Batch != i/5+1 || trial.Told.Before(trial.Asked) {
			t.Errorf("trial %d is %+v", i+1, trial)
		}
		if d := *trial.Value/sum - 1; d > 1e-4 || d < -1e-4 { // awk prints six digits
			t.Errorf("trial %d has value %g, want %g", trial.Number, *trial.Value, sum)
		}
		if *trial.Value < got.Best {
			t.Errorf("trial %d has value %g, below the best, %g", trial.Number, *trial.Value, got.Best)
		}
		if trial.Params.Float("w0")+trial.Params.Float("w1") > 0.5+1e-9 {
			t.Errorf("trial %d breaks the constraint", trial.Number)
		}
	}
	kept, err := os.ReadFile(filepath.Join(keep, "20.out"))
	if err != nil || !strings.HasPrefix(string(kept), "parameters 200\n") {
		t.Errorf("kept %q (%v)", kept, err)
	}

	// Running on continues: 5 more. One run over all is the same.
	if got := run(store, 20); got.Trials != 25 {
		t.Errorf("after the second run the result is %+v", got)
	}
	more, other := readTrials(t, store, "space"), inStore(t)
	run(other, 20)
	for i, trial := range readTrials(t, other, "space") {
		if trial.Params.String() != more[i].Params.String() || trial.Batch != more[i].Batch {
			t.Errorf("trial %d differs in one run and in two", i+1)
		}
	}
}

// Two runs of a study at once make its trials together, not each all of them.
func TestRunsShareTheWork(t *testing.T) {
	const total, runs = 24, 3
	file := write(t, "space.yaml", "parameters:\n  \"a[0:2]\": {float: [0, 1]}\n")
	script := write(t, "simulate", "#!/bin/sh\nsleep 0.2\necho $1\n")
	store := inStore(t)
	var all []*exec.Cmd
	for range runs {
		all = append(all, begin(t, "minimize", "--space", file, "--store", store, "--method", "sobol", "--init", "4", "--evals", strconv.Itoa(total-4), "-q", "--keep-output", "none", "--", script, "{a0}"))
		for len(all) == 1 { // there is one study
			if _, _, code := call(t, "study", "show", "space", "--store", store); code == 0 {
				break
			}
		}
	}
	for _, c := range all {
		if err := c.Wait(); err != nil {
			t.Error(err)
		}
	}
	workers := map[string]int{}
	for _, trial := range readTrials(t, store, "space") {
		workers[trial.Worker]++
	}
	made := 0
	for _, n := range workers {
		made += n
	}
	if len(workers) != runs || made < total || made >= total+runs { // the last ones may be taken at the same time
		t.Errorf("%d trials were wanted, made were %v", total, workers)
	}
	if _, stderr, _ := call(t, "minimize", "--space", file, "--store", store, "--evals", "2", "--keep-output", "none", "--", script, "{a0}"); !strings.Contains(stderr, "raise --evals") {
		t.Errorf("a run with nothing left to do says %q", stderr)
	}
}

// A run after which no trial has a value is a failure, and says what to do.
func TestNoTrialHasAValue(t *testing.T) {
	file := write(t, "space.yaml", "parameters:\n  a: {float: [0, 1]}\n")
	for name, c := range map[string]struct {
		program []string
		says    []string
	}{
		"failed":     {[]string{"false"}, []string{"all of the first 3 failed", "no trial of study space has a value: 5 failed, 0 are infeasible"}},
		"infeasible": {[]string{"echo", `{{"state":"infeasible","reason":"cold"}}`}, []string{"no trial of study space has a value: 0 failed, 5 are infeasible", "5 are infeasible"}},
	} {
		store := inStore(t)
		for _, says := range c.says {
			args := append([]string{"minimize", "--space", file, "--store", store, "--init", "3", "--evals", "2", "-q", "--json", "--keep-output", "none", "--"}, c.program...)
			if stdout, stderr, code := call(t, args...); code != 1 || stdout != "" || !strings.Contains(stderr, says) {
				t.Errorf("%s: exit code %d, %q, %q, want %q", name, code, stdout, stderr, says)
			}
		}
	}
}

// A run that is killed loses nothing: the next one evaluates what was open, at once and in
// the same order, and ends with the trials of one that was left alone.
func TestKilledRunContinues(t *testing.T) {
	file := write(t, "space.yaml", "parameters:\n  \"a[0:2]\": {float: [0, 1]}\n")
	script := write(t, "simulate", "#!/bin/sh\nsleep 0.02\necho $1\n")
	args := func(store string) []string {
		return []string{"minimize", "--space", file, "--store", store, "--method", "vanilla", "--init", "4", "--evals", "8", "--batch", "4", "-q", "--keep-output", "none", "--", script, "{a0}"}
	}
	alone, killed := inStore(t), inStore(t)
	must(t, args(alone)...)
	for i := range 6 {
		c := exec.CommandContext(t.Context(), binary, args(killed)...)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(time.Duration(60+40*i)*time.Millisecond, func() { _ = c.Process.Kill() })
		_ = c.Wait()
	}
	must(t, args(killed)...)
	a, b := readTrials(t, alone, "space"), readTrials(t, killed, "space")
	if len(a) != 12 || len(b) != 12 {
		t.Fatalf("%d and %d trials", len(a), len(b))
	}
	for i := range a {
		if a[i].Params.String() != b[i].Params.String() || b[i].State != evaluate.Complete || *a[i].Value != *b[i].Value {
			t.Errorf("trial %d is %+v, undisturbed %+v", i+1, b[i], a[i])
		}
	}
}

func TestAnotherStudyIsRefused(t *testing.T) {
	file := write(t, "space.yaml", "parameters:\n  a: {float: [0, 1]}\n")
	other := write(t, "space.yaml", "parameters:\n  a: {float: [0, 2]}\n")
	store := inStore(t)
	run := func(flags string) []string {
		return append(words("minimize --store "+store+" --evals 1 --init 2 --keep-output none "+flags), "--", "echo", "{a}")
	}
	must(t, run("--method sobol --seed 3 --space "+file)...)
	stdout, stderr, code := call(t, run("--space "+file)...)
	if code != 0 || !strings.Contains(stderr, "continuing study space in "+store+": 3 trials, 3 complete") || !strings.Contains(stdout, "(sobol, 1 parameter)") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
	for flags, says := range map[string]string{
		"--space " + other:                     "other parameters",
		"--space " + file + " --method random": "the method sobol: leave out --method",
		"--space " + file + " --maximize":      "the goal minimize: leave out --maximize",
		"--space " + file + " --seed 4":        "the seed 3: leave out --seed",
		"--space " + file + " --study a/b":     "name is",
	} {
		refused(t, says, run(flags)...)
	}
	must(t, run("--study second --maximize --space "+file)...)
	refused(t, "the goal maximize: add --maximize", run("--study second --space "+file)...)
}

func TestProblemInAStudy(t *testing.T) {
	store := inStore(t)
	run := words("minimize --problem branin --dim 5 --method sobol --init 3 --evals 4 --json -q --study b --store " + store)
	first := decode[optimiseResult](t, must(t, run...))
	if again := decode[optimiseResult](t, must(t, run...)); first.Trials != 7 || again.Trials != 7 || again.Best != first.Best {
		t.Errorf("first %+v, again %+v", first, again)
	}
	refused(t, "other parameters", words("minimize --problem colville --dim 5 --study b --store "+store)...)
}

func TestCommandForPeople(t *testing.T) {
	file := write(t, "space.yaml", "parameters:\n  a: {float: [0, 1]}\n  b: {choice: [x, y]}\n")
	script := write(t, "simulate", `#!/bin/sh
case $1 in 2) exit 7;; 4) echo '{"state": "infeasible"}';; *) echo "$2";; esac
`)
	stdout, stderr, code := call(t, "minimize", "--space", file, "--method", "random", "--init", "4", "--evals", "4", "--maximize", "--retries", "1", "--store", inStore(t), "--keep-output", "none", "--", script, "{trial}", "{a}")
	if code != 0 {
		t.Fatalf("exit code %d\n%s", code, stderr)
	}
	for _, says := range []string{"best value", "of 8, 1 failed, 1 infeasible (random, 2 parameters)", " b="} {
		if !strings.Contains(stdout, says) {
			t.Errorf("standard output lacks %q:\n%s", says, stdout)
		}
	}
	for _, says := range []string{"8/8 trials", "1 running", "best 0.", "left", "1 failed"} {
		if !strings.Contains(stderr, says) {
			t.Errorf("standard error lacks %q:\n%s", says, stderr)
		}
	}
}

func TestFailuresAreKept(t *testing.T) {
	file := write(t, "space.yaml", "parameters:\n  a: {float: [0, 1]}\n")
	store := inStore(t)
	script := write(t, "simulate", `#!/bin/sh
case $1 in
1) echo 1;;
2) echo no licence >&2; exit 7;;
3) echo nan;;
4) sleep 60;;
5) echo '{"value": 2, "std": 0.5}';;
esac
`)
	must(t, "minimize", "--space", file, "--method", "sobol", "--init", "1", "--evals", "4", "--timeout", "1s", "--retries", "1", "-q", "--store", store, "--keep-output", "none", "--", script, "{trial}")
	trials := readTrials(t, store, "space")
	if len(trials) != 5 {
		t.Fatalf("%d trials", len(trials))
	}
	for i, want := range []struct {
		state  evaluate.State
		reason string
	}{
		{evaluate.Complete, ""},
		{evaluate.Failed, "exit status 7: no licence"},
		{evaluate.Failed, "the value is NaN: only finite values can be modelled"},
		{evaluate.Failed, "it was ended after 1s: timeout"},
		{evaluate.Complete, ""},
	} {
		if got := trials[i]; got.State != want.state || got.Reason != want.reason {
			t.Errorf("trial %d is %+v, want %+v", i+1, got, want)
		}
	}
	if trials[4].Std != 0.5 {
		t.Errorf("std is %g", trials[4].Std)
	}
}

func TestOptimiseUsageErrors(t *testing.T) {
	good := write(t, "space.yaml", "parameters:\n  rate: {log: [1e-3, 1]}\n")
	bad := write(t, "space.yaml", "parameters:\n  rate: {log: [0, 1]}\n")
	for _, c := range []struct{ args, says string }{
		{"--space " + good, "give a command after --"},
		{"--space " + good + ".yml -- true", "no such file"},
		{"--space " + bad + " -- true", "space.yaml: line 2, column"},
		{"--space " + good + " --problem branin -- true", "--problem"},
		{"--space " + good + " --dim 3 -- true", "--dim goes with --problem"},
		{"--space " + good + " --parallel 2", "--parallel goes with a command"},
		{"--space " + good + " --timeout 2s", "--timeout goes with a command"},
		{"--space " + good + " --parallel 0 -- true", "--parallel is 0"},
		{"--space " + good + " --timeout -1s -- true", "--timeout is -1s"},
		{"--space " + good + " --timeout soon -- true", "--timeout"},
		{"--space " + good + " --retries -1 -- true", "--retries is -1"},
		{"--space " + good + " --method moha -- true", `did you mean "maha"?`},
		{"--space " + good + " --method maha:d=2 -- true", "d is 2"},
		{"--space " + good + " -- true {rat}", `did you mean "rate"?`},
		{"--space " + good + " -- true {", "write {{"},
		{"--space " + good + " -- no-such-program", "cannot be run"},
		{"--space " + good + " --out " + t.TempDir() + " -- true", "is a folder"},
		{"--problem branin --maximize", "--maximize goes with --space"},
		{"--problem branin --retries 1", "--retries goes with a command"},
		{"--problem branin -- ./simulate", "a command is given: ./simulate"},
	} {
		t.Run(c.args, func(t *testing.T) {
			stdout, stderr, code := call(t, append([]string{"minimize", "--store", inStore(t)}, words(c.args)...)...)
			if code != 2 || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, c.says) {
				t.Errorf("exit code %d, want one line with %q, got %q", code, c.says, stderr)
			}
		})
	}
}

func TestCommandThatNeverWorks(t *testing.T) {
	file := write(t, "space.yaml", "parameters:\n  a: {float: [0, 1]}\n")
	stdout, stderr, code := call(t, "minimize", "--space", file, "--method", "sobol", "--init", "3", "-q", "--store", inStore(t), "--keep-output", "none", "--", "sh", "-c", "echo no licence >&2; exit 3")
	if code != 1 || stdout != "" || !strings.Contains(stderr, "all of the first 3 failed, the last one: exit status 3: no licence") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
}

// The same command again does not spend the whole budget on what does not work.
func TestCommandThatStillDoesNotWork(t *testing.T) {
	file, store := write(t, "space.yaml", "parameters:\n  a: {float: [0, 1]}\n"), inStore(t)
	for _, says := range []string{
		"all of the first 5 failed, the last one: exit status 3: no licence for 5",
		"all of the first 8 failed, the last one: exit status 3: no licence for 8",
		"all of the first 11 failed, the last one: exit status 3: no licence for 11",
		"no trial of study space has a value: 12 failed, 0 are infeasible; the last one that failed: exit status 3: no licence for 12",
		"no trial of study space has a value: 12 failed, 0 are infeasible; the last one that failed: exit status 3: no licence for 12",
	} {
		_, stderr, code := call(t, "minimize", "--space", file, "--method", "sobol", "--init", "5", "--evals", "7", "-q", "--store", store, "--keep-output", "none", "--", "sh", "-c", "echo no licence for {trial} >&2; exit 3")
		if code != 1 || !strings.Contains(stderr, says) {
			t.Errorf("exit code %d, %s, want %q", code, stderr, says)
		}
	}
	if n := len(readTrials(t, store, "space")); n != 12 {
		t.Errorf("%d trials", n)
	}
}

func TestExhaustedSpaceIsSaid(t *testing.T) {
	file := write(t, "space.yaml", "parameters:\n  a: {int: [1, 3]}\n  b: {bool: [false, true]}\n")
	stdout, stderr, code := call(t, "minimize", "--space", file, "--method", "sobol", "--init", "3", "--batch", "2", "-q", "--store", inStore(t), "--keep-output", "none", "--", "echo", "{a}")
	if code != 0 || !strings.Contains(stdout, "of 6 ") || !strings.Contains(stderr, "no parameters are left to try") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
}

// The first Ctrl-C waits for what runs and keeps it.
func TestFirstCtrlC(t *testing.T) {
	file := write(t, "space.yaml", "parameters:\n  a: {float: [0, 1]}\n")
	store := inStore(t)
	script := write(t, "simulate", "#!/bin/sh\n[ $1 = 1 ] || sleep 0.5\necho $1\n")
	stdout, stderr, code := interrupt(t, "minimize", "--space", file, "--method", "sobol", "--evals", "1000", "--parallel", "3", "--store", store, "--keep-output", "none", "--json", "--", script, "{trial}")
	var got optimiseResult
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		t.Fatalf("no best point after Ctrl-C: %v\n%s", err, stdout)
	}
	if code != 130 || !strings.Contains(stderr, "waiting for the running trials") || !strings.Contains(stderr, "stopped after") {
		t.Errorf("exit code %d\n%s", code, stderr)
	}
	states := map[evaluate.State]int{}
	for _, trial := range readTrials(t, store, "space") {
		states[trial.State]++
	}
	if states[evaluate.Complete] < 3 || states[evaluate.Complete] != got.Trials || states[study.Running] > 0 { // the rest of the design waits
		t.Errorf("the states are %v, the result %+v", states, got)
	}
}

// The second Ctrl-C, or the end of the terminal, ends them and all their children.
func TestEndingTheRunningTrials(t *testing.T) {
	const stopped = "mahabo: stopped after 0 of 510 trials; the same command continues"
	for name, c := range map[string]struct {
		first syscall.Signal
		said  []string
	}{
		"second Ctrl-C":   {syscall.SIGINT, []string{"mahabo: waiting for the running trials; Ctrl-C again ends them", "mahabo: ending the running trials", stopped}},
		"end of terminal": {syscall.SIGHUP, []string{stopped}},
	} {
		t.Run(name, func(t *testing.T) {
			cmd, pipe, pid := startSleeper(t)
			_ = cmd.Process.Signal(c.first)
			var said []string
			for scan := bufio.NewScanner(pipe); scan.Scan(); {
				if strings.Contains(scan.Text(), "trials  ") {
					continue // the progress
				}
				said = append(said, scan.Text())
				if len(said) == 1 && c.first == syscall.SIGINT {
					_ = cmd.Process.Signal(syscall.SIGINT)
				}
			}
			_ = cmd.Wait()
			if diff := cmp.Diff(c.said, said); diff != "" || cmd.ProcessState.ExitCode() != 130 {
				t.Errorf("exit code %d, said (-want +got):\n%s", cmd.ProcessState.ExitCode(), diff)
			}
			for end := time.Now().Add(5 * time.Second); running(pid); time.Sleep(10 * time.Millisecond) {
				if time.Now().After(end) {
					t.Fatal("a child of the command outlives it")
				}
			}
		})
	}
}

// startSleeper starts a run whose command waits for a child, and returns when it does.
func startSleeper(t *testing.T) (c *exec.Cmd, stderr io.Reader, pid int) {
	t.Helper()
	file := write(t, "space.yaml", "parameters:\n  a: {float: [0, 1]}\n")
	pidFile := filepath.Join(t.TempDir(), "pid")
	script := write(t, "simulate", "#!/bin/sh\nsleep 60 & echo $! >\"$1.tmp\"; mv \"$1.tmp\" \"$1\"; wait\n")
	c = exec.CommandContext(t.Context(), binary, "minimize", "--space", file, "--method", "sobol", "--store", inStore(t), "--keep-output", "none", "--", script, pidFile)
	stderr, err := c.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(20 * time.Second); pid == 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the command was not started")
		}
		if text, err := os.ReadFile(pidFile); err == nil {
			if pid, err = strconv.Atoi(strings.TrimSpace(string(text))); err != nil {
				t.Fatal(err)
			}
		}
	}
	return c, stderr, pid
}

// running says whether a process is there and not a zombie.
func running(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err != nil || !strings.Contains(string(stat), ") Z ")
}
