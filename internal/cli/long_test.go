//go:build unix

package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/study"
)

const oneLevel = "parameters:\n  level: {float: [0, 1]}\n"

// learner is a program that trains in nine steps. It keeps its step in the folder of its trial and goes on
// from there, says from where it began, and waits at a step while a file of that name is there.
const learner = `#!/bin/sh
# arguments: level, folder of files to wait for
file=$MAHABO_CHECKPOINT/step
step=$(cat "$file" 2>/dev/null || echo 0)
echo "from step $step"
trap 'echo "asked to end"; exit 143' TERM
while [ "$step" -lt 9 ]; do
	step=$((step+1))
	echo "$step" > "$file.part" && mv "$file.part" "$file"
	awk -v l="$1" -v s="$step" 'BEGIN { printf "{\"step\": %d, \"value\": %.6f}\n", s, l + 1/s }'
	while [ -e "$2/wait$step" ]; do sleep 0.05; done
	sleep 0.02
done
awk -v l="$1" 'BEGIN { printf "{\"value\": %.6f, \"cost\": 2}\n", l + 1/9 }'
`

func waitUntil(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !ok(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited too long for %s", what)
		}
	}
}

func printedBy(t *testing.T, dir string, number int) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, fmt.Sprintf("%d.out", number)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A trial that is stopped ends early, is neither complete nor the best, and goes on from its checkpoint when it is tried
// again.
func TestStoppedProgramGoesOn(t *testing.T) {
	file, script, store, dir := write(t, "space.yaml", oneLevel), write(t, "learn", learner), inStore(t), t.TempDir()
	out := filepath.Join(dir, "out")
	command := []string{"minimize", "--space", file, "--study", "net", "--store", store, "--method", "sobol", "--init", "6", "--stop", "asha:first=3,after=2",
		"--keep-output", out, "--checkpoints", filepath.Join(dir, "points"), "--json"}
	run := func(evals string) optimiseResult {
		return decode[optimiseResult](t, must(t, append(append([]string{}, command...), "--evals", evals, "--", script, "{level}", dir)...))
	}
	got := run("4")
	var stopped []study.Trial
	for _, trial := range decode[[]study.Trial](t, must(t, "trials", "net", "--store", store, "--limit", "0", "--json")) {
		printed := printedBy(t, out, trial.Number)
		switch trial.State {
		case evaluate.Stopped:
			stopped = append(stopped, trial)
			if trial.Value != nil || trial.Last == nil || trial.Last.Step < 3 || trial.CountsAs == nil || !strings.HasPrefix(trial.Reason, "asha: place") || strings.Contains(printed, `"cost"`) {
				t.Errorf("trial %d is %+v and printed %q", trial.Number, trial, printed)
			}
		case evaluate.Complete:
			if trial.Cost != 2 {
				t.Errorf("trial %d cost %v", trial.Number, trial.Cost)
			}
		default:
			t.Errorf("trial %d is %s", trial.Number, trial.State)
		}
	}
	if len(stopped) == 0 || got.Trials != 10 || got.Stopped != len(stopped) {
		t.Fatalf("%d trials were stopped, the result is %+v", len(stopped), got)
	}
	if text := must(t, "study", "show", "net", "--store", store); !strings.Contains(text, "early by asha:first=3,after=2") || !strings.Contains(text, fmt.Sprintf("%d stopped", len(stopped))) {
		t.Errorf("show says %s", text)
	}
	number := stopped[0].Number
	last := stopped[0].Last.Step
	if list := decode[[]study.Reported](t, must(t, "step", "net", fmt.Sprint(number), "--store", store, "--json")); int64(len(list)) != last {
		t.Errorf("it has %d reports, the last at step %d", len(list), last)
	}
	must(t, "retry", "net", fmt.Sprint(number), "--store", store)
	must(t, "step", "net", "1", "--store", store)
	run("4")
	if printed := printedBy(t, out, number); !strings.Contains(printed, fmt.Sprintf("from step %d", last)) || strings.Count(printed, "from step 0") != 1 {
		t.Errorf("trial %d was last at step %d and printed %q", number, last, printed)
	}
}

