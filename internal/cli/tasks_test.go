package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var times = regexp.MustCompile(`"(cpu_)?seconds":[^,]*,`)

// trialLines are the lines of trials.jsonl without their times, in order.
func trialLines(t *testing.T, dir string) []string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "trials.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(times.ReplaceAllString(string(data), "")), "\n")
	slices.Sort(lines)
	return lines
}

func begin(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	c := exec.CommandContext(t.Context(), binary, args...)
	c.Stderr = os.Stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	})
	return c
}

// Workers on two machines run a benchmark. The process that asked for it is killed, the next
// one continues, and a worker is killed. The lines are those of a run in one process.
func TestBenchOverNATS(t *testing.T) {
	if testing.Short() {
		t.Skip("it waits for processes for ten seconds and more; make test runs it")
	}
	t.Parallel() // it waits for the dead worker
	b := startBroker(t)
	url := "nats://" + b.address
	grid := []string{"bench", "run", "--method", "sobol,random,cmaes", "--problem", "rover", "--dim", "100", "--batch", "4", "--evals", "600", "--trials", "12", "-q"}
	alone, dir := t.TempDir(), t.TempDir()
	must(t, append(grid, "--out", alone)...)

	distributed := slices.Concat(grid, []string{"--nats", url, "--out", dir})
	doomed := begin(t, "worker", "--bench", "--nats", url, "-q")
	run := begin(t, distributed...)
	atLeast := func(n int) {
		t.Helper()
		for end := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
			data, _ := os.ReadFile(filepath.Join(dir, "trials.jsonl"))
			if strings.Count(string(data), "\n") >= n {
				return
			}
			if time.Now().After(end) {
				t.Fatalf("%d trials are not finished:\n%s", n, data)
			}
		}
	}
	atLeast(3)
	_ = run.Process.Kill()
	_ = run.Wait()
	run = begin(t, distributed...)
	atLeast(8)
	_ = doomed.Process.Kill()
	begin(t, "worker", "--bench", "--nats", url, "-q", "--slots", "2")
	if err := run.Wait(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(trialLines(t, alone), trialLines(t, dir)); diff != "" {
		t.Errorf("the distributed run differs (-alone +distributed):\n%s", diff)
	}
}

func TestBenchWorkersRefuse(t *testing.T) {
	if testing.Short() {
		t.Skip("it waits for processes for ten seconds and more; make test runs it")
	}
	t.Parallel() // it waits for a broker that is not there
	for _, c := range []struct{ args, want string }{
		{"worker --bench", "--nats is missing"},
		{"worker --bench --nats nats://127.0.0.1:1", "--nats"},
		{"worker --bench --nats nats://127.0.0.1:1 --study rig", "no study"},
		{"worker --bench --nats nats://127.0.0.1:1 --slots 0", "--slots is 0"},
		{"bench run --suite smoke --nats nats://127.0.0.1:1 --out " + filepath.Join(t.TempDir(), "x"), "--nats"},
	} {
		_, stderr, code := call(t, words(c.args)...)
		if code != exitUsage || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: exit code %d, %q lacks %q", c.args, code, stderr, c.want)
		}
	}
}
