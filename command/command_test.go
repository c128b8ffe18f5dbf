//go:build unix

package command

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/space"
)

var values = space.ParamsOf(map[string]any{"a": 0.5, "b": -2, "mode": "x; rm *"})

// shell makes an objective of a script; the tests' shell, not the package's.
func shell(t *testing.T, o Options, script string, args ...string) *Command {
	t.Helper()
	s, err := space.New(space.Float("a", 0, 1), space.Int("b", -5, 5), space.Choice("mode", "y", "x; rm *"))
	if err != nil {
		t.Fatal(err)
	}
	c, err := New(s, append([]string{"sh", "-c", strings.NewReplacer("{", "{{", "}", "}}").Replace(script), "script"}, args...), o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestEvaluate(t *testing.T) {
	long := "head -c 1100000 /dev/zero | tr '\\0' 7"
	for _, c := range []struct {
		name, script string
		args         []string
		state        evaluate.State
		value        float64
		says         string
	}{
		{name: "number", script: "echo progress; echo 4.5", state: evaluate.Complete, value: 4.5},
		{name: "arguments", script: `echo "$1" | tr , . `, args: []string{"{a}"}, state: evaluate.Complete, value: 0.5},
		{name: "arguments are not split or interpreted", script: `[ "$1" = "x; rm *" ] && [ "$#" = 1 ] && echo 1`, args: []string{"{mode}"}, state: evaluate.Complete, value: 1},
		{name: "trial number", script: `echo "$1"`, args: []string{"{trial}"}, state: evaluate.Complete, value: 9},
		{name: "standard input", script: `[ "$(cat)" = '{"a":0.5,"b":-2,"mode":"x; rm *"}' ] && echo 1`, state: evaluate.Complete, value: 1},
		{name: "infeasible", script: `echo '{"state":"infeasible","reason":"too wet"}'`, state: evaluate.Infeasible, says: "too wet"},
		{name: "exit code", script: "echo 3; echo first >&2; echo no licence >&2; exit 3", state: evaluate.Failed, says: "exit status 3: first | no licence"},
		{name: "exit code after words on standard output", script: "echo no licence; exit 3", state: evaluate.Failed, says: `exit status 3: its last line is "no licence"`},
		{name: "signal", script: "kill -9 $$", state: evaluate.Failed, says: "signal: killed"},
		{name: "silent", script: "true", state: evaluate.Failed, says: "printed nothing"},
		{name: "NaN", script: "echo nan", state: evaluate.Failed, says: "the value is NaN"},
		{name: "words", script: "echo all good; echo hm >&2", state: evaluate.Failed, says: `"all good", which is neither a number nor a JSON object with "value": hm`},
		{name: "long line", script: long, state: evaluate.Failed, says: "longer than 1048576 bytes"},
		{name: "long line before the last", script: long + "; echo; echo 2", state: evaluate.Complete, value: 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			o, err := shell(t, Options{}, c.script, c.args...).Evaluate(t.Context(), 9, values)
			if err != nil {
				t.Fatal(err)
			}
			if o.State != c.state || o.Value != c.value || !strings.Contains(o.Reason, c.says) {
				t.Errorf("outcome is %+v", o)
			}
		})
	}
}

func TestNewRefuses(t *testing.T) {
	s, err := space.New(space.Float("rate", 0, 1))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		argv []string
		opt  Options
		says string
	}{
		{nil, Options{}, "command is empty"},
		{[]string{"no-such-program-here"}, Options{}, "cannot be run"},
		{[]string{"./no-such-program"}, Options{}, "cannot be run"},
		{[]string{file}, Options{}, "permission denied: make it executable"},
		{[]string{"true", "x", "{rat}"}, Options{}, `argument 2 of the command: "{rat}": no parameter is named "rat" (did you mean "rate"?)`},
		{[]string{"true"}, Options{Timeout: -1}, "cannot be negative"},
		{[]string{"true"}, Options{KeepOutput: filepath.Join(file, "x")}, "KeepOutput"},
	} {
		if _, err := New(s, c.argv, c.opt); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%q: error %v lacks %q", c.argv, err, c.says)
		}
	}
}

