package report

import (
	"fmt"
	"image/color"
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/mahabo/mahabo/bench"
	"github.com/mahabo/mahabo/problem"
)

// mostPoints bounds the points of a line: a panel has no more pixels.
const mostPoints = 160

// logRatio is the span of positive values from which a scale is logarithmic.
const logRatio = 50

// panel draws one task.
func panel(t bench.Task, curves []bench.Curve, styles map[string]draw.LineStyle) (*plot.Plot, error) {
	p := plot.New()
	dress(p, fmt.Sprintf("%s, D = %d, B = %d", t.Problem, t.Dim, t.Batch))
	low, high, last := span(curves)
	logarithmic := low > 0 && high > logRatio*low
	minimum, known := minimumOf(t)
	if known && (!logarithmic || minimum > 0) {
		low = min(low, minimum)
		p.Add(level(minimum, float64(last)))
	}
	p.X.Tick.Marker, p.Y.Tick.Marker = plot.TickerFunc(linearTicks), plot.TickerFunc(linearTicks)
	if logarithmic {
		p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, plot.TickerFunc(logTicks)
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
	p.Y.Min, p.Y.Max = frame(low, high, logarithmic)
	return p, nil
}

// dress sets fonts, colours and labels.
func dress(p *plot.Plot, title string) {
	p.BackgroundColor = nil
	p.Title.Text = title
	p.Title.TextStyle = textStyle(9.5)
	p.Title.TextStyle.XAlign, p.Title.TextStyle.YAlign = draw.XCenter, draw.YTop
	p.Title.Padding = vg.Points(4)
	p.X.Label.Text, p.Y.Label.Text = "evaluations", "best value"
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		label := textStyle(8)
		label.XAlign, label.YAlign, label.Rotation = a.Label.TextStyle.XAlign, a.Label.TextStyle.YAlign, a.Label.TextStyle.Rotation
		a.Label.TextStyle = label
		tick := textStyle(7.5)
		tick.XAlign, tick.YAlign = a.Tick.Label.XAlign, a.Tick.Label.YAlign
		a.Tick.Label = tick
		a.Color, a.Tick.Color = ink, ink
		a.Tick.Length = vg.Points(3)
		a.Padding = 0
	}
	grid := plotter.NewGrid()
	faint := draw.LineStyle{Color: color.NRGBA{R: 0x80, G: 0x80, B: 0x80, A: 0x40}, Width: vg.Points(0.4)}
	grid.Vertical, grid.Horizontal = faint, faint
	p.Add(grid)
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

// frame leaves a little room above and below.
func frame(low, high float64, logarithmic bool) (bottom, top float64) {
	if logarithmic {
		room := math.Pow(high/low, 0.05)
		return low / room, high * room
	}
	room := 0.05 * (high - low)
	if room == 0 {
		room = max(1e-9, 0.05*math.Abs(high))
	}
	return low - room, high + room
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

// minimumOf is the lowest value of the function inside, when it is known.
func minimumOf(t bench.Task) (float64, bool) {
	p, err := problem.New(t.Problem, 0, 0)
	if err != nil { // results may name a problem of a user
		return 0, false
	}
	return p.Minimum, !math.IsNaN(p.Minimum)
}

// level is the dashed line of a minimum.
func level(y, last float64) *plotter.Line {
	return &plotter.Line{
		XYs:       plotter.XYs{{X: 0, Y: y}, {X: last, Y: y}},
		LineStyle: draw.LineStyle{Color: ink, Width: vg.Points(0.7), Dashes: []vg.Length{2, 2}},
	}
}

// linearTicks labels four to nine multiples of 1, 2 or 5 times a power of ten.
func linearTicks(low, high float64) []plot.Tick {
	step := math.Pow10(int(math.Floor(math.Log10((high - low) / 4))))
	for _, m := range []float64{5, 2} {
		if (high-low)/(m*step) >= 4 {
			step *= m
			break
		}
	}
	decimals := max(0, -int(math.Floor(math.Log10(step)+1e-9)))
	var ticks []plot.Tick
	for k := math.Ceil(low / step); k*step <= high; k++ {
		ticks = append(ticks, plot.Tick{Value: k * step, Label: strconv.FormatFloat(k*step+0, 'f', decimals, 64)})
	}
	return ticks
}

// logTicks labels the powers of ten, and 2 and 5 times them when there are few.
func logTicks(low, high float64) []plot.Tick {
	few := high < 300*low
	var ticks []plot.Tick
	for e := int(math.Floor(math.Log10(low))); e <= int(math.Ceil(math.Log10(high))); e++ {
		for m := 1; m < 10; m++ {
			v := float64(m) * math.Pow10(e)
			if v < low || v > high {
				continue
			}
			tick := plot.Tick{Value: v}
			if m == 1 || few && (m == 2 || m == 5) {
				tick.Label = fmt.Sprintf("%g", v)
			}
			ticks = append(ticks, tick)
		}
	}
	return ticks
}
