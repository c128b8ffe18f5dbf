package store_test

import (
	"bytes"
	"compress/gzip"
	"database/sql"
	"encoding/json"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/study"
)

// testdata/format0 has studies of the version before logs had a format number, in SQLite and
// as a dump of PostgreSQL, and in next.json what that version suggested next.
const format0 = "testdata/format0"

func unpack(t *testing.T, name string) []byte {
	t.Helper()
	packed, err := os.ReadFile(filepath.Join(format0, name))
	if err != nil {
		t.Fatal(err)
	}
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestOldSQLiteFileContinues(t *testing.T) {
	path := filepath.Join(t.TempDir(), "studies.db")
	if err := os.WriteFile(path, unpack(t, "studies.db.gz"), 0o600); err != nil {
		t.Fatal(err)
	}
	checkContinues(t, open(t, "sqlite:"+path))
}

func TestOldPostgreSQLDumpContinues(t *testing.T) {
	url := postgres.URL(t)
	db, err := sql.Open("pgx", url)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), string(unpack(t, "studies.sql.gz"))); err != nil {
		t.Fatal(err)
	}
	checkContinues(t, open(t, url))
}

// changed are the studies whose methods have got another arithmetic since, and which are
// only required to go on: vanilla is fitted by other formulas, and adaptive has models of its
// own for few parameters.
var changed = map[string]bool{"vanilla-plain": true, "adaptive-plain": true, "adaptive-wide": true, "adaptive-mixed": true}

// checkContinues asks every study for the suggestions that the old version made.
func checkContinues(t *testing.T, st study.Store) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(format0, "next.json"))
	if err != nil {
		t.Fatal(err)
	}
	var next map[string]struct {
		Trials []struct {
			Number int
			Params space.Params
		}
	}
	if err := json.Unmarshal(text, &next); err != nil {
		t.Fatal(err)
	}
	for name, want := range next {
		s, err := study.Open(t.Context(), st, name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		batch, err := s.Ask(t.Context(), study.AskRequest{Count: len(want.Trials)})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if batch.Fallback != "" || len(batch.Trials) != len(want.Trials) {
			t.Errorf("%s: %d trials, want %d (%s)", name, len(batch.Trials), len(want.Trials), batch.Fallback)
			continue
		}
		tolerance := 1e-9
		if strings.HasPrefix(name, "turbo") {
			tolerance = 1e-6 // of the digits that its points carried
		}
		for i, trial := range batch.Trials {
			if trial.Number != want.Trials[i].Number {
				t.Errorf("%s: trial %d, want %d", name, trial.Number, want.Trials[i].Number)
			}
			for param, value := range want.Trials[i].Params.All() {
				if got, _ := trial.Params.Get(param); !changed[name] && !alike(got, value, tolerance) {
					t.Errorf("%s: trial %d has %s = %v, the old version suggested %v", name, trial.Number, param, got, value)
				}
			}
		}
	}
}

// alike compares values as JSON has them.
func alike(a, b any, tolerance float64) bool {
	x, ok := number(a)
	y, both := number(b)
	if !ok || !both {
		return a == b
	}
	return math.Abs(x-y) <= tolerance*math.Max(1, math.Abs(y))
}

func number(v any) (float64, bool) {
	switch n := v.(type) {
	case float64:
		return n, true
	case int64:
		return float64(n), true
	}
	return 0, false
}
