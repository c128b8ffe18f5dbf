package bench

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mahabo/mahabo/internal/problem"
)

func ptr(v float64) *float64 { return &v }

// measured is a row with the paper's settings.
func measured(method, prob string, dim, batch int, mean float64, se *float64) Row {
	return Row{
		Cell: Cell{method, prob, dim, batch}, Evals: PaperEvals, Init: PaperInit, Trials: 20,
		BestMean: mean, BestSE: se, SecondsMean: 90, SecondsSE: ptr(5), CPUSecondsMean: 60, CPUSecondsSE: ptr(3),
	}
}

func TestPaperData(t *testing.T) {
	best, minutes, err := Paper()
	if err != nil {
		t.Fatal(err)
	}
	// Ten methods in sequence and six in batches; five functions, or three dimensions.
	if len(best) != 16*5 || len(minutes) != 16*3 {
		t.Fatalf("%d best values and %d times, want 80 and 48", len(best), len(minutes))
	}
	seen := map[Cell]bool{}
	known := strings.Join(problem.Names(), " ")
	for _, p := range best {
		if seen[p.Cell] || p.Dim != 1000 || !strings.Contains(known, p.Problem) || !(p.SE >= 0) {
			t.Errorf("best value %+v", p)
		}
		seen[p.Cell] = true
	}
	for _, p := range minutes {
		if p.Problem != "branin" || !(p.Mean > 0) || !(p.SE > 0) {
			t.Errorf("time %+v", p)
		}
	}
	for _, want := range []Published{
		{Cell{"maha:d=1", "branin", 1000, 1}, 11.50, 0.38},
		{Cell{"maha:d=true", "goldstein", 1000, 5}, 86.34, 20.56},
		{Cell{"rembo", "colville", 1000, 1}, 15.41, 0.85},
		{Cell{"turbo", "sixhump", 1000, 5}, -1.03, 0},
	} {
		if !contains(best, want) {
			t.Errorf("%+v is not among the best values", want)
		}
	}
	for _, want := range []Published{
		{Cell{"maha:d=1", "branin", 1000, 5}, 204.28, 2.06},
		{Cell{"turbo", "branin", 10, 1}, 2.69, 0.03},
		{Cell{"alebo", "branin", 100, 1}, 319.58, 58.11},
	} {
		if !contains(minutes, want) {
			t.Errorf("%+v is not among the times", want)
		}
	}
}

func contains(list []Published, p Published) bool {
	for _, q := range list {
		if q == p {
			return true
		}
	}
	return false
}

func TestVerdicts(t *testing.T) {
	short := measured("maha:d=1", "branin", 1000, 1, 11, ptr(0.1))
	short.Evals = 200
	for _, c := range []struct {
		name    string
		row     Row
		diff    float64
		verdict string
	}{
		// The paper has 11.50 ± 0.38 here: 0.38 and 0.4 combine to 0.5517.
		{"better", measured("maha:d=1", "branin", 1000, 1, 10, ptr(0.4)), -1.5 / math.Hypot(0.38, 0.4), Better},
		{"within", measured("maha:d=1", "branin", 1000, 1, 12, ptr(0.4)), 0.5 / math.Hypot(0.38, 0.4), Within},
		{"worse", measured("maha:d=1", "branin", 1000, 1, 14, ptr(0.4)), 2.5 / math.Hypot(0.38, 0.4), Worse},
		// -1.03 ± 0.00 is rounded: it may be -1.0316 ± 0.004.
		{"rounded", measured("turbo", "sixhump", 1000, 1, -1.0316, ptr(0)), -0.0016 / 0.005, Within},
		{"one trial", measured("maha:d=1", "branin", 1000, 1, 11, nil), math.NaN(), "not comparable: one trial"},
		{"other settings", short, math.NaN(), "not comparable: 10+200 evaluations"},
		{"not in the paper", measured("sobol", "branin", 1000, 1, 11, ptr(1)), math.NaN(), missing},
	} {
		t.Run(c.name, func(t *testing.T) {
			list, err := CompareBest([]Row{c.row}, false)
			if err != nil {
				t.Fatal(err)
			}
			found := false
			for _, got := range list {
				if got.Ours == nil {
					if got.Verdict != missing || !math.IsNaN(got.Difference) {
						t.Errorf("a cell that was not measured has a verdict: %+v", got)
					}
					continue
				}
				found = true
				if got.Verdict != c.verdict || !cmp.Equal(got.Difference, c.diff, cmp.Comparer(closeOrNaN)) {
					t.Errorf("difference %g, verdict %q, want %g and %q", got.Difference, got.Verdict, c.diff, c.verdict)
				}
			}
			if !found {
				t.Error("the measured row is missing")
			}
		})
	}
}

