package report

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"

	"github.com/mahabo/mahabo/internal/bench"
	"github.com/mahabo/mahabo/internal/figure"
)

// Image is a file format of figures.
type Image string

// The formats, named as the extensions of their files.
const (
	PNG Image = "png"
	SVG Image = "svg"
	PDF Image = "pdf"
)

// ImageOf returns the format that a file's name asks for.
func ImageOf(file string) (Image, error) {
	format := Image(strings.ToLower(strings.TrimPrefix(filepath.Ext(file), ".")))
	if !slices.Contains([]Image{PNG, SVG, PDF}, format) {
		return "", fmt.Errorf("%s: the name must end in .png, .svg or .pdf", file)
	}
	return format, nil
}

const (
	panelWidth  = 6 * vg.Centimeter
	panelHeight = 4.6 * vg.Centimeter
	panelGap    = 0.25 * vg.Centimeter
	margin      = 0.2 * vg.Centimeter
	pngDPI      = 200
	mostColumns = 3
)

// Figure draws the curves of all trials.
func Figure(w io.Writer, trials []bench.Trial, format Image) error {
	curves := bench.Curves(trials)
	f, err := layOut(curves, styleOf(methodsOf(curves)))
	if err != nil {
		return err
	}
	switch format {
	case SVG:
		text, err := figure.SVG(f.width, f.height, f.draw)
		if err != nil {
			return err
		}
		_, err = io.WriteString(w, figure.Portable(text))
		return err
	case PDF:
		c := vgpdf.New(f.width, f.height)
		f.draw(draw.New(c))
		_, err = c.WriteTo(w)
		return err
	case PNG:
		c := vgimg.NewWith(vgimg.UseWH(f.width, f.height), vgimg.UseDPI(pngDPI))
		f.draw(draw.New(c))
		_, err = vgimg.PngCanvas{Canvas: c}.WriteTo(w)
		return err
	}
	return fmt.Errorf("unknown image format %q", format)
}

// layout is a grid of panels above a legend.
type layout struct {
	grid          [][]*plot.Plot // rows of equal length; nil is an empty place
	legend        legend
	width, height vg.Length
}

// methodsOf lists the methods in the order of the curves.
func methodsOf(curves []bench.Curve) []string {
	var methods []string
	for _, c := range curves {
		if !slices.Contains(methods, c.Method) {
			methods = append(methods, c.Method)
		}
	}
	return methods
}

// layOut makes the panels. Each batch size starts a new row.
func layOut(curves []bench.Curve, styles map[string]draw.LineStyle) (*layout, error) {
	if len(curves) == 0 {
		return nil, errors.New("there is no trial to draw")
	}
	byTask := map[bench.Task][]bench.Curve{}
	var tasks []bench.Task
	for _, c := range curves {
		if byTask[c.Task()] == nil {
			tasks = append(tasks, c.Task())
		}
		byTask[c.Task()] = append(byTask[c.Task()], c)
	}
	slices.SortFunc(tasks, bench.Task.Compare)
	var rows [][]*plot.Plot
	widest := 0
	for i, t := range tasks {
		p, err := panel(t, byTask[t], styles)
		if err != nil {
			return nil, err
		}
		if i == 0 || t.Batch != tasks[i-1].Batch || len(rows[len(rows)-1]) == mostColumns {
			rows = append(rows, nil)
		}
		last := &rows[len(rows)-1]
		*last = append(*last, p)
		widest = max(widest, len(*last))
	}
	for i := range rows {
		rows[i] = append(rows[i], make([]*plot.Plot, widest-len(rows[i]))...)
	}
	f := &layout{grid: rows, width: vg.Length(widest)*(panelWidth+panelGap) - panelGap + 2*margin}
	f.legend = newLegend(methodsOf(curves), styles, f.width-2*margin)
	f.height = vg.Length(len(rows))*(panelHeight+panelGap) + f.legend.height() + 2*margin
	return f, nil
}

func (f *layout) draw(c draw.Canvas) {
	tiles := draw.Tiles{
		Rows: len(f.grid), Cols: len(f.grid[0]), PadX: panelGap, PadY: panelGap,
		PadTop: margin, PadLeft: margin, PadRight: margin, PadBottom: margin,
	}
	panels := draw.Crop(c, 0, 0, f.legend.height(), 0)
	for i, row := range plot.Align(f.grid, tiles, panels) {
		for j, place := range row {
			if p := f.grid[i][j]; p != nil {
				p.Draw(place)
			}
		}
	}
	f.legend.draw(draw.Crop(c, margin, -margin, margin, 0))
}
