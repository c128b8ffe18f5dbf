package study_test

import (
	"strings"
	"testing"

	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/store/memory"
	"github.com/mahabo/mahabo/study"
)

func parse(t *testing.T, text string) *space.Space {
	t.Helper()
	sp, err := space.Parse([]byte("parameters:\n" + text))
	if err != nil {
		t.Fatal(err)
	}
	return sp
}

func TestChange(t *testing.T) {
	st, ctx := memory.New(), t.Context()
	s, err := study.Create(ctx, st, study.Config{Name: "s", Space: parse(t, "  x: {float: [0, 1]}\n  c: {choice: [a, b]}\n"), Method: "adaptive", Init: 3})
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range []float64{0.1, 0.3, 0.6, 0.9} {
		if _, err := s.Enqueue(ctx, study.EnqueueRequest{Params: []space.Params{values(map[string]any{"x": x, "c": "a"})}}); err != nil {
			t.Fatal(err)
		}
		ask(t, s, study.AskRequest{Count: 1})
		tell(t, s, i+1, 1-x)
	}
	narrow := study.Change{Space: parse(t, "  x: {float: [0, 0.5]}\n  c: {choice: [a, b, d]}\n  y: {log: [0.1, 10]}\n"), Added: values(map[string]any{"y": 1}), By: "ana"}
	preview, err := s.Change(ctx, narrow, true)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(preview.Differences, "; "); got != "x: float [0, 1] -> float [0, 0.5]; c: choice [a, b] -> choice [a, b, d]; y is new: log [0.1, 10]" {
		t.Errorf("the differences are %s", got)
	}
	if preview.Trials != 4 || len(preview.Outside) != 2 || !strings.Contains(preview.Outside[3], "expected a number in [0, 0.5]") {
		t.Errorf("the preview is %+v", preview)
	}
	if _, err := s.Change(ctx, study.Change{Space: narrow.Space}, true); err == nil || !strings.Contains(err.Error(), "the 4 trials so far had") {
		t.Errorf("a change without the values of a new parameter says %v", err)
	}
	if why := preview.Outside[3]; strings.Contains(why, "use ") || strings.Contains(why, "widen") {
		t.Errorf("advice for a trial that is over: %s", why)
	}
	if sum, err := s.Summary(ctx); err != nil || sum.Excluded != 0 || sum.Config.Space.Dim() != 2 {
		t.Errorf("the preview has changed the study: %+v, %v", sum, err)
	}
	before, err := s.Draft(ctx, study.AskRequest{Count: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := before.Choose(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Change(ctx, narrow, false); err != nil {
		t.Fatal(err)
	}
	if served := before.Serve(ctx); served[0].Err == nil {
		t.Error("a point of the old space was served")
	}
	best, _, err := s.Best(ctx)
	if err != nil || best.Number != 2 || best.Params.String() != `{"x":0.3,"c":"a","y":1}` {
		t.Errorf("the best is %d at %s, %v", best.Number, best.Params, err)
	}
	third := table(t, s)[2]
	if !third.Excluded || third.Outside == "" || third.Params.Float("x") != 0.6 || third.Params.Float("y") != 1 {
		t.Errorf("a trial that is outside became %+v", third)
	}
	b := ask(t, s, study.AskRequest{Count: 3})
	for _, p := range b.Trials {
		if x := p.Params.Float("x"); x > 0.5 || p.Params.Len() != 3 {
			t.Errorf("suggested %s", p.Params)
		}
	}
	for _, trial := range b.Trials {
		tell(t, s, trial.Number, 0.7)
	}
	// Wider again, but y fixed: trials with another y do not count, the others do.
	wide := study.Change{Space: parse(t, "  x: {float: [0, 2]}\n  c: {choice: [a, b, d]}\n  y: {fixed: 1.0}\n")}
	done, err := s.Change(ctx, wide, false)
	if err != nil || len(done.Inside) != 2 || len(done.Outside) != 3 {
		t.Errorf("wider again: %+v, %v", done, err)
	}
	if best, _, err := s.Best(ctx); err != nil || best.Number != 4 {
		t.Errorf("the best is %d, %v", best.Number, err)
	}
	again, err := s.Change(ctx, wide, false)
	if err != nil || len(again.Differences) != 0 {
		t.Errorf("the same again: %+v, %v", again, err)
	}
	ask(t, s, study.AskRequest{Count: 2})
	// The log leads to the same, and every suggestion of it can be made again.
	sameJSON(t, "trials of the log", table(t, s), table(t, mustOpen(t, st)))
	if err := study.Verify(ctx, events(t, st)); err != nil {
		t.Error(err)
	}
}

func mustOpen(t *testing.T, st study.Store) *study.Study {
	t.Helper()
	s, err := study.Open(t.Context(), st, "s")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Trials that break a constraint do not count once it is there, and count again without it.
func TestChangeConstraints(t *testing.T) {
	const parameters = "  acid: {float: [0, 1]}\n  base: {float: [0, 1]}\n"
	plain, tied := parse(t, parameters), parse(t, parameters+"constraints:\n- acid + base <= 1\n")
	for _, st := range []study.Store{memory.New(), inFile(t)} {
		s, err := study.Create(t.Context(), st, study.Config{Name: "s", Space: plain, Method: "adaptive", Goal: study.Maximize, Init: 2})
		if err != nil {
			t.Fatal(err)
		}
		for i, x := range []float64{0.9, 0.2, 0.8} { // the last one waits
			if _, err := s.Enqueue(t.Context(), study.EnqueueRequest{Params: []space.Params{values(map[string]any{"acid": x, "base": x})}}); err != nil {
				t.Fatal(err)
			}
			if i < 2 {
				ask(t, s, study.AskRequest{Count: 1})
				tell(t, s, i+1, 10*x)
			}
		}
		preview, err := s.Change(t.Context(), study.Change{Space: tied}, true)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{1, 3} {
			if why := preview.Outside[n]; len(preview.Outside) != 2 || !strings.Contains(why, `breaks the constraint "acid + base <= 1" by 0.`) {
				t.Errorf("trial %d breaks the constraint, and the preview says %q of %v", n, why, preview.Outside)
			}
		}
		if _, err := s.Change(t.Context(), study.Change{Space: tied}, false); err != nil {
			t.Fatal(err)
		}
		for _, s := range []*study.Study{s, mustOpen(t, st)} {
			if best, _, err := s.Best(t.Context()); err != nil || best.Number != 2 {
				t.Errorf("the best is %d, which breaks the constraint: %v", best.Number, err)
			}
		}
		b := ask(t, s, study.AskRequest{Count: 3})
		for _, one := range b.Trials {
			if acid, base := one.Params.Float("acid"), one.Params.Float("base"); acid+base > 1+1e-9 {
				t.Errorf("trial %d is served at %v + %v", one.Number, acid, base)
			}
		}
		if err := study.Recount(s); err != nil {
			t.Error(err)
		}
		sameJSON(t, "trials of the log", table(t, s), table(t, mustOpen(t, st)))
		if err := study.Verify(t.Context(), events(t, st)); err != nil {
			t.Error(err)
		}
		if done, err := s.Change(t.Context(), study.Change{Space: plain}, false); err != nil || len(done.Inside) != 2 {
			t.Errorf("without the constraint %v count again: %v", done.Inside, err)
		}
		if best, _, err := s.Best(t.Context()); err != nil || best.Number != 1 {
			t.Errorf("without the constraint the best is %d: %v", best.Number, err)
		}
	}
}

func TestChangeErrors(t *testing.T) {
	s, err := study.Create(t.Context(), memory.New(), study.Config{Name: "s", Space: parse(t, "  x: {float: [0, 1]}\n  z: {float: [0, 1]}\n"), Method: "sobol"})
	if err != nil {
		t.Fatal(err)
	}
	ask(t, s, study.AskRequest{Count: 1})
	for _, c := range []struct {
		space  string
		values map[string]any
		want   string
	}{
		{"  x: {float: [0, 1]}\n", nil, `"z" is not in the new space, but trials have it: fix it`},
		{"  x: {float: [0, 1]}\n  z: {float: [0, 1]}\n  y: {int: [1, 3]}\n", nil, `"y" is new: say which value the trial so far had`},
		{"  x: {float: [0, 1]}\n  z: {float: [0, 1]}\n  y: {int: [1, 3]}\n", map[string]any{"y": 5}, "expected a whole number in [1, 3]"},
		{"  x: {float: [0, 2]}\n  z: {float: [0, 1]}\n", map[string]any{"x": 1}, "is not new"},
		{"  x: {float: [0, 2]}\n  z: {float: [0, 1]}\n", map[string]any{"q": 1}, "not in the new space"},
	} {
		_, err := s.Change(t.Context(), study.Change{Space: parse(t, c.space), Added: values(c.values)}, false)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s with %v says %v, want %s", c.space, c.values, err, c.want)
		}
	}
}

// A trial that the space has no place for any more is given back like others.
func TestReleaseOutside(t *testing.T) {
	s, _, _ := begin(t, study.Config{})
	if _, err := s.Enqueue(t.Context(), study.EnqueueRequest{Params: []space.Params{values(map[string]any{"x": 9})}}); err != nil {
		t.Fatal(err)
	}
	ask(t, s, study.AskRequest{Count: 1, Worker: "w"})
	for _, high := range []string{"5", "10"} {
		if _, err := s.Change(t.Context(), study.Change{Space: parse(t, "  x: {float: [0, "+high+"]}\n")}, false); err != nil {
			t.Fatal(err)
		}
		if err := s.Release(t.Context(), "w"); err != nil {
			t.Fatal(err)
		}
		if one := table(t, s)[0]; one.State != study.Waiting {
			t.Errorf("with x up to %s it is %s", high, one.State)
		}
	}
	if b := ask(t, s, study.AskRequest{Count: 1}); b.Trials[0].Number != 1 {
		t.Errorf("trial %d is served", b.Trials[0].Number)
	}
	if err := study.Recount(s); err != nil {
		t.Error(err)
	}
}
