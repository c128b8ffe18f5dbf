//go:build unix

package main

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
)

// write makes a file in a fresh folder, executable if it is a script.
func write(t *testing.T, name, text string) string {
	t.Helper()
	return writeIn(t, t.TempDir(), name, text)
}

func writeIn(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

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

func readTrials(t *testing.T, file string) []trialLine {
	t.Helper()
	l, err := openTrialLog(file, func(note string) { t.Error(note) })
	if err != nil {
		t.Fatal(err)
	}
	l.close()
	return l.kept
}

func TestCommandOfTwoHundredParameters(t *testing.T) {
	file, script := write(t, "space.yaml", wide), write(t, "simulate", sumSquares)
	out := filepath.Join(t.TempDir(), "trials.jsonl")
	keep := filepath.Join(t.TempDir(), "output")
	args := func(evals int) []string {
		return []string{
			"minimize", "--space", file, "--method", "sobol", "--init", "5", "--evals", strconv.Itoa(evals), "--batch", "5",
			"--parallel", "2", "--out", out, "--keep-output", keep, "--json", "--", script, "--trial={trial}", "{w0}", "{{}}",
		}
	}
	var got optimiseResult
	if err := json.Unmarshal([]byte(must(t, args(15)...)), &got); err != nil {
		t.Fatal(err)
	}
	trials := readTrials(t, out)
	if len(trials) != 20 || got.Trials != 20 || got.Failed+got.Infeasible != 0 || got.Params.Len() != 200 || got.Method != "sobol" || got.Goal != "minimize" {
		t.Fatalf("%d trials, result %+v", len(trials), got)
	}
	for i, trial := range trials {
		var sum float64
		for name := range trial.Params.All() {
			sum += trial.Params.Float(name) * trial.Params.Float(name)
		}
		if trial.Number != i+1 || trial.Batch != i/5+1 || trial.Attempts != 1 || trial.Ended.Before(trial.Started) {
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

	// Running on continues: 5 more.
	if err := json.Unmarshal([]byte(must(t, args(20)...)), &got); err != nil {
		t.Fatal(err)
	}
	more := readTrials(t, out)
	if len(more) != 25 || got.Trials != 25 || more[24].Number != 25 || more[24].Batch != 5 {
		t.Errorf("after the second run %d trials, result %+v", len(more), got)
	}
	// One run over all is the same.
	out = filepath.Join(t.TempDir(), "other.jsonl")
	must(t, args(20)...)
	for i, trial := range readTrials(t, out) {
		if diff := cmp.Diff(trial.Params.Float("w7"), more[i].Params.Float("w7")); diff != "" {
			t.Errorf("trial %d in one run and in two:\n%s", i+1, diff)
		}
	}
}

func TestCommandForPeople(t *testing.T) {
	file := write(t, "space.yaml", "parameters:\n  a: {float: [0, 1]}\n  b: {choice: [x, y]}\n")
	script := write(t, "simulate", `#!/bin/sh
case $1 in 2) exit 7;; 4) echo '{"state": "infeasible"}';; *) echo "$2";; esac
`)
	stdout, stderr, code := call(t, "minimize", "--space", file, "--method", "random", "--init", "4", "--evals", "4", "--maximize", "--retries", "1", "--", script, "{trial}", "{a}")
	if code != 0 {
		t.Fatalf("exit code %d\n%s", code, stderr)
	}
	for _, says := range []string{"best value", "of 8, 1 failed, 1 infeasible (random, 2 parameters)", " b="} {
		if !strings.Contains(stdout, says) {
			t.Errorf("standard output lacks %q:\n%s", says, stdout)
		}
	}
	for _, says := range []string{"8/8 trials", "best 0.", "batch 5 0.", "per suggestion", "1 failed"} {
		if !strings.Contains(stderr, says) {
			t.Errorf("standard error lacks %q:\n%s", says, stderr)
		}
	}
}

func TestFailuresAreKept(t *testing.T) {
	file := write(t, "space.yaml", "parameters:\n  a: {float: [0, 1]}\n")
	out := filepath.Join(t.TempDir(), "trials.jsonl")
	script := write(t, "simulate", `#!/bin/sh
case $1 in
1) echo 1;;
2) echo no licence >&2; exit 7;;
3) echo nan;;
4) sleep 60;;
5) echo '{"value": 2, "std": 0.5}';;
esac
`)
	must(t, "minimize", "--space", file, "--method", "sobol", "--init", "1", "--evals", "4", "--timeout", "1s", "--retries", "1", "-q", "--out", out, "--", script, "{trial}")
	trials := readTrials(t, out)
	if len(trials) != 5 {
		t.Fatalf("%d trials", len(trials))
	}
	for i, want := range []struct {
		state    evaluate.State
		reason   string
		attempts int
	}{
		{evaluate.Complete, "", 1},
		{evaluate.Failed, "exit status 7: no licence", 2},
		{evaluate.Failed, "the value is NaN: only finite values can be modelled", 2},
		{evaluate.Failed, "it was ended after 1s: timeout", 2},
		{evaluate.Complete, "", 1},
	} {
		if got := trials[i]; got.State != want.state || got.Reason != want.reason || got.Attempts != want.attempts {
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
	foreign := write(t, "trials.jsonl", `{"number":1,"batch":1,"state":"complete","params":{"speed":1},"value":2}`+"\n")
	broken := write(t, "trials.jsonl", "hello\nworld\n")
	twice := write(t, "trials.jsonl", strings.Repeat(`{"number":1,"batch":1,"state":"failed","params":{"rate":0.1}}`+"\n", 2))
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
		{"--space " + good + " --out " + t.TempDir() + " -- true", "is a directory"},
		{"--space " + good + " --out " + foreign + " -- true", `parameter "speed" is not in the space`},
		{"--space " + good + " --out " + broken + " -- true", "trials.jsonl:1: this is not a trial"},
		{"--space " + good + " --out " + twice + " -- true", "trial 1 is there twice"},
		{"--problem branin --maximize", "--maximize goes with --space"},
		{"--problem branin --retries 1", "--retries goes with a command"},
		{"--problem branin -- ./simulate", "a command is given: ./simulate"},
	} {
		t.Run(c.args, func(t *testing.T) {
			stdout, stderr, code := call(t, append([]string{"minimize"}, words(c.args)...)...)
			if code != 2 || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, c.says) {
				t.Errorf("exit code %d, want one line with %q, got %q", code, c.says, stderr)
			}
		})
	}
}

func TestCommandThatNeverWorks(t *testing.T) {
	file := write(t, "space.yaml", "parameters:\n  a: {float: [0, 1]}\n")
	stdout, stderr, code := call(t, "minimize", "--space", file, "--method", "sobol", "--init", "3", "-q", "--", "sh", "-c", "echo no licence >&2; exit 3")
	if code != 1 || stdout != "" || !strings.Contains(stderr, "all of the first 3 failed, the last one: exit status 3: no licence") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
}

func TestExhaustedSpaceIsSaid(t *testing.T) {
	file := write(t, "space.yaml", "parameters:\n  a: {int: [1, 3]}\n  b: {bool: [false, true]}\n")
	stdout, stderr, code := call(t, "minimize", "--space", file, "--method", "sobol", "--init", "3", "--batch", "2", "-q", "--", "echo", "{a}")
	if code != 0 || !strings.Contains(stdout, "of 6 ") || !strings.Contains(stderr, "no parameters are left to try") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
}

func TestTornLogIsRepaired(t *testing.T) {
	file := write(t, "space.yaml", "parameters:\n  a: {float: [0, 1]}\n")
	const line = `{"number":3,"batch":2,"state":"complete","params":{"a":0.5},"value":2,"attempts":1}`
	for name, c := range map[string]struct {
		text, says string
		trials     int
	}{
		"torn":       {line + "\n" + line[:40], "torn (40 bytes)", 1},
		"no newline": {line, "holds 1 trials", 1},
	} {
		out := write(t, "trials.jsonl", c.text)
		_, stderr, code := call(t, "minimize", "--space", file, "--method", "sobol", "--init", "2", "--evals", "1", "--out", out, "--", "echo", "{trial}")
		if code != 0 || !strings.Contains(stderr, c.says) {
			t.Errorf("%s: exit code %d\n%s", name, code, stderr)
		}
		trials := readTrials(t, out)
		if len(trials) != 3 || trials[1].Number != 4 || *trials[1].Value != 4 || trials[1].Batch != 3 || trials[2].Number != 5 {
			t.Errorf("%s: trials are %+v", name, trials)
		}
	}
}

// The first Ctrl-C waits for what runs and keeps it.
func TestFirstCtrlC(t *testing.T) {
	file := write(t, "space.yaml", "parameters:\n  a: {float: [0, 1]}\n")
	out := filepath.Join(t.TempDir(), "trials.jsonl")
	script := write(t, "simulate", "#!/bin/sh\n[ $1 = 1 ] || sleep 0.5\necho $1\n")
	stdout, stderr, code := interrupt(t, "minimize", "--space", file, "--method", "sobol", "--evals", "1000", "--parallel", "3", "--out", out, "--json", "--", script, "{trial}")
	var got optimiseResult
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		t.Fatalf("no best point after Ctrl-C: %v\n%s", err, stdout)
	}
	if code != 130 || !strings.Contains(stderr, "waiting for the running trials") || !strings.Contains(stderr, "stopped after") {
		t.Errorf("exit code %d\n%s", code, stderr)
	}
	trials := readTrials(t, out)
	if len(trials) < 3 || len(trials) > 500 || len(trials) != got.Trials || trials[1].State != evaluate.Complete || trials[2].State != evaluate.Complete {
		t.Errorf("trials are %+v", trials)
	}
}

// The second Ctrl-C, or the end of the terminal, ends them and all their children.
func TestEndingTheRunningTrials(t *testing.T) {
	const stopped = "mahabo: stopped after 0 of 510 trials"
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
	c = exec.CommandContext(t.Context(), binary, "minimize", "--space", file, "--method", "sobol", "--", script, pidFile)
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
