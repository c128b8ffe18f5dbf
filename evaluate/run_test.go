package evaluate_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/space"
)

// counter is a source that numbers its trials and notes what it is asked and told.
type counter struct {
	made    int
	most    int   // 0 for no end
	asked   []int // sizes
	pending []int // trials without outcome at each Ask
	told    map[int]evaluate.Outcome
	askErr  error
	tellErr error
	block   bool // Ask waits for its context from the second call on
}

func (c *counter) Ask(ctx context.Context, n int) ([]evaluate.Trial, error) {
	c.asked = append(c.asked, n)
	c.pending = append(c.pending, c.made-len(c.told))
	if len(c.asked) > 1 && c.block {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	if len(c.asked) > 1 && c.askErr != nil {
		return nil, c.askErr
	}
	if c.most > 0 {
		n = min(n, c.most-c.made)
	}
	var trials []evaluate.Trial
	for range n {
		c.made++
		trials = append(trials, evaluate.Trial{Number: c.made, Batch: len(c.asked)})
	}
	return trials, nil
}

func (c *counter) Tell(_ context.Context, number int, o evaluate.Outcome) error {
	if c.told == nil {
		c.told = map[int]evaluate.Outcome{}
	}
	c.told[number] = o
	return c.tellErr
}

func double(_ context.Context, number int, _ space.Params) (evaluate.Outcome, error) {
	return evaluate.Value(float64(2 * number)), nil
}

func TestWhenTrialsAreAskedFor(t *testing.T) {
	for _, c := range []struct {
		name                          string
		init, trials, batch, parallel int
		asked                         []int
		pending                       []int // nil when it depends on timing
	}{
		{"one after another", 2, 4, 1, 1, []int{2, 1, 1}, []int{0, 0, 0}},
		{"rounds", 4, 16, 5, 2, []int{4, 5, 5, 2}, []int{0, 0, 0, 0}},
		{"rounds as wide as the workers", 3, 9, 3, 3, []int{3, 3, 3}, []int{0, 0, 0}},
		{"design larger than the run", 10, 3, 2, 1, []int{3}, []int{0}},
		{"no design", 0, 5, 2, 1, []int{2, 2, 1}, []int{0, 0, 0}},
		{"two batches beside each other", 0, 8, 2, 4, []int{2, 2, 2, 2}, nil},
		{"asynchronous", 2, 6, 1, 3, []int{2, 1, 1, 1, 1}, nil},
		{"nothing", 2, 0, 1, 1, nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &counter{}
			var running, most atomic.Int32
			var last evaluate.Progress
			err := evaluate.Run(t.Context(), evaluate.Options{
				Source: s, Init: c.init, Trials: c.trials, Batch: c.batch, Parallel: c.parallel,
				Evaluator: evaluate.Func(func(ctx context.Context, number int, v space.Params) (evaluate.Outcome, error) {
					now := running.Add(1)
					for m := most.Load(); now > m && !most.CompareAndSwap(m, now); m = most.Load() {
					}
					time.Sleep(2 * time.Millisecond)
					running.Add(-1)
					return double(ctx, number, v)
				}),
				OnResult: func(r evaluate.Result, p evaluate.Progress) error {
					last = p
					if r.Value != float64(2*r.Number) || r.Attempts != 1 || r.Ended.Before(r.Started) {
						t.Errorf("result is %+v", r)
					}
					return nil
				},
			})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.asked, s.asked); diff != "" {
				t.Errorf("asked (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.pending, s.pending); c.pending != nil && diff != "" {
				t.Errorf("pending (-want +got):\n%s", diff)
			}
			if len(s.told) != c.trials {
				t.Errorf("%d trials told, want %d", len(s.told), c.trials)
			}
			if m := int(most.Load()); m > c.parallel {
				t.Errorf("%d trials at once, want at most %d", m, c.parallel)
			}
			if c.trials > 0 && (last.Done != c.trials || last.Total != c.trials || last.Running != 0 || last.Remaining != 0) {
				t.Errorf("last progress is %+v", last)
			}
		})
	}
}

