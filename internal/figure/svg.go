package figure

import (
	"errors"
	"fmt"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// SVG returns what is drawn as an SVG document without its XML declaration.
func SVG(width, height vg.Length, paint func(draw.Canvas)) (string, error) {
	c := vgsvg.New(width, height)
	paint(draw.New(c))
	var b strings.Builder
	if _, err := c.WriteTo(&b); err != nil {
		return "", err
	}
	text := b.String()
	start := strings.Index(text, "<svg")
	if start < 0 {
		return "", errors.New("the SVG writer made no svg element")
	}
	return text[start:], nil
}

const family = "font-family:Liberation Sans"

// Portable names fonts of the same widths that other systems have.
func Portable(svg string) string {
	return strings.ReplaceAll(svg, family, family+",Arial,Helvetica,sans-serif")
}

// ForPage makes an SVG part of a page: its fonts, and its ink, so that it follows a dark
// mode.
func ForPage(svg string) string {
	svg = strings.ReplaceAll(svg, family, "font-family:inherit")
	return strings.ReplaceAll(svg, fmt.Sprintf("#%02X%02X%02X", Ink.R, Ink.G, Ink.B), "currentColor")
}
