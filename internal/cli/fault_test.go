//go:build unix

package cli

import (
	"flag"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/mahabo/mahabo/internal/pgtest"
)

var (
	faultEvals   = flag.Int("fault.evals", 80, "trials of the fault test")
	faultWorkers = flag.Int("fault.workers", 3, "workers of the fault test")
	faultRounds  = flag.Int("fault.rounds", 1, "how often each thing goes wrong in the fault test")
)

// wire passes connections on and can cut them all.
type wire struct {
	listener net.Listener
	target   string // an address, or the path of a socket

	mu   sync.Mutex
	open map[net.Conn]bool
	down bool
}

func newWire(t *testing.T, target string) *wire {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{listener: l, target: target, open: map[net.Conn]bool{}}
	var accepting sync.WaitGroup
	accepting.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			accepting.Go(func() { w.pass(c) })
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		w.cut()
		accepting.Wait()
	})
	return w
}

func (w *wire) address() string { return w.listener.Addr().String() }

// pass copies both ways until one side ends.
func (w *wire) pass(near net.Conn) {
	network := "tcp"
	if filepath.IsAbs(w.target) {
		network = "unix"
	}
	far, err := net.DialTimeout(network, w.target, time.Second)
	if err != nil {
		_ = near.Close()
		return
	}
	end := func() { _, _ = near.Close(), far.Close() }
	w.mu.Lock()
	w.open[near], w.open[far] = true, true
	if w.down {
		end()
	}
	w.mu.Unlock()
	var ways sync.WaitGroup
	ways.Go(func() { _, _ = io.Copy(far, near); end() })
	ways.Go(func() { _, _ = io.Copy(near, far); end() })
	ways.Wait()
	w.mu.Lock()
	delete(w.open, near)
	delete(w.open, far)
	w.mu.Unlock()
}

func (w *wire) cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for c := range w.open {
		_ = c.Close()
	}
}

// interrupt cuts all connections and lets none through for a while.
func (w *wire) interrupt(while time.Duration) {
	w.switchTo(true)
	w.cut()
	time.Sleep(while)
	w.switchTo(false)
}

func (w *wire) switchTo(down bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.down = down
}

// crew are workers that come and go.
type crew struct {
	t       *testing.T
	args    []string
	members []*workerProcess
	lost    []*workerProcess
}

// hire starts a worker.
func (c *crew) hire() {
	c.t.Helper()
	w := &workerProcess{Cmd: exec.CommandContext(c.t.Context(), binary, c.args...)}
	w.Stdout, w.Stderr = &w.out, &w.err
	if err := w.Start(); err != nil {
		c.t.Fatal(err)
	}
	c.members = append(c.members, w)
}

// lose kills the one that is longest there, and starts another.
func (c *crew) lose() {
	_ = c.members[0].Process.Kill()
	_ = c.members[0].Wait()
	c.lost = append(c.lost, c.members[0])
	c.members = c.members[1:]
	c.hire()
}

// freeze stops the one that is longest there for longer than its lease; then it goes on,
// and tells what others were given meanwhile.
func (c *crew) freeze(d time.Duration) {
	_ = c.members[0].Process.Signal(syscall.SIGSTOP)
	time.Sleep(d)
	_ = c.members[0].Process.Signal(syscall.SIGCONT)
}