// Workers must really work at the same time: each waits for the other.
func TestParallelAndPending(t *testing.T) {
	var both sync.WaitGroup
	both.Add(2)
	s := &counter{}
	err := evaluate.Run(t.Context(), evaluate.Options{
		Source: s, Trials: 2, Batch: 1, Parallel: 2,
		Evaluator: evaluate.Func(func(ctx context.Context, number int, v space.Params) (evaluate.Outcome, error) {
			both.Done()
			both.Wait()
			return double(ctx, number, v)
		}),
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int{0, 1}, s.pending); diff != "" {
		t.Errorf("pending (-want +got):\n%s", diff)
	}
}

func TestRetries(t *testing.T) {
	var calls [8]atomic.Int32
	s := &counter{}
	attempts := map[int]int{}
	err := evaluate.Run(t.Context(), evaluate.Options{
		Source: s, Init: 3, Trials: 5, Batch: 1, Parallel: 1, Retries: 2,
		Evaluator: evaluate.Func(func(_ context.Context, number int, _ space.Params) (evaluate.Outcome, error) {
			n := calls[number].Add(1)
			switch {
			case number == 2:
				return evaluate.Failure("always"), nil
			case number == 3 && n == 1:
				return evaluate.Failure("once"), nil
			case number == 4:
				return evaluate.Outcome{State: evaluate.Infeasible, Reason: "never"}, nil
			}
			return evaluate.Value(1), nil
		}),
		OnResult: func(r evaluate.Result, _ evaluate.Progress) error { attempts[r.Number] = r.Attempts; return nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[int]int{1: 1, 2: 3, 3: 2, 4: 1, 5: 1}, attempts); diff != "" {
		t.Errorf("attempts (-want +got):\n%s", diff)
	}
	var states []evaluate.State
	for n := 1; n <= 5; n++ {
		states = append(states, s.told[n].State)
	}
	if want := []evaluate.State{evaluate.Complete, evaluate.Failed, evaluate.Complete, evaluate.Infeasible, evaluate.Complete}; !slices.Equal(states, want) {
		t.Errorf("states are %v, want %v", states, want)
	}
}

// The first Ctrl-C: nothing new starts, what runs is waited for and told.
func TestStop(t *testing.T) {
	stop := make(chan struct{})
	s := &counter{}
	err := evaluate.Run(t.Context(), evaluate.Options{
		Source: s, Init: 6, Trials: 100, Batch: 1, Parallel: 2, Stop: stop,
		Evaluator: evaluate.Func(func(ctx context.Context, number int, v space.Params) (evaluate.Outcome, error) {
			if number == 2 {
				close(stop)
				time.Sleep(20 * time.Millisecond)
			}
			return double(ctx, number, v)
		}),
	})
	if !errors.Is(err, evaluate.ErrStopped) {
		t.Errorf("error is %v", err)
	}
	if len(s.asked) != 1 || s.told[2].Value != 4 || len(s.told) == 6 {
		t.Errorf("asked %v, told %v", s.asked, s.told)
	}

	closed := make(chan struct{})
	close(closed)
	s = &counter{}
	if err := evaluate.Run(t.Context(), evaluate.Options{Source: s, Evaluator: evaluate.Func(double), Trials: 3, Batch: 1, Parallel: 1, Stop: closed}); !errors.Is(err, evaluate.ErrStopped) || s.made > 0 {
		t.Errorf("stopped before it began: %v, %d trials", err, s.made)
	}
}

func TestStopReachesAsk(t *testing.T) {
	stop := make(chan struct{})
	time.AfterFunc(20*time.Millisecond, func() { close(stop) })
	s := &counter{block: true}
	err := evaluate.Run(t.Context(), evaluate.Options{
		Source: s, Init: 2, Trials: 9, Batch: 1, Parallel: 1, Stop: stop, Evaluator: evaluate.Func(double),
	})
	if !errors.Is(err, evaluate.ErrStopped) || len(s.told) != 2 {
		t.Errorf("error is %v after %d trials", err, len(s.told))
	}
}

// A stop that comes when all trials run already changes nothing.
func TestStopTooLate(t *testing.T) {
	stop := make(chan struct{})
	s := &counter{}
	err := evaluate.Run(t.Context(), evaluate.Options{
		Source: s, Init: 1, Trials: 1, Batch: 1, Parallel: 1, Stop: stop,
		Evaluator: evaluate.Func(func(ctx context.Context, number int, v space.Params) (evaluate.Outcome, error) {
			close(stop)
			time.Sleep(5 * time.Millisecond)
			return double(ctx, number, v)
		}),
	})
	if err != nil || len(s.told) != 1 {
		t.Errorf("error is %v after %d trials", err, len(s.told))
	}
}

// The second Ctrl-C: what runs is cancelled and not told.
func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := &counter{}
	err := evaluate.Run(ctx, evaluate.Options{
		Source: s, Init: 2, Trials: 100, Batch: 1, Parallel: 2,
		Evaluator: evaluate.Func(func(ctx context.Context, number int, _ space.Params) (evaluate.Outcome, error) {
			if number == 2 {
				cancel()
			}
			<-ctx.Done()
			return evaluate.Outcome{}, ctx.Err()
		}),
	})
	if !errors.Is(err, context.Canceled) || len(s.told) != 0 {
		t.Errorf("error is %v after %d trials", err, len(s.told))
	}
}

func TestErrorsEndTheRun(t *testing.T) {
	broken := errors.New("broken")
	for _, c := range []struct {
		name string
		o    evaluate.Options
		says string
		told int
	}{
		{"ask", evaluate.Options{Source: &counter{askErr: broken}}, "choosing trial 4: broken", 3},
		{"tell", evaluate.Options{Source: &counter{tellErr: broken}}, "telling trial 1, which has the value 2: broken", 1},
		{"evaluator", evaluate.Options{Evaluator: evaluate.Func(func(ctx context.Context, number int, v space.Params) (evaluate.Outcome, error) {
			if number == 2 {
				return evaluate.Outcome{}, broken
			}
			return double(ctx, number, v)
		})}, "trial 2: broken", 1},
		{"outcome", evaluate.Options{Evaluator: evaluate.Func(func(context.Context, int, space.Params) (evaluate.Outcome, error) {
			return evaluate.Outcome{State: "great"}, nil
		})}, `trial 1: state is "great"`, 0},
		{"report", evaluate.Options{OnResult: func(evaluate.Result, evaluate.Progress) error { return broken }}, "broken", 1},
		{"nothing works", evaluate.Options{Evaluator: evaluate.Func(func(context.Context, int, space.Params) (evaluate.Outcome, error) {
			return evaluate.Failure("no licence"), nil
		})}, "no trial has worked: all of the first 3 failed, the last one: no licence", 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := c.o
			if o.Source == nil {
				o.Source = &counter{}
			}
			if o.Evaluator == nil {
				o.Evaluator = evaluate.Func(double)
			}
			o.Init, o.Trials, o.Batch, o.Parallel = 3, 9, 2, 1
			err := evaluate.Run(t.Context(), o)
			if err == nil || err.Error() != c.says && !strings.HasPrefix(err.Error(), c.says) {
				t.Errorf("error is %v, want %q", err, c.says)
			}
			if told := len(o.Source.(*counter).told); told != c.told {
				t.Errorf("%d trials told, want %d", told, c.told)
			}
		})
	}
}

// Of trials whose outcomes cannot be told, the error has all values, also when the run was stopped before.
func TestUntoldValues(t *testing.T) {
	stop, both := make(chan struct{}), sync.WaitGroup{}
	both.Add(2)
	err := evaluate.Run(t.Context(), evaluate.Options{
		Source: &counter{tellErr: errors.New("broken")}, Init: 2, Trials: 4, Batch: 2, Parallel: 2, Stop: stop,
		Evaluator: evaluate.Func(func(_ context.Context, number int, _ space.Params) (evaluate.Outcome, error) {
			both.Done()
			both.Wait()
			if number == 1 {
				close(stop)
				return evaluate.Value(0.5), nil
			}
			<-stop
			return evaluate.Outcome{State: evaluate.Complete, Outcomes: map[string]float64{"mass": 3, "cost": 7}}, nil
		}),
	})
	for _, want := range []string{"trial 1, which has the value 0.5: broken", "trial 2, which has cost 7, mass 3: broken"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, without %q", err, want)
		}
	}
	if errors.Is(err, evaluate.ErrStopped) {
		t.Error("the error is that the run was stopped")
	}
}

