package report

import (
	"image/color"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// ink is the colour of text and axes. It is no palette colour and not pure
// black, so that forPage finds it.
var ink = color.NRGBA{R: 0x20, G: 0x21, B: 0x24, A: 0xff}

// palette: Okabe and Ito's colours, which people with any colour vision tell
// apart, without the yellow, too pale for a line; grey stands for their black,
// which a dark page would hide.
func palette() []color.NRGBA {
	return []color.NRGBA{
		{0x00, 0x72, 0xb2, 0xff}, // blue
		{0xd5, 0x5e, 0x00, 0xff}, // vermilion
		{0x00, 0x9e, 0x73, 0xff}, // green
		{0xcc, 0x79, 0xa7, 0xff}, // purple
		{0xe6, 0x9f, 0x00, 0xff}, // orange
		{0x56, 0xb4, 0xe9, 0xff}, // sky
		{0x7f, 0x7f, 0x7f, 0xff}, // grey
	}
}

// dashes tell methods apart that share a colour.
func dashes() [][]vg.Length {
	return [][]vg.Length{nil, {5, 2}, {1.5, 1.5}, {6, 2, 1.5, 2}}
}

// styleOf gives every method its line.
func styleOf(methods []string) map[string]draw.LineStyle {
	colours, patterns := palette(), dashes()
	styles := map[string]draw.LineStyle{}
	for i, m := range methods {
		styles[m] = draw.LineStyle{
			Color: colours[i%len(colours)], Width: vg.Points(1.3),
			Dashes: patterns[i/len(colours)%len(patterns)],
		}
	}
	return styles
}

// textStyle is sans-serif ink of a size in points.
func textStyle(size vg.Length) text.Style {
	return text.Style{
		Color:   ink,
		Font:    font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, size),
		Handler: text.Plain{Fonts: font.DefaultCache},
	}
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
	l := legend{methods: methods, styles: styles, label: textStyle(9)}
	l.label.YAlign = draw.YCenter
	for _, m := range methods {
		l.column = max(l.column, legendSample+legendGap+l.label.Width(m)+4*legendGap)
	}
	l.columns = min(max(1, int(width/l.column)), len(methods))
	return l
}

func (l legend) height() vg.Length {
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
