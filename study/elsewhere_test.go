package study_test

import (
	"path/filepath"
	"testing"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/store"
	"github.com/mahabo/mahabo/study"
)

// inFile is a store in a new file.
func inFile(t *testing.T) study.Store {
	t.Helper()
	st, err := store.Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "s.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	return st
}

// replicas are one study as two processes have it, which share a database.
func replicas(t *testing.T, c study.Config) (a, b *study.Study) {
	t.Helper()
	st := inFile(t)
	c.Name, c.Space, c.Method = "s", line(t), "sobol"
	var err error
	if a, err = study.Create(t.Context(), st, c); err != nil {
		t.Fatal(err)
	}
	if b, err = study.Open(t.Context(), st, "s"); err != nil {
		t.Fatal(err)
	}
	ask(t, b, study.AskRequest{Count: 1}) // it has all points in memory
	return a, b
}

// A process goes on when another has changed the parameters and served trials of the new ones.
func TestChangeElsewhere(t *testing.T) {
	wide := values(map[string]any{"x": 1, "y": 2})
	for name, use := range map[string]func(s *study.Study) error{
		"summary": func(s *study.Study) error { _, err := s.Summary(t.Context()); return err },
		"events":  func(s *study.Study) error { _, err := s.Events(t.Context(), 3); return err },
		"trials":  func(s *study.Study) error { _, err := s.Trials(t.Context(), study.Page{}); return err },
		"fixed": func(s *study.Study) error {
			_, err := s.Ask(t.Context(), study.AskRequest{Fixed: values(map[string]any{"y": 1})})
			return err
		},
		"enqueue": func(s *study.Study) error {
			_, err := s.Enqueue(t.Context(), study.EnqueueRequest{Params: []space.Params{wide}})
			return err
		},
		"import": func(s *study.Study) error {
			_, _, err := s.Import(t.Context(), "", study.Row{Params: wide, Outcome: evaluate.Value(1)})
			return err
		},
		"add": func(s *study.Study) error { _, err := s.Add(t.Context(), wide, evaluate.Value(1)); return err },
	} {
		a, b := replicas(t, study.Config{})
		change := study.Change{Space: parse(t, "  x: {float: [0, 5]}\n  y: {float: [0, 5]}\n"), Added: values(map[string]any{"y": 1})}
		if _, err := a.Change(t.Context(), change, false); err != nil {
			t.Fatal(err)
		}
		ask(t, a, study.AskRequest{Count: 2})
		if err := use(b); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What a stopped trial counts as does not depend on which process is told.
func TestStoppedElsewhere(t *testing.T) {
	countsAs := func(tellOther bool) float64 {
		a, b := replicas(t, study.Config{Stop: "gain"})
		var n int
		for i := range 12 {
			n = askOne(t, a)
			for step := range int64(5) {
				if _, err := a.Report(t.Context(), n, "w", at(step+1, float64(i)+10/float64(step+1))); err != nil {
					t.Fatal(err)
				}
			}
			if i < 11 {
				tell(t, a, n, float64(i))
			}
		}
		s := a
		if tellOther {
			s = b
		}
		told, err := s.Record(t.Context(), study.Finished{Number: n, Outcome: evaluate.Outcome{State: evaluate.Stopped}})
		if err != nil {
			t.Fatal(err)
		}
		return *told[0].CountsAs
	}
	if here, there := countsAs(false), countsAs(true); here != there {
		t.Errorf("it counts as %v where it was served, and as %v elsewhere", here, there)
	}
}
