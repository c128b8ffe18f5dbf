package cli

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/mahabo/mahabo/internal/bench"
)

// steps are two trials of one row, and none of another.
func steps() []bench.Progress {
	cells := []bench.Cell{{Method: "sobol", Problem: "branin", Dim: 5, Batch: 2}, {Method: "random", Problem: "branin", Dim: 5, Batch: 2}}
	rows := func(done, running int) []bench.RowProgress {
		return []bench.RowProgress{
			{Cell: cells[0], Done: done, Total: 2, Running: running, ETA: 3 * time.Second, Known: true},
			{Cell: cells[1], Total: 2, Running: 1 - running},
		}
	}
	last := &bench.Trial{Cell: cells[0], Trial: 7, Best: 1.25, Seconds: 2}
	return []bench.Progress{
		{Total: 4, Rows: rows(0, 0)}, {Total: 4, Rows: rows(0, 1)},
		{Done: 1, Total: 4, Last: last, Rows: rows(1, 1), ETA: 6 * time.Second, Known: true},
		{Done: 2, Total: 4, Last: last, Rows: rows(2, 0), ETA: 4 * time.Second, Known: true},
	}
}

func TestBenchLines(t *testing.T) {
	var out bytes.Buffer
	show := benchLines{&lines{out: &out, unit: "trials"}, &out}
	for _, p := range steps() {
		show.update(p)
	}
	want := []string{
		"0/4 trials", "0/4 trials",
		"1/4 trials  sobol on branin, dim 5, batch 2, trial 7: 1.25 in 2s (1/2 of the row, 3s left)  6s left",
		"2/4 trials  sobol on branin, dim 5, batch 2, trial 7: 1.25 in 2s (2/2 of the row)  4s left",
	}
	for i, line := range strings.Split(strings.TrimSpace(out.String()), "\n") {
		if strings.TrimSpace(line) != want[i] {
			t.Errorf("line %d is %q, want %q", i, line, want[i])
		}
	}
}

// Bars close at every stage, and the row at work is among them.
func TestRowBars(t *testing.T) {
	for n := range len(steps()) + 1 {
		var out bytes.Buffer
		b := &rowBars{out: &out, rows: map[bench.Cell]*rowBar{}}
		for _, p := range steps()[:n] {
			b.update(p)
			working := 0
			for _, r := range p.Rows {
				working += min(1, r.Running)
			}
			if len(b.rows) != working {
				t.Errorf("%d rows shown, %d at work", len(b.rows), working)
			}
		}
		closed := make(chan struct{})
		go func() { b.close(); close(closed) }()
		select {
		case <-closed:
		case <-time.After(10 * time.Second):
			t.Fatalf("close hangs after %d updates", n)
		}
	}
}
