package report

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"github.com/mahabo/mahabo/internal/figure"
	"github.com/mahabo/mahabo/internal/insight"
	"github.com/mahabo/mahabo/study"
)

const (
	mostDots  = 1200 // of a figure
	mostNamed = 20   // parameters of a list
	logRatio  = 50   // span of positive values from which a scale is logarithmic
)

// improvement is a complete trial that was better than all before.
type improvement struct {
	Number int
	Value  float64
}

// improvements lists them.
func improvements(trials []study.Trial, goal study.Goal) []improvement {
	var list []improvement
	for _, t := range trials {
		if t.Value == nil {
			continue
		}
		better := len(list) == 0 || *t.Value < list[len(list)-1].Value
		if goal == study.Maximize {
			better = len(list) == 0 || *t.Value > list[len(list)-1].Value
		}
		if better {
			list = append(list, improvement{t.Number, *t.Value})
		}
	}
	return list
}

// outlying is the share of the worst values that may lie beyond the frame.
const outlying = 0.05

// visible is the range of values that a figure shows: all but the worst few, which would
// hide the others.
func visible(values []float64, goal study.Goal) (low, high float64) {
	sorted := slices.Sorted(slices.Values(values))
	skip := int(outlying * float64(len(sorted)))
	if goal == study.Maximize {
		return sorted[skip], sorted[len(sorted)-1]
	}
	return sorted[0], sorted[len(sorted)-1-skip]
}

// convergence draws the values by trial and the best so far.
func convergence(trials []study.Trial, goal study.Goal) (string, error) {
	var at, values []float64
	for _, t := range trials {
		if t.Value != nil {
			at, values = append(at, float64(t.Number)), append(values, *t.Value)
		}
	}
	p := newPlot("trial", "value")
	low, high := visible(values, goal)
	logarithmic := low > 0 && high > logRatio*low
	if logarithmic {
		p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, plot.TickerFunc(figure.LogTicks)
	}
	p.Y.Min, p.Y.Max = figure.Frame(low, high, logarithmic)
	var points plotter.XYs
	for k := range min(mostDots, len(at)) {
		i := k * len(at) / min(mostDots, len(at))
		points = append(points, plotter.XY{X: at[i], Y: min(max(values[i], p.Y.Min), p.Y.Max)})
	}
	dots(p, points, faint(grey(), 0xb0), vg.Points(1.6))
	var steps plotter.XYs
	list := improvements(trials, goal)
	for i, b := range list {
		y := min(max(b.Value, p.Y.Min), p.Y.Max)
		if i > 0 {
			steps = append(steps, plotter.XY{X: float64(b.Number), Y: steps[len(steps)-1].Y})
		}
		steps = append(steps, plotter.XY{X: float64(b.Number), Y: y})
	}
	steps = append(steps, plotter.XY{X: at[len(at)-1], Y: steps[len(steps)-1].Y})
	line(p, steps, blue(), vg.Points(1.5))
	p.X.Min, p.X.Max = 0, float64(trials[len(trials)-1].Number)+1
	return single(p, width, height)
}

// importance lists the most important parameters.
func importance(a *insight.Analysis) (string, error) {
	var rows []whisker
	for _, i := range a.Importances[:min(mostNamed, len(a.Importances))] {
		rows = append(rows, whisker{i.Param, i.Share, max(0, i.Share-i.StdDev), i.Share + i.StdDev, i.Share > 2*i.StdDev})
	}
	return list(rows, "importance: share of the mean squared slopes, ± one standard deviation")
}

// loadings lists the main parameters of a direction.
func loadings(d insight.Direction) (string, error) {
	var rows []whisker
	for _, l := range d.Loadings[:min(mostNamed, len(d.Loadings))] {
		rows = append(rows, whisker{l.Name(), l.Value, l.Value - l.StdDev, l.Value + l.StdDev, math.Abs(l.Value) > 2*l.StdDev})
	}
	return list(rows, "loading, ± one standard deviation; right: raise, left: lower")
}

// evidence lists the models by what they gain over the isotropic one.
func evidence(a *insight.Analysis) (string, error) {
	var rows []whisker
	for _, e := range a.Evidence {
		rows = append(rows, whisker{modelName(e), e.Gain, e.Gain - e.GainStdErr, e.Gain + e.GainStdErr, e.Supported || e.Model == insight.Isotropic})
	}
	return list(rows, "gain in the log density of a held-out value, ± one standard error")
}

func modelName(e insight.Evidence) string {
	switch {
	case e.Model == insight.Constant:
		return "a constant"
	case e.Model == insight.Isotropic:
		return "all directions alike"
	case e.Dimension == 1:
		return "1 direction"
	}
	return fmt.Sprintf("%d directions", e.Dimension)
}

