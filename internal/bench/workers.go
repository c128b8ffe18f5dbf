package bench

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/internal/problem"
	"github.com/mahabo/mahabo/internal/rng"
	"github.com/mahabo/mahabo/store/memory"
	"github.com/mahabo/mahabo/strategy"
	"github.com/mahabo/mahabo/study"
)

// Crew is a number of workers that evaluate trials of a problem, in simulated time: how long an
// evaluation takes is drawn, its mean is 1, and the method takes no time.
type Crew struct {
	Method    string `json:"method"`
	Problem   string `json:"problem"`
	Dim       int    `json:"dim"`
	Workers   int    `json:"workers"`
	Durations string `json:"durations"`
	Rounds    bool   `json:"rounds"` // all wait until the last one of a round is done
	Evals     int    `json:"evals"`  // of a single worker, after the initial design
	Init      int    `json:"init"`
	Trial     int    `json:"trial"`
}

// CrewRun is what a crew did, a line of workers.jsonl.
type CrewRun struct {
	Crew
	Times   []float64 `json:"times"`         // when evaluations ended
	Best    []float64 `json:"best"`          // the lowest value by then
	Seconds float64   `json:"seconds"`       // what the method took
	Cut     bool      `json:"cut,omitempty"` // CrewOptions.RunLimit ended it
	Version string    `json:"version"`
}

// CrewOptions say how crews work.
type CrewOptions struct {
	Registry    *strategy.Registry // nil for the built-in methods
	Version     string
	Threads     int           // of a suggestion
	AnswerLimit time.Duration // of an answer of a program; 0 for DefaultAnswerLimit
	RunLimit    time.Duration // of the time that passes during a run, which then ends with what is told; 0 for none
	OnRun       func(CrewRun)
}

// Durations are how long evaluations take.
var Durations = []string{"constant", "heavy", "correlated"}

// efficiency is the share of the workers' time below which a crew is not followed: 64 workers for
// 1/24 of the time of one.
const efficiency = 0.375

// limit is how long a crew is followed: one worker for all its evaluations.
func (c Crew) limit() (evals int, until float64) {
	one := float64(c.Init + c.Evals)
	if c.Workers == 1 {
		return c.Init + c.Evals, math.Inf(1)
	}
	until = one / (efficiency * float64(c.Workers))
	return max(c.Workers, int(until*float64(c.Workers))), until
}

// duration draws how long an evaluation takes. A heavy tail is Pareto's with the exponent 1.5: one in a
// thousand takes 33 times the mean. Correlated ones take up to 1.8 when they are better than all before.
func (c Crew) duration(number int, value float64, before []float64) float64 {
	switch c.Durations {
	case "heavy":
		u := 1 - rng.New(uint64(c.Trial), uint64(number), rng.Purpose("duration")).Float64()
		return math.Pow(u, -1/1.5) / 3
	case "correlated":
		worse := 0
		for _, v := range before {
			if v > value {
				worse++
			}
		}
		return 0.2 + 1.6*(float64(worse)+0.5)/float64(len(before)+1)
	}
	return 1
}

// shortest is a time that every evaluation takes at least.
func (c Crew) shortest() float64 {
	switch c.Durations {
	case "heavy":
		return 1.0 / 3
	case "correlated":
		return 0.2
	}
	return 1
}

// crewStudy is a built-in method, which a study in memory asks and tells.
type crewStudy struct{ *study.Study }

func (s crewStudy) Ask(ctx context.Context, n int) (trials []evaluate.Trial, err error) {
	batch, err := s.Study.Ask(ctx, study.AskRequest{Count: n})
	for _, t := range batch.Trials {
		trials = append(trials, evaluate.Trial{Number: t.Number, Batch: batch.Number, Params: t.Params})
	}
	return trials, err
}

// method starts the method of the crew. A program is told that a batch has a point for every worker.
func (c Crew) method(ctx context.Context, s setting, p problem.Problem, evals int) (source evaluate.Source, end func(), err error) {
	j := job{Cell: Cell{Method: c.Method, Problem: c.Problem, Dim: c.Dim, Batch: 1}, evals: evals - c.Init, init: c.Init, trial: c.Trial}
	if isProgram(c.Method) {
		j.Batch = c.Workers
	}
	config, err := j.config(s.programs.known(), p)
	if err != nil {
		return nil, nil, err
	}
	if isProgram(c.Method) {
		o, err := s.optimiser(ctx, j, config)
		if err != nil {
			return nil, nil, err
		}
		return o, func() { _ = o.close(ctx) }, nil
	}
	config.Threads = s.threads
	one, err := study.Create(ctx, memory.New(), config, study.WithMethods(s.programs.known()))
	return crewStudy{one}, func() {}, err
}

