package report

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"

	"github.com/mahabo/mahabo/internal/bench"
	"github.com/mahabo/mahabo/internal/figure"
)

// crewTask is a panel: all numbers of workers on a problem.
type crewTask struct {
	problem, durations string
	dim                int
}

// Workers draws best values by time, the mean over the trials, for numbers of workers.
func Workers(w io.Writer, runs []bench.CrewRun, format Image) error {
	var tasks []crewTask
	var labels []string
	groups := map[crewTask]map[string][]bench.CrewRun{}
	runs = slices.Clone(runs)
	slices.SortStableFunc(runs, func(a, b bench.CrewRun) int { return a.Workers - b.Workers })
	for _, r := range runs {
		t, label := crewTask{r.Problem, r.Durations, r.Dim}, crewLabel(r)
		if groups[t] == nil {
			groups[t] = map[string][]bench.CrewRun{}
			tasks = append(tasks, t)
		}
		if !slices.Contains(labels, label) {
			labels = append(labels, label)
		}
		groups[t][label] = append(groups[t][label], r)
	}
	if len(tasks) == 0 {
		return errors.New("there is no run to draw")
	}
	styles := styleOf(labels)
	var rows [][]*plot.Plot
	for i, t := range tasks {
		p := plot.New()
		figure.Dress(p, fmt.Sprintf("%s, D = %d, %s", t.problem, t.dim, t.durations), "time, in evaluations", "best value")
		low, high, first, last := math.Inf(1), math.Inf(-1), math.Inf(1), 0.0
		for _, label := range labels {
			line := meanByTime(groups[t][label])
			if len(line) == 0 {
				continue
			}
			for _, q := range line {
				low, high, first, last = min(low, q.Y), max(high, q.Y), min(first, q.X), max(last, q.X)
			}
			l, err := plotter.NewLine(line)
			if err != nil {
				return err
			}
			l.LineStyle, l.StepStyle = styles[label], plotter.PostStep
			p.Add(l)
		}
		logarithmic := low > 0 && high > logRatio*low
		p.Y.Tick.Marker = plot.TickerFunc(figure.LinearTicks)
		if logarithmic {
			p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, plot.TickerFunc(figure.LogTicks)
		}
		p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, plot.TickerFunc(figure.LogTicks)
		p.X.Min, p.X.Max = first, max(last, 2*first)
		p.Y.Min, p.Y.Max = figure.Frame(low, high, logarithmic)
		if i%mostColumns == 0 {
			rows = append(rows, nil)
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], p)
	}
	f := arrange(rows, curvePanel())
	f.explain(labels, styles)
	return f.write(w, format)
}

func crewLabel(r bench.CrewRun) string {
	label := fmt.Sprintf("%s, %d workers", r.Method, r.Workers)
	if r.Workers == 1 {
		label = r.Method + ", one worker"
	}
	if r.Rounds {
		label += ", in rounds"
	}
	return label
}

// meanByTime is the mean over runs, from when all have a value until the first one ends.
func meanByTime(runs []bench.CrewRun) (line plotter.XYs) {
	if len(runs) == 0 {
		return nil
	}
	from, to := 0.0, math.Inf(1)
	for _, r := range runs {
		if len(r.Times) == 0 {
			return nil
		}
		from, to = max(from, r.Times[0]), min(to, r.Times[len(r.Times)-1])
	}
	for k := range mostPoints + 1 {
		t := from * math.Pow(max(to/from, 1), float64(k)/mostPoints)
		sum := 0.0
		for _, r := range runs {
			i, found := slices.BinarySearch(r.Times, t*(1+1e-9))
			if !found {
				i--
			}
			sum += r.Best[max(i, 0)]
		}
		line = append(line, plotter.XY{X: t, Y: sum / float64(len(runs))})
	}
	return line
}
