package store_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/study"
)

// keepsSnapshots are the stores of which a part is tested here that no interface names.
type keepsSnapshots interface {
	Snapshot(ctx context.Context, id string) (data string, seq int64, err error)
	SaveSnapshot(ctx context.Context, id string, data []byte, seq int64, numbers []int, keys, points [][]byte) error
}

// step is something done to a study. Clocks stand still, so that two stores can be compared.
type step func(*testing.T, *study.Study)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func must2[T any](v T, _ error) T { return v }

func mixed(t *testing.T) *space.Space {
	t.Helper()
	sp, err := space.New(space.Float("x[0:3]", 0, 10), space.Log("rate", 1e-5, 1), space.Int("n", 1, 2000), space.Choice("c", "a", "b", "ü"),
		space.Bool("on"), space.Ordinal("o", 0.1, 0.5, 2), space.Fixed("f", 3))
	must(t, err)
	return sp
}

func mixedPoint(i int) space.Params {
	x := math.Mod(float64(i)*0.37, 10)
	return space.ParamsOf(map[string]any{
		"x0": x, "x1": math.Mod(float64(i)*0.11, 10), "x2": 1, "x3": 10, "rate": math.Pow(10, -5*math.Mod(float64(i)*0.013, 1)),
		"n": 1 + i%2000, "c": []string{"a", "b", "ü"}[i%3], "on": i%2 == 0, "o": 0.5,
	})
}

// steps are enough for a snapshot, with events behind it, and with everything that a snapshot
// has to know.
func steps(rows int) []step {
	importing := func(t *testing.T, s *study.Study) {
		var list []study.Row
		for i := range rows {
			row := study.Row{Params: mixedPoint(i), Outcome: evaluate.Value(float64(i%97) + 1), Notes: []string{fmt.Sprint("row ", i)}}
			switch {
			case i%50 == 3:
				row.Outcome = evaluate.Outcome{State: evaluate.Infeasible, Reason: "no"}
			case i%50 == 4:
				row.Excluded = true
			case i > 0 && i%50 == 5:
				row.Params = mixedPoint(i - 5) // a repetition
			}
			list = append(list, row)
		}
		_, _, err := s.Import(t.Context(), "digest", list...)
		must(t, err)
	}
	ask := func(t *testing.T, s *study.Study) {
		_, err := s.Ask(t.Context(), study.AskRequest{Count: 2, Worker: "w", RequestID: "r", Lease: time.Minute})
		must(t, err)
	}
	tell := func(number int, value float64) step {
		return func(t *testing.T, s *study.Study) {
			_, err := s.Record(t.Context(), study.Finished{Number: number, Outcome: evaluate.Value(value)})
			must(t, err)
		}
	}
	correct := func(number int, c study.Correction) step {
		return func(t *testing.T, s *study.Study) {
			_, _, err := s.Correct(t.Context(), number, c)
			must(t, err)
		}
	}
	changing := func(parts ...space.Part) step {
		return func(t *testing.T, s *study.Study) {
			sp, err := space.New(parts...)
			must(t, err)
			var added space.Params
			if _, err := s.Numbered(t.Context(), 1); err == nil && !strings.Contains(string(must2(json.Marshal(s.Config().Space))), "new") {
				added = space.ParamsOf(map[string]any{"new": 0.5})
			}
			_, err = s.Change(t.Context(), study.Change{Space: sp, Added: added, By: "ana"}, false)
			must(t, err)
		}
	}
	half, yes := 0.5, true
	used := space.ParamsOf(map[string]any{"rate": 0.123, "x1": 2.5})
	return []step{
		func(t *testing.T, s *study.Study) {
			_, err := s.Enqueue(t.Context(), study.EnqueueRequest{RequestID: "e", Params: []space.Params{mixedPoint(7), mixedPoint(8)}})
			must(t, err)
		},
		importing, ask, ask, tell(1, 0.25), correct(9, study.Correction{Value: &half}), correct(12, study.Correction{Params: used}),
		func(t *testing.T, s *study.Study) { must(t, s.Note(t.Context(), 12, "odd")) },
		func(t *testing.T, s *study.Study) {
			_, err := s.Enqueue(t.Context(), study.EnqueueRequest{RequestID: "e", Params: []space.Params{mixedPoint(7), mixedPoint(8)}})
			must(t, err) // the same again
		},
		importing, // adds nothing
		func(t *testing.T, s *study.Study) {
			_, err := s.Ask(t.Context(), study.AskRequest{Count: 3, Fixed: space.ParamsOf(map[string]any{"c": "b"})})
			must(t, err)
		},
		changing(space.Float("x[0:3]", 0, 7), space.Log("rate", 1e-6, 0.5), space.Int("n", 1, 2000), space.Choice("c", "a", "b", "ü", "d"),
			space.Fixed("on", true), space.Ordinal("o", 0.1, 0.5, 2), space.Fixed("f", 3), space.Float("new", 0, 2)),
		func(t *testing.T, s *study.Study) {
			_, err := s.Ask(t.Context(), study.AskRequest{Count: 4})
			must(t, err)
		},
		correct(14, study.Correction{Exclude: &yes}),
		changing(space.Float("x[0:3]", 0, 10), space.Log("rate", 1e-6, 1), space.Int("n", 1, 2000), space.Choice("c", "a", "b", "ü", "d"),
			space.Bool("on"), space.Ordinal("o", 0.1, 0.5, 2), space.Fixed("f", 3), space.Float("new", 0, 3)),
		ask, tell(2, 7), correct(1, study.Correction{Exclude: &yes}), correct(2, study.Correction{Params: used}),
	}
}

