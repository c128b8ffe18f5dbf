package report

import (
	"cmp"
	"fmt"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/mahabo/mahabo/internal/figure"
	"github.com/mahabo/mahabo/internal/insight"
	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/study"
)

const (
	mostAxes  = 12
	mostLines = 250
	bestShare = 0.1 // of the trials that are drawn in colour
)

// axis is a parameter of the parallel coordinates.
type axis struct {
	space.Param
	first, count int // coordinates
}

// at is the place of a point on the axis, from 0 to 1.
func (a axis) at(x []float64) float64 {
	if a.count == 1 {
		return (x[a.first] + 1) / 2
	}
	part := x[a.first : a.first+a.count]
	return float64(slices.Index(part, slices.Max(part))) / float64(a.count-1)
}

// ends are the values at the bottom and the top.
func (a axis) ends() (low, high string) {
	switch a.Kind {
	case space.KindOrdinal:
		return fmt.Sprintf("%.4g", a.Levels[0]), fmt.Sprintf("%.4g", a.Levels[len(a.Levels)-1])
	case space.KindChoice:
		return a.Labels[0], a.Labels[len(a.Labels)-1]
	case space.KindBool:
		return "false", "true"
	}
	return fmt.Sprintf("%.4g", a.Low), fmt.Sprintf("%.4g", a.High)
}

// parallelAxes are the most important parameters.
func parallelAxes(s *space.Space, a *insight.Analysis) []axis {
	params := map[string]space.Param{}
	for _, p := range s.Params() {
		params[p.Name] = p
	}
	var axes []axis
	for _, i := range a.Importances[:min(mostAxes, len(a.Importances))] {
		first, count, _ := s.Coordinates(i.Param)
		axes = append(axes, axis{params[i.Param], first, count})
	}
	return axes
}

// polyline is a trial across the axes.
type polyline struct {
	at    []float64
	value float64
}

// polylines are the trials to draw, the best last: the best tenth and an even choice of
// the others.
func polylines(c study.Config, trials []study.Trial, axes []axis) ([]polyline, error) {
	var complete []study.Trial
	for _, t := range trials {
		if t.Value != nil {
			complete = append(complete, t)
		}
	}
	slices.SortStableFunc(complete, func(a, b study.Trial) int {
		if c.Goal == study.Maximize {
			return cmp.Compare(*a.Value, *b.Value)
		}
		return cmp.Compare(*b.Value, *a.Value)
	})
	best := min(mostLines/2, highlighted(len(complete)))
	others := complete[:len(complete)-best]
	kept := min(len(others), mostLines-best)
	var chosen []study.Trial
	for k := range kept {
		chosen = append(chosen, others[k*len(others)/kept])
	}
	chosen = append(chosen, complete[len(complete)-best:]...)
	var lines []polyline
	for _, t := range chosen {
		x, err := c.Space.Encode(t.Params)
		if err != nil {
			return nil, fmt.Errorf("trial %d: %w", t.Number, err)
		}
		l := polyline{value: *t.Value}
		for _, a := range axes {
			l.at = append(l.at, a.at(x))
		}
		lines = append(lines, l)
	}
	return lines, nil
}

// highlighted is how many of n trials are the best ones.
func highlighted(n int) int { return max(1, int(bestShare*float64(n))) }

// parallel draws the trials across the most important parameters.
func parallel(axes []axis, lines []polyline, highlight int) (string, error) {
	const top, bottom = 0.8 * vg.Centimeter, 1.3 * vg.Centimeter
	return figure.SVG(width, 8*vg.Centimeter, func(c draw.Canvas) {
		inner := draw.Crop(c, 1.2*vg.Centimeter, -1.2*vg.Centimeter, bottom, -top)
		step := inner.Max.X - inner.Min.X
		if len(axes) > 1 {
			step /= vg.Length(len(axes) - 1)
		}
		place := func(k int, at float64) vg.Point {
			return vg.Point{X: inner.Min.X + vg.Length(k)*step, Y: inner.Min.Y + vg.Length(at)*(inner.Max.Y-inner.Min.Y)}
		}
		for i, l := range lines {
			style := draw.LineStyle{Color: faint(grey(), 0x50), Width: vg.Points(0.5)}
			switch {
			case i == len(lines)-1:
				style = draw.LineStyle{Color: vermilion(), Width: vg.Points(1.8)}
			case i >= len(lines)-highlight:
				style = draw.LineStyle{Color: faint(blue(), 0xb0), Width: vg.Points(0.8)}
			}
			points := make([]vg.Point, len(l.at))
			for k, at := range l.at {
				points[k] = place(k, at)
			}
			c.StrokeLines(style, points)
		}
		for k, a := range axes {
			drawAxis(c, place(k, 0), place(k, 1), a)
		}
	})
}

// drawAxis draws one axis with its name below and its ends.
func drawAxis(c draw.Canvas, from, to vg.Point, a axis) {
	c.StrokeLine2(draw.LineStyle{Color: figure.Ink, Width: vg.Points(0.8)}, from.X, from.Y, to.X, to.Y)
	label := figure.TextStyle(7)
	label.XAlign, label.YAlign = draw.XCenter, draw.YTop
	low, high := a.ends()
	c.FillText(label, vg.Point{X: from.X, Y: from.Y - vg.Points(3)}, cut(low, 10))
	c.FillText(label, vg.Point{X: from.X, Y: from.Y - vg.Points(14)}, cut(a.Name, 12))
	label.YAlign = draw.YBottom
	c.FillText(label, vg.Point{X: to.X, Y: to.Y + vg.Points(3)}, cut(high, 10))
}