// Everything that can go wrong goes wrong under load: workers, the server and the queue,
// which is a process of its own, are killed, connections are cut, the database is away,
// leases run out. In the
// end every trial is complete, once, with its own value. At a larger scale:
//
//	go test -run TestFaults ./internal/cli -fault.evals 2000 -fault.workers 8 -fault.rounds 10
func TestFaults(t *testing.T) {
	t.Run("http", func(t *testing.T) {
		t.Parallel()
		testFaults(t, newKeeper(t, false), "")
	})
	t.Run("embedded queue", func(t *testing.T) {
		t.Parallel()
		k := newKeeper(t, true)
		testFaults(t, k, k.nats)
	})
	t.Run("external queue", func(t *testing.T) {
		t.Parallel()
		b := startBroker(t)
		k := &keeper{t: t, store: inStore(t), dir: t.TempDir(), address: freeAddress(t), cluster: "nats://" + b.address}
		k.start()
		t.Cleanup(func() { k.kill() })
		testFaults(t, k, b.address, func() { restart(b) })
	})
	t.Run("database", func(t *testing.T) {
		t.Parallel()
		address, w := awayDatabase(t)
		k := &keeper{t: t, address: freeAddress(t), store: address}
		k.start()
		t.Cleanup(k.kill)
		testFaults(t, k, "", w.cut, func() { w.interrupt(2 * time.Second) })
	})
}

// awayDatabase starts a PostgreSQL server and returns the URL of a database behind a wire.
func awayDatabase(t *testing.T) (string, *wire) {
	t.Helper()
	var server pgtest.Server
	t.Cleanup(server.Stop)
	u, err := url.Parse(server.URL(t))
	if err != nil {
		t.Fatal(err)
	}
	w := newWire(t, filepath.Join(u.Query().Get("host"), ".s.PGSQL.5432"))
	return "postgres://postgres@" + w.address() + u.Path + "?sslmode=disable", w
}

// A database that is away for a while costs a run nothing; an address where there is none is
// an error at once.
func TestDatabaseAway(t *testing.T) {
	t.Parallel()
	store, w := awayDatabase(t)
	file, begun := write(t, "rig.yaml", "parameters: {a: {float: [0, 1]}}"), filepath.Join(t.TempDir(), "begun")
	run := begin(t, "minimize", "--space", file, "--store", store, "--method", "sobol", "--init", "4", "--evals", "36", "--batch", "2", "--parallel", "2",
		"-q", "--keep-output", "none", "--", "sh", "-c", "touch "+begun+"; sleep 0.05; echo {trial}.5")
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat(begun); err == nil {
			break
		}
		if time.Now().After(end) {
			t.Fatal("no trial begins")
		}
	}
	for range 4 {
		time.Sleep(100 * time.Millisecond)
		w.cut()
		time.Sleep(100 * time.Millisecond)
		w.interrupt(300 * time.Millisecond)
	}
	if err := run.Wait(); err != nil {
		t.Fatal(err)
	}
	k := keeper{t: t, store: store}
	k.toldOnce(40)
	w.switchTo(true)
	w.cut()
	start := time.Now()
	_, stderr, code := call(t, "trials", "rig", "--store", store)
	if code != 1 || !strings.Contains(stderr, "store postgres://") || time.Since(start) > 20*time.Second {
		t.Errorf("after %s the exit code is %d, %q", time.Since(start), code, stderr)
	}
}

// A run whose database file is moved goes on when it is soon back, and else ends with the value that it could not
// tell. The file has all others.
func TestDatabaseFileMoved(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path, moved := filepath.Join(dir, "rig.db"), filepath.Join(dir, "moved.db")
	file := write(t, "rig.yaml", "parameters: {a: {float: [0, 1]}}")
	run := begin(t, "minimize", "--space", file, "--store", "sqlite:"+path, "--study", "rig", "--method", "sobol", "--init", "4", "--evals", "400",
		"-q", "--keep-output", "none", "--", "sh", "-c", "sleep 0.05; echo {trial} >> "+dir+"/evaluated; echo {trial}.5")
	evaluated := func() int {
		text, _ := os.ReadFile(filepath.Join(dir, "evaluated"))
		return strings.Count(string(text), "\n")
	}
	wait := func(n int) {
		t.Helper()
		for end := time.Now().Add(30 * time.Second); evaluated() < n; time.Sleep(10 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("after %d trials nothing goes on", evaluated())
			}
		}
	}
	for _, back := range []bool{true, false} {
		wait(evaluated() + 5)
		if err := os.Rename(path, moved); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		if back {
			if err := os.Rename(moved, path); err != nil {
				t.Fatal(err)
			}
		} else if err := run.Wait(); err == nil {
			t.Error("a run without its file ends well")
		}
	}
	list := must(t, "trials", "rig", "--store", "sqlite:"+moved, "--limit", "0", "--json")
	// The last outcome may be there although it counts as lost: it was written at the moment of the move.
	if all := strings.Count(list, `"state": "complete"`); all != evaluated()-1 && all != evaluated() {
		t.Errorf("%d trials were evaluated, and the file has %d", evaluated(), all)
	}
}

