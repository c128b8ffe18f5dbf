package bench

import (
	"slices"
	"time"
)

// Progress is the state of a run.
type Progress struct {
	Done, Total int    // trials of the grid; Done counts those of earlier runs
	Kept        int    // trials of the grid found finished in the folder
	Last        *Trial // the trial just finished; nil at the start
	ETA         time.Duration
	Known       bool          // whether ETA rests on a finished trial
	Rows        []RowProgress // in the order of the plan
}

// RowProgress is the state of one cell.
type RowProgress struct {
	Cell
	Done, Total, Running int
	ETA                  time.Duration // of its trials, if nothing else ran
	Known                bool
}

// Row returns the state of the cell of the trial just finished.
func (p Progress) Row() (RowProgress, bool) {
	for _, r := range p.Rows {
		if p.Last != nil && r.Cell == p.Last.Cell {
			return r, true
		}
	}
	return RowProgress{}, false
}

// progress sums up what is done and what is left.
func (r *runner) progress(last *Trial) Progress {
	p := Progress{Done: r.total - len(r.left), Total: r.total, Kept: r.kept, Last: last, Rows: slices.Clone(r.rows)}
	var all float64
	for i := range p.Rows {
		row := &p.Rows[i]
		seconds, known := r.costs.estimate(row.Cell)
		left := seconds * float64(row.Total-row.Done)
		row.Known, row.ETA = known, r.parallel(left, row.Total-row.Done)
		p.Known = p.Known || known
		all += left
	}
	p.ETA = r.parallel(all, len(r.left))
	return p
}

// row returns the state of a cell, to be changed.
func (r *runner) row(c Cell) *RowProgress {
	i, ok := r.rowOf[c]
	if !ok {
		i = len(r.rows)
		r.rowOf[c] = i
		r.rows = append(r.rows, RowProgress{Cell: c})
	}
	return &r.rows[i]
}

// parallel is how long n trials take that need so many seconds together.
func (r *runner) parallel(seconds float64, n int) time.Duration {
	return time.Duration(seconds / float64(min(r.Jobs, max(1, n))) * float64(time.Second))
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
