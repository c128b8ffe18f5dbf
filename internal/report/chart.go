package report

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/mahabo/mahabo/internal/figure"
)

const (
	width     = 18 * vg.Centimeter
	height    = 7 * vg.Centimeter
	rowHeight = 0.52 * vg.Centimeter // of a parameter in a list
	margin    = 0.2 * vg.Centimeter
)

// The roles of the palette's colours.
func blue() color.NRGBA      { return figure.Palette()[0] }
func vermilion() color.NRGBA { return figure.Palette()[1] }
func grey() color.NRGBA      { return figure.Palette()[6] }

// faint returns a colour that lets others show through.
func faint(c color.NRGBA, alpha uint8) color.NRGBA {
	c.A = alpha
	return c
}

// newPlot is a plot in the style of the page.
func newPlot(x, y string) *plot.Plot {
	p := plot.New()
	figure.Dress(p, "", x, y)
	p.X.Tick.Marker, p.Y.Tick.Marker = plot.TickerFunc(figure.LinearTicks), plot.TickerFunc(figure.LinearTicks)
	return p
}

// single draws one plot.
func single(p *plot.Plot, w, h vg.Length) (string, error) {
	return figure.SVG(w, h, func(c draw.Canvas) { p.Draw(draw.Crop(c, margin, -margin, margin, -margin)) })
}

// gridOf draws plots in columns, row by row.
func gridOf(plots []*plot.Plot, columns int) (string, error) {
	columns = min(columns, len(plots))
	var rows [][]*plot.Plot
	for i := 0; i < len(plots); i += columns {
		row := make([]*plot.Plot, columns)
		copy(row, plots[i:])
		rows = append(rows, row)
	}
	w := width * vg.Length(columns) / 3
	h := vg.Length(len(rows)) * 4.6 * vg.Centimeter
	return figure.SVG(w, h, func(c draw.Canvas) {
		tiles := draw.Tiles{
			Rows: len(rows), Cols: columns, PadX: 2 * margin, PadY: 2 * margin,
			PadTop: margin, PadLeft: margin, PadRight: margin, PadBottom: margin,
		}
		for i, row := range plot.Align(rows, tiles, c) {
			for j, place := range row {
				if p := rows[i][j]; p != nil {
					p.Draw(place)
				}
			}
		}
	})
}

// xys pairs coordinates.
func xys(x, y []float64) plotter.XYs {
	out := make(plotter.XYs, len(x))
	for i := range x {
		out[i] = plotter.XY{X: x[i], Y: y[i]}
	}
	return out
}

// line adds a curve.
func line(p *plot.Plot, points plotter.XYs, c color.Color, w vg.Length, dashes ...vg.Length) {
	p.Add(&plotter.Line{XYs: points, LineStyle: draw.LineStyle{Color: c, Width: w, Dashes: dashes}})
}

// band adds the area between two curves over x.
func band(p *plot.Plot, x, low, high []float64, c color.NRGBA) {
	outline := xys(x, high)
	for i := len(x) - 1; i >= 0; i-- {
		outline = append(outline, plotter.XY{X: x[i], Y: low[i]})
	}
	p.Add(&plotter.Polygon{XYs: []plotter.XYs{outline}, Color: faint(c, 0x38)})
}

// dots adds points.
func dots(p *plot.Plot, points plotter.XYs, c color.Color, radius vg.Length) {
	p.Add(&plotter.Scatter{XYs: points, GlyphStyle: draw.GlyphStyle{Color: c, Radius: radius, Shape: draw.CircleGlyph{}}})
}

// span is the range of numbers.
func span(lists ...[]float64) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, list := range lists {
		for _, v := range list {
			low, high = min(low, v), max(high, v)
		}
	}
	return low, high
}

// whisker is an estimate with its uncertainty, in a list.
type whisker struct {
	name      string
	value     float64
	low, high float64
	strong    bool
}

// longest is the length from which names are cut.
const longest = 24

// cut shortens a name.
func cut(name string, longest int) string {
	if r := []rune(name); len(r) > longest {
		return string(r[:longest-1]) + "…"
	}
	return name
}

// list draws estimates below each other, the first on top, with a line at zero.
func list(rows []whisker, x string) (string, error) {
	p := newPlot(x, "")
	n := len(rows)
	low, high := 0.0, 0.0
	ticks := make([]plot.Tick, n)
	zero := plotter.XYs{{X: 0, Y: -0.6}, {X: 0, Y: float64(n) - 0.4}}
	line(p, zero, figure.Ink, vg.Points(0.6))
	for i, r := range rows {
		y := float64(n - 1 - i)
		ticks[i] = plot.Tick{Value: y, Label: cut(r.name, longest)}
		low, high = min(low, r.low), max(high, r.high)
		c := grey()
		if r.strong {
			c = blue()
		}
		line(p, plotter.XYs{{X: r.low, Y: y}, {X: r.high, Y: y}}, c, vg.Points(1.4))
		dots(p, plotter.XYs{{X: r.value, Y: y}}, c, vg.Points(2.6))
	}
	p.Y.Tick.Marker = plot.ConstantTicks(ticks)
	p.X.Min, p.X.Max = figure.Frame(low, high, false)
	p.Y.Min, p.Y.Max = -0.6, float64(n)-0.4
	return single(p, width, vg.Length(n)*rowHeight+1.6*vg.Centimeter)
}
