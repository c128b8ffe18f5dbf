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
	panelGap    = 0.25 * vg.Centimeter
	margin      = 0.2 * vg.Centimeter
	pngDPI      = 200
	mostColumns = 3
)

// curvePanel is the size of a panel of curves.
func curvePanel() vg.Point { return vg.Point{X: 6 * vg.Centimeter, Y: 4.6 * vg.Centimeter} }

// Kind is what a figure shows.
type Kind string

// The kinds of figures.
const (
	Curves  Kind = "curves"  // best value by evaluation, a panel per task
	Ranks   Kind = "rank"    // mean ranks, and what a trial costs
	Profile Kind = "profile" // share of tasks solved by evaluation, a panel per target
)

// Figure draws trials.
func Figure(w io.Writer, trials []bench.Trial, kind Kind, format Image) error {
	f, err := layOut(trials, kind)
	if err != nil {
		return err
	}
	return f.write(w, format)
}

// write draws in a format.
func (f *layout) write(w io.Writer, format Image) error {
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
		_, err := c.WriteTo(w)
		return err
	case PNG:
		c := vgimg.NewWith(vgimg.UseWH(f.width, f.height), vgimg.UseDPI(pngDPI))
		f.draw(draw.New(c))
		_, err := vgimg.PngCanvas{Canvas: c}.WriteTo(w)
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

// layOut makes the panels of a kind.
func layOut(trials []bench.Trial, kind Kind) (*layout, error) {
	curves := bench.Curves(trials)
	if len(curves) == 0 {
		return nil, errors.New("there is no trial to draw")
	}
	styles := styleOf(methodsOf(curves)) // a method looks the same in all figures
	if kind == Curves {
		return layOutCurves(curves, styles)
	}
	board, err := bench.Rank(trials)
	if err != nil {
		return nil, err
	}
	if kind == Ranks {
		ranks, costs, size, err := standingPanels(board, styles)
		if err != nil {
			return nil, err
		}
		return arrange([][]*plot.Plot{{ranks, costs}}, size), nil
	}
	panels, err := profilePanels(board, styles)
	if err != nil {
		return nil, err
	}
	var rows [][]*plot.Plot
	for pair := range slices.Chunk(panels, 2) {
		rows = append(rows, pair)
	}
	f := arrange(rows, curvePanel())
	f.explain(board.Methods(), styles)
	return f, nil
}

// layOutCurves makes one panel per task. Each batch size starts a new row.
func layOutCurves(curves []bench.Curve, styles map[string]draw.LineStyle) (*layout, error) {
	tasks, byTask := tasksOf(curves)
	var rows [][]*plot.Plot
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
	}
	f := arrange(rows, curvePanel())
	f.explain(methodsOf(curves), styles)
	return f, nil
}

// tasksOf orders the tasks and groups their curves.
func tasksOf(curves []bench.Curve) ([]bench.Task, map[bench.Task][]bench.Curve) {
	byTask := map[bench.Task][]bench.Curve{}
	var tasks []bench.Task
	for _, c := range curves {
		if byTask[c.Task()] == nil {
			tasks = append(tasks, c.Task())
		}
		byTask[c.Task()] = append(byTask[c.Task()], c)
	}
	slices.SortFunc(tasks, bench.Task.Compare)
	return tasks, byTask
}

// arrange makes rows of equal length.
func arrange(rows [][]*plot.Plot, panel vg.Point) *layout {
	widest := 0
	for _, r := range rows {
		widest = max(widest, len(r))
	}
	for i := range rows {
		rows[i] = append(rows[i], make([]*plot.Plot, widest-len(rows[i]))...)
	}
	return &layout{
		grid: rows, width: vg.Length(widest)*(panel.X+panelGap) - panelGap + 2*margin,
		height: vg.Length(len(rows))*(panel.Y+panelGap) + 2*margin,
	}
}

// explain puts a legend below the panels.
func (f *layout) explain(methods []string, styles map[string]draw.LineStyle) {
	f.legend = newLegend(methods, styles, f.width-2*margin)
	f.height += f.legend.height()
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
