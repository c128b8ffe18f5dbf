package figure

import (
	_ "embed"
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Style is the style sheet of pages.
//
//go:embed page.css
var Style string

// Ink is the colour of text and axes. It is no palette colour and not pure
// black, so that ForPage finds it.
var Ink = color.NRGBA{R: 0x20, G: 0x21, B: 0x24, A: 0xff}

// Palette returns Okabe and Ito's colours, which people with any colour vision tell
// apart, without the yellow, too pale for a line; grey stands for their black,
// which a dark page would hide.
func Palette() []color.NRGBA {
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

// TextStyle is sans-serif ink of a size in points.
func TextStyle(size vg.Length) text.Style {
	return text.Style{
		Color:   Ink,
		Font:    font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, size),
		Handler: text.Plain{Fonts: font.DefaultCache},
	}
}

// Dress sets fonts, colours and labels.
func Dress(p *plot.Plot, title, x, y string) {
	p.BackgroundColor = nil
	p.Title.Text = title
	p.Title.TextStyle = TextStyle(9.5)
	p.Title.TextStyle.XAlign, p.Title.TextStyle.YAlign = draw.XCenter, draw.YTop
	p.Title.Padding = vg.Points(4)
	p.X.Label.Text, p.Y.Label.Text = x, y
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		label := TextStyle(8)
		label.XAlign, label.YAlign, label.Rotation = a.Label.TextStyle.XAlign, a.Label.TextStyle.YAlign, a.Label.TextStyle.Rotation
		a.Label.TextStyle = label
		tick := TextStyle(7.5)
		tick.XAlign, tick.YAlign = a.Tick.Label.XAlign, a.Tick.Label.YAlign
		a.Tick.Label = tick
		a.Color, a.Tick.Color = Ink, Ink
		a.Tick.Length = vg.Points(3)
		a.Padding = 0
	}
	grid := plotter.NewGrid()
	faint := draw.LineStyle{Color: color.NRGBA{R: 0x80, G: 0x80, B: 0x80, A: 0x40}, Width: vg.Points(0.4)}
	grid.Vertical, grid.Horizontal = faint, faint
	p.Add(grid)
}
