package bench

import (
	"context"
	"math"
	"runtime"

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

// setup builds the problem and the method of a job, which may keep some threads busy.
func (j job) setup(threads int) (problem.Problem, strategy.Strategy, error) {
	p, err := problem.New(j.Problem, j.Dim, j.seed())
	if err != nil {
		return problem.Problem{}, nil, err
	}
	s, err := strategy.New(j.Method, strategy.Config{Dim: p.Dim, TrueDim: p.TrueDim, Init: j.init, Budget: j.init + j.evals, Seed: j.seed(), Threads: threads})
	if err != nil {
		return problem.Problem{}, nil, err
	}
	return p, s, nil
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
func (a Assignment) Run(ctx context.Context, version string, threads int) (Trial, error) {
	runtime.LockOSThread() // the CPU clock belongs to a thread
	defer runtime.UnlockOSThread()
	return job{a.Cell, a.Evals, a.Init, a.Trial}.run(ctx, version, threads)
}

// run evaluates the job on the calling thread, and on others if there are to be several.
func (j job) run(ctx context.Context, version string, threads int) (Trial, error) {
	p, s, err := j.setup(threads)
	if err != nil {
		return Trial{}, err
	}
	return j.play(ctx, p, s, version, threads)
}

// play lets the method minimise the problem.
func (j job) play(ctx context.Context, p problem.Problem, s strategy.Strategy, version string, threads int) (Trial, error) {
	meter := &cpuMeter{Strategy: s, clock: threadTime}
	if threads > 1 {
		meter.clock = processTime
	}
	result, err := study.Run(ctx, study.Options{
		Strategy:  meter,
		Objective: func(_ context.Context, x []float64) (float64, error) { return p.Eval(x), nil },
		Init:      j.init, Evals: j.evals, Batch: j.Batch,
	})
	if err != nil {
		return Trial{}, err
	}
	curve := make([]float64, len(result.Observations))
	best := math.Inf(1)
	for i, o := range result.Observations {
		best = min(best, p.Value(o.X)) // the method may have seen a noisy value
		curve[i] = best
	}
	return Trial{
		Cell: j.Cell, Evals: j.evals, Init: j.init, Trial: j.trial, Seed: j.seed(),
		Best: best, Seconds: result.Optimiser.Seconds(), CPUSeconds: meter.spent.Seconds(),
		Fallbacks: result.Fallbacks, Curve: curve, Version: version,
	}, nil
}
