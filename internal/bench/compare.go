package bench

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
)

// Comparison is a measured cell beside its published number; either may be
// missing.
type Comparison struct {
	Cell
	Ours    *Row
	Paper   *Published
	Verdict string
	// Difference is (ours-paper)/sqrt(se² + se²); NaN when it cannot be formed.
	Difference float64
}

// A difference of up to threshold combined standard errors says nothing.
const threshold = 2.5

// Verdicts on a difference.
const (
	Better = "better"
	Within = "within 2.5"
	Worse  = "worse"
)

// paperSEFloor: the paper rounds to two decimals. A standard error printed as
// 0.00 is read as its upper bound, so that rounding alone never is a verdict.
const paperSEFloor = 0.005

// CompareBest sets the rows beside the paper's best values. It lists the cells
// of the paper whose method was measured (or all), then what the paper lacks.
func CompareBest(rows []Row, all bool) ([]Comparison, error) {
	best, _, err := Paper()
	if err != nil {
		return nil, err
	}
	return join(rows, best, all, judge), nil
}

// CompareTime sets the rows beside the paper's running times in minutes. The
// machines differ, so there is a ratio and no verdict; rows the paper has no
// time for are left out.
func CompareTime(rows []Row, all bool) ([]Comparison, error) {
	_, minutes, err := Paper()
	if err != nil {
		return nil, err
	}
	c := join(rows, minutes, all, func(c *Comparison) { c.Difference = math.NaN() })
	return slices.DeleteFunc(c, func(c Comparison) bool { return c.Paper == nil }), nil
}

func join(rows []Row, published []Published, all bool, judge func(*Comparison)) []Comparison {
	measured := map[string]bool{}
	for _, r := range rows {
		measured[r.Method] = true
	}
	var list []Comparison
	taken := map[Cell]bool{}
	for _, p := range published {
		if !all && !measured[p.Method] {
			continue
		}
		c := Comparison{Cell: p.Cell, Paper: &p}
		if i := slices.IndexFunc(rows, func(r Row) bool { return r.Cell == p.Cell }); i >= 0 {
			c.Ours = &rows[i]
			taken[p.Cell] = true
		}
		list = append(list, c)
	}
	for i, r := range rows {
		if !taken[r.Cell] {
			list = append(list, Comparison{Cell: r.Cell, Ours: &rows[i]})
		}
	}
	for i := range list {
		judge(&list[i])
	}
	return list
}

// judge fills in the difference and the verdict.
func judge(c *Comparison) {
	c.Difference, c.Verdict = math.NaN(), missing
	switch {
	case c.Ours == nil || c.Paper == nil:
	case !c.Ours.paperSettings():
		c.Verdict = fmt.Sprintf("not comparable: %d+%d evaluations", c.Ours.Init, c.Ours.Evals)
	case c.Ours.BestSE == nil:
		c.Verdict = "not comparable: one trial"
	default:
		c.Difference = (c.Ours.BestMean - c.Paper.Mean) / math.Hypot(*c.Ours.BestSE, max(c.Paper.SE, paperSEFloor))
		switch {
		case c.Difference < -threshold:
			c.Verdict = Better
		case c.Difference > threshold:
			c.Verdict = Worse
		default:
			c.Verdict = Within
		}
	}
}

func (r *Row) paperSettings() bool { return r.Evals == PaperEvals && r.Init == PaperInit }

// Compare writes the measured rows beside the paper's tables. Cells without a
// number are written as "-".
func Compare(w io.Writer, rows []Row, all bool, format Format) error {
	best, err := CompareBest(rows, all)
	if err != nil {
		return err
	}
	times, err := CompareTime(rows, all)
	if err != nil {
		return err
	}
	return writeComparisons(w, best, times, format)
}

// CompareMeasured does the same for the cells that were measured and published.
// It writes nothing when there are none.
func CompareMeasured(w io.Writer, rows []Row, format Format) error {
	best, err := CompareBest(rows, false)
	if err != nil {
		return err
	}
	times, err := CompareTime(rows, false)
	if err != nil {
		return err
	}
	lacks := func(c Comparison) bool { return c.Ours == nil || c.Paper == nil }
	return writeComparisons(w, slices.DeleteFunc(best, lacks), slices.DeleteFunc(times, lacks), format)
}

func writeComparisons(w io.Writer, best, times []Comparison, format Format) error {
	var sheets []sheet
	if len(best) > 0 {
		sheets = append(sheets, bestSheet(best))
	}
	if len(times) > 0 {
		sheets = append(sheets, timeSheet(times))
	}
	return writeSheets(w, sheets, format)
}

func bestSheet(list []Comparison) sheet {
	s := sheet{
		header: []string{"method", "problem", "dim", "batch", "trials", "best", "paper", "difference/se", "verdict"},
		left:   2, measured: []int{5, 6},
	}
	for _, c := range list {
		trials, ours, paper, diff := missing, entry{text: missing}, entry{text: missing}, missing
		if c.Ours != nil {
			trials, ours = strconv.Itoa(c.Ours.Trials), measure(c.Ours.BestMean, c.Ours.BestSE)
		}
		if c.Paper != nil {
			paper = c.Paper.entry()
		}
		if !math.IsNaN(c.Difference) {
			diff = fmt.Sprintf("%+.1f", c.Difference)
		}
		s.add(slices.Concat(c.words(), words(trials), []entry{ours, paper}, words(diff, c.Verdict))...)
	}
	return s
}

func timeSheet(list []Comparison) sheet {
	s := sheet{
		header: []string{"method", "problem", "dim", "batch", "trials", "CPU minutes", "paper", "times faster"},
		left:   2, measured: []int{5, 6},
	}
	for _, c := range list {
		trials, ours, ratio := missing, entry{text: missing}, missing
		if c.Ours != nil && c.Ours.paperSettings() {
			mean, se := Minutes.of(*c.Ours)
			trials, ours = strconv.Itoa(c.Ours.Trials), entry{text: fmt.Sprintf("%.3f", mean), mean: &mean, se: se}
			if se != nil {
				ours.text += fmt.Sprintf(" ± %.3f", *se)
			}
			ratio = fmt.Sprintf("%.3g", c.Paper.Mean/mean)
		}
		s.add(slices.Concat(c.words(), words(trials), []entry{ours, c.Paper.entry()}, words(ratio))...)
	}
	return s
}

func (c Cell) words() []entry {
	return words(c.Method, c.Problem, strconv.Itoa(c.Dim), strconv.Itoa(c.Batch))
}

// entry writes a published number with the paper's two decimals.
func (p *Published) entry() entry {
	return entry{text: fmt.Sprintf("%.2f ± %.2f", p.Mean, p.SE), mean: &p.Mean, se: &p.SE}
}
