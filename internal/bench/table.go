package bench

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/mahabo/mahabo/internal/problem"
)

// Table writes one line per row with mean ± standard error over the trials. The
// lowest best value of a problem, dimension and batch size is bold. Where methods could not
// always choose, a last column counts the rounds, and where evaluations report while they run, columns say how many
// steps that were and how many evaluations were ended early.
func Table(w io.Writer, rows []Row, format Format) error {
	s := sheet{
		header: []string{"method", "problem", "dim", "batch", "evals", "trials", "best", "seconds", "cpu seconds"},
		left:   2, measured: []int{6, 7, 8},
	}
	fallbacks := slices.ContainsFunc(rows, func(r Row) bool { return r.Fallbacks > 0 })
	if fallbacks {
		s.header = append(s.header, "fallbacks")
	}
	steps := slices.ContainsFunc(rows, func(r Row) bool { return r.StepsMean > 0 })
	if steps {
		s.measured = append(s.measured, len(s.header), len(s.header)+1)
		s.header = append(s.header, "steps", "stopped")
	}
	winner := winners(rows, func(r Row) float64 { return r.BestMean })
	for _, r := range rows {
		best := measure(r.BestMean, r.BestSE)
		best.best = winner[r.Cell]
		line := append(r.settings(), best, measure(r.SecondsMean, r.SecondsSE), measure(r.CPUSecondsMean, r.CPUSecondsSE))
		if fallbacks {
			line = append(line, words(strconv.Itoa(r.Fallbacks))...)
		}
		if steps {
			line = append(line, measure(r.StepsMean, r.StepsSE), measure(r.StoppedMean, r.StoppedSE))
		}
		s.add(line...)
	}
	return s.write(w, format)
}

// settings is what a row says of its cell and size.
func (r Row) settings() []entry {
	return append(r.Cell.words(), words(strconv.Itoa(r.Evals), strconv.Itoa(r.Trials))...)
}

// Task is what the methods of a table or a panel compete on.
type Task struct {
	Problem    string
	Dim, Batch int
}

// Task returns the cell without its method.
func (c Cell) Task() Task { return Task{c.Problem, c.Dim, c.Batch} }

// Compare orders tasks by batch size, problem and dimension.
func (t Task) Compare(u Task) int {
	return cmp.Or(cmp.Compare(t.Batch, u.Batch), cmp.Compare(t.Problem, u.Problem), cmp.Compare(t.Dim, u.Dim))
}

// Minimum is the lowest value of the task's function inside, when it is known. For a program only
// its trials know.
func (t Task) Minimum() (float64, bool) {
	p, err := problem.New(t.Problem, 0, 0)
	if err != nil { // results may name a problem of a user
		return 0, false
	}
	return p.Minimum, !math.IsNaN(p.Minimum)
}

// winners are the cells with the lowest value of their task, where at least two
// methods compete.
func winners(rows []Row, value func(Row) float64) map[Cell]bool {
	byTask := map[Task][]Row{}
	for _, r := range rows {
		byTask[r.Task()] = append(byTask[r.Task()], r)
	}
	winner := map[Cell]bool{}
	for _, rivals := range byTask {
		if len(rivals) < 2 {
			continue
		}
		lowest := slices.MinFunc(rivals, func(a, b Row) int { return cmp.Compare(value(a), value(b)) })
		winner[lowest.Cell] = true
	}
	return winner
}

// Quantity is what a paper-like table shows.
type Quantity int

// The quantities: the best value, or the method's CPU time per trial in minutes. A trial
// runs on one thread, so that is its time on a core of its own, whatever else the machine did.
const (
	BestValue Quantity = iota
	Minutes
)

// of returns the mean and standard error of a row.
func (q Quantity) of(r Row) (mean float64, se *float64) {
	if q == BestValue {
		return r.BestMean, r.BestSE
	}
	if r.CPUSecondsSE == nil {
		return r.CPUSecondsMean / 60, nil
	}
	minutes := *r.CPUSecondsSE / 60
	return r.CPUSecondsMean / 60, &minutes
}

// Pivot writes tables as the paper prints them: a line per method, a column per
// problem and dimension, one table per batch size.
func Pivot(w io.Writer, rows []Row, q Quantity, format Format) error {
	columns := map[int][]Task{}
	for _, r := range rows {
		if own := columns[r.Batch]; !slices.Contains(own, r.Task()) {
			columns[r.Batch] = append(own, r.Task())
		}
	}
	var sheets []sheet
	for _, batch := range slices.Sorted(maps.Keys(columns)) {
		slices.SortFunc(columns[batch], Task.Compare)
		sheets = append(sheets, q.sheet(rows, batch, columns[batch]))
	}
	return writeSheets(w, sheets, format)
}

// sheet is the table of one batch size.
func (q Quantity) sheet(rows []Row, batch int, tasks []Task) sheet {
	s := sheet{caption: fmt.Sprintf("%s, batch size %d", q, batch), header: []string{"method"}, left: 1}
	for i, t := range tasks {
		s.header = append(s.header, fmt.Sprintf("%s %d", t.Problem, t.Dim))
		s.measured = append(s.measured, i+1)
	}
	winner := winners(rows, func(r Row) float64 { mean, _ := q.of(r); return mean })
	lines := map[string][]entry{}
	for _, r := range rows {
		if r.Batch != batch {
			continue
		}
		line, ok := lines[r.Method]
		if !ok {
			line = append(words(r.Method), slices.Repeat(words(missing), len(tasks))...)
			lines[r.Method] = line
			s.add(line...)
		}
		e := measure(q.of(r))
		e.best = winner[r.Cell]
		line[1+slices.Index(tasks, r.Task())] = e
	}
	return s
}

// String names the quantity in captions.
func (q Quantity) String() string {
	if q == Minutes {
		return "CPU minutes per trial"
	}
	return "best value"
}