func TestSourceRunsDry(t *testing.T) {
	s := &counter{most: 7}
	err := evaluate.Run(t.Context(), evaluate.Options{Source: s, Evaluator: evaluate.Func(double), Init: 5, Trials: 50, Batch: 5, Parallel: 2})
	if !errors.Is(err, evaluate.ErrExhausted) {
		t.Errorf("error is %v", err)
	}
	if len(s.told) != 7 {
		t.Errorf("%d trials, want all 7", len(s.told))
	}
}

func TestValidate(t *testing.T) {
	good := evaluate.Options{Source: &counter{}, Evaluator: evaluate.Func(double), Batch: 1, Parallel: 1}
	for field, change := range map[string]func(*evaluate.Options){
		"Source": func(o *evaluate.Options) { o.Source = nil }, "Evaluator": func(o *evaluate.Options) { o.Evaluator = nil },
		"Init": func(o *evaluate.Options) { o.Init = -1 }, "Trials": func(o *evaluate.Options) { o.Trials = -1 },
		"Batch": func(o *evaluate.Options) { o.Batch = 0 }, "Parallel": func(o *evaluate.Options) { o.Parallel = 0 },
		"Retries": func(o *evaluate.Options) { o.Retries = -1 },
	} {
		o := good
		change(&o)
		if err := evaluate.Run(t.Context(), o); err == nil || !strings.HasPrefix(err.Error(), field+" is") {
			t.Errorf("%s: error is %v", field, err)
		}
	}
}

