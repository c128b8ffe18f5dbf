package bench

import (
	_ "embed"
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"

	"github.com/mahabo/mahabo/internal/methods"
)

// Published is one number of the paper's tables, mean and standard error over
// 20 trials.
type Published struct {
	Cell
	Mean, SE float64
}

// The settings of all published numbers.
const (
	PaperEvals = 500
	PaperInit  = 10

	paperTrials = 20
)

// Horiguchi, Iwata, Tsuzuki, Ozawa: Linear Embedding-based High-dimensional Batch
// Bayesian Optimization without Reconstruction Mappings. The rows `best` are its
// table of best values after 500 evaluations, the rows `minutes` its running
// times per trial.
//
//go:embed paper.csv
var paperCSV string

// Paper returns the published best values and running times in minutes, in the
// order of the paper's tables. Method names are canonical.
func Paper() (best, minutes []Published, err error) {
	records, err := csv.NewReader(strings.NewReader(paperCSV)).ReadAll()
	if err != nil {
		return nil, nil, fmt.Errorf("paper.csv: %w", err)
	}
	for i, r := range records[1:] {
		p := Published{Cell: Cell{Method: canonicalOr(r[1]), Problem: r[2]}}
		for _, f := range []struct {
			text string
			dst  any
		}{{r[3], &p.Dim}, {r[4], &p.Batch}, {r[5], &p.Mean}, {r[6], &p.SE}} {
			switch dst := f.dst.(type) {
			case *int:
				*dst, err = strconv.Atoi(f.text)
			case *float64:
				*dst, err = strconv.ParseFloat(f.text, 64)
			}
			if err != nil {
				return nil, nil, fmt.Errorf("paper.csv:%d: %w", i+2, err)
			}
		}
		switch r[0] {
		case "best":
			best = append(best, p)
		case "minutes":
			minutes = append(minutes, p)
		default:
			return nil, nil, fmt.Errorf("paper.csv:%d: unknown table %q", i+2, r[0])
		}
	}
	return best, minutes, nil
}

// canonicalOr keeps the name of a method that the registry does not have.
func canonicalOr(spec string) string {
	if c, err := methods.BuiltIn().Canonical(spec); err == nil {
		return c
	}
	return spec
}