// state is all that can be seen of a study.
func state(t *testing.T, s *study.Study) string {
	t.Helper()
	sum, err := s.Summary(t.Context())
	must(t, err)
	best, ok, err := s.Best(t.Context())
	must(t, err)
	trials, total, err := s.Select(t.Context(), study.Query{})
	must(t, err)
	found, _, err := s.Select(t.Context(), study.Query{Text: `"c":"ü"`})
	must(t, err)
	page, err := s.Trials(t.Context(), study.Page{After: 5, Limit: 20})
	must(t, err)
	log, err := s.Events(t.Context(), 0)
	must(t, err)
	text, err := json.Marshal([]any{sum, best, ok, trials, total, len(found), page, log})
	must(t, err)
	return string(took.ReplaceAll(text, nil))
}

// took is what suggestions took, which differs from run to run.
var took = regexp.MustCompile(`"(fit|search|wait)_seconds":[0-9.e-]+,?`)

// A study whose points are packed and that is opened from a snapshot is the one that a log in
// memory leads to, at every step, and its method suggests the same.
func TestSnapshotsChangeNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes seconds; make test runs it")
	}
	clock := study.WithClock(func() time.Time { return time.Date(2031, 1, 1, 0, 0, 0, 12345, time.UTC) })
	eachDatabase(t, func(t *testing.T, url string) {
		config := study.Config{Name: "s", Space: mixed(t), Method: "cmaes", Seed: 5, Goal: study.Maximize}
		plain, err := study.Create(t.Context(), open(t, "memory:"), config, clock)
		must(t, err)
		st := open(t, url)
		defer st.Close()
		_, err = study.Create(t.Context(), st, config, clock)
		must(t, err)
		for i, do := range steps(1001) {
			do(t, plain)
			fresh, err := study.Open(t.Context(), st, "s", clock)
			must(t, err)
			do(t, fresh)
			again, err := study.Open(t.Context(), st, "s", clock)
			must(t, err)
			want := state(t, plain)
			for name, one := range map[string]*study.Study{"that made the step": fresh, "opened behind it": again} {
				if got := state(t, one); got != want {
					t.Fatalf("step %d: the study %s differs: %s", i, name, difference(want, got))
				}
			}
		}
		id, err := st.Find(t.Context(), "s")
		must(t, err)
		_, seq, err := st.(keepsSnapshots).Snapshot(t.Context(), id)
		must(t, err)
		if seq < 3 {
			t.Errorf("the snapshot is of place %d", seq)
		}
		must(t, st.(keepsSnapshots).SaveSnapshot(t.Context(), id, []byte("damaged"), 1<<40, nil, nil, nil))
		again, err := study.Open(t.Context(), st, "s", clock)
		must(t, err)
		if want, got := state(t, plain), state(t, again); want != got {
			t.Error("a damaged snapshot was not ignored: ", difference(want, got))
		}
	})
}

