package study_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/study"
)

// draft makes a draft of requests of one trial each.
func draft(t tb, s *study.Study, workers ...string) *study.Draft {
	t.Helper()
	var requests []study.AskRequest
	for _, w := range workers {
		r, err := s.Check(study.AskRequest{Worker: w})
		if err != nil {
			t.Fatal(err)
		}
		requests = append(requests, r)
	}
	d, err := s.Draft(context.Background(), requests...)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// choose lets the method choose.
func choose(t tb, d *study.Draft) *study.Draft {
	t.Helper()
	if err := d.Choose(context.Background()); err != nil {
		t.Fatal(err)
	}
	return d
}

// serve returns the numbers that every request got.
func serve(t tb, d *study.Draft) (got [][]int) {
	t.Helper()
	for _, s := range d.Serve(context.Background()) {
		if s.Err != nil {
			t.Fatal(s.Err)
		}
		got = append(got, numbers(s.Batch.Trials))
	}
	return got
}

func TestDraftServesMany(t *testing.T) {
	s, st, _ := begin(t, study.Config{Method: "vanilla", Init: 2})
	for n, b := range ask(t, s, study.AskRequest{Count: 4}).Trials {
		tell(t, s, b.Number, float64(n*n))
	}
	if _, err := s.Enqueue(t.Context(), study.EnqueueRequest{Params: []space.Params{values(map[string]any{"x": 3.5})}}); err != nil {
		t.Fatal(err)
	}
	d := draft(t, s, "a", "b", "c")
	if d.Points() != 2 {
		t.Fatalf("three requests beside a waiting trial need %d points", d.Points())
	}
	if got, want := serve(t, choose(t, d)), [][]int{{5}, {6}, {7}}; !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("served %v, want %v", got, want)
	}
	if last := events(t, st)[len(events(t, st))-1].Asked; last.Batch != 4 || last.Wanted != 2 || last.First != 1 || last.Worker != "c" {
		t.Errorf("the log has %+v", last)
	}
	if err := study.Verify(t.Context(), events(t, st)); err != nil {
		t.Error(err)
	}
}

func TestDraftIsOvertaken(t *testing.T) {
	s, _, _ := begin(t, study.Config{})
	d := choose(t, draft(t, s, "a"))
	ask(t, s, study.AskRequest{})
	if err := d.Serve(t.Context())[0].Err; !errors.Is(err, study.ErrOvertaken) {
		t.Errorf("a draft that did not know of another batch gave %v", err)
	}
}

func TestLateDraft(t *testing.T) {
	s, st, _ := begin(t, study.Config{Method: "vanilla", Init: 2})
	for n, b := range ask(t, s, study.AskRequest{Count: 3}).Trials {
		tell(t, s, b.Number, float64(n*n))
	}
	slow := choose(t, draft(t, s, "a", "b"))

	quick := draft(t, s, "a")
	if err := quick.Improvise(t.Context(), "too slow"); err != nil {
		t.Fatal(err)
	}
	b := quick.Serve(t.Context())[0]
	if b.Err != nil || b.Batch.Method != "sobol" || b.Batch.Fallback != "too slow" {
		t.Fatalf("improvised %+v", b)
	}
	tell(t, s, 4, -1)

	next := draft(t, s, "c")
	if next.Matches(slow) || !next.Adopt(slow) {
		t.Fatal("points that came late were not taken")
	}
	if got := next.Serve(t.Context())[0]; got.Err != nil || got.Batch.Method != "vanilla" || got.Batch.Trials[0].Number != 5 {
		t.Fatalf("served %+v", got)
	}
	if again := draft(t, s, "d"); again.Adopt(slow) {
		t.Error("the same points were taken twice")
	}
	if err := study.Verify(t.Context(), events(t, st)); err != nil {
		t.Error(err)
	}
}

func TestDraftMatches(t *testing.T) {
	s, _, now := begin(t, study.Config{})
	ask(t, s, study.AskRequest{Worker: "w", Lease: time.Minute})
	ahead := choose(t, draft(t, s, "a"))
	if err := s.Heartbeat(t.Context(), 1, "w", time.Minute); err != nil {
		t.Fatal(err)
	}
	if err := s.Note(t.Context(), 1, "hm"); err != nil {
		t.Fatal(err)
	}
	d := draft(t, s, "b")
	if !d.Matches(ahead) || draft(t, s, "b", "c").Matches(ahead) {
		t.Error("a draft matches what the method would choose now, and only that")
	}
	tell(t, s, 1, 1)
	if draft(t, s, "b").Matches(ahead) {
		t.Error("a value makes a draft stale")
	}
	if now.advance(time.Hour); !d.Adopt(ahead) || !slices.Equal(serve(t, d)[0], []int{2}) {
		t.Error("the draft was not served")
	}
}

