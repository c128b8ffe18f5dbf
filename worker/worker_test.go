package worker_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/internal/queue"
	"github.com/mahabo/mahabo/server"
	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/store/memory"
	"github.com/mahabo/mahabo/study"
	"github.com/mahabo/mahabo/worker"
)

// rig is a server with one study, and perhaps a queue.
type rig struct {
	t     *testing.T
	study *study.Study
	url   string
	nats  string
	queue *queue.Broker
	away  atomic.Bool // the server answers nothing
	lost  atomic.Bool // requests arrive, answers do not
}

func newRig(t *testing.T, withQueue bool, params ...space.Part) *rig {
	t.Helper()
	if params == nil {
		params = []space.Part{space.Float("x", 0, 1)}
	}
	sp, err := space.New(params...)
	if err != nil {
		t.Fatal(err)
	}
	st := memory.New()
	r := &rig{t: t}
	if r.study, err = study.Create(t.Context(), st, study.Config{Name: "rig", Space: sp, Method: "sobol"}); err != nil {
		t.Fatal(err)
	}
	config := server.Config{Store: st}
	if withQueue {
		b, url, err := queue.Embed(t.Context(), queue.EmbedOptions{Addr: "127.0.0.1:0", Dir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { b.Close() })
		config.Queue, r.nats, r.queue = b, url, b
	}
	s, err := server.New(config)
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		if r.away.Load() {
			panic(http.ErrAbortHandler)
		}
		s.ServeHTTP(w, request)
		if r.lost.Load() {
			panic(http.ErrAbortHandler)
		}
	}))
	web.Config.ErrorLog = nil
	t.Cleanup(func() {
		web.Close()
		s.Close()
	})
	r.url = web.URL
	return r
}

// options are those of a worker that evaluates with f.
func (r *rig) options(f evaluate.Func) worker.Options {
	o := worker.Options{
		Server: r.url, Study: "rig", Name: "w", Slots: 1, Lease: time.Minute,
		Evaluator: func(*space.Space) (evaluate.Evaluator, error) { return f, nil },
	}
	o.Broker = r.nats
	return o
}

// enough ends a worker after n trials.
func (r *rig) enough(o worker.Options, n int) worker.Options {
	o.Evals = n
	return o
}

func (r *rig) run(o worker.Options) {
	r.t.Helper()
	if err := worker.Run(r.t.Context(), o); err != nil {
		r.t.Fatal(err)
	}
}

// states counts the trials.
func (r *rig) states(want string) {
	r.t.Helper()
	sum, err := r.study.Summary(r.t.Context())
	if got := strings.Trim(strings.TrimPrefix(fmt.Sprint(sum.States), "map"), "[]"); err != nil || got != want {
		r.t.Errorf("the trials are %q, %v, want %q", got, err, want)
	}
}

func double(_ context.Context, _ int, v space.Params) (evaluate.Outcome, error) {
	return evaluate.Value(2 * v.Float("x")), nil
}

// both runs a test with trials asked for over HTTP, and with a queue.
func both(t *testing.T, f func(t *testing.T, withQueue bool)) {
	t.Run("http", func(t *testing.T) { f(t, false) })
	t.Run("queue", func(t *testing.T) { f(t, true) })
}

func TestSlotsShareTheWork(t *testing.T) {
	both(t, func(t *testing.T, withQueue bool) {
		r := newRig(t, withQueue)
		var running, most atomic.Int32
		o := r.enough(r.options(func(ctx context.Context, n int, v space.Params) (evaluate.Outcome, error) {
			if now := running.Add(1); now > most.Load() {
				most.Store(now)
			}
			defer running.Add(-1)
			time.Sleep(20 * time.Millisecond)
			return double(ctx, n, v)
		}), 24)
		o.Slots = 4
		var seen []int
		o.OnResult = func(r evaluate.Result) { seen = append(seen, r.Number) }
		r.run(o)
		r.states("complete:24")
		if len(seen) != 24 || most.Load() > 4 || most.Load() < 2 {
			t.Errorf("%d results, %d at a time", len(seen), most.Load())
		}
		trials, err := r.study.Trials(t.Context(), study.Page{})
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range trials {
			if one.Seconds < 0.02 || one.Seconds > one.Told.Sub(one.Asked).Seconds() {
				t.Errorf("trial %d took %g s, of %s", one.Number, one.Seconds, one.Told.Sub(one.Asked))
			}
			if *one.Value != 2*one.Params.Float("x") {
				t.Errorf("trial %d at %v has value %g", one.Number, one.Params, *one.Value)
			}
		}
	})
}

