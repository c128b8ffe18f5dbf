package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Another command on an old study is noticed, shown, and taken only when that is confirmed.
func TestOtherCommand(t *testing.T) {
	file, store := write(t, "space.yaml", "parameters:\n  a: {float: [0, 1]}\n"), inStore(t)
	run := func(flags string, command ...string) []string {
		args := append(words("minimize --method sobol --init 2 --keep-output none -q "+flags), "--space", file, "--store", store, "--")
		return append(args, command...)
	}
	must(t, run("--evals 1", "sh", "-c", "echo 1")...)
	must(t, run("--evals 2", "sh", "-c", "echo 1")...)
	other := run("--evals 3", "sh", "-c", "echo 42")
	refused(t, "before sh -c 'echo 1', now sh -c 'echo 42': add --new-command if both find out the same value, or begin another study with --study NAME", other...)
	must(t, run("--evals 3 --new-command", "sh", "-c", "echo 42")...)
	must(t, run("--evals 4", "sh", "-c", "echo 42")...)
	refused(t, "another command", run("--evals 5", "sh", "-c", "echo 1")...)
}

// A run says at once how many trials are being evaluated, before the first has ended.
func TestRunningIsShownAtOnce(t *testing.T) {
	c, pipe, _ := startSleeper(t)
	first := make([]byte, 200)
	n, err := pipe.Read(first)
	if err != nil || !strings.Contains(string(first[:n]), "0/510 trials  1 running") {
		t.Errorf("the first line is %q, %v", first[:n], err)
	}
	_ = c.Process.Kill()
	_ = c.Wait()
}

// kill -9 takes the program along.
func TestKilledRunTakesItsProgramAlong(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux can do that; make test runs it there")
	}
	dir := t.TempDir()
	file, pidFile := writeIn(t, dir, "space.yaml", "parameters:\n  a: {float: [0, 1]}\n"), filepath.Join(dir, "pid")
	script := writeIn(t, dir, "simulate", "#!/bin/sh\necho $$ >\""+pidFile+"\"\nexec sleep 60\n")
	if err := os.Chmod(script, 0o755); err != nil {
		t.Fatal(err)
	}
	c := exec.Command(binary, "minimize", "--space", file, "--method", "sobol", "--store", "sqlite:"+filepath.Join(dir, "a.db"), "--keep-output", "none", "--", script)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	pid := 0
	for end := time.Now().Add(20 * time.Second); pid == 0 && time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if text, err := os.ReadFile(pidFile); err == nil && strings.HasSuffix(string(text), "\n") {
			if pid, err = strconv.Atoi(strings.TrimSpace(string(text))); err != nil {
				t.Fatal(err)
			}
		}
	}
	_ = c.Process.Kill()
	_ = c.Wait()
	for end := time.Now().Add(10 * time.Second); running(pid); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
			t.Fatal("the program outlives the run")
		}
	}
}

// Commands say what they did.
func TestCommandsSayWhatTheyDid(t *testing.T) {
	dir, in := rig(t)
	must(t, in("ask rig --count 3")...)
	csv := filepath.Join(dir, "t.csv")
	for _, c := range []struct{ args, want string }{
		{"tell rig 1 --value 0.83 --std 0.02", "trial 1 of rig is complete with value 0.83 ± 0.02\n"},
		{"tell rig 2 --state failed --reason smoke --note odd", "trial 2 of rig is failed: smoke, with the note\n"},
		{"note rig 1 the door was open", "noted on trial 1 of rig\n"},
		{"retry rig 2", "trial 2 of rig waits to be evaluated again\n"},
		{"heartbeat rig 3 --lease 0s", "the lease of trial 3 runs for ever\n"},
		{"study export rig --out " + csv, "wrote 3 trials of rig to " + csv + "\n"},
	} {
		if got := must(t, in(c.args)...); got != c.want {
			t.Errorf("%s says %q, want %q", c.args, got, c.want)
		}
	}
}

// best has a parameter a line: what differs from the user's first point, then what matters most.
func TestBestShowsWhatMatters(t *testing.T) {
	dir := t.TempDir()
	store := "sqlite:" + filepath.Join(dir, "a.db")
	file := writeIn(t, dir, "space.yaml", "parameters:\n  \"w[0:49]\": {float: [0, 1]}\n  rate: {log: [0.001, 1], unit: 1/s}\n  solver: {choice: [euler, rk4]}\n")
	must(t, "study", "create", "s", "--space", file, "--method", "sobol", "--init", "40", "--store", store)
	must(t, "minimize", "--space", file, "--study", "s", "--evals", "20", "--store", store, "-q", "--keep-output", "none", "--", "sh", "-c",
		`awk -v r={rate} -v s={solver} 'BEGIN {{ print (log(r)+2)^2 + (s == "rk4" ? 0 : 30) }}'`)
	stdout, stderr, _ := call(t, "best", "s", "--store", store)
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	if len(lines) != 31 || !strings.HasPrefix(lines[1], "solver") || !strings.Contains(stdout, " 1/s\n") {
		t.Errorf("best says\n%s", stdout)
	}
	if !strings.Contains(stderr, "22 more parameters (--all lists them)") {
		t.Errorf("best says %q", stderr)
	}
	for _, line := range lines {
		if len(line) > 40 {
			t.Errorf("%q has too many digits", line)
		}
	}
	if all := must(t, "best", "s", "--all", "--store", store); strings.Count(all, "\n") != 53 {
		t.Errorf("best --all has %d lines", strings.Count(all, "\n"))
	}
	one := writeIn(t, dir, "one.yaml", "parameters:\n  x: {float: [0, 9]}\n  y: {float: [0, 9]}\n")
	must(t, "study", "create", "o", "--space", one, "--store", store)
	must(t, "study", "import", "o", writeIn(t, dir, "o.csv", "x,y,value\n5,1,3\n5,2,1\n"), "--store", store)
	if got := must(t, "best", "o", "--store", store); got != "1 at trial 2\ny  2  (1 in trial 1)\nx  5\n" {
		t.Errorf("best says %q", got)
	}
}

// Every mistake names the flag and the fix.
func TestMessagesNameTheFix(t *testing.T) {
	dir := t.TempDir()
	file := writeIn(t, dir, "space.yaml", "parameters:\n  temperature: {float: [0, 1]}\n")
	bad := writeIn(t, dir, "bad.yaml", "parameters:\n  x: {float: [0, 1]}\n  y: {float: [0, 1}\n")
	store := "sqlite:" + filepath.Join(dir, "a.db")
	refused(t, "--dim: dim is 100000000: at most 100000 parameters", "minimize", "--problem", "branin", "--dim", "100000000")
	refused(t, "write 5s for seconds, 5m for minutes", "minimize", "--space", file, "--store", store, "--timeout", "5", "--", "true")
	refused(t, "line 3: did not find expected ',' or ']': a bracket, a brace or a quote before it is not closed", "study", "create", "a", "--space", bad, "--store", store)
	refused(t, "--keep-output: the folder", "minimize", "--space", file, "--store", store, "--keep-output", filepath.Join(file, "x"), "--", "true")
	if _, stderr, _ := call(t, "study", "create", "a", "--space", file, "--store", "sqlite:"+dir); !strings.Contains(stderr, "is a folder: name a file in it, as in sqlite:"+filepath.Join(dir, "mahabo.db")) {
		t.Errorf("a folder as store says %q", stderr)
	}
	address, stop := serve(t)
	refused(t, "another program listens on", "serve", "--addr", strings.TrimPrefix(address, "http://"), "--store", store)
	if err := stop(); err != nil {
		t.Error(err)
	}
}