// What OnStart refuses is not begun, also in the middle of a batch; what runs is told.
func TestOnStart(t *testing.T) {
	enough := errors.New("enough")
	for _, parallel := range []int{1, 2} {
		s := &counter{}
		var begun []int
		err := evaluate.Run(t.Context(), evaluate.Options{
			Source: s, Init: 10, Trials: 30, Batch: 5, Parallel: parallel, Evaluator: evaluate.Func(double),
			OnStart: func(one evaluate.Trial) error {
				if len(s.told) >= 3 {
					return enough
				}
				begun = append(begun, one.Number)
				return nil
			},
		})
		if !errors.Is(err, enough) || len(s.asked) != 1 || len(s.told) != len(begun) || len(begun) > 2+parallel {
			t.Errorf("%d at a time: error is %v, asked %v, begun %v, told %v", parallel, err, s.asked, begun, s.told)
		}
	}
}

// The time that is told is that of the evaluation, retries included, without the time in the queue.
func TestSeconds(t *testing.T) {
	const pause = 20 * time.Millisecond
	s := &counter{}
	began := time.Now()
	err := evaluate.Run(t.Context(), evaluate.Options{
		Source: s, Trials: 10, Batch: 10, Parallel: 1, Retries: 1,
		Evaluator: evaluate.Func(func(_ context.Context, number int, _ space.Params) (evaluate.Outcome, error) {
			time.Sleep(pause)
			switch number {
			case 9:
				return evaluate.Failure("twice"), nil
			case 10:
				return evaluate.Outcome{State: evaluate.Complete, Seconds: 7}, nil
			}
			return evaluate.Value(1), nil
		}),
	})
	if err != nil {
		t.Fatal(err)
	}
	whole, sum := time.Since(began).Seconds(), 0.0
	for n := range 9 {
		sum += s.told[n+1].Seconds
		if got := s.told[n+1].Seconds; got < pause.Seconds() {
			t.Errorf("trial %d took %g s", n+1, got)
		}
	}
	if sum > whole { // one at a time
		t.Errorf("the trials took %g s, the whole run %g s", sum, whole)
	}
	if got := s.told[9].Seconds; got < 2*pause.Seconds() {
		t.Errorf("two attempts took %g s", got)
	}
	if s.told[10].Seconds != 7 {
		t.Errorf("an evaluator's own %g s are not told", s.told[10].Seconds)
	}
}

// Where all trials failed before, few more end the run, though there is no design left.
func TestNothingWorkedBefore(t *testing.T) {
	for _, c := range []struct {
		o    evaluate.Options
		says string
		told int
	}{
		{evaluate.Options{Failed: 10}, "no trial has worked: all of the first 13 failed, the last one: no licence 3", 3},
		{evaluate.Options{Failed: 4, Init: 6}, "no trial has worked: all of the first 10 failed, the last one: no licence 6", 6},
		{evaluate.Options{Worked: true}, "", 24},
		{evaluate.Options{}, "", 24},
	} {
		s := &counter{}
		c.o.Source, c.o.Trials, c.o.Batch, c.o.Parallel = s, 24, 1, 1
		c.o.Evaluator = evaluate.Func(func(_ context.Context, number int, _ space.Params) (evaluate.Outcome, error) {
			return evaluate.Failure("no licence %d", number), nil
		})
		err := evaluate.Run(t.Context(), c.o)
		if got := errors.Is(err, evaluate.ErrNoneWorked); got != (c.says != "") || got && err.Error() != c.says || len(s.told) != c.told {
			t.Errorf("after %d trials: %v, want %q after %d", len(s.told), err, c.says, c.told)
		}
	}
}