// difference shows where two texts part.
func difference(a, b string) string {
	i := 0
	for i < min(len(a), len(b)) && a[i] == b[i] {
		i++
	}
	cut := func(s string) string { return s[max(i-80, 0):min(i+80, len(s))] }
	return fmt.Sprintf("at %d:\nwant %s\ngot  %s", i, cut(a), cut(b))
}

// plainStore is a store as earlier versions had it: points are in the events.
type plainStore struct{ study.Store }

// A database of an earlier version is packed when its first snapshot is made, and goes on as before.
func TestOldPointsArePacked(t *testing.T) {
	clock := study.WithClock(func() time.Time { return time.Date(2031, 1, 1, 0, 0, 0, 0, time.UTC) })
	eachDatabase(t, func(t *testing.T, url string) {
		st := open(t, url)
		defer st.Close()
		config := study.Config{Name: "s", Space: mixed(t), Method: "cmaes"}
		old, err := study.Create(t.Context(), plainStore{st}, config, clock)
		must(t, err)
		for _, do := range steps(1001) {
			do(t, old)
		}
		want := state(t, old)
		for range 2 {
			s, err := study.Open(t.Context(), st, "s", clock)
			must(t, err)
			if got := state(t, s); got != want {
				t.Fatal(difference(want, got))
			}
		}
		id, err := st.Find(t.Context(), "s")
		must(t, err)
		if _, seq, err := st.(keepsSnapshots).Snapshot(t.Context(), id); err != nil || seq == 0 {
			t.Errorf("there is no snapshot: %d, %v", seq, err)
		}
		s, err := study.Open(t.Context(), st, "s", clock)
		must(t, err)
		a, err := old.Draft(t.Context(), study.AskRequest{Count: 1})
		must(t, err)
		b, err := s.Draft(t.Context(), study.AskRequest{Count: 1})
		must(t, err)
		must(t, a.Choose(t.Context()))
		must(t, b.Choose(t.Context()))
		if !a.Adopt(b) {
			t.Error("the studies do not ask the same question")
		}
	})
}

// A study takes little room, and who lists it does not read its points.
func TestLargeStudyIsLight(t *testing.T) {
	const trials, params = 1500, 200
	sp, err := space.New(space.Float(fmt.Sprintf("x[0:%d]", params-1), -1, 1))
	must(t, err)
	path := filepath.Join(t.TempDir(), "a.db")
	st := open(t, "sqlite:"+path)
	s, err := study.Create(t.Context(), st, study.Config{Name: "s", Space: sp, Method: "sobol"})
	must(t, err)
	var rows []study.Row
	size := 0
	for i := range trials {
		v := map[string]any{}
		for k := range params {
			x := math.Round(1e4*math.Sin(float64(1+i*params+k))) / 1e4 // as people write it
			v[fmt.Sprint("x", k)] = x
			size += len(fmt.Sprint(x)) + 1
		}
		rows = append(rows, study.Row{Params: space.ParamsOf(v), Outcome: evaluate.Value(float64(i))})
	}
	_, _, err = s.Import(t.Context(), "", rows...)
	must(t, err)
	must(t, st.Close())
	info, err := os.Stat(path)
	must(t, err)
	if got := float64(info.Size()) / float64(size); got > 1.5 {
		t.Errorf("the database is %.2f times as large as the table", got)
	}

	st = open(t, "sqlite:"+path)
	defer st.Close()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	s, err = study.Open(t.Context(), st, "s")
	must(t, err)
	_, err = s.Summary(t.Context())
	must(t, err)
	best, _, err := s.Best(t.Context())
	must(t, err)
	must(t, s.Note(t.Context(), 3, "a note"))
	runtime.ReadMemStats(&after)
	if best.Number != 1 || !strings.HasPrefix(best.Params.String(), `{"x0":`) {
		t.Errorf("the best trial is %d with %s", best.Number, best.Params)
	}
	if used, numbers := after.TotalAlloc-before.TotalAlloc, uint64(8*trials*params); used > numbers {
		t.Errorf("listing and telling took %d bytes, the numbers have %d", used, numbers)
	}
}