func TestOutcomes(t *testing.T) {
	both(t, func(t *testing.T, withQueue bool) {
		r := newRig(t, withQueue)
		r.run(r.enough(r.options(func(_ context.Context, n int, _ space.Params) (evaluate.Outcome, error) {
			switch n {
			case 1:
				return evaluate.Failure("no licence"), nil
			case 2:
				return evaluate.Outcome{State: evaluate.Infeasible, Reason: strings.Repeat("é", 20000)}, nil
			}
			// Somebody tells it by hand meanwhile.
			if err := r.study.Tell(t.Context(), n, evaluate.Outcome{Value: 7}); err != nil {
				t.Error(err)
			}
			return evaluate.Value(8), nil
		}), 3))
		r.states("complete:1 failed:1 infeasible:1")
		trials, err := r.study.Trials(t.Context(), study.Page{})
		if err != nil || trials[0].Reason != "no licence" || len([]rune(trials[1].Reason)) != 10000 || *trials[2].Value != 7 {
			t.Errorf("the trials are %+v, %v", trials, err)
		}
	})
}

func TestServerThatIsAway(t *testing.T) {
	both(t, func(t *testing.T, withQueue bool) {
		r := newRig(t, withQueue)
		var calls atomic.Int32
		r.run(r.enough(r.options(func(ctx context.Context, n int, v space.Params) (evaluate.Outcome, error) {
			calls.Add(1)
			away := &r.away
			if n%2 == 0 {
				away = &r.lost
			}
			away.Store(true)
			time.AfterFunc(300*time.Millisecond, func() { away.Store(false) })
			return double(ctx, n, v)
		}), 4))
		r.states("complete:4")
		if calls.Load() != 4 {
			t.Errorf("4 trials were evaluated %d times", calls.Load())
		}
	})
}

func TestInterruptGivesTrialsBack(t *testing.T) {
	both(t, func(t *testing.T, withQueue bool) {
		r := newRig(t, withQueue)
		ctx, cancel := context.WithCancel(t.Context())
		var started sync.WaitGroup
		started.Add(2)
		o := r.options(func(ctx context.Context, _ int, _ space.Params) (evaluate.Outcome, error) {
			started.Done()
			<-ctx.Done()
			return evaluate.Outcome{}, ctx.Err()
		})
		o.Slots = 2
		go func() {
			started.Wait()
			cancel()
		}()
		if err := worker.Run(ctx, o); err != nil {
			t.Fatal(err)
		}
		if !withQueue {
			r.states("waiting:2")
		}
		r.run(r.enough(r.options(double), 2)) // at once, the leases are a minute
		r.states("complete:2")
	})
}

// A worker that waits for a trial of a queue ends when it is told to, and wants none any more.
func TestInterruptWhileWaiting(t *testing.T) {
	r := newRig(t, true, space.Bool("on")) // of two points
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	on := func(context.Context, int, space.Params) (evaluate.Outcome, error) { return evaluate.Value(1), nil }
	o := r.options(on)
	told := make(chan struct{}, 2)
	o.OnResult = func(evaluate.Result) { told <- struct{}{} }
	ended := make(chan error, 1)
	go func() { ended <- worker.Run(ctx, o) }()
	<-told
	<-told
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		n, err := r.queue.Wanted(t.Context(), "rig")
		if err != nil {
			t.Fatal(err)
		}
		if n == 1 {
			break
		}
		if time.Now().After(end) {
			t.Fatal("the worker does not wait")
		}
	}
	cancel()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(3 * time.Second):
		t.Fatal("the worker goes on")
	}
	if n, err := r.queue.Wanted(t.Context(), "rig"); n != 0 || err != nil {
		t.Errorf("nobody waits, wanted are %d, %v", n, err)
	}
	r.states("complete:2")
}