// restart ends something as a power cut would, and starts it again.
func restart(one interface {
	kill()
	start()
}) {
	one.kill()
	time.Sleep(200 * time.Millisecond)
	one.start()
}

// testFaults works on a server by HTTP, or with a queue at an address.
func testFaults(t *testing.T, k *keeper, queue string, faults ...func()) {
	k.create()
	serverWire := newWire(t, k.address)
	const lease = 2 * time.Second
	c := &crew{t: t, args: []string{"worker", "--server", "http://" + serverWire.address(), "--study", "rig", "--slots", "3", "--lease", lease.String(), "-q"}}
	if queue != "" {
		w := newWire(t, queue)
		c.args = append(c.args, "--nats", "nats://"+w.address())
		faults = append(faults, w.cut)
	}
	c.args = append(c.args, "--evals", fmt.Sprint(*faultEvals), "--", "sh", "-c", "sleep 0.1; echo {trial}.5")
	for range *faultWorkers {
		c.hire()
	}

	faults = append(faults, c.lose, serverWire.cut, func() { restart(k) }, func() { c.freeze(lease + 500*time.Millisecond) })
	total := *faultRounds * len(faults)
	for i := range total {
		k.until((i + 1) * *faultEvals / (total + 2))
		faults[i%len(faults)]()
	}
	for _, w := range c.members {
		if err := w.Wait(); err != nil {
			t.Fatalf("a worker ended with %v:\n%s", err, w.err.String())
		}
	}
	k.completeOnce(*faultEvals, 3**faultWorkers)
}

// completeOnce finishes the few trials that were begun beyond those wanted, and checks that
// each is complete, was told once, and has its own value.
func (k *keeper) completeOnce(evals, most int) {
	k.t.Helper()
	states := k.states()
	total := 0
	for _, n := range states {
		total += n
	}
	if states["complete"] < evals || total > evals+most {
		k.t.Errorf("%d trials, %d complete, want %d and at most %d more", total, states["complete"], evals, most)
	}
	w := exec.CommandContext(k.t.Context(), binary, "worker", "--server", k.url(), "--study", "rig", "--evals", fmt.Sprint(total), "-q", "--", "echo", "{trial}.5")
	if out, err := w.CombinedOutput(); total > states["complete"] && err != nil {
		k.t.Fatalf("%v:\n%s", err, out)
	}
	k.ownValues(total)
	k.toldOnce(total)
}

// ownValues reads the table of trials.
func (k *keeper) ownValues(total int) {
	k.t.Helper()
	for after := 0; after < total; {
		var page struct {
			Trials []struct {
				Number int
				State  string
				Worker string
				Value  *float64
			}
		}
		k.get(fmt.Sprintf("/trials?limit=1000&offset=%d", after), &page)
		if len(page.Trials) == 0 {
			k.t.Fatalf("behind trial %d there is nothing", after)
		}
		for _, trial := range page.Trials {
			after++
			if trial.Worker == "" || trial.Worker == "queue" {
				k.t.Errorf("trial %d was evaluated by %q", trial.Number, trial.Worker)
			}
			if trial.Number != after || trial.State != "complete" || *trial.Value != float64(after)+0.5 {
				k.t.Errorf("row %d is trial %d, %s", after, trial.Number, trial.State)
			}
		}
	}
}
