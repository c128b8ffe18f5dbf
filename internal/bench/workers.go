package bench

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
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
	Times   []float64 `json:"times"`   // when evaluations ended
	Best    []float64 `json:"best"`    // the lowest value by then
	Seconds float64   `json:"seconds"` // what the method took
	Version string    `json:"version"`
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

// Run has the crew work.
func (c Crew) Run(ctx context.Context, registry *strategy.Registry, version string, threads int) (run CrewRun, err error) {
	run = CrewRun{Crew: c, Version: version}
	p, err := problem.New(c.Problem, c.Dim, uint64(c.Trial))
	if err != nil {
		return run, err
	}
	evals, until := c.limit()
	j := job{Cell: Cell{Method: c.Method, Problem: c.Problem, Dim: c.Dim, Batch: 1}, evals: evals - c.Init, init: c.Init, trial: c.Trial}
	config, err := j.config(registry, p)
	if err != nil {
		return run, err
	}
	config.Threads = threads
	s, err := study.Create(ctx, memory.New(), config, study.WithMethods(registry))
	if err != nil {
		return run, err
	}
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
		if count = min(count, evals-asked); count <= 0 {
			return nil
		}
		start := time.Now()
		batch, err := s.Ask(ctx, study.AskRequest{Count: count})
		run.Seconds += time.Since(start).Seconds()
		if err != nil {
			return err
		}
		asked += len(batch.Trials)
		for _, t := range batch.Trials {
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
			if err := s.Tell(ctx, o.number, o.seen); err != nil {
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
func RunCrews(ctx context.Context, dir string, crews []Crew, registry *strategy.Registry, version string, threads int, told func(CrewRun)) ([]CrewRun, error) {
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
		r, err := c.Run(ctx, registry, version, threads)
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
		told(r)
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
	Alone   float64 // lowest value of one worker in the end, the mean
	Lowest  float64 // that of the crew
	Reached int     // trials that were as low as one worker after all its evaluations
	Speedup float64 // median: the time of one worker, divided by that of the crew to be as low; 0 when most were not
	Seconds float64 // of the method, for a suggestion, on average
}

// CrewRows compares crews with one worker at the same trials.
func CrewRows(runs []CrewRun) (rows []CrewRow) {
	alone := map[Crew]CrewRun{}
	for _, r := range runs {
		if r.Workers == 1 {
			key := r.Crew
			key.Rounds = false
			alone[key] = r
		}
	}
	at := map[Crew]int{}
	speedups := map[Crew][]float64{}
	for _, r := range runs {
		key, one := r.Crew, r.Crew
		key.Trial, one.Workers, one.Rounds = 0, 1, false
		single, ok := alone[one]
		if r.Workers == 1 || !ok || len(single.Best) == 0 || len(r.Best) == 0 {
			continue
		}
		i, known := at[key]
		if !known {
			i = len(rows)
			at[key], rows = i, append(rows, CrewRow{Crew: key})
		}
		last := single.Best[len(single.Best)-1]
		rows[i].Alone += last
		rows[i].Lowest += r.Best[len(r.Best)-1]
		t := r.Reached(last)
		speedup := single.Times[len(single.Times)-1] / t
		if rows[i].Trials++; speedup > 0 {
			rows[i].Reached++
		}
		rows[i].Seconds += r.Seconds / float64(max(len(r.Times), 1))
		speedups[key] = append(speedups[key], speedup)
	}
	for i := range rows {
		list := speedups[rows[i].Crew]
		slices.Sort(list)
		rows[i].Speedup = list[(len(list)-1)/2]
		trials := float64(rows[i].Trials)
		rows[i].Seconds /= trials
		rows[i].Alone /= trials
		rows[i].Lowest /= trials
	}
	return rows
}

// CrewTable writes what CrewRows found.
func CrewTable(w io.Writer, rows []CrewRow, format Format) error {
	s := sheet{header: []string{"method", "problem", "durations", "workers", "trials", "one worker", "all workers", "as low as one", "sooner by", "s per point"}, left: 3}
	for _, r := range rows {
		durations, sooner := r.Durations, missing
		if r.Rounds {
			durations += " in rounds"
		}
		if r.Speedup > 0 {
			sooner = fmt.Sprintf("%.3g", r.Speedup)
		}
		s.add(words(r.Method, fmt.Sprintf("%s %d", r.Problem, r.Dim), durations, fmt.Sprint(r.Workers), fmt.Sprint(r.Trials), fmt.Sprintf("%.6g", r.Alone),
			fmt.Sprintf("%.6g", r.Lowest), fmt.Sprint(r.Reached), sooner, fmt.Sprintf("%.3g", r.Seconds))...)
	}
	return s.write(w, format)
}
