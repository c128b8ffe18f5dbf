//go:build unix

package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mahabo/mahabo/store"
)

// keeper is a server that can be killed and started again at the same addresses.
type keeper struct {
	t       *testing.T
	store   string // where it keeps studies
	dir     string
	address string // of HTTP
	nats    string // of its own broker, "" for none
	cluster string // URL of another broker, "" for none
	process *exec.Cmd
}

func newKeeper(t *testing.T, withQueue bool) *keeper {
	t.Helper()
	k := &keeper{t: t, store: inStore(t), dir: t.TempDir(), address: freeAddress(t)}
	if withQueue {
		k.nats = freeAddress(t)
	}
	k.start()
	t.Cleanup(k.kill)
	return k
}

func (k *keeper) start() {
	k.t.Helper()
	args := []string{"serve", "--addr", k.address, "--store", k.store, "--log-level", "error"}
	if k.nats != "" {
		args = append(args, "--nats", "embedded", "--nats-addr", k.nats, "--nats-dir", filepath.Join(k.dir, "nats"))
	}
	if k.cluster != "" {
		args = append(args, "--nats", k.cluster)
	}
	k.process = exec.CommandContext(k.t.Context(), binary, args...)
	out, err := k.process.StdoutPipe()
	if err != nil {
		k.t.Fatal(err)
	}
	if err := k.process.Start(); err != nil {
		k.t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || !strings.HasPrefix(line, "listening on ") {
		k.t.Fatalf("the server said %q, %v", line, err)
	}
}

// kill ends the server as a power cut would.
func (k *keeper) kill() {
	_ = k.process.Process.Kill()
	_ = k.process.Wait()
}

func (k *keeper) url() string { return "http://" + k.address }

// create makes study rig.
func (k *keeper) create() {
	k.t.Helper()
	if status, text := post(k.t, k.url()+"/v1/studies", "", `{"name": "rig", "method": "sobol", "space": {"parameters": {"x": {"float": [0, 1]}}}}`); status != 201 {
		k.t.Fatalf("creating a study gave %d %s", status, text)
	}
}

// get reads a document of the study.
func (k *keeper) get(path string, out any) {
	k.t.Helper()
	r, err := http.NewRequestWithContext(k.t.Context(), http.MethodGet, k.url()+"/v1/studies/rig"+path, nil)
	if err != nil {
		k.t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		k.t.Fatal(err)
	}
	defer answer.Body.Close()
	if err := json.NewDecoder(answer.Body).Decode(out); err != nil {
		k.t.Fatal(err)
	}
}

func (k *keeper) states() map[string]int {
	k.t.Helper()
	var s struct{ States map[string]int }
	k.get("", &s)
	return s.States
}

// until waits for a number of complete trials.
func (k *keeper) until(complete int) {
	k.t.Helper()
	for end := time.Now().Add(60 * time.Second); k.states()["complete"] < complete; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			k.t.Fatalf("%d trials do not get complete: %v", complete, k.states())
		}
	}
}

// workerProcess is a worker and what it prints.
type workerProcess struct {
	*exec.Cmd
	out, err bytes.Buffer
}

// worker starts one with a shell script as its command.
func (k *keeper) worker(script string, flags ...string) *workerProcess {
	k.t.Helper()
	args := append([]string{"worker", "--server", k.url(), "--study", "rig"}, flags...)
	if k.nats != "" {
		args = append(args, "--nats", "nats://"+k.nats)
	}
	w := &workerProcess{Cmd: exec.CommandContext(k.t.Context(), binary, append(args, "--", "sh", "-c", script)...)}
	w.Stdout, w.Stderr = &w.out, &w.err
	if err := w.Start(); err != nil {
		k.t.Fatal(err)
	}
	return w
}

// toldOnce reads the study's log, in which every trial was told once.
func (k *keeper) toldOnce(trials int) {
	k.t.Helper()
	st, err := store.Open(k.t.Context(), k.store)
	if err != nil {
		k.t.Fatal(err)
	}
	defer st.Close()
	id, err := st.Find(k.t.Context(), "rig")
	if err != nil {
		k.t.Fatal(err)
	}
	events, err := st.Events(k.t.Context(), id, 0)
	if err != nil {
		k.t.Fatal(err)
	}
	told := map[int]int{}
	for _, e := range events {
		if e.Told == nil {
			continue
		}
		for _, r := range e.Told.Results {
			told[r.Number]++
		}
	}
	for number := 1; number <= trials; number++ {
		if told[number] != 1 {
			k.t.Errorf("trial %d was told %d times", number, told[number])
		}
	}
}