// A run that is killed leaves a checkpoint, from which the next one goes on.
func TestKilledProgramGoesOn(t *testing.T) {
	file, script, store, dir := write(t, "space.yaml", oneLevel), write(t, "learn", learner), inStore(t), t.TempDir()
	out, gate := filepath.Join(dir, "out"), filepath.Join(dir, "wait5")
	args := []string{"minimize", "--space", file, "--study", "net", "--store", store, "--method", "sobol", "--init", "1", "--evals", "1",
		"--keep-output", out, "--checkpoints", filepath.Join(dir, "points"), "--json", "--", script, "{level}", dir}
	if err := os.WriteFile(gate, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	first := exec.CommandContext(t.Context(), binary, args...)
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	killAtStep5(t, first, dir, gate)
	if got := decode[optimiseResult](t, must(t, args...)); got.Trials != 2 || got.Failed != 0 {
		t.Errorf("the result is %+v", got)
	}
	if printed := printedBy(t, out, 1); !strings.Contains(printed, "from step 5") {
		t.Errorf("the trial printed %q", printed)
	}
	if list := decode[[]study.Reported](t, must(t, "step", "net", "1", "--store", store, "--json")); len(list) < 5 || list[len(list)-1].Step != 9 { // what was on its way is lost
		t.Errorf("the reports are %+v", list)
	}
}

// A trial moves from a worker that dies to another, which goes on from the checkpoint; a stopped one ends on
// the worker that has it.
func TestTrialMovesToAnotherWorker(t *testing.T) {
	k, script, dir := newKeeper(t, false), write(t, "learn", learner), t.TempDir()
	if status, text := post(t, k.url()+"/v1/studies", "", `{"name": "rig", "method": "sobol", "stop": "asha:first=3,after=2", "space": {"parameters": {"level": {"float": [0, 1]}}}}`); status != 201 {
		t.Fatalf("creating a study gave %d %s", status, text)
	}
	gate := filepath.Join(dir, "wait5")
	if err := os.WriteFile(gate, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	work := func(name string, args ...string) *exec.Cmd {
		all := append([]string{"worker", "--server", k.url(), "--study", "rig", "--lease", "1s", "--name", name, "--keep-output", filepath.Join(dir, name), "--checkpoints", filepath.Join(dir, "points")}, args...)
		c := exec.CommandContext(t.Context(), binary, append(all, "--", script, "{level}", dir)...)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		return c
	}
	first := work("one")
	killAtStep5(t, first, dir, gate)
	second := work("two", "--evals", "8")
	if err := second.Wait(); err != nil {
		t.Fatal(err)
	}
	if printed := printedBy(t, filepath.Join(dir, "two"), 1); !strings.HasPrefix(printed, "from step 5\n") {
		t.Errorf("on the second worker the trial printed %q", printed)
	}
	states := k.states()
	if states["stopped"] == 0 || states["stopped"]+states["complete"] != 8 {
		t.Errorf("the trials are %v", states)
	}
	var moved study.Trial
	k.get("/trials/1", &moved)
	if moved.State != evaluate.Complete || moved.Worker != "two" || moved.Cost != 2 {
		t.Errorf("the trial that moved is %+v", moved)
	}
}

// By hand: report, hear, tell.
func TestStepByHand(t *testing.T) {
	store := inStore(t)
	must(t, "study", "create", "rig", "--space", write(t, "space.yaml", oneLevel), "--method", "sobol", "--store", store, "--stop", "asha:first=1,after=1", "--cost", "aware", "--max-cost", "9")
	must(t, "ask", "rig", "--count", "2", "--store", store)
	if text := must(t, "step", "rig", "1", "1", "0.5", "--store", store); text != "trial 1 goes on\n" {
		t.Errorf("step says %q", text)
	}
	must(t, "tell", "rig", "1", "--value", "0.4", "--cost", "3", "--store", store)
	if text := must(t, "step", "rig", "2", "1", "0.9", "--store", store); !strings.HasPrefix(text, "stop trial 2: asha: place 2 of 2") {
		t.Errorf("step says %q", text)
	}
	if text := must(t, "tell", "rig", "2", "--state", "stopped", "--reason", "asha", "--store", store); !strings.Contains(text, "trial 2 of rig is stopped") {
		t.Errorf("tell says %q", text)
	}
	if text := must(t, "trials", "rig", "--state", "stopped", "--store", store); !strings.Contains(text, "0.9 at step 1") {
		t.Errorf("trials says %q", text)
	}
	for want, args := range map[string][]string{
		"the value is missing": {"step", "rig", "2", "2", "--store", store}, "is not a number": {"step", "rig", "2", "2", "x", "--store", store},
		"no such trial":    {"step", "rig", "7", "--store", store},
		"there is no rule": {"study", "create", "b", "--space", write(t, "space.yaml", oneLevel), "--stop", "halve", "--store", store},
	} {
		if _, stderr, code := call(t, args...); code != exitUsage || !strings.Contains(stderr, want) {
			t.Errorf("%v gave %d %q, want %q", args, code, stderr, want)
		}
	}
}

// Budgets end a run when its hours or its cost are used up; the same command goes on.
func TestBudgetOfCostAndHours(t *testing.T) {
	file, store := write(t, "space.yaml", oneLevel), inStore(t)
	run := func(args ...string) (optimiseResult, string) {
		all := append([]string{"minimize", "--space", file, "--store", store, "--method", "sobol", "--init", "2", "--evals", "50", "--keep-output", "none", "--json"}, args...)
		stdout, stderr, code := call(t, append(all, "--", "sh", "-c", `echo '{{"value": {level}, "cost": 2}}'`)...)
		if code != 0 {
			t.Fatalf("exit code %d: %s", code, stderr)
		}
		return decode[optimiseResult](t, stdout), stderr
	}
	got, said := run("--max-cost", "9")
	if got.Trials != 5 || !strings.Contains(said, "the cost of all trials is 10, and 9 were meant") {
		t.Errorf("%d trials, %s", got.Trials, said)
	}
	got, said = run("--hours", "1e-9", "--max-cost", "1000")
	if got.Trials != 5 || !strings.Contains(said, "hours are over") {
		t.Errorf("%d trials, %s", got.Trials, said)
	}
}

// Budgets are looked at before each trial, also in the design and in a batch; what was chosen and not begun waits.
func TestBudgetWithinABatch(t *testing.T) {
	file := write(t, "space.yaml", oneLevel)
	run := func(store string, args ...string) (optimiseResult, string) {
		t.Helper()
		all := append([]string{"minimize", "--space", file, "--store", store, "--method", "sobol", "--evals", "50", "--keep-output", "none", "--json"}, args...)
		stdout, stderr, code := call(t, append(all, "--", "sh", "-c", `sleep 0.05; echo '{{"value": {level}, "cost": 1}}'`)...)
		if code != 0 {
			t.Fatalf("exit code %d: %s", code, stderr)
		}
		return decode[optimiseResult](t, stdout), stderr
	}
	for _, c := range []struct {
		args          string
		trials, waits int
		says          string
	}{
		{"--init 10 --max-cost 3 --parallel 1", 3, 7, "the cost of all trials is 3, and 3 were meant: no other trial was begun; 7 that were chosen wait"},
		{"--init 2 --batch 5 --max-cost 3", 3, 4, "the cost of all trials is 3, and 3 were meant: no other trial was begun; 4 that were chosen wait"},
		{"--init 4 --max-cost 3 --parallel 2", 4, 0, "the cost of all trials is 4, and 3 were meant: no other trial was begun\n"},
		{"--init 10 --max-cost 3 --parallel 2", 4, 6, "the cost of all trials is 4, and 3 were meant: no other trial was begun; 6 that were chosen wait"},
		{"--init 9 --hours 1e-5", 0, 0, "hours are over: no other trial was begun; "}, // 36 ms
	} {
		store := inStore(t)
		got, said := run(store, strings.Fields(c.args)...)
		states := map[evaluate.State]int{}
		for _, one := range readTrials(t, store, "space") {
			states[one.State]++
			if one.State == study.Waiting && one.Worker != "" {
				t.Errorf("%s: trial %d waits for %q", c.args, one.Number, one.Worker)
			}
		}
		if c.trials == 0 { // as many as begin in the time
			c.trials, c.waits = got.Trials, 9-got.Trials
			if got.Trials > 2 {
				t.Errorf("%s: %d trials", c.args, got.Trials)
			}
		}
		if got.Trials != c.trials || states[study.Waiting] != c.waits || states[study.Running] > 0 || !strings.Contains(said, c.says) {
			t.Errorf("%s: %d trials, states %v, %s", c.args, got.Trials, states, said)
		}
		if got, _ := run(store, "--max-cost", "6"); got.Trials < 6 || got.Trials > 7 {
			t.Errorf("%s: %d trials after it went on", c.args, got.Trials)
		}
	}
}

// Trials of a batch that run one after another take their own time, without the time in the queue.
func TestTimeInTheQueueIsNoCost(t *testing.T) {
	store := inStore(t)
	must(t, "minimize", "--space", write(t, "space.yaml", oneLevel), "--store", store, "--method", "sobol", "--init", "8", "--evals", "0", "--keep-output", "none", "--", "sh", "-c", "sleep 0.1; echo {level}")
	whole := 0.0
	for _, one := range readTrials(t, store, "space") {
		if whole += one.Seconds; one.Seconds < 0.1 || !one.Asked.Equal(one.Created) {
			t.Errorf("trial %d took %g s", one.Number, one.Seconds)
		}
	}
	trials := readTrials(t, store, "space")
	if span := trials[7].Told.Sub(trials[0].Asked).Seconds(); whole > span {
		t.Errorf("the trials took %g s in %g s", whole, span)
	}
}

// killAtStep5 kills a process when trial 1 has kept step 5, and opens the gate there.
func killAtStep5(t *testing.T, c *exec.Cmd, dir, gate string) {
	t.Helper()
	waitUntil(t, "step 5", func() bool {
		text, err := os.ReadFile(filepath.Join(dir, "points", "1", "step"))
		return err == nil && strings.TrimSpace(string(text)) == "5"
	})
	_ = c.Process.Kill()
	_ = c.Wait()
	if err := os.Remove(gate); err != nil {
		t.Fatal(err)
	}
}