// response draws the function along a direction, and the trials.
func response(d insight.Direction, goal study.Goal) (string, error) {
	r := d.Response
	p := newPlot("distance from the best point along the direction", "value")
	var at, values []float64
	for _, s := range r.Seen {
		at, values = append(at, s.At), append(values, s.Value)
	}
	seenLow, seenHigh := visible(values, goal)
	low, high := span(r.Median, []float64{seenLow, seenHigh})
	p.Y.Min, p.Y.Max = figure.Frame(low, high, false)
	inside := func(list []float64) []float64 {
		out := make([]float64, len(list))
		for i, v := range list {
			out[i] = min(max(v, p.Y.Min), p.Y.Max)
		}
		return out
	}
	band(p, r.At, inside(r.Low), inside(r.High), blue())
	values = inside(values)
	dots(p, xys(at, values), faint(grey(), 0xa0), vg.Points(1.5))
	line(p, xys(r.At, r.Median), blue(), vg.Points(1.5))
	line(p, plotter.XYs{{X: 0, Y: p.Y.Min}, {X: 0, Y: p.Y.Max}}, figure.Ink, vg.Points(0.6), 2, 2)
	p.X.Min, p.X.Max = figure.Frame(r.At[0], r.At[len(r.At)-1], false)
	return single(p, width, height)
}

// sliceGrid draws the slices on one vertical scale.
func sliceGrid(a *insight.Analysis) (string, error) {
	low, high := math.Inf(1), math.Inf(-1)
	for _, s := range a.Slices {
		l, h := span(s.Low, s.High)
		low, high = min(low, l), max(high, h)
	}
	var plots []*plot.Plot
	for _, s := range a.Slices {
		p := slicePlot(s)
		p.Y.Min, p.Y.Max = figure.Frame(low, high, false)
		plots = append(plots, p)
	}
	return gridOf(plots, 3)
}

// slicePlot draws one slice, a label of a choice at every whole number.
func slicePlot(s insight.Slice) *plot.Plot {
	name := cut(s.Param, longest)
	if s.Unit != "" {
		name += " (" + s.Unit + ")"
	}
	p := newPlot(name, "value")
	at := s.At
	if len(s.Labels) > 0 {
		at = nil
		ticks := make([]plot.Tick, len(s.Labels))
		for i, label := range s.Labels {
			at = append(at, float64(i))
			ticks[i] = plot.Tick{Value: float64(i), Label: cut(label, 10)}
			line(p, plotter.XYs{{X: float64(i), Y: s.Low[i]}, {X: float64(i), Y: s.High[i]}}, blue(), vg.Points(1.4))
		}
		p.X.Tick.Marker = plot.ConstantTicks(ticks)
		p.X.Min, p.X.Max = -0.5, float64(len(at))-0.5
		dots(p, xys(at, s.Median), blue(), vg.Points(2.4))
	} else {
		logarithmic := s.Log && at[len(at)-1] > logRatio*at[0]
		if logarithmic {
			p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, plot.TickerFunc(figure.LogTicks)
		}
		p.X.Min, p.X.Max = figure.Frame(at[0], at[len(at)-1], logarithmic)
		band(p, at, s.Low, s.High, blue())
		line(p, xys(at, s.Median), blue(), vg.Points(1.3))
	}
	dots(p, plotter.XYs{{X: at[s.Best], Y: s.Median[s.Best]}}, vermilion(), vg.Points(2.8))
	return p
}

// calibration draws predictions against values.
func calibration(c *insight.Calibration, goal study.Goal) (string, error) {
	p := newPlot("predicted without the value", "observed")
	var observed, predicted []float64
	for _, v := range c.Points {
		observed, predicted = append(observed, v.Observed), append(predicted, v.Median)
	}
	low, high := visible(observed, goal)
	p.X.Min, p.X.Max = figure.Frame(low, high, false)
	p.Y.Min, p.Y.Max = p.X.Min, p.X.Max
	clamp := func(v float64) float64 { return min(max(v, p.X.Min), p.X.Max) }
	var points plotter.XYs
	count := min(mostDots/2, len(c.Points))
	for k := range count {
		i := k * len(c.Points) / count
		y := clamp(observed[i])
		line(p, plotter.XYs{{X: clamp(c.Points[i].Low), Y: y}, {X: clamp(c.Points[i].High), Y: y}}, faint(grey(), 0x60), vg.Points(0.6))
		points = append(points, plotter.XY{X: clamp(predicted[i]), Y: y})
	}
	dots(p, points, blue(), vg.Points(1.6))
	line(p, plotter.XYs{{X: p.X.Min, Y: p.Y.Min}, {X: p.X.Max, Y: p.Y.Max}}, figure.Ink, vg.Points(0.7), 2, 2)
	return single(p, 12*vg.Centimeter, 11*vg.Centimeter)
}