func TestDirAndEnv(t *testing.T) {
	dir := t.TempDir()
	script := "#!/bin/sh\necho $EXTRA; pwd >&2\nexit 1\n"
	if err := os.WriteFile(filepath.Join(dir, "simulate"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	s, err := space.New(space.Float("a", 0, 1))
	if err != nil {
		t.Fatal(err)
	}
	keep := filepath.Join(dir, "kept", "here")
	c, err := New(s, []string{"./simulate"}, Options{Dir: dir, Env: []string{"EXTRA=42"}, KeepOutput: keep})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // a repeated trial appends
		o, err := c.Evaluate(t.Context(), 3, space.ParamsOf(map[string]any{"a": 1.0}))
		if err != nil || !strings.Contains(o.Reason, filepath.Base(dir)) {
			t.Fatalf("outcome %+v, %v", o, err)
		}
	}
	out, err := os.ReadFile(filepath.Join(keep, "3.out"))
	if err != nil || string(out) != "42\n42\n" {
		t.Errorf("kept %q (%v)", out, err)
	}
	if said, err := os.ReadFile(filepath.Join(keep, "3.err")); err != nil || strings.Count(string(said), "\n") != 2 {
		t.Errorf("kept %q (%v)", said, err)
	}

	if err := os.Remove(filepath.Join(dir, "simulate")); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Evaluate(t.Context(), 4, values); err == nil || !strings.Contains(err.Error(), "cannot be run") {
		t.Errorf("a program that is gone: %v", err)
	}
}

// alive says whether a process whose number is in a file runs.
func alive(t *testing.T, file string) bool {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	// A killed orphan may wait for the reaper of the container.
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err != nil || !strings.Contains(string(stat), ") Z ")
}

func mustDie(t *testing.T, file string) {
	t.Helper()
	for end := time.Now().Add(5 * time.Second); alive(t, file); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("a process of the trial outlives it")
		}
	}
}

func TestTimeoutEndsTheWholeGroup(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pid")
	for name, script := range map[string]string{
		"gentle":   `sleep 60 & echo $! >"$1"; wait`,
		"stubborn": `(trap "" TERM; sleep 60) & echo $! >"$1"; trap "" TERM; wait; sleep 60`,
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			c := shell(t, Options{Timeout: time.Second, Grace: 200 * time.Millisecond}, script, file)
			o, err := c.Evaluate(t.Context(), 1, values)
			if err != nil || o.State != evaluate.Failed || !strings.Contains(o.Reason, "ended after 1s: timeout") {
				t.Errorf("outcome is %+v, %v", o, err)
			}
			if d := time.Since(start); d > 20*time.Second {
				t.Errorf("it took %v", d)
			}
			mustDie(t, file)
		})
	}
}

func TestCancelIsAnError(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pid")
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(time.Second, cancel)
	_, err := shell(t, Options{}, `sleep 60 & echo $! >"$1"; wait`, file).Evaluate(ctx, 1, values)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v", err)
	}
	mustDie(t, file)
}

func TestProcessLeftBehind(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pid")
	c := shell(t, Options{Grace: 100 * time.Millisecond}, `sleep 60 & echo $! >"$1"; echo 5`, file)
	o, err := c.Evaluate(t.Context(), 1, values)
	if err != nil || o.Value != 5 {
		t.Errorf("outcome is %+v, %v", o, err)
	}
	mustDie(t, file)
	c = shell(t, Options{Grace: 100 * time.Millisecond}, `sleep 60 & echo $! >"$1"; exit 3`, file)
	if o, err := c.Evaluate(t.Context(), 2, values); err != nil || o.State != evaluate.Failed {
		t.Errorf("outcome is %+v, %v", o, err)
	}
	mustDie(t, file)
}

func TestInputThatIsNotRead(t *testing.T) {
	many := map[string]any{}
	for i := range 20000 { // more than a pipe holds
		many["w"+strconv.Itoa(i)] = float64(i) / 7
	}
	o, err := shell(t, Options{}, "exec <&-; echo 1").Evaluate(t.Context(), 1, space.ParamsOf(many))
	if err != nil || o.Value != 1 {
		t.Errorf("outcome is %+v, %v", o, err)
	}
}

// What a program prints goes to files of the folder only.
func TestKeepOutputFollowsNoLink(t *testing.T) {
	s, err := space.New(space.Float("x", 0, 1))
	if err != nil {
		t.Fatal(err)
	}
	for _, end := range []string{"out", "err"} {
		keep, elsewhere := t.TempDir(), filepath.Join(t.TempDir(), "precious")
		if err := os.WriteFile(elsewhere, []byte("mine"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(elsewhere, filepath.Join(keep, "1."+end)); err != nil {
			t.Fatal(err)
		}
		c, err := New(s, []string{"echo", "1"}, Options{KeepOutput: keep})
		if err != nil {
			t.Fatal(err)
		}
		v, err := s.Decode([]float64{0})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Evaluate(t.Context(), 1, v); err == nil || !strings.Contains(err.Error(), "1."+end+" is a link") {
			t.Errorf("through a link: %v", err)
		}
		if text, err := os.ReadFile(elsewhere); err != nil || string(text) != "mine" {
			t.Errorf("the file elsewhere became %q, %v", text, err)
		}
	}
}