func closeOrNaN(a, b float64) bool {
	return math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) <= 1e-9*(1+math.Abs(a))
}

func TestCompareText(t *testing.T) {
	rows := []Row{
		measured("turbo", "branin", 1000, 5, 12.5, ptr(0.2)),
		measured("turbo", "branin", 10, 5, 0.4, ptr(0.01)),
	}
	var b strings.Builder
	if err := Compare(&b, rows, false, Text); err != nil {
		t.Fatal(err)
	}
	want := `method  problem    dim  batch  trials             best          paper  difference/se     verdict
turbo   branin     1000      1       -                -   10.88 ± 0.18              -           -
turbo   colville   1000      1       -                -    3.76 ± 0.58              -           -
turbo   goldstein  1000      1       -                -  139.98 ± 5.07              -           -
turbo   hartmann6  1000      1       -                -   -1.07 ± 0.01              -           -
turbo   sixhump    1000      1       -                -   -1.03 ± 0.00              -           -
turbo   branin     1000      5      20    12.50 ± 0.20   12.74 ± 0.16           -0.9  within 2.5
turbo   colville   1000      5       -                -    5.86 ± 0.62              -           -
turbo   goldstein  1000      5       -                -  203.47 ± 5.28              -           -
turbo   hartmann6  1000      5       -                -   -0.95 ± 0.01              -           -
turbo   sixhump    1000      5       -                -   -1.03 ± 0.00              -           -
turbo   branin       10      5      20  0.400 ± 0.010              -              -           -

method  problem   dim  batch  trials    CPU minutes           paper  times faster
turbo   branin     10      1       -              -     2.69 ± 0.03             -
turbo   branin    100      1       -              -    19.35 ± 0.34             -
turbo   branin   1000      1       -              -  625.77 ± 14.95             -
turbo   branin     10      5      20  1.000 ± 0.050     1.54 ± 0.04          1.54
turbo   branin    100      5       -              -    88.98 ± 1.42             -
turbo   branin   1000      5      20  1.000 ± 0.050   108.57 ± 3.99           109
`
	if diff := cmp.Diff(strip(want), strip(b.String())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}

	b.Reset()
	if err := Compare(&b, nil, true, Markdown); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(b.String(), "\n"); n != 80+48+4+1 {
		t.Errorf("all cells of the paper make %d lines", n)
	}
}

// strip reduces runs of blanks, so that the test is about the content.
func strip(s string) string {
	var lines []string
	for line := range strings.Lines(s) {
		lines = append(lines, strings.Join(strings.Fields(line), " "))
	}
	return strings.Join(lines, "\n")
}

func TestTable(t *testing.T) {
	rows := []Row{
		measured("maha:d=1", "branin", 1000, 5, 10.239, ptr(0.2412)),
		{Cell: Cell{"sobol", "rover", 60, 1}, Evals: 5, Init: 2, Trials: 1, BestMean: 31.25, SecondsMean: 0.5},
	}
	for format, want := range map[Format]string{
		Text: `method    problem   dim  batch  evals  trials          best       seconds   cpu seconds
maha:d=1  branin   1000      5    500      20  10.24 ± 0.24  90.00 ± 5.00  60.00 ± 3.00
sobol     rover      60      1      5       1         31.25           0.5             0
`,
		Markdown: `| method   | problem |  dim | batch | evals | trials |         best |      seconds |  cpu seconds |
|----------|---------|-----:|------:|------:|-------:|-------------:|-------------:|-------------:|
| maha:d=1 | branin  | 1000 |     5 |   500 |     20 | 10.24 ± 0.24 | 90.00 ± 5.00 | 60.00 ± 3.00 |
| sobol    | rover   |   60 |     1 |     5 |      1 |        31.25 |          0.5 |            0 |
`,
	} {
		var b strings.Builder
		if err := Table(&b, rows, format); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, b.String()); diff != "" {
			t.Errorf("format %d (-want +got):\n%s", format, diff)
		}
	}
}

func TestPlusMinus(t *testing.T) {
	for _, c := range []struct {
		mean float64
		se   *float64
		want string
	}{
		{1234.5678, ptr(123.4), "1234.57 ± 123.40"},
		{0.41634, ptr(0.0061), "0.4163 ± 0.0061"},
		{0.41634, ptr(0.061), "0.416 ± 0.061"},
		{0.5, ptr(1e-9), "0.5000 ± 0.0000"},
		{0.5, ptr(0), "0.5000 ± 0.0000"},
		{-1.0316285, nil, "-1.032"},
	} {
		if got := plusMinus(c.mean, c.se); got != c.want {
			t.Errorf("%g, %v gives %q, want %q", c.mean, c.se, got, c.want)
		}
	}
}
