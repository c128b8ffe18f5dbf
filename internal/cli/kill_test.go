package cli

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// valuesOf reads a summary without its times.
func valuesOf(t *testing.T, dir string) []map[string]any {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "summary.json"))
	if err != nil {
		t.Fatal(err)
	}
	var rows []map[string]any
	if err := json.Unmarshal(data, &rows); err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		for key := range r {
			if strings.Contains(key, "seconds") {
				delete(r, key)
			}
		}
	}
	return rows
}

// A run that is killed again and again ends with the values of one that was left
// alone, and never loses a finished trial.
func TestKilledRunsLoseNothing(t *testing.T) {
	suite := filepath.Join(t.TempDir(), "tiny.yaml")
	text := "grids:\n" +
		"  - {methods: [sobol, random, cmaes], problems: [branin, rover], dims: [100], batches: [4], evals: 60, trials: 10}\n" +
		"  - {methods: [\"maha:d=1\"], problems: [branin], dims: [10], batches: [5], evals: 5, init: 5, trials: 6}\n"
	if err := os.WriteFile(suite, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	args := func(dir string) []string {
		return []string{"bench", "run", "--suite", suite, "--jobs", "2", "--out", dir, "-q"}
	}
	alone, dir := t.TempDir(), t.TempDir()
	started := time.Now()
	must(t, args(alone)...)
	whole := time.Since(started)

	finished, kills := 0, 0
	for range 10 {
		c := exec.CommandContext(t.Context(), binary, args(dir)...)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		timer := time.AfterFunc(time.Duration(rand.Int64N(int64(whole)/5+1)), func() { _ = c.Process.Kill() })
		if c.Wait() != nil {
			kills++
		}
		timer.Stop()
		data, err := os.ReadFile(filepath.Join(dir, "trials.jsonl"))
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		now := strings.Count(string(data), "\n")
		if now < finished {
			t.Fatalf("%d finished trials before the kill, %d after", finished, now)
		}
		finished = now
	}
	if kills == 0 {
		t.Error("no run was killed in its work")
	}
	must(t, args(dir)...)
	if diff := cmp.Diff(valuesOf(t, alone), valuesOf(t, dir)); diff != "" {
		t.Errorf("after %d kills (-alone +killed):\n%s", kills, diff)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "summary.json.*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
