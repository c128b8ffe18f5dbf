package table

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/store/memory"
	"github.com/mahabo/mahabo/study"
)

func newSpace(t testing.TB, parts ...space.Part) *space.Space {
	t.Helper()
	s, err := space.New(parts...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// begin creates a study in a new store, method sobol and one parameter x unless c says
// otherwise.
func begin(t testing.TB, c study.Config) (*study.Study, study.Store) {
	t.Helper()
	c.Name = "s"
	if c.Space == nil {
		c.Space = newSpace(t, space.Float("x", 0, 10))
	}
	if c.Method == "" {
		c.Method = "sobol"
	}
	st := memory.New()
	s, err := study.Create(context.Background(), st, c)
	if err != nil {
		t.Fatal(err)
	}
	return s, st
}

func ask(t testing.TB, s *study.Study, r study.AskRequest) study.Batch {
	t.Helper()
	b, err := s.Ask(context.Background(), r)
	if err != nil {
		t.Fatalf("Ask %+v: %v", r, err)
	}
	return b
}

func tell(t testing.TB, s *study.Study, number int, value float64) {
	t.Helper()
	if err := s.Tell(context.Background(), number, evaluate.Outcome{Value: value}); err != nil {
		t.Fatalf("Tell %d: %v", number, err)
	}
}

func trials(t testing.TB, s *study.Study) []study.Trial {
	t.Helper()
	all, err := s.Trials(context.Background(), study.Page{})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// sameJSON compares what two things look like to a user.
func sameJSON(t testing.TB, what string, want, got any) {
	t.Helper()
	w, err := json.MarshalIndent(want, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	g, err := json.MarshalIndent(got, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(w), string(g)); diff != "" {
		t.Errorf("%s differ (-want +got):\n%s", what, diff)
	}
}
