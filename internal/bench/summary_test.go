package bench

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSummaryNumbers(t *testing.T) {
	var trials []Trial
	for i, best := range []float64{1, 2, 6} {
		tr := sample("sobol", i)
		tr.Best, tr.Seconds, tr.CPUSeconds = best, 10*best, best/2
		trials = append(trials, tr)
	}
	alone := sample("random", 0)
	got := Summarise(append(trials, alone))
	// 1, 2, 6: mean 3, squared deviations 4+1+9 = 14, se = sqrt(14/2/3).
	se, se10, half := math.Sqrt(7./3), 10*math.Sqrt(7./3), math.Sqrt(7./3)/2
	want := []Row{
		{Cell: trials[0].Cell, Evals: 3, Init: 2, Trials: 3, BestMean: 3, BestSE: &se, SecondsMean: 30, SecondsSE: &se10, CPUSecondsMean: 1.5, CPUSecondsSE: &half},
		{Cell: alone.Cell, Evals: 3, Init: 2, Trials: 1, BestMean: 1.5, SecondsMean: 0.25, CPUSecondsMean: 0.125},
	}
	near := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) <= 1e-14*math.Abs(a) })
	if diff := cmp.Diff(want, got, near); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSummaryOrderIsThatOfTheData(t *testing.T) {
	var trials []Trial
	for _, method := range []string{"random", "gone", "maha:d=true", "sobol", "maha:d=1"} {
		for _, problem := range []string{"sixhump", "branin"} {
			for _, dim := range []int{100, 20} {
				for _, batch := range []int{5, 1} {
					for i := range 3 {
						tr := sample(method, i)
						tr.Problem, tr.Dim, tr.Batch = problem, dim, batch
						tr.Best = rand.NormFloat64()
						trials = append(trials, tr)
					}
				}
			}
		}
	}
	want, err := EncodeSummary(Summarise(trials))
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		rand.Shuffle(len(trials), func(i, j int) { trials[i], trials[j] = trials[j], trials[i] })
		if got, _ := EncodeSummary(Summarise(trials)); string(got) != string(want) {
			t.Fatal("the summary depends on the order of the trials")
		}
	}
	var order []string
	for _, r := range Summarise(trials) {
		if len(order) == 0 || order[len(order)-1] != r.Method {
			order = append(order, r.Method)
		}
	}
	if diff := cmp.Diff([]string{"maha:d=1", "maha:d=true", "sobol", "random", "gone"}, order); diff != "" {
		t.Errorf("methods (-want +got):\n%s", diff)
	}
}

func TestSummaryFields(t *testing.T) {
	data, err := EncodeSummary(Summarise([]Trial{sample("sobol", 0)}))
	if err != nil {
		t.Fatal(err)
	}
	var rows []map[string]any
	if err := json.Unmarshal(data, &rows); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"method": "sobol", "problem": "branin", "dim": 5., "batch": 2., "evals": 3., "trials": 1.,
		"best_mean": 1.5, "best_se": nil, "seconds_mean": 0.25, "seconds_se": nil, "cpu_seconds_mean": 0.125,
	}
	if diff := cmp.Diff([]map[string]any{want}, rows); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if empty, err := EncodeSummary(Summarise(nil)); err != nil || strings.TrimSpace(string(empty)) != "[]" {
		t.Errorf("no trials give %q, %v", empty, err)
	}
}
