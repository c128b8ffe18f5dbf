//go:build unix

package store_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/study"
)

// What goes to a file that is gone is not taken for stored.
func TestRemovedFile(t *testing.T) {
	sp, err := space.New(space.Float("x", 0, 1))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "x.db")
	st := open(t, "sqlite:"+path)
	defer st.Close()
	create := func(name string) error {
		_, err := study.Create(t.Context(), st, study.Config{Name: name, Space: sp, Method: "sobol", Goal: study.Minimize, Init: 1})
		return err
	}
	if err := create("before"); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path, path+".old"); err != nil {
		t.Fatal(err)
	}
	if err := create("without"); err == nil || !strings.Contains(err.Error(), "x.db is not the file any more that was opened") {
		t.Errorf("a study in a file that is gone: %v", err)
	}
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := create("another"); err == nil {
		t.Error("a study in a file that is not the one at the path any more")
	}
	if err := os.Rename(path+".old", path); err != nil {
		t.Fatal(err)
	}
	if err := create("after"); err != nil {
		t.Errorf("the file is back: %v", err)
	}
}

// While a file is moved nothing is told, not even when that is tried again. The moved file has all that was told
// before, also without its log, and is gone on with when it is back.
func TestMovedFileLosesNothing(t *testing.T) {
	sp, err := space.New(space.Float("x", 0, 1))
	if err != nil {
		t.Fatal(err)
	}
	path, elsewhere := filepath.Join(t.TempDir(), "x.db"), filepath.Join(t.TempDir(), "y.db")
	st := open(t, "sqlite:"+path)
	defer st.Close()
	s, err := study.Create(t.Context(), st, study.Config{Name: "s", Space: sp, Method: "sobol", Init: 4})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Ask(t.Context(), study.AskRequest{Count: 4}); err != nil {
		t.Fatal(err)
	}
	tell := func(number int) error {
		return s.Tell(t.Context(), number, evaluate.Outcome{Value: float64(number)})
	}
	complete := func(s *study.Study) int {
		t.Helper()
		sum, err := s.Summary(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return sum.States[evaluate.Complete]
	}
	if err := tell(1); err != nil {
		t.Fatal(err)
	}
	for round := range 2 { // the second time the log has been written to the file once
		if err := os.Rename(path, elsewhere); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if err := tell(2 + round); !errors.Is(err, study.ErrUnavailable) || !strings.Contains(err.Error(), "put it back") {
				t.Errorf("trial %d told to a file that was moved: %v", 2+round, err)
			}
		}
		data, err := os.ReadFile(elsewhere)
		if err != nil {
			t.Fatal(err)
		}
		alone := filepath.Join(t.TempDir(), "z.db")
		if err := os.WriteFile(alone, data, 0o600); err != nil {
			t.Fatal(err)
		}
		st := open(t, "sqlite:"+alone)
		if s, err := study.Open(t.Context(), st, "s"); err != nil || complete(s) != 1+round {
			t.Errorf("the moved file has no %d complete trials: %v", 1+round, err)
		}
		if err := st.Close(); err != nil {
			t.Error(err)
		}
		if err := os.Rename(elsewhere, path); err != nil {
			t.Fatal(err)
		}
		if err := tell(2 + round); err != nil {
			t.Errorf("trial %d when the file is back: %v", 2+round, err)
		}
		if n := complete(s); n != 2+round {
			t.Errorf("%d trials are complete when the file is back, not %d", n, 2+round)
		}
	}
	if err := os.Rename(path, elsewhere); err != nil {
		t.Fatal(err)
	}
	if err := st.Close(); err != nil {
		t.Error(err)
	}
	st = open(t, "sqlite:"+elsewhere)
	defer st.Close()
	if s, err = study.Open(t.Context(), st, "s"); err != nil || complete(s) != 3 {
		t.Errorf("the file that was moved before the end has no 3 complete trials: %v", err)
	}
}
