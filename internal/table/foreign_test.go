package table

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/study"
)

// The files of testdata were written by pyarrow 26, with the compressions, versions of pages
// and encodings that it has, and hold the same rows: of row i, from 0 on, x is i/100, n is
// i%9+1, on is i%3 = 0, c is the label i%3, and every tenth failed with the reason "run i".
func TestForeignParquet(t *testing.T) {
	labels := []string{"a", "bb", "=ccc"}
	sp := newSpace(t, space.Float("x", 0, 1), space.Int("n", 1, 9), space.Bool("on"), space.Choice("c", labels...))
	files, err := filepath.Glob("testdata/*.parquet")
	if err != nil || len(files) != 6 {
		t.Fatalf("the files are %q, %v", files, err)
	}
	for _, name := range files {
		s, _ := begin(t, study.Config{Space: sp})
		file, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		report, err := Import(t.Context(), s, file, Options{Format: Parquet})
		_ = file.Close() // only read from
		if strings.HasSuffix(name, "prefixes.parquet") {
			if err == nil || !strings.Contains(err.Error(), `column "reason": its encoding DELTA_BYTE_ARRAY is not read: write it with PLAIN or a dictionary`) {
				t.Errorf("%s: the error is %v", name, err)
			}
			continue
		}
		if err != nil || report.Good != 100 || len(report.Bad) > 0 {
			t.Errorf("%s: %+v, %v", name, report.Bad, err)
			continue
		}
		for i, trial := range trials(t, s) {
			want := fmt.Sprintf(`{"x":%v,"n":%d,"on":%t,"c":%q} complete %v`, float64(i)/100, i%9+1, i%3 == 0, labels[i%3], float64(i)/2)
			if i%10 == 0 {
				want = fmt.Sprintf(`{"x":%v,"n":%d,"on":%t,"c":%q} failed run %d`, float64(i)/100, i%9+1, i%3 == 0, labels[i%3], i)
			}
			got := fmt.Sprintf("%s %s %s", trial.Params, trial.State, trial.Reason)
			if trial.Value != nil {
				got = fmt.Sprintf("%s %s %v", trial.Params, trial.State, *trial.Value)
			}
			if got != want {
				t.Errorf("%s: row %d is %s, want %s", name, i, got, want)
			}
		}
	}
}