func TestWorkerGivesTrialsBack(t *testing.T) {
	k := newKeeper(t, false)
	k.create()
	file := filepath.Join(t.TempDir(), "started")
	w := k.worker("touch "+file+"; sleep 60; echo 1", "--lease", "1h")
	waitFor(t, file)
	if err := w.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if _ = w.Wait(); w.ProcessState.ExitCode() != exitInterrupted {
		t.Errorf("exit code %d\n%s", w.ProcessState.ExitCode(), w.err.String())
	}
	if got := fmt.Sprint(k.states()); got != "map[waiting:1]" {
		t.Errorf("after Ctrl-C the trials are %s", got)
	}

	// A worker that drains finishes what it has begun.
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	w = k.worker("touch "+file+"; sleep 0.5; echo 1", "--drain")
	waitFor(t, file)
	if err := w.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_ = w.Wait()
	if got := fmt.Sprint(k.states()); got != "map[complete:1]" {
		t.Errorf("after draining the trials are %s\n%s", got, w.err.String())
	}
}

func waitFor(t *testing.T, file string) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat(file); err == nil {
			return
		}
		if time.Now().After(end) {
			t.Fatal("the command was not started")
		}
	}
}

func TestWorkerOutput(t *testing.T) {
	k := newKeeper(t, false)
	k.create()
	w := k.worker(`case {trial} in 1) echo no licence >&2; exit 3;; *) echo 2.5;; esac`, "--evals", "2", "--json", "--keep-output", filepath.Join(k.dir, "kept"))
	if err := w.Wait(); err != nil {
		t.Fatal(err, w.err.String())
	}
	lines := strings.Split(strings.TrimSpace(w.out.String()), "\n")
	if len(lines) != 2 || !strings.Contains(lines[0], `"number":1,"state":"failed","reason"`) || strings.Contains(lines[0], `"value"`) || !strings.Contains(lines[0], "exit status 3: no licence") ||
		!strings.Contains(lines[1], `"number":2,"state":"complete","value":2.5`) {
		t.Errorf("the worker printed\n%s", w.out.String())
	}
	var trial struct{ Reason string }
	k.get("/trials/1", &trial)
	if trial.Reason != "exit status 3: no licence" {
		t.Errorf("the reason is %q", trial.Reason)
	}
	if text, err := os.ReadFile(filepath.Join(k.dir, "kept", "1.err")); err != nil || string(text) != "no licence\n" {
		t.Errorf("kept is %q, %v", text, err)
	}
}

func TestWorkerRefuses(t *testing.T) {
	if testing.Short() {
		t.Skip("it waits for processes for ten seconds and more; make test runs it")
	}
	t.Parallel() // it waits for a broker that is not there
	k := newKeeper(t, false)
	k.create()
	empty := filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ args, want string }{
		{"--study rig -- true", "--server"},
		{"--server URL -- true", "--study"},
		{"--server URL --study rig", "command is missing"},
		{"--server localhost --study rig -- true", "http://HOST:PORT"},
		{"--server URL --study rog -- true", "no such study"},
		{"--server URL --study rig --slots 0 -- true", "slots is 0"},
		{"--server URL --study rig --lease 1ms -- true", "lease is 1ms"},
		{"--server URL --study rig --token-file " + empty + " -- true", "does not hold one token"},
		{"--server URL --study rig --nats nats://127.0.0.1:1 -- true", "--nats"},
		{"--server URL --study rig -- no-such-program", "cannot be run"},
		{"--server URL --study rig -- echo {y}", `no parameter is named "y"`},
	} {
		_, stderr, code := call(t, append([]string{"worker"}, words(strings.ReplaceAll(c.args, "URL", k.url()))...)...)
		if code != exitUsage || !strings.Contains(stderr, c.want) {
			t.Errorf("worker %s: exit code %d, %q lacks %q", c.args, code, stderr, c.want)
		}
	}
}
