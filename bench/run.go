package bench

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"
)

// Options says what to run and where to keep it.
type Options struct {
	Grids   []Grid
	Dir     string         // results folder, made when missing
	Jobs    int            // trials at the same time, at least 1
	Version string         // written into every line
	OnTrial func(Progress) // called at the start and after every trial, one call at a time; nil for none
	OnNote  func(string)   // told about repairs; nil for none
}

// Progress is the state of a run.
type Progress struct {
	Done, Total int    // trials of the grid; Done counts those of earlier runs
	Kept        int    // trials of the grid found finished in the folder
	Last        *Trial // nil at the start
	ETA         time.Duration
	Known       bool // whether ETA rests on a finished trial
}

// Run makes all trials of the grids that the folder does not hold yet. A trial
// that fails does not stop the others; their errors are returned together. When
// ctx ends, unfinished trials are dropped and the next run starts them afresh.
func Run(ctx context.Context, o Options) (err error) {
	if o.Jobs < 1 {
		return &InputError{fmt.Errorf("jobs is %d: at least one is needed", o.Jobs)}
	}
	if o.OnTrial == nil {
		o.OnTrial = func(Progress) {}
	}
	if o.OnNote == nil {
		o.OnNote = func(string) {}
	}
	jobs, err := plan(o.Grids)
	if err != nil {
		return &InputError{err}
	}
	f, err := openFolder(o.Dir, jobs, o.OnNote)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.close()) }()

	r := newRunner(o, f, jobs)
	if err := f.writeSummary(); err != nil {
		return err
	}
	o.OnTrial(r.progress(nil))
	return r.run(ctx)
}

// runner hands out jobs and collects their results.
type runner struct {
	Options
	folder      *folder
	execute     func(context.Context, job) (Trial, error)
	waiting     []job
	total, kept int

	mu       sync.Mutex // guards the folder and what follows
	costs    costs
	left     map[job]bool
	failures []error
}

func newRunner(o Options, f *folder, jobs []job) *runner {
	r := &runner{Options: o, folder: f, costs: costs{}, total: len(jobs), left: map[job]bool{}}
	r.execute = func(ctx context.Context, j job) (Trial, error) { return j.run(ctx, o.Version) }
	finished := map[job]bool{}
	for _, t := range f.trials {
		finished[job{t.Cell, t.Evals, t.Init, t.Trial}] = true
		r.costs.add(t)
	}
	for _, j := range jobs {
		if finished[j] {
			r.kept++
			continue
		}
		r.waiting = append(r.waiting, j)
		r.left[j] = true
	}
	return r
}

func (r *runner) run(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	queue := make(chan job)
	var workers sync.WaitGroup
	for range min(r.Jobs, len(r.waiting)) {
		workers.Go(func() {
			// The CPU clock belongs to a thread.
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			for j := range queue {
				t, err := r.execute(ctx, j)
				if r.finish(ctx, j, t, err) != nil {
					stop()
				}
			}
		})
	}
feed:
	for _, j := range r.waiting {
		select {
		case queue <- j:
		case <-ctx.Done():
			break feed
		}
	}
	close(queue)
	workers.Wait()
	if len(r.failures) > 0 {
		return errors.Join(r.failures...)
	}
	return ctx.Err()
}

// finish records the outcome of a job. Its error means that results cannot be
// kept any more.
func (r *runner) finish(ctx context.Context, j job, t Trial, err error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil {
		if ctx.Err() == nil {
			r.failures = append(r.failures, fmt.Errorf("%s, trial %d: %w", j.Cell, j.trial, err))
		}
		return nil
	}
	if err := r.folder.add(t); err != nil {
		r.failures = append(r.failures, fmt.Errorf("keeping results: %w", err))
		return err
	}
	delete(r.left, j)
	r.costs.add(t)
	r.OnTrial(r.progress(&t))
	return nil
}

func (r *runner) progress(last *Trial) Progress {
	p := Progress{Done: r.total - len(r.left), Total: r.total, Kept: r.kept, Last: last}
	var left float64
	for j := range r.left {
		s, known := r.costs.estimate(j.Cell)
		p.Known = p.Known || known
		left += s
	}
	p.ETA = time.Duration(left / float64(min(r.Jobs, max(1, len(r.left)))) * float64(time.Second))
	return p
}

// costs remembers how long the trials of a cell take.
type costs map[Cell]struct {
	seconds float64
	trials  int
}

func (c costs) add(t Trial) {
	e := c[t.Cell]
	e.seconds += t.Seconds
	e.trials++
	c[t.Cell] = e
}

// estimate returns the mean time of the cell's trials, or of all trials when
// the cell has none yet.
func (c costs) estimate(cell Cell) (seconds float64, known bool) {
	if e, ok := c[cell]; ok {
		return e.seconds / float64(e.trials), true
	}
	n := 0
	for _, e := range c {
		seconds += e.seconds
		n += e.trials
	}
	if n == 0 {
		return 0, false
	}
	return seconds / float64(n), true
}
