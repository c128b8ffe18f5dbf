package suggest

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/internal/methods"
	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/strategy"
)

// script is a method that suggests what it is told to and remembers what it was given.
type script struct {
	suggestions []strategy.Suggestion
	built       int
	cfg         strategy.Config
	told        []strategy.Observation
	pending     []strategy.Suggestion
}

func (s *script) Ask(_ context.Context, _ int, pending []strategy.Suggestion) ([]strategy.Suggestion, error) {
	s.pending = pending
	return s.suggestions, nil
}

func (s *script) Tell(obs ...strategy.Observation) error {
	s.told = append(s.told, obs...)
	return nil
}

// task is one with this method.
func (s *script) task(t *testing.T, sp *space.Space) Task {
	t.Helper()
	r, err := strategy.NewRegistry(strategy.Method{Name: "script", Abilities: strategy.Abilities{Objectives: 2}, New: func(cfg strategy.Config, _ strategy.Settings) (strategy.Strategy, error) {
		s.built++
		s.cfg, s.told = cfg, nil
		return s, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	return Task{Space: sp, Methods: r, Method: "script", Config: strategy.Config{Seed: 1}}
}

func newSpace(t *testing.T, parts ...space.Part) *space.Space {
	t.Helper()
	s, err := space.New(parts...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// question asks for count points when none of those given is new.
func question(task Task, count int, tried ...strategy.Point) *Question {
	keys := map[string]bool{}
	for _, x := range tried {
		keys[Key(x)] = true
	}
	return &Question{Task: task, Count: count, Tried: func(key string) bool { return keys[key] }, Trials: len(tried)}
}

// hold fixes parameters.
func (q *Question) hold(t *testing.T, values map[string]any) *Question {
	t.Helper()
	q.Fixed = space.ParamsOf(values)
	pins, err := q.Space.Pins(q.Fixed)
	if err != nil {
		t.Fatal(err)
	}
	q.Pins = pins
	return q
}

func answer(t *testing.T, m *Model, q *Question) Answer {
	t.Helper()
	a, err := m.Answer(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func at(x ...float64) strategy.Suggestion { return strategy.Suggestion{X: x} }

// Suggestions become the nearest values, and the points that stand for these; tags stay.
func TestSuggestionsBecomeValues(t *testing.T) {
	s := &script{suggestions: []strategy.Suggestion{
		{X: strategy.Point{0.9, 0, 0.1, 0.3, -1}, Tag: "a"}, {X: strategy.Point{-0.9, 0, -0.1, -0.3, -0.2}, Tag: "b"},
	}}
	sp := newSpace(t, space.Int("n", 1, 3), space.Float("x", 0, 10), space.Choice("c", "u", "v", "w"))
	a := answer(t, &Model{}, question(s.task(t, sp), 2))
	for i, want := range []struct {
		n   int64
		c   string
		x   []float64
		tag string
	}{
		{3, "v", []float64{2. / 3, 0, -1, 1, -1}, "a"},
		{1, "u", []float64{-2. / 3, 0, 1, -1, -1}, "b"},
	} {
		got := a.Chosen[i]
		n, _ := got.Params.Get("n")
		c, _ := got.Params.Get("c")
		if n != want.n || c != want.c || got.Params.Float("x") != 5 || got.Tag != want.tag {
			t.Errorf("point %d has the values %v and the tag %q", i, got.Params, got.Tag)
		}
		for j, v := range got.X {
			if math.Abs(v-want.x[j]) > 1e-12 {
				t.Errorf("point %d is at %v, want %v", i, got.X, want.x)
				break
			}
		}
	}
}

// A method sees the domain of the space with the coordinates that are held, and all that the
// question knows.
func TestWhatAMethodSees(t *testing.T) {
	s := &script{suggestions: []strategy.Suggestion{at(0, 0, 0)}}
	sp := newSpace(t, space.Float("x", 0, 10), space.Int("n", 1, 4), space.Bool("b"), space.Constraint("x + n <= 6"))
	q := question(s.task(t, sp), 1).hold(t, map[string]any{"n": int64(2)})
	q.Observations = []strategy.Observation{{X: strategy.Point{-0.5, -0.25, 1}, Tag: "t", Y: []float64{3}, Std: []float64{0.5}}}
	q.Pending = []strategy.Suggestion{{X: strategy.Point{0.5, 0.25, 1}, Tag: "p"}}
	a := answer(t, &Model{}, q)
	d := s.cfg.Domain
	if d.Dim() != 3 || d.Params[1].Kind != strategy.Integer || len(d.Params[1].Levels) != 4 || d.Params[2].Kind != strategy.Bool || len(d.Linear) != 1 {
		t.Errorf("the domain is %+v", d)
	}
	if len(d.Fixed) != 1 || d.Fixed[1] != -0.25 {
		t.Errorf("the coordinates %v are held", d.Fixed)
	}
	if len(s.told) != 1 || !same(s.told[0], q.Observations[0]) {
		t.Errorf("it was told %+v", s.told)
	}
	if len(s.pending) != 1 || s.pending[0].Tag != "p" {
		t.Errorf("pending are %+v", s.pending)
	}
	if n, _ := a.Chosen[0].Params.Get("n"); n != int64(2) || a.Chosen[0].Params.Float("x") > 4+1e-9 {
		t.Errorf("the values are %v", a.Chosen[0].Params)
	}
}

// A model is told what is new, and starts anew when what it was told has changed or other
// coordinates are held.
func TestModelIsToldWhatIsNew(t *testing.T) {
	s := &script{suggestions: []strategy.Suggestion{at(0.5)}}
	task := s.task(t, newSpace(t, space.Float("x", 0, 10)))
	var m Model
	obs := func(values ...float64) (list []strategy.Observation) {
		for i, v := range values {
			list = append(list, strategy.Observation{X: strategy.Point{float64(i) / 10}, Y: []float64{v}})
		}
		return list
	}
	tagged := obs(1, 2, 4)
	tagged[1].Tag = "t"
	noisy := obs(1, 2, 4)
	noisy[1].Std = []float64{1}
	for i, c := range []struct {
		obs   []strategy.Observation
		fixed bool
		built int
	}{
		{nil, false, 1},
		{obs(1, 2), false, 1},
		{obs(1, 2, 3), false, 1},
		{obs(1, 2, 3), false, 1},
		{obs(1, 2, 4), false, 2}, // a mean has changed
		{tagged, false, 3},
		{noisy, false, 4},
		{obs(1), false, 5}, // there are fewer
		{obs(1), true, 6},
		{obs(1, 2), true, 6},
		{obs(1, 2), false, 7},
	} {
		q := question(task, 1)
		if c.fixed {
			q.hold(t, map[string]any{"x": 3.0})
		}
		q.Observations = c.obs
		answer(t, &m, q)
		if s.built != c.built || !slices.EqualFunc(s.told, c.obs, same) {
			t.Errorf("question %d: built %d times, want %d; told %v", i, s.built, c.built, s.told)
		}
	}
}

// A model that is kept gives what a new one does, with all kinds of parameters, points that
// are held, and pending points.
func TestKeptModelsAnswerAsNewOnes(t *testing.T) {
	sp := newSpace(t, space.Float("x[0:1]", 0, 10), space.Int("n", 1, 9), space.Choice("c", "u", "v", "w"), space.Constraint("x0 + x1 <= 12"))
	for _, method := range []string{"adaptive", "turbo:m=1", "vanilla", "maha:d=1", "cmaes", "random"} {
		task := Task{Space: sp, Methods: methods.BuiltIn(), Method: method, Config: strategy.Config{Init: 4, Seed: 3}}
		var kept Model
		var obs []strategy.Observation
		var pending []strategy.Suggestion
		var tried []strategy.Point
		for round := range 8 {
			build := func() *Question {
				q := question(task, 2, tried...)
				q.Observations, q.Pending = obs, pending
				if round == 5 {
					q.hold(t, map[string]any{"n": int64(7), "c": "w"})
				}
				return q
			}
			got, want := answer(t, &kept, build()), answer(t, &Model{}, build())
			for i := range want.Chosen {
				a, b := got.Chosen[i], want.Chosen[i]
				if !slices.Equal(a.X, b.X) || a.Tag != b.Tag || a.Mean != b.Mean || a.Std != b.Std {
					t.Fatalf("%s, round %d: %+v, a new model gives %+v", method, round, a, b)
				}
				if _, by, err := sp.Broken(a.Params); by != 0 || err != nil {
					t.Errorf("%s, round %d: %v breaks the constraint, %v", method, round, a.Params, err)
				}
				if n, _ := a.Params.Get("n"); round == 5 && n != int64(7) {
					t.Errorf("%s: n is %v, held at 7", method, n)
				}
				tried = append(tried, a.X)
			}
			first := got.Chosen[0]
			obs = append(slices.Clip(obs), strategy.Observation{X: first.X, Tag: first.Tag, Y: []float64{first.Params.Float("x0")}})
			pending = append(slices.Clip(pending), strategy.Suggestion{X: got.Chosen[1].X, Tag: got.Chosen[1].Tag})
		}
	}
}

// No point is chosen twice while there are others, not even in one answer.
func TestTriedPointsAreLeftOut(t *testing.T) {
	sp := newSpace(t, space.Int("n", 1, 3), space.Bool("b"))
	s := &script{suggestions: slices.Repeat([]strategy.Suggestion{at(0, 1)}, 4)}
	var all []strategy.Point
	a := answer(t, &Model{}, question(s.task(t, sp), 4))
	for _, c := range a.Chosen {
		all = append(all, c.X)
	}
	if !slices.Equal(all[0], strategy.Point{0, 1}) {
		t.Errorf("the first point is %v, want the one suggested", all[0])
	}
	// Two of six combinations are left: the answer is shorter than the question.
	a = answer(t, &Model{}, question(s.task(t, sp), 4, all...))
	if len(a.Chosen) != 2 {
		t.Errorf("%d points were chosen, 2 are left", len(a.Chosen))
	}
	for _, c := range a.Chosen {
		all = append(all, c.X)
	}
	keys := map[string]bool{}
	for _, x := range all {
		keys[Key(x)] = true
	}
	if len(keys) != 6 {
		t.Errorf("%d of 6 points were chosen", len(keys))
	}
	if _, err := new(Model).Answer(t.Context(), question(s.task(t, sp), 4, all...)); !errors.Is(err, evaluate.ErrExhausted) {
		t.Errorf("when all are tried the answer is %v", err)
	}
	held := question(s.task(t, sp), 4, strategy.Point{0, 1}, strategy.Point{0, -1}).hold(t, map[string]any{"n": int64(2)})
	if _, err := new(Model).Answer(t.Context(), held); !errors.Is(err, evaluate.ErrExhausted) {
		t.Errorf("when all with n = 2 are tried the answer is %v", err)
	}
}

// Numbers that are rounded are as finite as whole ones: all of them are chosen before there is none.
func TestRoundedNumbersAreExhausted(t *testing.T) {
	stepped, digits := space.Float("x", -0.3, 0.6), space.Float("x", 0.2, 1.2)
	stepped.Step, digits.Digits = 0.01, 2
	one, two := space.Log("x", 0.003, 100), space.Log("x", 0.1, 1)
	one.Digits, two.Digits = 1, 2
	for name, c := range map[string]struct {
		param space.Param
		count int
	}{"steps": {stepped, 91}, "decimals": {digits, 101}, "one digit": {one, 44}, "two digits": {two, 91}} {
		sp := newSpace(t, c.param, space.Bool("b"))
		s := &script{suggestions: []strategy.Suggestion{at(0, 1)}}
		keys := map[string]bool{}
		m := &Model{}
		for {
			q := question(s.task(t, sp), 1)
			q.Tried, q.Trials = func(key string) bool { return keys[key] }, len(keys)
			a, err := m.Answer(t.Context(), q)
			if errors.Is(err, evaluate.ErrExhausted) {
				break
			}
			if err != nil || keys[Key(a.Chosen[0].X)] {
				t.Fatalf("%s: %v after %d values", name, err, len(keys))
			}
			keys[Key(a.Chosen[0].X)] = true
		}
		if len(keys) != 2*c.count {
			t.Errorf("%s: %d points were chosen, there are %d", name, len(keys), 2*c.count)
		}
	}
}

func TestFixedParametersThatLeaveNothing(t *testing.T) {
	s := &script{suggestions: []strategy.Suggestion{at(0, 0)}}
	sp := newSpace(t, space.Float("x[0:1]", 0, 10), space.Constraint("x0 + x1 <= 8"))
	_, err := new(Model).Answer(t.Context(), question(s.task(t, sp), 1).hold(t, map[string]any{"x0": 9.0}))
	var fixed *FixedError
	if !errors.As(err, &fixed) || !errors.Is(err, space.ErrNoPoint) || !strings.Contains(err.Error(), "the fixed parameters") {
		t.Errorf("got %v", err)
	}
}

// A method that does not do what it was asked is an error, not a crash.
func TestMethodsThatDoNotAnswer(t *testing.T) {
	s := &script{suggestions: []strategy.Suggestion{at(0)}}
	_, err := new(Model).Answer(t.Context(), question(s.task(t, newSpace(t, space.Float("x", 0, 1))), 2))
	if err == nil || !strings.Contains(err.Error(), "returned 1 points, asked for 2") {
		t.Errorf("got %v", err)
	}
}

func TestKey(t *testing.T) {
	if Key(strategy.Point{math.Copysign(0, -1), 1}) != Key(strategy.Point{0, 1}) {
		t.Error("-0 is not 0")
	}
	if Key(strategy.Point{0.1}) == Key(strategy.Point{math.Nextafter(0.1, 1)}) {
		t.Error("two points have one key")
	}
}