// errCut ends the context of a run at its limit.
var errCut = errors.New("the run has had its time")

// run has the crew work.
func (c Crew) run(ctx context.Context, s setting, limit time.Duration) (run CrewRun, err error) {
	run = CrewRun{Crew: c, Version: s.version}
	runtime.LockOSThread() // programs end with it
	defer runtime.UnlockOSThread()
	if limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, limit, errCut)
		defer cancel()
		defer func() {
			if err != nil && len(run.Times) > 0 && errors.Is(context.Cause(ctx), errCut) {
				run.Cut, err = true, nil
			}
		}()
	}
	p, err := problem.New(c.Problem, c.Dim, uint64(c.Trial))
	if err != nil {
		return run, err
	}
	evals, until := c.limit()
	source, end, err := c.method(ctx, s, p, evals)
	if err != nil {
		return run, err
	}
	defer end()
	evaluator, err := p.Evaluator()
	if err != nil {
		return run, err
	}
	type running struct {
		number    int
		end       float64
		seen      evaluate.Outcome
		trueValue float64
	}
	var open []running
	var values []float64
	asked, best := 0, math.Inf(1)
	ask := func(count int, now float64) error {
		if count = min(count, evals-asked); count <= 0 || now+c.shortest() > until {
			return nil
		}
		start := time.Now()
		trials, err := source.Ask(ctx, count)
		if err != nil {
			return err
		}
		run.Seconds += time.Since(start).Seconds()
		asked += len(trials)
		for _, t := range trials {
			e, err := evaluator(ctx, t.Params)
			if err != nil {
				return err
			}
			open = append(open, running{t.Number, now + c.duration(t.Number, e.Value, values), e.Seen, e.Value})
			values = append(values, e.Value)
		}
		slices.SortStableFunc(open, func(a, b running) int { return cmp.Compare(a.end, b.end) })
		return nil
	}
	if err := ask(c.Workers, 0); err != nil {
		return run, err
	}
	for len(open) > 0 && open[0].end <= until {
		now, done := open[0].end, 1
		for done < len(open) && open[done].end == now {
			done++
		}
		if c.Rounds {
			done = len(open)
		}
		for _, o := range open[:done] {
			best = min(best, o.trueValue)
			run.Times, run.Best = append(run.Times, o.end), append(run.Best, best)
			if err := source.Tell(ctx, o.number, o.seen); err != nil {
				return run, err
			}
			now = max(now, o.end)
		}
		open = open[done:]
		if err := ask(done, now); err != nil {
			return run, err
		}
	}
	return run, nil
}

// Reached is when a run was at a value, +Inf when it never was.
func (r CrewRun) Reached(value float64) float64 {
	for i, v := range r.Best {
		if v <= value {
			return r.Times[i]
		}
	}
	return math.Inf(1)
}

// CrewFile is where the runs are, in a folder of their own.
const CrewFile = "workers.jsonl"

