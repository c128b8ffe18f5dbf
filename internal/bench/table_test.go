package bench

import (
	"encoding/csv"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// rivals are two methods on one problem, one of them in batches too.
func rivals() []Row {
	return []Row{
		measured("maha:d=1", "branin", 1000, 1, 11.5, ptr(0.38)),
		measured("maha:d=1", "branin", 1000, 5, 10.24, ptr(0.24)),
		measured("sobol_x%", "branin", 1000, 1, 9.5, nil),
		measured("sobol_x%", "hartmann6", 100, 1, -1.25, ptr(0.0125)),
	}
}

func render(t *testing.T, write func(*strings.Builder) error) string {
	t.Helper()
	var b strings.Builder
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestPivot(t *testing.T) {
	for format, want := range map[Format]string{
		Text: `best value, batch size 1

method     branin 1000   hartmann6 100
maha:d=1  11.50 ± 0.38               -
sobol_x%           9.5  -1.250 ± 0.013

best value, batch size 5

method     branin 1000
maha:d=1  10.24 ± 0.24
`,
		Markdown: `best value, batch size 1

| method   |  branin 1000 |  hartmann6 100 |
|----------|-------------:|---------------:|
| maha:d=1 | 11.50 ± 0.38 |              - |
| sobol_x% |      **9.5** | -1.250 ± 0.013 |

best value, batch size 5

| method   |  branin 1000 |
|----------|-------------:|
| maha:d=1 | 10.24 ± 0.24 |
`,
		LaTeX: `% best value, batch size 1
\begin{tabular}{lrr}
\toprule
method & branin 1000 & hartmann6 100 \\
\midrule
maha:d=1 & 11.50 $\pm$ 0.38 & - \\
sobol\_x\% & \textbf{9.5} & -1.250 $\pm$ 0.013 \\
\bottomrule
\end{tabular}

% best value, batch size 5
\begin{tabular}{lr}
\toprule
method & branin 1000 \\
\midrule
maha:d=1 & 10.24 $\pm$ 0.24 \\
\bottomrule
\end{tabular}
`,
	} {
		got := render(t, func(b *strings.Builder) error { return Pivot(b, rivals(), BestValue, format) })
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("format %d (-want +got):\n%s", format, diff)
		}
	}
	minutes := render(t, func(b *strings.Builder) error { return Pivot(b, rivals()[:1], Minutes, Text) })
	if !strings.Contains(minutes, "CPU minutes per trial, batch size 1") || !strings.Contains(minutes, "1.000 ± 0.050") {
		t.Errorf("minutes:\n%s", minutes)
	}
}

func TestTableFormats(t *testing.T) {
	rows := rivals()
	rows[3].BestMean = 1. / 3
	text := render(t, func(b *strings.Builder) error { return Table(b, rows, CSV) })
	records, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	want := [][]string{
		{"method", "problem", "dim", "batch", "evals", "trials", "best", "best se", "seconds", "seconds se", "cpu seconds", "cpu seconds se"},
		{"maha:d=1", "branin", "1000", "1", "500", "20", "11.5", "0.38", "90", "5", "60", "3"},
		{"maha:d=1", "branin", "1000", "5", "500", "20", "10.24", "0.24", "90", "5", "60", "3"},
		{"sobol_x%", "branin", "1000", "1", "500", "20", "9.5", "", "90", "5", "60", "3"},
		{"sobol_x%", "hartmann6", "100", "1", "500", "20", "0.3333333333333333", "0.0125", "90", "5", "60", "3"},
	}
	if diff := cmp.Diff(want, records); diff != "" {
		t.Errorf("CSV (-want +got):\n%s", diff)
	}
	rows[2].Method = "<b>"
	page := render(t, func(b *strings.Builder) error { return Table(b, rows, HTML) })
	for _, part := range []string{"<td>&lt;b&gt;</td>", `<td class="num"><b>9.5</b></td>`, `<th class="num">dim</th>`} {
		if !strings.Contains(page, part) {
			t.Errorf("HTML lacks %s:\n%s", part, page)
		}
	}
	if n := strings.Count(page, "<b>"); n != 1 {
		t.Errorf("%d bold values, want 1", n)
	}
}

func TestCurves(t *testing.T) {
	curves := Curves([]Trial{sample("sobol", 2), sample("random", 0), sample("sobol", 0)})
	if len(curves) != 2 || curves[0].Method != "sobol" || curves[0].Trials != 2 || curves[0].Init != 2 {
		t.Fatalf("curves %+v", curves)
	}
	// The two trials differ by 2 everywhere: se = sqrt(2)/sqrt(2) = 1.
	if diff := cmp.Diff([]float64{10, 5, 5, 2.5, 2.5}, curves[0].Mean); diff != "" {
		t.Errorf("mean (-want +got):\n%s", diff)
	}
	for i, se := range curves[0].SE {
		if math.Abs(se-1) > 1e-14 || curves[1].SE[i] != 0 {
			t.Errorf("standard errors %v and %v, want 1 and 0", curves[0].SE, curves[1].SE)
		}
	}
}

func TestFilter(t *testing.T) {
	trials := []Trial{sample("maha:d=1", 0), sample("sobol", 0), sample("sobol", 1)}
	for _, c := range []struct {
		name string
		f    Filter
		want int // -1 is an error
	}{
		{"all", Filter{}, 3},
		{"method", Filter{Methods: []string{"sobol"}}, 2},
		{"option in another order", Filter{Methods: []string{"maha:fit=adam,d=1"}}, 1},
		{"everything", Filter{Methods: []string{"sobol"}, Problems: []string{"branin"}, Dims: []int{5}, Batches: []int{2}}, 2},
		{"unknown method", Filter{Methods: []string{"sobol", "turbo"}}, -1},
		{"unknown problem", Filter{Problems: []string{"rover"}}, -1},
		{"unknown dim", Filter{Dims: []int{6}}, -1},
		{"unknown batch", Filter{Batches: []int{1}}, -1},
	} {
		got, err := c.f.Apply(trials)
		if (c.want < 0) != (err != nil) || err == nil && len(got) != c.want {
			t.Errorf("%s: %d trials, %v", c.name, len(got), err)
		}
	}
}

func TestAfter(t *testing.T) {
	trials := []Trial{
		{Evals: 3, Init: 2, Best: 1, Curve: []float64{9, 8, 5, 4, 1}},
		{Evals: 1, Init: 2, Best: 6, Curve: []float64{9, 8, 6}},
	}
	for evals, want := range map[int][]float64{1: {5, 6}, 2: {4}, 3: {1}} {
		got, err := After(trials, evals)
		if err != nil || len(got) != len(want) {
			t.Fatalf("after %d: %d trials, %v", evals, len(got), err)
		}
		for i, g := range got {
			if g.Best != want[i] || g.Evals != evals || len(g.Curve) != g.Init+evals {
				t.Errorf("after %d: %+v", evals, g)
			}
		}
	}
	if _, err := After(trials, 4); err == nil {
		t.Error("no trial has 4 evaluations, and there is no error")
	}
	if trials[0].Evals != 3 || len(trials[0].Curve) != 5 {
		t.Errorf("the trials themselves were changed: %+v", trials[0])
	}
}

func TestReadAll(t *testing.T) {
	a, b, other := t.TempDir(), t.TempDir(), t.TempDir()
	writeTrials(t, a, string(encodeAll(t, sample("sobol", 0))))
	writeTrials(t, b, string(encodeAll(t, sample("sobol", 1), sample("random", 0))))
	short := sample("sobol", 2)
	short.Evals, short.Curve = 2, short.Curve[:4]
	writeTrials(t, other, string(encodeAll(t, short)))
	if got, err := ReadAll(a, b); err != nil || len(got) != 3 {
		t.Errorf("%d trials, %v", len(got), err)
	}
	for says, dirs := range map[string][]string{"trial 0 is in": {a, a}, "evals 3": {a, other}, "does not exist": {a, a + "/no"}} {
		if _, err := ReadAll(dirs...); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("error is %v, want one with %q", err, says)
		}
	}
}
