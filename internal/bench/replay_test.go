package bench

import (
	"context"
	"errors"
	"strings"
	"testing"
)

func TestReplay(t *testing.T) {
	dir := t.TempDir()
	g := small("sobol", "random", "adaptive")
	g.Trials = 3
	if err := runIn(t, dir, g); err != nil {
		t.Fatal(err)
	}
	stored, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	calls := 0
	rows, err := Replay(t.Context(), ReplayOptions{Trials: stored, PerCell: 2, Jobs: 2, Version: "test", OnTrial: func(done, total int) {
		if calls++; done != calls || total != 6 {
			t.Errorf("call %d: %d of %d", calls, done, total)
		}
	}})
	if err != nil || len(rows) != 3 || calls != 6 {
		t.Fatalf("%d rows after %d trials, %v", len(rows), calls, err)
	}
	for _, r := range rows {
		if !r.Same() || r.Trials != 2 || r.Values != g.Init+g.Evals || r.WasCPU == 0 || r.First != nil {
			t.Errorf("row is %+v", r)
		}
	}
	if text := render(t, func(b *strings.Builder) error { return WriteReplayed(b, rows, Text) }); strings.Count(text, "equal") != 3 {
		t.Errorf("table:\n%s", text)
	}
}

// A method that is told the whole budget begins as it did.
func TestReplayOfTheBeginning(t *testing.T) {
	dir := t.TempDir()
	g := small("adaptive", "cmaes")
	if err := runIn(t, dir, g); err != nil {
		t.Fatal(err)
	}
	stored, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, evals := range []int{0, 1, g.Evals - 1, g.Evals + 5} {
		rows, err := Replay(t.Context(), ReplayOptions{Trials: stored, PerCell: 1, Evals: &evals, Jobs: 1})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rows {
			if !r.Same() || r.Values != g.Init+min(evals, g.Evals) || (r.WasCPU == 0) != (evals < g.Evals) {
				t.Errorf("%d evaluations: %+v", evals, r)
			}
		}
	}
}

func TestReplayFindsDifferences(t *testing.T) {
	dir := t.TempDir()
	g := small("random")
	g.Trials = 3
	if err := runIn(t, dir, g); err != nil {
		t.Fatal(err)
	}
	stored, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	stored[1].Curve[2] += 1e-15 * stored[1].Curve[2]
	rows, err := Replay(t.Context(), ReplayOptions{Trials: stored, PerCell: 3, Jobs: 1})
	if err != nil {
		t.Fatal(err)
	}
	r := rows[0]
	if r.Same() || r.Equal != 2 || r.First == nil || r.First.Trial != stored[1].Trial || r.First.Value != 3 || r.First.Stored != stored[1].Curve[2] {
		t.Errorf("row is %+v, first difference %+v", r, r.First)
	}
	var b strings.Builder
	if err := WriteReplayed(&b, rows, Text); !errors.Is(err, ErrDiffers) || !strings.Contains(b.String(), "2 of 3 equal; trial 1 from value 3 on") {
		t.Errorf("%v:\n%s", err, b.String())
	}

	stored[0].Method = "gone"
	if rows, err = Replay(t.Context(), ReplayOptions{Trials: stored[:1], PerCell: 1, Jobs: 1}); err != nil || rows[0].Same() || rows[0].Failure == nil {
		t.Errorf("a method that is gone: %+v, %v", rows, err)
	}
}

func TestReplayOptions(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if rows, err := Replay(ctx, ReplayOptions{Trials: []Trial{{Cell: Cell{"sobol", "branin", 2, 1}, Evals: 3, Init: 2}}, PerCell: 1, Jobs: 1}); !errors.Is(err, context.Canceled) || len(rows) > 0 {
		t.Errorf("cancelled: %v, %v", rows, err)
	}
	minus := -1
	for says, o := range map[string]ReplayOptions{
		"trials is 0": {Jobs: 1}, "jobs is 0": {PerCell: 1}, "evals is -1": {PerCell: 1, Jobs: 1, Evals: &minus},
	} {
		if _, err := Replay(t.Context(), o); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("want %q, got %v", says, err)
		}
	}
}
