package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mahabo/mahabo/strategy"
)

// Options says what to run and where to keep it. Its functions may be nil and
// are called one at a time.
type Options struct {
	Grids    []Grid
	Registry *strategy.Registry // of the methods; nil for the built-in ones
	Dir      string             // results folder, made when missing
	Jobs     int                // trials at the same time, at least 1
	Threads  int                // of a trial, 0 for one; several need Jobs = 1 and trials that run here
	Version  string             // written into every line
	Limit    time.Duration      // of an answer of a program that is a method or a problem, 0 for DefaultAnswerLimit
	Execute  Execute            // has trials run elsewhere; nil: they run here
	Origin   *Origin            // written into runs.jsonl, if given and trials are left
	OnStart  func(Progress)     // called when a trial starts
	OnTrial  func(Progress)     // called at the start and after every trial
	OnNote   func(string)       // told about repairs, other versions, failures and fallbacks
}

// Execute has a trial run as Assignment.Run does.
type Execute func(context.Context, Assignment) (Trial, error)

// attempts at a trial: a failure may be of the machine, not of the method.
const attempts = 2

// Run makes all trials of the grids that the folder does not hold yet. A trial
// that fails is written down and tried once more; it does not stop the others,
// and their errors are returned together. When ctx ends, unfinished trials are
// dropped and the next run starts them afresh.
func Run(ctx context.Context, o Options) (err error) {
	if o.Jobs < 1 {
		return &InputError{fmt.Errorf("jobs is %d: at least one is needed", o.Jobs)}
	}
	if err := o.checkThreads(); err != nil {
		return &InputError{err}
	}
	o = o.withDefaults()
	s := setting{version: o.Version, threads: o.Threads, limit: o.Limit, programs: programs{registry: o.Registry}}
	jobs, err := plan(ctx, &s, o.Grids)
	if err != nil {
		return &InputError{err}
	}
	if o.Execute != nil && len(s.programs.methods)+len(s.programs.problems) > 0 {
		return &InputError{errors.New("programs (exec:) run here only: leave out the workers")}
	}
	f, err := openFolder(o.Dir, jobs, o.OnNote)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.close()) }()
	r := newRunner(o, s, f, jobs)
	r.noteVersions()
	if o.Origin != nil && len(r.waiting) > 0 {
		if err := appendJournal(filepath.Join(o.Dir, runsFile), o.Origin); err != nil {
			return err
		}
	}
	if err := f.writeSummary(); err != nil {
		return err
	}
	o.OnTrial(r.progress(nil))
	return r.run(ctx)
}

func (o Options) checkThreads() error {
	switch {
	case o.Threads < 0:
		return fmt.Errorf("threads is %d: at least one is needed", o.Threads)
	case o.Limit < 0:
		return fmt.Errorf("answer limit is %v: it cannot be negative", o.Limit)
	case o.Threads > 1 && o.Execute != nil:
		return fmt.Errorf("threads is %d: trials that run elsewhere have one, set it to 1", o.Threads)
	case o.Threads > 1 && o.Jobs > 1:
		return fmt.Errorf("threads is %d with %d jobs: the CPU times of trials side by side could not be told apart, set one of the two to 1", o.Threads, o.Jobs)
	}
	return nil
}

func (o Options) withDefaults() Options {
	o.Threads = max(o.Threads, 1)
	o.Limit = cmp.Or(o.Limit, DefaultAnswerLimit)
	if o.OnStart == nil {
		o.OnStart = func(Progress) {}
	}
	if o.OnTrial == nil {
		o.OnTrial = func(Progress) {}
	}
	if o.OnNote == nil {
		o.OnNote = func(string) {}
	}
	return o
}

// runner hands out jobs and collects their results.
type runner struct {
	Options
	folder        *folder
	execute       func(context.Context, job) (Trial, error)
	jobs, waiting []job
	total, kept   int

	mu       sync.Mutex // guards the folder and what follows
	costs    costs
	left     map[job]bool
	rows     []RowProgress
	rowOf    map[Cell]int
	failures []error
}

