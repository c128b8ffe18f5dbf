package bench

import (
	"fmt"
	"io"
	"strconv"
)

// Table writes the rows with mean ± standard error over the trials.
func Table(w io.Writer, rows []Row, format Format) error {
	s := sheet{header: []string{"method", "problem", "dim", "batch", "evals", "trials", "best", "seconds", "cpu seconds"}, left: 2}
	for _, r := range rows {
		s.add(r.Method, r.Problem, strconv.Itoa(r.Dim), strconv.Itoa(r.Batch), strconv.Itoa(r.Evals), strconv.Itoa(r.Trials),
			plusMinus(r.BestMean, r.BestSE), plusMinus(r.SecondsMean, r.SecondsSE), fmt.Sprintf("%.4g", r.CPUSecondsMean))
	}
	return s.write(w, format)
}
