package bench

import (
	"context"
	"math"
	"runtime"
	"testing"
	"time"

	"github.com/mahabo/mahabo/evaluate"
)

// worker spends CPU time in Ask and sleeps in Tell.
type worker struct{ busy, asleep time.Duration }

func (w worker) Ask(context.Context, int) ([]evaluate.Trial, error) {
	x := 1.0
	for start := threadTime(); threadTime()-start < w.busy; {
		x = math.Sqrt(x + 1)
	}
	return []evaluate.Trial{{Number: int(min(x, 1))}}, nil
}

func (w worker) Tell(context.Context, int, evaluate.Outcome) error {
	time.Sleep(w.asleep)
	return nil
}

func TestCPUTimeCountsWorkAndNotSleep(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	w := worker{busy: 20 * time.Millisecond, asleep: 200 * time.Millisecond}
	m := &meter{Source: w, clock: threadTime}
	if _, err := m.Ask(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	if err := m.Tell(t.Context(), 1, evaluate.Outcome{}); err != nil {
		t.Fatal(err)
	}
	if m.cpu < w.busy || m.cpu >= w.asleep {
		t.Errorf("%v of CPU time for %v of work and %v of sleep", m.cpu, w.busy, w.asleep)
	}
	if m.wall < w.busy+w.asleep {
		t.Errorf("%v of wall time for %v of work and %v of sleep", m.wall, w.busy, w.asleep)
	}
}

// The clock of the process counts the work of other threads.
func TestProcessTimeCountsOtherThreads(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	const busy = 20 * time.Millisecond
	all, own := processTime(), threadTime()
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // not the one of the test
		_, _ = worker{busy: busy}.Ask(t.Context(), 1)
	}()
	<-done
	if all, own = processTime()-all, threadTime()-own; all < busy || own >= busy {
		t.Errorf("%v for the process and %v for the waiting thread, %v of work on another", all, own, busy)
	}
}
