package bench

import (
	"context"
	"errors"
	"runtime"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/internal/problem"
	"github.com/mahabo/mahabo/strategy"
	"github.com/mahabo/mahabo/study"
)

// Cell is one combination of the grid.
type Cell struct {
	Method  string `json:"method"` // canonical specification
	Problem string `json:"problem"`
	Dim     int    `json:"dim"`
	Batch   int    `json:"batch"`
}

// Trial is one finished run, a line of trials.jsonl.
type Trial struct {
	Cell
	Evals      int       `json:"evals"`
	Init       int       `json:"init"`
	Trial      int       `json:"trial"`
	Seed       uint64    `json:"seed"`
	Best       float64   `json:"best"`
	Seconds    float64   `json:"seconds"`
	CPUSeconds float64   `json:"cpu_seconds"`
	Fallbacks  int       `json:"fallbacks,omitempty"` // rounds of uniform points: the method could not choose
	Failed     int       `json:"failed,omitempty"`    // evaluations that gave no value
	Failure    string    `json:"failure,omitempty"`   // why, the last time
	Curve      []float64 `json:"curve"`               // the initial design first, Init+Evals values
	Version    string    `json:"version"`
}

// job is a trial still to be run.
type job struct {
	Cell
	evals, init, trial int
}

// seed names the embedding and all random streams of a trial.
func (j job) seed() uint64 { return uint64(j.trial) }

// setup builds the problem of a job and describes the study that minimises it.
func (j job) setup(registry *strategy.Registry) (p problem.Problem, c study.Config, err error) {
	if p, err = problem.New(j.Problem, j.Dim, j.seed()); err != nil {
		return p, c, err
	}
	c, err = j.config(registry, p)
	return p, c, err
}

// config describes the study in which the method of the job minimises p.
func (j job) config(registry *strategy.Registry, p problem.Problem) (c study.Config, err error) {
	c = study.Config{
		Name: "trial", Method: j.Method, Goal: study.Minimize, Seed: j.seed(), Init: j.init, Batch: j.Batch,
		Budget: j.init + j.evals, TrueDim: p.TrueDim,
	}
	if c.Space, err = p.Parameters(); err != nil {
		return c, err
	}
	return c, c.Check(registry)
}

// Assignment is a trial to be run, here or elsewhere.
type Assignment struct {
	Cell
	Evals int `json:"evals"`
	Init  int `json:"init"`
	Trial int `json:"trial"`
}

func (j job) assignment() Assignment { return Assignment{j.Cell, j.evals, j.init, j.trial} }

// Run makes the trial. Its values depend on nothing but the assignment and the version of the
// program, its times on the number of threads too. With several no other trial of the process
// may run at the same time: its CPU time would be counted.
func (a Assignment) Run(ctx context.Context, registry *strategy.Registry, version string, threads int) (Trial, error) {
	return job{a.Cell, a.Evals, a.Init, a.Trial}.run(ctx, registry, version, threads)
}

// run makes the trial on one thread, and on others if there are to be several.
func (j job) run(ctx context.Context, registry *strategy.Registry, version string, threads int) (t Trial, err error) {
	return j.runSome(ctx, registry, j.evals, version, threads)
}

// runSome ends after so many evaluations behind the initial design. The method does not know.
func (j job) runSome(ctx context.Context, registry *strategy.Registry, evals int, version string, threads int) (t Trial, err error) {
	runtime.LockOSThread() // the CPU clock belongs to a thread
	defer runtime.UnlockOSThread()
	p, c, err := j.setup(registry)
	if err != nil {
		return t, err
	}
	c.Threads = threads
	o, err := newStudied(ctx, registry, c)
	if err != nil {
		return t, err
	}
	defer func() { err = errors.Join(err, o.close(context.WithoutCancel(ctx))) }()
	return j.play(ctx, p, o, evals, version, threads)
}

// play minimises a problem as a user does, in rounds.
func (j job) play(ctx context.Context, p problem.Problem, o optimiser, evals int, version string, threads int) (Trial, error) {
	seen, err := newRecorder(p)
	if err != nil {
		return Trial{}, err
	}
	m := newMeter(o, threads)
	err = evaluate.Run(ctx, evaluate.Options{
		Source: m, Evaluator: seen, Init: j.init, Trials: j.init + evals, Batch: j.Batch, Parallel: 1,
	})
	if err != nil && !errors.Is(err, evaluate.ErrExhausted) { // then all that there is was tried
		return Trial{}, err
	}
	curve, err := seen.curve(j.init + evals)
	if err != nil {
		return Trial{}, err
	}
	return Trial{
		Cell: j.Cell, Evals: evals, Init: j.init, Trial: j.trial, Seed: j.seed(),
		Best: curve[len(curve)-1], Seconds: m.wall.Seconds(), CPUSeconds: m.cpu.Seconds(),
		Fallbacks: o.fallbacks(), Failed: seen.failed, Failure: seen.failure, Curve: curve, Version: version,
	}, nil
}