func newRunner(o Options, s setting, f *folder, jobs []job) *runner {
	r := &runner{
		Options: o.withDefaults(), folder: f, jobs: jobs, total: len(jobs),
		costs: costs{}, left: map[job]bool{}, rowOf: map[Cell]int{},
	}
	r.execute = func(ctx context.Context, j job) (Trial, error) { return j.run(ctx, s, j.evals) }
	if o.Execute != nil {
		r.execute = func(ctx context.Context, j job) (Trial, error) { return o.Execute(ctx, j.assignment()) }
	}
	finished := map[job]bool{}
	for _, t := range f.trials {
		finished[t.job()] = true
		r.costs.add(t)
	}
	for _, j := range jobs {
		row := r.row(j.Cell)
		row.Total++
		if finished[j] {
			row.Done++
			r.kept++
			continue
		}
		r.waiting = append(r.waiting, j)
		r.left[j] = true
	}
	return r
}

// noteVersions says when the means will be over trials of several versions.
func (r *runner) noteVersions() {
	asked := map[job]bool{}
	for _, j := range r.jobs {
		asked[j] = true
	}
	var others []string
	n := 0
	for _, t := range r.folder.trials {
		if t.Version == r.Version || !asked[t.job()] {
			continue
		}
		n++
		if !slices.Contains(others, t.Version) {
			others = append(others, t.Version)
		}
	}
	if n > 0 {
		r.OnNote(fmt.Sprintf("%s: %d finished trials are of version %s and are kept, this is %s; use another folder to measure anew",
			r.folder.file.Name(), n, strings.Join(others, ", "), r.Version))
	}
}

func (r *runner) run(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	queue := make(chan job)
	var workers sync.WaitGroup
	for range min(r.Jobs, len(r.waiting)) {
		workers.Go(func() {
			for j := range queue {
				if r.try(ctx, j) != nil {
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

// try runs a job, again if it fails. Its error means that results cannot be
// kept any more.
func (r *runner) try(ctx context.Context, j job) error {
	r.start(j)
	for attempt := 1; ; attempt++ {
		t, err := guard(func() (Trial, error) { return r.execute(ctx, j) })
		if err == nil {
			return r.finish(j, &t)
		}
		if ctx.Err() != nil {
			return r.finish(j, nil)
		}
		last := attempt == attempts
		if err := r.fail(j, attempt, last, err); err != nil || last {
			return errors.Join(err, r.finish(j, nil))
		}
	}
}

// guard makes a panic of a method the failure of its trial alone.
func guard(run func() (Trial, error)) (t Trial, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v", v)
		}
	}()
	return run()
}

func (r *runner) start(j job) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.row(j.Cell).Running++
	r.OnStart(r.progress(nil))
}

// fail writes a failed attempt down.
func (r *runner) fail(j job, attempt int, last bool, cause error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	then := "it is tried once more"
	if last {
		then = "it is left out; the next run tries it again"
		r.failures = append(r.failures, fmt.Errorf("%s, trial %d: %w", j.Cell, j.trial, cause))
	}
	r.OnNote(fmt.Sprintf("%s, trial %d failed: %v; %s", j.Cell, j.trial, cause, then))
	err := appendJournal(filepath.Join(r.folder.dir, failuresFile), Failure{
		Cell: j.Cell, Evals: j.evals, Init: j.init, Trial: j.trial,
		Attempt: attempt, Error: cause.Error(), Version: r.Version,
	})
	if err != nil {
		err = fmt.Errorf("keeping results: %w", err)
		r.failures = append(r.failures, err)
	}
	return err
}

// finish ends a job and keeps its trial, if there is one.
func (r *runner) finish(j job, t *Trial) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.row(j.Cell).Running--
	if t == nil {
		return nil
	}
	if t.Fallbacks > 0 {
		r.OnNote(fmt.Sprintf("%s, trial %d: rounds of uniform points, as the method could not choose: %d", j.Cell, j.trial, t.Fallbacks))
	}
	if t.Failed > 0 {
		r.OnNote(fmt.Sprintf("%s, trial %d: evaluations that failed: %d, the last one as %s", j.Cell, j.trial, t.Failed, t.Failure))
	}
	if err := r.folder.add(*t); err != nil {
		r.failures = append(r.failures, fmt.Errorf("keeping results: %w", err))
		return err
	}
	delete(r.left, j)
	r.row(j.Cell).Done++
	r.costs.add(*t)
	r.OnTrial(r.progress(t))
	return nil
}
