package bench

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strings"

	"github.com/mahabo/mahabo/internal/methods"
	"github.com/mahabo/mahabo/strategy"
)

// Row is one cell's summary, an element of summary.json.
type Row struct {
	Cell
	Evals          int      `json:"evals"`
	Init           int      `json:"-"`
	Trials         int      `json:"trials"`
	BestMean       float64  `json:"best_mean"`
	BestSE         *float64 `json:"best_se"` // nil for a single trial
	SecondsMean    float64  `json:"seconds_mean"`
	SecondsSE      *float64 `json:"seconds_se"`
	CPUSecondsMean float64  `json:"cpu_seconds_mean"`
	CPUSecondsSE   *float64 `json:"-"`
	Fallbacks      int      `json:"fallbacks,omitempty"` // of all trials

	StepsMean   float64  `json:"steps_mean,omitempty"` // that evaluations reported; 0 when they report none
	StepsSE     *float64 `json:"-"`
	StoppedMean float64  `json:"stopped_mean,omitempty"` // evaluations that were ended early
	StoppedSE   *float64 `json:"-"`
}

// Summarise makes one row per cell, ordered by method (as the registry lists
// them), problem, dimension and batch size: the order of the trials does not
// matter.
func Summarise(trials []Trial) []Row {
	cells := map[Cell][]Trial{}
	for _, t := range trials {
		cells[t.Cell] = append(cells[t.Cell], t)
	}
	rows := make([]Row, 0, len(cells))
	for cell, ts := range cells {
		// A fixed order makes the sums the same to the last bit.
		slices.SortFunc(ts, func(a, b Trial) int { return cmp.Compare(a.Trial, b.Trial) })
		r := Row{Cell: cell, Evals: ts[0].Evals, Init: ts[0].Init, Trials: len(ts)}
		r.BestMean, r.BestSE = meanSE(ts, func(t Trial) float64 { return t.Best })
		r.SecondsMean, r.SecondsSE = meanSE(ts, func(t Trial) float64 { return t.Seconds })
		r.CPUSecondsMean, r.CPUSecondsSE = meanSE(ts, func(t Trial) float64 { return t.CPUSeconds })
		if slices.ContainsFunc(ts, func(t Trial) bool { return t.Steps > 0 }) {
			r.StepsMean, r.StepsSE = meanSE(ts, func(t Trial) float64 { return float64(t.Steps) })
			r.StoppedMean, r.StoppedSE = meanSE(ts, func(t Trial) float64 { return float64(t.Stopped) })
		}
		for _, t := range ts {
			r.Fallbacks += t.Fallbacks
		}
		rows = append(rows, r)
	}
	rank := methodRank()
	slices.SortFunc(rows, func(a, b Row) int {
		return cmp.Or(
			cmp.Compare(rank(a.Method), rank(b.Method)), cmp.Compare(a.Method, b.Method),
			cmp.Compare(a.Problem, b.Problem), cmp.Compare(a.Dim, b.Dim), cmp.Compare(a.Batch, b.Batch))
	})
	return rows
}

// EncodeSummary returns the text of summary.json.
func EncodeSummary(rows []Row) ([]byte, error) {
	data, err := json.MarshalIndent(rows, "", "  ")
	if err != nil {
		return nil, err
	}
	return append(data, '\n'), nil
}

// meanSE returns the mean of a quantity and its standard error.
func meanSE[T any](of []T, quantity func(T) float64) (mean float64, se *float64) {
	n := float64(len(of))
	for _, t := range of {
		mean += quantity(t) / n
	}
	if len(of) < 2 {
		return mean, nil
	}
	var ss float64
	for _, t := range of {
		ss += (quantity(t) - mean) * (quantity(t) - mean)
	}
	e := math.Sqrt(ss / (n - 1) / n)
	return mean, &e
}

// methodRank returns a method's place in the registry; methods it does not know
// come last.
func methodRank() func(spec string) int {
	known := methods.BuiltIn().Methods()
	return func(spec string) int {
		name, _, _ := strings.Cut(spec, ":")
		if i := slices.IndexFunc(known, func(m strategy.Method) bool { return m.Name == name }); i >= 0 {
			return i
		}
		return len(known)
	}
}