// RunCrews makes the runs that a folder does not have yet, adds them to it and returns all.
func RunCrews(ctx context.Context, dir string, crews []Crew, o CrewOptions) ([]CrewRun, error) {
	s := setting{version: o.Version, threads: o.Threads, limit: cmp.Or(o.AnswerLimit, DefaultAnswerLimit), programs: programs{registry: o.Registry}}
	crews = slices.Clone(crews)
	for i, c := range crews {
		if !isProgram(c.Method) {
			continue
		}
		name, err := s.programs.method(c.Method)
		if err != nil {
			return nil, &InputError{err}
		}
		crews[i].Method = name
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(dir, CrewFile), os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	runs, err := decodeCrews(f)
	if err != nil {
		return nil, err
	}
	for _, c := range crews {
		if slices.ContainsFunc(runs, func(r CrewRun) bool { return r.Crew == c }) {
			continue
		}
		r, err := c.run(ctx, s, o.RunLimit)
		if err != nil {
			return runs, fmt.Errorf("%s on %s with %d workers: %w", c.Method, c.Problem, c.Workers, err)
		}
		line, err := json.Marshal(r)
		if err == nil {
			_, err = f.Write(append(line, '\n'))
		}
		if err == nil {
			err = f.Sync()
		}
		if err != nil {
			return runs, err
		}
		runs = append(runs, r)
		if o.OnRun != nil {
			o.OnRun(r)
		}
	}
	return runs, nil
}

// ReadCrews returns the runs of a folder.
func ReadCrews(dir string) ([]CrewRun, error) {
	f, err := os.Open(filepath.Join(dir, CrewFile))
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return decodeCrews(f)
}

func decodeCrews(f *os.File) (runs []CrewRun, err error) {
	for d := json.NewDecoder(f); ; {
		var r CrewRun
		if err := d.Decode(&r); err == io.EOF {
			return runs, nil
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w: remove its last line", f.Name(), err)
		}
		runs = append(runs, r)
	}
}

// CrewRow is how much faster a crew was than one worker.
type CrewRow struct {
	Crew
	Trials  int
	Evals   float64 // that ended, the mean
	Alone   float64 // lowest value of one worker in the end, the mean; NaN where no one worker was run
	Lowest  float64 // that of the crew
	Reached int     // trials that were as low as one worker after all its evaluations
	Speedup float64 // median: the time of one worker, divided by that of the crew to be as low; 0 when most were not
	Seconds float64 // of the method, for a suggestion, on average
}

// CrewRows compares crews with one worker at the same trials; where there is none of any trial, it has all trials of the crew.
func CrewRows(runs []CrewRun) (rows []CrewRow) {
	alone, compared := map[Crew]CrewRun{}, map[Crew]bool{}
	ofOne := func(c Crew) (key Crew) {
		c.Workers, c.Rounds = 1, false
		return c
	}
	ofAll := func(c Crew) (key Crew) {
		c.Trial = 0
		return c
	}
	for _, r := range runs {
		if r.Workers == 1 && len(r.Best) > 0 {
			alone[r.Crew] = r
		}
	}
	for _, r := range runs {
		if _, ok := alone[ofOne(r.Crew)]; ok {
			compared[ofAll(r.Crew)] = true
		}
	}
	at := map[Crew]int{}
	speedups := map[Crew][]float64{}
	for _, r := range runs {
		key := ofAll(r.Crew)
		single, ok := alone[ofOne(r.Crew)]
		if r.Workers == 1 || ok != compared[key] || len(r.Best) == 0 {
			continue
		}
		i, known := at[key]
		if !known {
			i = len(rows)
			at[key], rows = i, append(rows, CrewRow{Crew: key})
		}
		rows[i].Trials++
		rows[i].Evals += float64(len(r.Best))
		rows[i].Lowest += r.Best[len(r.Best)-1]
		rows[i].Seconds += r.Seconds / float64(len(r.Best))
		if !ok {
			rows[i].Alone = math.NaN()
			continue
		}
		last := single.Best[len(single.Best)-1]
		rows[i].Alone += last
		speedup := single.Times[len(single.Times)-1] / r.Reached(last)
		if speedup > 0 {
			rows[i].Reached++
		}
		speedups[key] = append(speedups[key], speedup)
	}
	for i := range rows {
		if list := speedups[rows[i].Crew]; len(list) > 0 {
			slices.Sort(list)
			rows[i].Speedup = list[(len(list)-1)/2]
		}
		trials := float64(rows[i].Trials)
		rows[i].Evals /= trials
		rows[i].Seconds /= trials
		rows[i].Alone /= trials
		rows[i].Lowest /= trials
	}
	return rows
}

// CrewTable writes what CrewRows found.
func CrewTable(w io.Writer, rows []CrewRow, format Format) error {
	s := sheet{header: []string{"method", "problem", "durations", "workers", "trials", "evaluations", "one worker", "all workers", "as low as one", "sooner by", "s per point"}, left: 3}
	for _, r := range rows {
		durations, alone, reached, sooner := r.Durations, missing, missing, missing
		if r.Rounds {
			durations += " in rounds"
		}
		if !math.IsNaN(r.Alone) {
			alone, reached = fmt.Sprintf("%.6g", r.Alone), fmt.Sprint(r.Reached)
		}
		if r.Speedup > 0 {
			sooner = fmt.Sprintf("%.3g", r.Speedup)
		}
		s.add(words(r.Method, fmt.Sprintf("%s %d", r.Problem, r.Dim), durations, fmt.Sprint(r.Workers), fmt.Sprint(r.Trials), fmt.Sprintf("%.0f", r.Evals), alone,
			fmt.Sprintf("%.6g", r.Lowest), reached, sooner, fmt.Sprintf("%.3g", r.Seconds))...)
	}
	return s.write(w, format)
}
