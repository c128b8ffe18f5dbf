package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"

	"github.com/mahabo/mahabo/internal/problem"
)

// Grid is the product of its lists. Every cell gets the trials FirstTrial ..
// FirstTrial+Trials-1.
type Grid struct {
	Methods    []string `json:"methods"`
	Problems   []string `json:"problems"`
	Dims       []int    `json:"dims"` // 0 is the problem's own number of parameters
	Batches    []int    `json:"batches"`
	Evals      int      `json:"evals"` // after the initial design
	Init       int      `json:"init"`
	Steps      int64    `json:"steps,omitempty"` // that the evaluations of a trial may report, 0 for no limit
	Trials     int      `json:"trials"`
	FirstTrial int      `json:"first_trial"`
}

// InputError is a mistake in what the caller gave: the grid, or the folder.
// Nothing has been written when it is returned.
type InputError struct{ Err error }

func (e *InputError) Error() string { return e.Err.Error() }

func (e *InputError) Unwrap() error { return e.Err }

// Validate names the first field that cannot be used.
func (g Grid) Validate() error {
	switch {
	case len(g.Methods) == 0:
		return errors.New("no method is given")
	case len(g.Problems) == 0:
		return errors.New("no problem is given")
	case len(g.Dims) == 0:
		return errors.New("no dimension is given")
	case len(g.Batches) == 0:
		return errors.New("no batch size is given")
	case g.Evals < 0:
		return fmt.Errorf("evals is %d: it cannot be negative", g.Evals)
	case g.Init < 1:
		return fmt.Errorf("init is %d: the initial design needs at least one point", g.Init)
	case g.Steps < 0:
		return fmt.Errorf("steps is %d: it cannot be negative; 0 is no limit", g.Steps)
	case g.Trials < 1:
		return fmt.Errorf("trials is %d: at least one is needed", g.Trials)
	case g.FirstTrial < 0:
		return fmt.Errorf("first trial is %d: it cannot be negative", g.FirstTrial)
	}
	for _, d := range g.Dims {
		if d < 0 {
			return fmt.Errorf("dim is %d: it cannot be negative; 0 is the problem's own number of parameters", d)
		}
	}
	for _, b := range g.Batches {
		if b < 1 {
			return fmt.Errorf("batch is %d: a round needs at least one point", b)
		}
	}
	return nil
}

// plan lists the jobs of all grids, each once, and builds every cell's problem
// and method for a trial run of their options. Trial t of all cells comes before
// trial t+1, and small problems and large batches, which are cheap, come first. Programs are
// noted in the setting.
func plan(ctx context.Context, s *setting, grids []Grid) ([]job, error) {
	var jobs []job
	known := map[Cell]problem.Problem{}
	seen := map[job]bool{}
	settings := map[Cell]job{}
	for _, g := range grids {
		if err := g.Validate(); err != nil {
			return nil, err
		}
		for cell, err := range g.cells(&s.programs) {
			if err != nil {
				return nil, err
			}
			probe := job{cell, g.Evals, g.Init, g.FirstTrial, g.Steps}
			p, err := s.probe(ctx, probe, known)
			if err != nil {
				return nil, err
			}
			cell.Dim = p.Dim // no 0 any more
			if old, ok := settings[cell]; !ok {
				settings[cell] = probe
			} else if old.evals != g.Evals || old.init != g.Init || old.steps != g.Steps {
				return nil, fmt.Errorf("%s is in two grids with different evals, init or steps", cell)
			}
			for t := range g.Trials {
				j := job{cell, g.Evals, g.Init, g.FirstTrial + t, g.Steps}
				if !seen[j] {
					seen[j] = true
					jobs = append(jobs, j)
				}
			}
		}
	}
	slices.SortStableFunc(jobs, func(a, b job) int {
		return cmp.Or(cmp.Compare(a.trial, b.trial), cmp.Compare(a.Dim, b.Dim), cmp.Compare(b.Batch, a.Batch))
	})
	return jobs, nil
}

// probe returns the problem of a job and checks that its method can be used. A program that is
// a problem is started once for all of its cells, and ended.
func (s *setting) probe(ctx context.Context, j job, known map[Cell]problem.Problem) (problem.Problem, error) {
	at := Cell{Problem: j.Problem, Dim: j.Dim}
	p, ok := known[at]
	if !ok || !isProgram(j.Problem) {
		runtime.LockOSThread() // programs end with it
		defer runtime.UnlockOSThread()
		var end func()
		var err error
		if p, end, err = s.problem(ctx, j); err != nil {
			return p, err
		}
		end()
		known[at] = p
	}
	_, err := j.config(s.programs.known(), p)
	return p, err
}

// cells yields the combinations of the grid with canonical names.
func (g Grid) cells(programs *programs) func(yield func(Cell, error) bool) {
	return func(yield func(Cell, error) bool) {
		for _, spec := range g.Methods {
			method, err := programs.method(spec)
			if err != nil {
				yield(Cell{}, err)
				return
			}
			for _, text := range g.Problems {
				p, err := programs.problem(text)
				if err != nil {
					yield(Cell{}, err)
					return
				}
				for _, d := range g.Dims {
					for _, b := range g.Batches {
						if b > 1 && !programs.batches(method) {
							err = fmt.Errorf("batch is %d: method %q proposes one point at a time, use batch 1", b, method)
						}
						if !yield(Cell{method, p, d, b}, err) {
							return
						}
					}
				}
			}
		}
	}
}

// batches says whether a method was made for batches.
func (p *programs) batches(spec string) bool {
	if isProgram(spec) {
		return true
	}
	m, err := p.known().Find(spec)
	return err == nil && m.Batch
}

// String names a cell in messages.
func (c Cell) String() string {
	return fmt.Sprintf("%s on %s, dim %d, batch %d", c.Method, c.Problem, c.Dim, c.Batch)
}