func TestStopFinishesWhatRuns(t *testing.T) {
	r := newRig(t, false)
	stop := make(chan struct{})
	o := r.options(func(ctx context.Context, n int, v space.Params) (evaluate.Outcome, error) {
		close(stop)
		time.Sleep(50 * time.Millisecond)
		return double(ctx, n, v)
	})
	o.Stop = stop
	r.run(o)
	r.states("complete:1")
}

// Long after the first lease the trial is not stale, or not for long: on a busy machine a
// heartbeat may come late.
func TestLeasesAreKept(t *testing.T) {
	r := newRig(t, false)
	o := r.enough(r.options(func(ctx context.Context, n int, v space.Params) (evaluate.Outcome, error) {
		time.Sleep(2500 * time.Millisecond)
		for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
			sum, err := r.study.Summary(ctx)
			if err != nil || sum.States[study.Running] == 1 {
				break
			}
		}
		r.states("running:1")
		return double(ctx, n, v)
	}), 1)
	o.Lease = time.Second
	r.run(o)
	r.states("complete:1")
}

func TestSpaceThatIsExhausted(t *testing.T) {
	r := newRig(t, false, space.Int("x", 1, 5))
	o := r.options(double)
	o.Slots = 3
	r.run(o)
	r.states("complete:5")
}

// A queue that has lost all it had gets it again from the database.
func TestQueueThatForgot(t *testing.T) {
	r := newRig(t, true)
	if _, err := r.study.Ask(t.Context(), study.AskRequest{Count: 3, Worker: study.QueueWorker, Lease: time.Hour}); err != nil {
		t.Fatal(err)
	}
	r.run(r.enough(r.options(double), 3))
	r.states("complete:3")
}

func TestRefuses(t *testing.T) {
	r := newRig(t, false)
	for _, c := range []struct {
		change func(*worker.Options)
		says   string
	}{
		{func(o *worker.Options) { o.Study = "" }, "study is empty"},
		{func(o *worker.Options) { o.Study = "rog" }, "404 Not Found"},
		{func(o *worker.Options) { o.Server = "localhost:8080" }, "http://HOST:PORT"},
		{func(o *worker.Options) { o.Server += "/wrong" }, "check the server's URL"},
		{func(o *worker.Options) { o.Name = "" }, "name is empty"},
		{func(o *worker.Options) { o.Slots = 0 }, "slots is 0"},
		{func(o *worker.Options) { o.Lease = time.Millisecond }, "lease is 1ms"},
		{func(o *worker.Options) { o.Evals = -1 }, "evals is -1"},
		{func(o *worker.Options) { o.Evaluator = nil }, "Evaluator is nil"},
		{func(o *worker.Options) {
			o.Evaluator = func(*space.Space) (evaluate.Evaluator, error) { return nil, fmt.Errorf("no program") }
		}, "no program"},
	} {
		o := r.options(double)
		c.change(&o)
		if err := worker.Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("error %v lacks %q", err, c.says)
		}
	}
	r.states("")
}

// A program that cannot be run at all ends the worker, which keeps no trial.
func TestEvaluatorThatCannotRun(t *testing.T) {
	both(t, func(t *testing.T, withQueue bool) {
		r := newRig(t, withQueue)
		o := r.options(func(context.Context, int, space.Params) (evaluate.Outcome, error) {
			return evaluate.Outcome{}, fmt.Errorf("the program is gone")
		})
		if err := worker.Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), "the program is gone") {
			t.Errorf("error is %v", err)
		}
		r.run(r.enough(r.options(double), 1))
		r.states("complete:1")
	})
}
