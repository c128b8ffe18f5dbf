package report

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/mahabo/mahabo/internal/bench"
	"github.com/mahabo/mahabo/internal/figure"
)

// mostPoints bounds the points of a line: a panel has no more pixels.
const mostPoints = 160

// logRatio is the span of positive values from which a scale is logarithmic.
const logRatio = 50

// panel draws one task.
func panel(t bench.Task, curves []bench.Curve, styles map[string]draw.LineStyle) (*plot.Plot, error) {
	p := plot.New()
	figure.Dress(p, fmt.Sprintf("%s, D = %d, B = %d", t.Problem, t.Dim, t.Batch), "evaluations", "best value")
	low, high, last := span(curves)
	logarithmic := low > 0 && high > logRatio*low
	minimum, known := t.Minimum()
	for _, c := range curves {
		if c.Minimum != nil {
			minimum, known = *c.Minimum, true
		}
	}
	if known && (!logarithmic || minimum > 0) {
		low = min(low, minimum)
		p.Add(level(minimum, float64(last)))
	}
	p.X.Tick.Marker, p.Y.Tick.Marker = plot.TickerFunc(figure.LinearTicks), plot.TickerFunc(figure.LinearTicks)
	if logarithmic {
		p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, plot.TickerFunc(figure.LogTicks)
	}
	// Bands first: no line is hidden.
	for _, c := range curves {
		band, err := plotter.NewPolygon(bandOf(c))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.Cell, err)
		}
		shade := styles[c.Method].Color.(color.NRGBA)
		shade.A = 0x38
		band.Color, band.LineStyle.Width = shade, 0
		p.Add(band)
	}
	for _, c := range curves {
		line, err := plotter.NewLine(meanOf(c))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.Cell, err)
		}
		line.LineStyle = styles[c.Method]
		p.Add(line)
	}
	p.X.Min, p.X.Max = 0, float64(last)
	p.Y.Min, p.Y.Max = figure.Frame(low, high, logarithmic)
	return p, nil
}

// span returns the range of what is drawn and the largest number of evaluations.
func span(curves []bench.Curve) (low, high float64, last int) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, c := range curves {
		last = max(last, len(c.Mean))
		for i := c.Init - 1; i < len(c.Mean); i++ {
			low, high = min(low, c.Mean[i]-c.SE[i]), max(high, c.Mean[i]+c.SE[i])
		}
	}
	return low, high, last
}

// samples are the evaluations at which a curve is drawn: the first after the
// initial design, the last, and evenly spaced ones between.
func samples(c bench.Curve) []int {
	first, last := c.Init-1, len(c.Mean)-1
	n := min(mostPoints, last-first+1)
	at := []int{first}
	for k := 1; k < n; k++ {
		at = append(at, first+k*(last-first)/(n-1))
	}
	return at
}

func meanOf(c bench.Curve) plotter.XYs {
	var line plotter.XYs
	for _, i := range samples(c) {
		line = append(line, plotter.XY{X: float64(i + 1), Y: c.Mean[i]})
	}
	return line
}

// bandOf is the outline of mean ± standard error.
func bandOf(c bench.Curve) plotter.XYs {
	at := samples(c)
	outline := make(plotter.XYs, 2*len(at))
	for k, i := range at {
		outline[k] = plotter.XY{X: float64(i + 1), Y: c.Mean[i] + c.SE[i]}
		outline[len(outline)-1-k] = plotter.XY{X: float64(i + 1), Y: c.Mean[i] - c.SE[i]}
	}
	return outline
}

// level is the dashed line of a minimum.
func level(y, last float64) *plotter.Line {
	return &plotter.Line{
		XYs:       plotter.XYs{{X: 0, Y: y}, {X: last, Y: y}},
		LineStyle: draw.LineStyle{Color: figure.Ink, Width: vg.Points(0.7), Dashes: []vg.Length{2, 2}},
	}
}
