//go:build unix

package store_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/store"
	"github.com/mahabo/mahabo/study"
)

// The environment of a worker, which is this program started again.
const (
	workerURL  = "MAHABO_TEST_STORE"
	workerName = "MAHABO_TEST_WORKER" // when empty, it works until it is killed
	killsName  = "MAHABO_TEST_KILLS"  // how often the crash test kills on each store
)

// perRound is how many trials a worker asks for at once, rounds how often a named
// one asks.
const perRound, rounds = 2, 5

// work asks and tells. It says on out what it has told, after the store has
// confirmed it.
func work(url, name string, out io.Writer) error {
	ctx := context.Background()
	st, err := store.Open(ctx, url)
	if err != nil {
		return err
	}
	s, err := study.Open(ctx, st, "s")
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "ready")
	first := 0
	if name == "" { // the last round may be half done
		sum, err := s.Summary(ctx)
		if err != nil {
			return err
		}
		first = max(sum.Batches-1, 0)
	}
	for r := first; name == "" || r < rounds; r++ {
		if err := round(ctx, s, fmt.Sprint(name, r), out); err != nil {
			return err
		}
	}
	return st.Close()
}

// round is one Ask and its Tells. Repeating it changes nothing.
func round(ctx context.Context, s *study.Study, request string, out io.Writer) error {
	b, err := s.Ask(ctx, study.AskRequest{Count: perRound, RequestID: request, Lease: time.Hour})
	if err != nil {
		return err
	}
	for _, trial := range b.Trials {
		value := bowl(trial.Params)
		if err := s.Tell(ctx, trial.Number, evaluate.Outcome{Value: value}); err != nil {
			return err
		}
		fmt.Fprintln(out, trial.Number, value)
	}
	return nil
}

// bowl is the objective.
func bowl(v space.Params) float64 {
	sum := 0.0
	for _, name := range []string{"x", "y", "z"} {
		value, _ := v.Get(name)
		f := value.(float64)
		sum += (f - 0.3) * (f - 0.3)
	}
	return sum
}

// begin creates the study that workers drive.
func begin(t *testing.T, url string) (*study.Study, study.Store) {
	t.Helper()
	sp, err := space.New(space.Float("x", -1, 2), space.Float("y", -3, 1), space.Float("z", 0, 1))
	if err != nil {
		t.Fatal(err)
	}
	st := open(t, url)
	t.Cleanup(func() { st.Close() })
	// The evolution strategy remembers everything it was told.
	s, err := study.Create(t.Context(), st, study.Config{Name: "s", Space: sp, Method: "cmaes", Seed: 5, Init: 4})
	if err != nil {
		t.Fatal(err)
	}
	return s, st
}

// worker prepares another process.
func worker(t *testing.T, url, name string) *exec.Cmd {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), program)
	c.Env = append(os.Environ(), workerURL+"="+url, workerName+"="+name)
	return c
}

// eachDatabase runs a test on the stores that processes can share.
func eachDatabase(t *testing.T, test func(t *testing.T, url string)) {
	for name, url := range map[string]func(*testing.T) string{"sqlite": sqliteURL, "postgres": postgresURL} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, url(t))
		})
	}
}

