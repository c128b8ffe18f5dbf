package study_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/store/memory"
	"github.com/mahabo/mahabo/study"
)

// A run that is stopped gives back what it has not evaluated; the next one begins there and
// ends with the trials of a run that nobody stopped, whatever the order of its outcomes.
func TestStoppedRunsContinue(t *testing.T) {
	run := func(s *study.Study, first, trials, stopAt int) {
		t.Helper()
		source := s.Source("w", time.Hour)
		stop := make(chan struct{})
		err := evaluate.Run(t.Context(), evaluate.Options{
			Source: source, Init: first, Trials: trials, Batch: 3, Parallel: 2, Stop: stop,
			Evaluator: evaluate.Func(func(_ context.Context, number int, v space.Params) (evaluate.Outcome, error) {
				if number == stopAt {
					close(stop)
				}
				time.Sleep(time.Duration(number%3) * time.Millisecond)
				return evaluate.Value(v.Float("x")), nil
			}),
		})
		if err != nil && !errors.Is(err, evaluate.ErrStopped) {
			t.Fatal(err)
		}
		if err := source.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	config := study.Config{Method: "vanilla", Init: 4}
	whole, wholeStore, _ := begin(t, config)
	run(whole, 4, 13, 0)
	parts, partsStore, _ := begin(t, config)
	for range 20 {
		sum, err := parts.Summary(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		done, open := sum.States[evaluate.Complete], sum.States[study.Waiting]
		if sum.States[study.Running] > 0 {
			t.Fatalf("after a stop the states are %v", sum.States)
		}
		if done < 13 {
			run(parts, max(open, 4-done), 13-done, done+1)
		}
	}
	a, b := table(t, whole), table(t, parts)
	if len(a) != 13 || len(b) != 13 {
		t.Fatalf("%d and %d trials", len(a), len(b))
	}
	for i := range a {
		sameJSON(t, "parameters", a[i].Params, b[i].Params)
	}
	for _, st := range []study.Store{wholeStore, partsStore} {
		if err := study.Verify(t.Context(), events(t, st)); err != nil {
			t.Error(err)
		}
	}
}

func TestSourceKeepsLeases(t *testing.T) {
	s, err := study.Create(t.Context(), memory.New(), study.Config{Name: "s", Space: line(t), Method: "sobol"})
	if err != nil {
		t.Fatal(err)
	}
	source := s.Source("w", 60*time.Millisecond)
	if _, err := source.Ask(t.Context(), 2); err != nil {
		t.Fatal(err)
	}
	expires := table(t, s)[1].Expires
	for end := time.Now().Add(10 * time.Second); !table(t, s)[1].Expires.After(expires); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("no heartbeat was sent")
		}
	}
	if err := source.Tell(t.Context(), 1, evaluate.Value(1)); err != nil {
		t.Fatal(err)
	}
	if err := source.Tell(t.Context(), 1, evaluate.Value(2)); err != nil || *table(t, s)[0].Value != 1 {
		t.Errorf("a second value gave %v and %v", err, table(t, s)[0])
	}
	if err := source.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := table(t, s); got[0].State != evaluate.Complete || got[1].State != study.Waiting {
		t.Errorf("after Close the trials are %s and %s", got[0].State, got[1].State)
	}
}

// leaving is a store that goes away, after some writes before it has made them, after others
// before it has said so.
type leaving struct {
	study.Store
	writes int
}

func (l *leaving) Append(ctx context.Context, id string, events []study.Event, changed []study.Trial) error {
	l.writes++
	switch l.writes % 3 {
	case 1:
		return fmt.Errorf("%w: nobody there", study.ErrUnavailable)
	case 2:
		if err := l.Store.Append(ctx, id, events, changed); err != nil {
			return err
		}
		return fmt.Errorf("%w: no answer", study.ErrUnavailable)
	}
	return l.Store.Append(ctx, id, events, changed)
}

// A store that comes back has every trial of a run once, as if it had never been away.
func TestSourceWaitsForTheStore(t *testing.T) {
	st := &leaving{Store: memory.New()}
	s, err := study.Create(t.Context(), st, study.Config{Name: "s", Space: line(t), Method: "sobol"})
	if err != nil {
		t.Fatal(err)
	}
	source := s.Source("w", time.Hour)
	if _, err := source.Ask(t.Context(), 2); !errors.Is(err, study.ErrUnavailable) {
		t.Errorf("without OnAway the error is %v", err)
	}
	away := 0
	source.OnAway = func(error) bool { away++; return true }
	for round := range 4 {
		trials, err := source.Ask(t.Context(), 2)
		if err != nil {
			t.Fatal(err)
		}
		for i, one := range trials {
			if one.Number != 2*round+i+1 {
				t.Errorf("round %d serves trial %d", round, one.Number)
			}
			if err := source.Tell(t.Context(), one.Number, evaluate.Value(float64(one.Number))); err != nil {
				t.Error(err)
			}
		}
	}
	for i, one := range table(t, s) {
		if one.State != evaluate.Complete || *one.Value != float64(i+1) {
			t.Errorf("trial %d is %s", i+1, one.State)
		}
	}
	if got := len(table(t, s)); got != 8 || away < 8 {
		t.Errorf("%d trials, and the store was away %d times", got, away)
	}
	source.OnAway = func(error) bool { return false }
	for range 3 {
		if _, err := source.Ask(t.Context(), 1); errors.Is(err, study.ErrUnavailable) {
			return
		}
	}
	t.Error("what is given up is not an error")
}

func TestAdd(t *testing.T) {
	s, _, _ := begin(t, study.Config{})
	for range 2 {
		if _, err := s.Add(t.Context(), values(map[string]any{"x": 2}), evaluate.Outcome{Value: 3}); err != nil {
			t.Fatal(err)
		}
	}
	best, ok, err := s.Best(t.Context())
	if err != nil || !ok || best.Count != 2 || best.Origin != study.FromImport {
		t.Errorf("the best is %+v (%v)", best, err)
	}
	var request *study.RequestError
	if _, err := s.Add(t.Context(), values(map[string]any{"x": 20}), evaluate.Outcome{Value: 3}); !errors.As(err, &request) {
		t.Errorf("a value out of bounds gave %v", err)
	}
}
