package report

import (
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/mahabo/mahabo/internal/figure"
)

// dashes tell methods apart that share a colour.
func dashes() [][]vg.Length {
	return [][]vg.Length{nil, {5, 2}, {1.5, 1.5}, {6, 2, 1.5, 2}}
}

// styleOf gives every method its line.
func styleOf(methods []string) map[string]draw.LineStyle {
	colours, patterns := figure.Palette(), dashes()
	styles := map[string]draw.LineStyle{}
	for i, m := range methods {
		styles[m] = draw.LineStyle{
			Color: colours[i%len(colours)], Width: vg.Points(1.3),
			Dashes: patterns[i/len(colours)%len(patterns)],
		}
	}
	return styles
}

// legend lists the methods in columns below the panels.
type legend struct {
	methods []string
	styles  map[string]draw.LineStyle
	label   text.Style
	column  vg.Length
	columns int
}

const (
	legendLine   = 0.5 * vg.Centimeter // height of an entry
	legendSample = 0.9 * vg.Centimeter // length of its line
	legendGap    = 0.15 * vg.Centimeter
)

func newLegend(methods []string, styles map[string]draw.LineStyle, width vg.Length) legend {
	l := legend{methods: methods, styles: styles, label: figure.TextStyle(9)}
	l.label.YAlign = draw.YCenter
	for _, m := range methods {
		l.column = max(l.column, legendSample+legendGap+l.label.Width(m)+4*legendGap)
	}
	l.columns = min(max(1, int(width/l.column)), len(methods))
	return l
}

func (l legend) height() vg.Length {
	if len(l.methods) == 0 {
		return 0
	}
	return vg.Length((len(l.methods)+l.columns-1)/l.columns) * legendLine
}

// draw writes the entries from the top left of the lowest part of c.
func (l legend) draw(c draw.Canvas) {
	for i, m := range l.methods {
		x := c.Min.X + vg.Length(i%l.columns)*l.column
		y := c.Min.Y + l.height() - (vg.Length(i/l.columns)+0.5)*legendLine
		c.StrokeLine2(l.styles[m], x, y, x+legendSample, y)
		c.FillText(l.label, vg.Point{X: x + legendSample + legendGap, Y: y}, m)
	}
}
