package store_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/store"
	"github.com/mahabo/mahabo/study"
)

// 10,000 reports a trial stay cheap: a study with five such trials opens as if it had none, and a report
// more costs no more than the first.
func TestManyReportsStayCheap(t *testing.T) {
	const trials, each = 5, 10_000
	path := filepath.Join(t.TempDir(), "a.db")
	st := open(t, "sqlite:"+path)
	sp, err := space.New(space.Float("x", 0, 1))
	if err != nil {
		t.Fatal(err)
	}
	s, err := study.Create(t.Context(), st, study.Config{Name: "s", Space: sp, Method: "sobol", Stop: "median:after=1000"})
	if err != nil {
		t.Fatal(err)
	}
	batch, err := s.Ask(t.Context(), study.AskRequest{Count: trials})
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	for _, trial := range batch.Trials {
		list := make([]study.Reported, each)
		for i := range list {
			list[i] = study.Reported{Step: int64(i), Value: 1 / float64(i+1)}
		}
		for i := 0; i < each; i += 500 {
			if _, err := s.Report(t.Context(), trial.Number, "", list[i:i+500]...); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Tell(t.Context(), trial.Number, evaluate.Value(0)); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d reports in %v", trials*each, time.Since(start))
	if info, err := os.Stat(path); err == nil {
		t.Logf("the file has %d bytes for each", info.Size()/(trials*each))
	}
	again := open(t, "sqlite:"+path)
	start = time.Now()
	if _, err := study.Open(t.Context(), again, "s"); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(start); took > time.Second {
		t.Errorf("opening took %v", took)
	}
	found, err := s.Reports(t.Context(), 200, 1, 2)
	if err != nil || len(found) != 2 || len(found[1]) != 200 || found[1][199].Step != each-1 {
		t.Errorf("thinned there are %d, %v", len(found[1]), err)
	}
	again.Close()
	st.Close()
	read, err := store.OpenReadOnly(t.Context(), "sqlite:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	one, err := study.Open(t.Context(), read, "s")
	if err != nil {
		t.Fatal(err)
	}
	if found, err := one.Reports(t.Context(), 0, 1); err != nil || len(found[1]) != each {
		t.Errorf("read-only there are %d reports, %v", len(found[1]), err)
	}
}

// A file of a version without reports can be shown.
func TestReadOnlyWithoutReports(t *testing.T) {
	path := filepath.Join(t.TempDir(), "studies.db")
	if err := os.WriteFile(path, unpack(t, "studies.db.gz"), 0o600); err != nil {
		t.Fatal(err)
	}
	read, err := store.OpenReadOnly(t.Context(), "sqlite:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	names, err := read.Names(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	one, err := study.Open(t.Context(), read, names[0])
	if err != nil {
		t.Fatal(err)
	}
	if found, err := one.Reports(t.Context(), 0, 1); err != nil || len(found) != 0 {
		t.Errorf("there are reports %v, %v", fmt.Sprint(found), err)
	}
}
