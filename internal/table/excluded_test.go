package table

import (
	"bytes"
	"strings"
	"testing"

	"github.com/mahabo/mahabo/study"
)

func TestExcludedTrialsStayExcluded(t *testing.T) {
	s, _ := begin(t, study.Config{})
	if _, err := Import(t.Context(), s, strings.NewReader("x,value,excluded\n0.1,8.2,yes\n0.2,1,\n0.3,2,FALSE\n0.4,3,perhaps\n"), Options{Format: CSV}); err != nil {
		t.Fatal(err)
	}
	for _, f := range []Format{CSV, JSONL, Parquet} {
		var file bytes.Buffer
		if err := Export(t.Context(), s, &file, f); err != nil {
			t.Fatal(err)
		}
		other, _ := begin(t, study.Config{})
		report, err := Import(t.Context(), other, &file, Options{Format: f})
		if err != nil || len(report.Bad) > 0 || len(report.Trials) != 3 {
			t.Fatalf("%s: %+v, %v", f, report, err)
		}
		trials, err := other.Numbered(t.Context(), 1, 2, 3)
		if err != nil || !trials[0].Excluded || trials[1].Excluded || trials[2].Excluded {
			t.Errorf("%s: the trials are %+v, %v", f, trials, err)
		}
		values, err := other.Values(t.Context())
		if err != nil || len(values) != 2 {
			t.Errorf("%s: the values %v count, %v", f, values, err)
		}
	}
}
