//go:build unix

package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/mahabo/mahabo/internal/pgtest"
)

// killsName is the environment that says how many processes TestKills kills in all.
const killsName = "MAHABO_KILLS"

// killsWanted is how many of them a part of the test kills; 8 without an environment.
func killsWanted(t *testing.T, parts int) int {
	t.Helper()
	text := os.Getenv(killsName)
	if text == "" {
		return 8
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		t.Fatalf("%s is %q: write how many processes to kill", killsName, text)
	}
	return (n + parts - 1) / parts
}

// TestKills kills runs, servers, workers, brokers and databases at any moment, again and
// again. No value that a worker was told is kept is lost, every trial is complete in the end,
// and none was told twice. At a larger scale:
//
//	MAHABO_KILLS=1000 go test -run TestKills -v -timeout 2h ./cmd/mahabo
func TestKills(t *testing.T) {
	if testing.Short() {
		t.Skip("it waits for processes for ten seconds and more; make test runs it")
	}
	const parts = 5
	kills := killsWanted(t, parts)
	t.Run("minimize", func(t *testing.T) { killRuns(t, kills) })
	t.Run("server", func(t *testing.T) {
		k := newKeeper(t, false)
		killAll(t, kills, k, "", func() { restart(k) })
	})
	t.Run("embedded queue", func(t *testing.T) {
		k := newKeeper(t, true)
		killAll(t, kills, k, k.nats, func() { restart(k) })
	})
	t.Run("queue", func(t *testing.T) {
		b := startBroker(t)
		k := &keeper{t: t, store: inStore(t), dir: t.TempDir(), address: freeAddress(t), cluster: "nats://" + b.address}
		k.start()
		t.Cleanup(func() { k.kill() })
		killAll(t, kills, k, b.address, func() { restart(k) }, func() { restart(b) })
	})
	t.Run("database", func(t *testing.T) {
		var database pgtest.Server
		t.Cleanup(database.Stop)
		k := &keeper{t: t, store: database.URL(t), dir: t.TempDir(), address: freeAddress(t)}
		k.start()
		t.Cleanup(func() { k.kill() })
		killAll(t, kills, k, "", func() { restart(k) }, func() { database.Crash(t) })
	})
}

// killRuns kills runs of minimize on one study.
func killRuns(t *testing.T, kills int) {
	k := keeper{t: t, store: inStore(t)}
	file := write(t, "rig.yaml", "parameters: {x: {float: [0, 1]}}")
	trials := 20 + 40*kills // a run of 300 ms ends up to 30 of them
	run := func() *exec.Cmd {
		return exec.CommandContext(t.Context(), binary, "minimize", "--space", file, "--store", k.store, "--study", "rig", "--method", "sobol",
			"--init", "5", "--evals", strconv.Itoa(trials-5), "--parallel", "3", "--batch", "3", "-q", "--keep-output", "none", "--", "sh", "-c", "sleep 0.03; echo {trial}.5")
	}
	begun := time.Now()
	for killed := 0; killed < kills; {
		c := run()
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		timer := time.AfterFunc(time.Duration(rand.Int64N(int64(300*time.Millisecond))), func() { _ = c.Process.Kill() })
		if c.Wait() == nil {
			t.Fatalf("all trials were done after %d kills", killed)
		}
		timer.Stop()
		killed++
	}
	if out, err := run().CombinedOutput(); err != nil {
		t.Fatalf("after the last kill: %v\n%s", err, out)
	}
	k.toldOnce(trials)
	for _, trial := range readTrials(t, k.store, "rig") {
		if trial.Value == nil || *trial.Value != float64(trial.Number)+0.5 {
			t.Errorf("trial %d is %s", trial.Number, trial.State)
		}
	}
	t.Logf("%d kills, %d trials, %s", kills, trials, time.Since(begun).Round(time.Second))
}

// killAll kills workers of a server in turn with what else there is to kill.
func killAll(t *testing.T, kills int, k *keeper, queue string, others ...func()) {
	const workers, slots, perKill = 3, 2, 3
	k.create()
	evals := 20 + perKill*kills
	c := &crew{t: t, args: []string{"worker", "--server", k.url(), "--study", "rig", "--slots", strconv.Itoa(slots), "--lease", "2s", "--json"}}
	if queue != "" {
		c.args = append(c.args, "--nats", "nats://"+queue)
	}
	c.args = append(c.args, "--evals", strconv.Itoa(evals), "--", "sh", "-c", "sleep 0.02; echo {trial}.5")
	for range workers {
		c.hire()
	}
	begun := time.Now()
	victims := append([]func(){c.lose}, others...)
	for i := range kills {
		k.until(perKill*i + 1) // so that there is work to disturb
		time.Sleep(time.Duration(rand.Int64N(int64(50 * time.Millisecond))))
		victims[i%len(victims)]()
	}
	for _, w := range c.members {
		if err := w.Wait(); err != nil {
			t.Fatalf("a worker ended with %v:\n%s", err, w.err.String())
		}
	}
	k.completeOnce(evals, workers*slots)
	kept := 0
	for _, w := range append(c.lost, c.members...) {
		kept += k.hasValues(&w.out)
	}
	t.Logf("%d kills, %d trials, %d of them printed as kept, %s", kills, evals, kept, time.Since(begun).Round(time.Second))
}

// hasValues checks that the database has what a worker has printed, and counts it. The last
// line of a worker that was killed may be torn.
func (k *keeper) hasValues(printed *bytes.Buffer) (kept int) {
	k.t.Helper()
	lines := bufio.NewScanner(printed)
	for lines.Scan() {
		var line workerLine
		if json.Unmarshal(lines.Bytes(), &line) != nil {
			continue
		}
		var trial struct {
			State string
			Value *float64
		}
		k.get(fmt.Sprintf("/trials/%d", line.Number), &trial)
		if trial.State != "complete" || *trial.Value != float64(line.Number)+0.5 {
			k.t.Errorf("trial %d was printed as kept and is %s", line.Number, trial.State)
		}
		kept++
	}
	return kept
}