// TestCrash kills a worker at random moments: what it said it had told is there,
// nothing is there twice, and the study goes on as one that nobody disturbed.
func TestCrash(t *testing.T) {
	kills := 200
	if text := os.Getenv(killsName); text != "" {
		var err error
		if kills, err = strconv.Atoi(text); err != nil {
			t.Fatalf("%s: %v", killsName, err)
		}
	}
	eachDatabase(t, func(t *testing.T, url string) {
		s, st := begin(t, url)
		told := map[int]float64{}
		moments := rand.New(rand.NewPCG(1, 2))
		for range kills {
			for number, value := range crash(t, url, moments.IntN(3)-1, time.Duration(moments.IntN(20000))*time.Microsecond) {
				told[number] = value
			}
		}
		sum, err := s.Summary(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if sum.Batches == 0 || len(told) == 0 {
			t.Fatalf("the workers had no time to work: %d batches, %d told", sum.Batches, len(told))
		}
		t.Logf("%d kills, %d batches, %d values confirmed", kills, sum.Batches, len(told))
		if err := round(t.Context(), s, fmt.Sprint(sum.Batches-1), io.Discard); err != nil { // the last may be half done
			t.Fatal(err)
		}

		quiet, quietStore := begin(t, "memory:")
		for r := range sum.Batches {
			if err := round(t.Context(), quiet, fmt.Sprint(r), io.Discard); err != nil {
				t.Fatal(err)
			}
		}
		next := study.AskRequest{Count: 3}
		for _, one := range []*study.Study{s, quiet} {
			if _, err := one.Ask(t.Context(), next); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(history(t, quietStore), history(t, st)); diff != "" {
			t.Errorf("the logs differ (-undisturbed +disturbed):\n%s", diff)
		}
		kept := map[int][]float64{}
		for _, e := range events(t, st) {
			if e.Told != nil {
				for _, r := range e.Told.Results {
					kept[r.Number] = append(kept[r.Number], r.Value)
				}
			}
		}
		for number, value := range told {
			if got := kept[number]; len(got) != 1 || got[0] != value {
				t.Errorf("trial %d was confirmed with value %v, the log has %v", number, value, got)
			}
		}
	})
}

// crash starts a worker, kills it some time after it has confirmed a number of
// values, -1 for its start, and returns all that it confirmed.
func crash(t *testing.T, url string, values int, after time.Duration) map[int]float64 {
	t.Helper()
	c := worker(t, url, "")
	pipe, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var problems bytes.Buffer
	c.Stderr = &problems
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	kill := func() { time.AfterFunc(after, func() { _ = c.Process.Kill() }) } // it may have ended with an error
	if values < 0 {
		kill()
	}
	told := map[int]float64{}
	lines := bufio.NewReader(pipe)
	for seen := 0; ; seen++ { // the first line says that it is ready
		line, err := lines.ReadString('\n')
		if err != nil { // it is dead, and a line without an end was cut off
			break
		}
		if line != "ready\n" {
			var number int
			var value float64
			if _, err := fmt.Sscan(line, &number, &value); err != nil {
				t.Errorf("the worker said %q: %v", line, err)
			}
			told[number] = value
		}
		if seen == values {
			kill()
		}
	}
	_ = c.Wait()
	if problems.Len() > 0 {
		t.Fatalf("a worker failed: %s", &problems)
	}
	return told
}

// events is the whole log.
func events(t *testing.T, st study.Store) []study.Event {
	t.Helper()
	s, err := study.Open(t.Context(), st, "s")
	if err != nil {
		t.Fatal(err)
	}
	log, err := s.Events(t.Context(), 0) // with the points, which the store keeps apart
	if err != nil {
		t.Fatal(err)
	}
	return log
}

// history is a log without what differs between two runs: times.
func history(t *testing.T, st study.Store) (lines []string) {
	t.Helper()
	for _, e := range events(t, st) {
		e.Time = time.Time{}
		if e.Asked != nil {
			e.Asked.Expires = time.Time{}
			e.Asked.FitSeconds, e.Asked.SearchSeconds, e.Asked.WaitSeconds = 0, 0, 0
		}
		line, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, string(line))
	}
	return lines
}

// TestManyProcesses lets processes compete: each gets its trials, and none is ever
// told that the database is locked.
func TestManyProcesses(t *testing.T) {
	eachDatabase(t, func(t *testing.T, url string) {
		s, _ := begin(t, url)
		const workers = 4
		var all sync.WaitGroup
		for w := range workers {
			c := worker(t, url, fmt.Sprintf("w%d-", w))
			all.Go(func() {
				if out, err := c.CombinedOutput(); err != nil {
					t.Errorf("worker %d: %v\n%s", w, err, out)
				}
			})
		}
		all.Wait()
		sum, err := s.Summary(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if sum.Batches != workers*rounds || sum.States[evaluate.Complete] != workers*rounds*perRound {
			t.Errorf("%d batches, trials %v, want %d batches and %d complete trials",
				sum.Batches, sum.States, workers*rounds, workers*rounds*perRound)
		}
	})
}
