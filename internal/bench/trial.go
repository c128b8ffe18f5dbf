package bench

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"time"

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
	Fallbacks  int       `json:"fallbacks,omitempty"`  // rounds of uniform points: the method could not choose
	Failed     int       `json:"failed,omitempty"`     // evaluations that gave no value
	Failure    string    `json:"failure,omitempty"`    // why, the last time
	Steps      int64     `json:"steps,omitempty"`      // that evaluations reported
	StepLimit  int64     `json:"step_limit,omitempty"` // of these; the trial ends there
	Stopped    int       `json:"stopped,omitempty"`    // evaluations that were ended early
	Minimum    *float64  `json:"minimum,omitempty"`    // of the problem, if it is a program that says so
	Curve      []float64 `json:"curve"`                // the initial design first, Init+Evals values
	Version    string    `json:"version"`
}

// job is a trial still to be run.
type job struct {
	Cell
	evals, init, trial int
	steps              int64 // that evaluations may report, 0 for no limit
}

// job returns what was run.
func (t Trial) job() job { return job{t.Cell, t.Evals, t.Init, t.Trial, t.StepLimit} }

// seed names the embedding and all random streams of a trial.
func (j job) seed() uint64 { return uint64(j.trial) }

// setting is how trials are run here.
type setting struct {
	version  string
	threads  int           // of a trial
	limit    time.Duration // of an answer of a program
	programs programs
}

// problem makes the problem of a job. The caller closes it.
func (s setting) problem(ctx context.Context, j job) (p problem.Problem, end func(), err error) {
	if !isProgram(j.Problem) {
		p, err = problem.New(j.Problem, j.Dim, j.seed())
		return p, func() {}, err
	}
	one, err := find(s.programs.problems, j.Problem)
	if err != nil {
		return p, nil, err
	}
	p, d, err := startProblem(ctx, one, j.seed(), s.limit)
	if err != nil {
		return p, nil, err
	}
	if j.Dim != 0 && j.Dim != p.Dim {
		d.Close()
		return p, nil, fmt.Errorf("dim is %d: problem %s has %d parameters; use dim 0 or %d", j.Dim, p.Name, p.Dim, p.Dim)
	}
	return p, d.Close, nil
}

// optimiser starts the method of a job. The caller closes it.
func (s setting) optimiser(ctx context.Context, j job, c study.Config) (optimiser, error) {
	if !isProgram(j.Method) {
		c.Threads = s.threads
		return newStudied(ctx, s.programs.known(), c)
	}
	one, err := find(s.programs.methods, j.Method)
	if err != nil {
		return nil, err
	}
	return startPeer(ctx, one, c, s.limit)
}

// config describes the study in which the method of the job minimises p.
func (j job) config(registry *strategy.Registry, p problem.Problem) (c study.Config, err error) {
	c = study.Config{
		Name: "trial", Method: j.Method, Seed: j.seed(), Init: j.init, Batch: j.Batch,
		Budget: j.init + j.evals, TrueDim: p.TrueDim,
	}
	c.Method, c.Stop = splitRule(j.Method)
	if isProgram(j.Method) {
		c.Method = designer
	}
	if c.Space, err = p.Parameters(); err != nil {
		return c, err
	}
	c = c.WithDefaults()
	return c, c.Check(registry)
}

// Assignment is a trial to be run, here or elsewhere.
type Assignment struct {
	Cell
	Evals int `json:"evals"`
	Init  int `json:"init"`
	Trial int `json:"trial"`

	StepLimit int64 `json:"step_limit,omitempty"`
}

func (j job) assignment() Assignment {
	return Assignment{j.Cell, j.evals, j.init, j.trial, j.steps}
}

// Run makes the trial. Its values depend on nothing but the assignment and the version of the
// program, its times on the number of threads too. With several no other trial of the process
// may run at the same time: its CPU time would be counted.
func (a Assignment) Run(ctx context.Context, registry *strategy.Registry, version string, threads int) (Trial, error) {
	j := job{a.Cell, a.Evals, a.Init, a.Trial, a.StepLimit}
	return j.run(ctx, setting{version: version, threads: threads, programs: programs{registry: registry}}, a.Evals)
}

// run makes the trial on one thread, and on others if there are to be several. It ends after
// so many evaluations behind the initial design; the method does not know.
func (j job) run(ctx context.Context, s setting, evals int) (t Trial, err error) {
	runtime.LockOSThread() // the CPU clock belongs to a thread, and programs end with it
	defer runtime.UnlockOSThread()
	p, end, err := s.problem(ctx, j)
	if err != nil {
		return t, err
	}
	defer end()
	c, err := j.config(s.programs.known(), p)
	if err != nil {
		return t, err
	}
	o, err := s.optimiser(ctx, j, c)
	if err != nil {
		return t, err
	}
	defer func() { err = errors.Join(err, o.close(context.WithoutCancel(ctx))) }()
	return j.play(ctx, s, p, o, evals)
}

// errStepsUsed ends a trial that has reported all the steps it may.
var errStepsUsed = errors.New("all steps are used up")

// play minimises a problem as a user does, in rounds. A limit of steps ends the evaluation that would go
// beyond it, and the trial with that or with the evaluation that reaches it.
func (j job) play(ctx context.Context, s setting, p problem.Problem, o optimiser, evals int) (Trial, error) {
	seen, err := newRecorder(p)
	if err != nil {
		return Trial{}, err
	}
	m := &meter{Source: o, clock: o.clock(s.threads)}
	report, steps := o.reports(), int64(0)
	err = evaluate.Run(ctx, evaluate.Options{
		Source: m, Evaluator: seen, Init: j.init, Trials: j.init + evals, Batch: j.Batch, Parallel: 1,
		OnReport: func(ctx context.Context, number int, at []int64, reached []evaluate.Outcome) string {
			if j.steps > 0 && steps+int64(len(at)) > j.steps {
				return errStepsUsed.Error()
			}
			steps += int64(len(at))
			if report == nil {
				return ""
			}
			return report(ctx, number, at, reached)
		},
		OnResult: func(r evaluate.Result, _ evaluate.Progress) error {
			if j.steps > 0 && (steps >= j.steps || r.Reason == errStepsUsed.Error()) {
				return errStepsUsed
			}
			return nil
		},
	})
	if err != nil && !errors.Is(err, errStepsUsed) && !errors.Is(err, evaluate.ErrExhausted) { // then all that there is was tried
		return Trial{}, err
	}
	curve, err := seen.curve(j.init + evals)
	if err != nil {
		return Trial{}, err
	}
	var minimum *float64
	if isProgram(j.Problem) && !math.IsNaN(p.Minimum) {
		minimum = &p.Minimum
	}
	return Trial{
		Cell: j.Cell, Minimum: minimum, Evals: evals, Init: j.init, Trial: j.trial, Seed: j.seed(),
		Best: curve[len(curve)-1], Seconds: m.wall.Seconds(), CPUSeconds: m.cpu.Seconds(),
		Steps: steps, StepLimit: j.steps, Stopped: seen.stopped,
		Fallbacks: o.fallbacks(), Failed: seen.failed, Failure: seen.failure, Curve: curve, Version: s.version,
	}, nil
}