// TestWritesInGroups drives one study from many goroutines of two processes: their
// writes share transactions, and overtake each other.
func TestWritesInGroups(t *testing.T) {
	s, st, now := begin(t, study.Config{})
	processes := []*study.Study{s, reopen(t, st, now)}
	const workers, each = 16, 10
	var wait sync.WaitGroup
	for w := range workers {
		wait.Go(func() {
			p := processes[w%2]
			for i := range each {
				b, err := p.Ask(context.Background(), study.AskRequest{RequestID: fmt.Sprint(w, i), Worker: fmt.Sprint(w)})
				if err != nil {
					t.Error(err)
					return
				}
				told, err := p.Record(context.Background(), study.Finished{Number: b.Trials[0].Number, Outcome: evaluate.Outcome{Value: float64(w)}})
				if err != nil || told[0].State != evaluate.Complete || *told[0].Value != float64(w) {
					t.Errorf("recording gave %+v, %v", told, err)
				}
				if err := p.Tell(context.Background(), 1_000_000, evaluate.Outcome{}); !errors.Is(err, study.ErrNoTrial) {
					t.Errorf("a trial that is not there gave %v", err)
				}
			}
		})
	}
	wait.Wait()
	trials := table(t, s)
	if len(trials) != workers*each {
		t.Fatalf("there are %d trials, want %d", len(trials), workers*each)
	}
	for _, one := range trials {
		if one.State != evaluate.Complete || fmt.Sprint(*one.Value) != one.Worker {
			t.Errorf("trial %d is %+v", one.Number, one)
		}
	}
	log := events(t, st)
	replayed, err := study.Replayed(log)
	if err != nil {
		t.Fatal(err)
	}
	sameJSON(t, "tables", replayed, trials)
	if err := study.Verify(t.Context(), log); err != nil {
		t.Error(err)
	}
}

func TestSelect(t *testing.T) {
	s, _, now := begin(t, study.Config{})
	ask(t, s, study.AskRequest{Count: 4, Worker: "Ada", Lease: time.Minute})
	tell(t, s, 1, 5)
	now.advance(time.Second)
	tell(t, s, 3, 2)
	if err := s.Tell(t.Context(), 4, evaluate.Outcome{State: evaluate.Failed, Reason: "Oil leak"}); err != nil {
		t.Fatal(err)
	}
	now.advance(time.Hour)
	for _, c := range []struct {
		q     study.Query
		want  []int
		total int
	}{
		{study.Query{}, []int{1, 2, 3, 4}, 4},
		{study.Query{Descending: true, Limit: 2}, []int{4, 3}, 4},
		{study.Query{Offset: 3, Limit: 2}, []int{4}, 4},
		{study.Query{Offset: 9}, nil, 4},
		{study.Query{Sort: study.ByValue}, []int{3, 1, 2, 4}, 4},
		{study.Query{Sort: study.ByValue, Descending: true}, []int{1, 3, 2, 4}, 4},
		{study.Query{Sort: study.ByTold, Descending: true}, []int{3, 4, 1, 2}, 4},
		{study.Query{States: []evaluate.State{study.Stale, evaluate.Failed}}, []int{2, 4}, 2},
		{study.Query{Text: "OIL"}, []int{4}, 1},
		{study.Query{Text: "ada", Offset: 1, Limit: 1}, []int{2}, 4},
		{study.Query{Text: "nothing like it"}, nil, 0},
	} {
		got, total, err := s.Select(t.Context(), c.q)
		if err != nil || !slices.Equal(numbers(got), c.want) || total != c.total {
			t.Errorf("%+v gave %v of %d, %v, want %v of %d", c.q, numbers(got), total, err, c.want, c.total)
		}
	}
	if got, err := s.Numbered(t.Context(), 3, 1); err != nil || !slices.Equal(numbers(got), []int{3, 1}) {
		t.Errorf("trials by number: %v, %v", got, err)
	}
	if _, err := s.Numbered(t.Context(), 5); !errors.Is(err, study.ErrNoTrial) {
		t.Errorf("a trial that is not there gave %v", err)
	}
}
