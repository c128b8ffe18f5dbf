package report

import (
	_ "embed"
	"errors"
	"fmt"
	"html/template"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/mahabo/mahabo/internal/bench"
	"github.com/mahabo/mahabo/internal/figure"
)

// Page says what a page of results shows and how it was made.
type Page struct {
	Title   string
	Folders []Folder
	Trials  []bench.Trial // of the folders, those to be shown
	Command string        // that made the page
	Version string
	Time    time.Time
}

// Folder is what a results folder says of its origin.
type Folder struct {
	Dir      string
	Trials   int
	Versions []string // of its trials
	Runs     []Run
	Failures []bench.Failure // of trials that did not succeed later
}

// Run is a command that was started once or, after interruptions, several times.
type Run struct {
	bench.Origin // of the first start
	Starts       int
}

// group joins the starts of the same command on the same machine.
func group(origins []bench.Origin) []Run {
	var runs []Run
	for _, o := range origins {
		i := slices.IndexFunc(runs, func(r Run) bool {
			r.Time = o.Time
			return r.Origin == o
		})
		if i < 0 {
			runs = append(runs, Run{o, 1})
			continue
		}
		runs[i].Starts++
	}
	return runs
}

// ReadFolder reads a results folder's origin.
func ReadFolder(dir string) (Folder, error) {
	trials, err := bench.Read(dir)
	if err != nil {
		return Folder{}, err
	}
	origins, err := bench.ReadOrigins(dir)
	if err != nil {
		return Folder{}, err
	}
	failures, err := bench.ReadFailures(dir)
	if err != nil {
		return Folder{}, err
	}
	type key struct {
		bench.Cell
		trial int
	}
	finished, versions := map[key]bool{}, map[string]bool{}
	for _, t := range trials {
		finished[key{t.Cell, t.Trial}], versions[t.Version] = true, true
	}
	failures = slices.DeleteFunc(failures, func(f bench.Failure) bool { return finished[key{f.Cell, f.Trial}] })
	return Folder{dir, len(trials), slices.Sorted(maps.Keys(versions)), group(origins), failures}, nil
}

//go:embed page.html
var pageTemplate string

// view is what the template sees.
type view struct {
	Page
	Methods, Tasks int
	Settings       []string
	Legend         []legendItem
	Board          *board // nil when no two methods can be compared
	Figures        []drawing
	Best, Minutes  template.HTML
	Paper, Rows    template.HTML
	Style          template.CSS
}

// drawing is a figure on the page: its panels stand side by side where there is room.
type drawing struct {
	Caption string
	Panels  []template.HTML
}

// legendItem is a method with a sample of its line.
type legendItem struct {
	Method string
	Line   template.HTML
}

// LegendOf is the legend of some methods.
func (v *view) LegendOf(methods []string) []legendItem {
	var list []legendItem
	for _, m := range methods {
		list = append(list, v.Legend[slices.IndexFunc(v.Legend, func(i legendItem) bool { return i.Method == m })])
	}
	return list
}

// HTML writes the page as one file that needs no other: styles and figures are
// inside, and nothing is loaded from elsewhere.
func HTML(w io.Writer, p Page) error {
	if len(p.Trials) == 0 {
		return errors.New("there is no trial to report")
	}
	page, err := template.New("page").Parse(pageTemplate)
	if err != nil {
		return fmt.Errorf("page.html: %w", err)
	}
	v, err := p.view()
	if err != nil {
		return err
	}
	return page.Execute(w, v)
}

func (p Page) view() (*view, error) {
	rows := bench.Summarise(p.Trials)
	v := &view{Page: p, Settings: settings(rows), Style: template.CSS(figure.Style)}
	methods, tasks := map[string]bool{}, map[bench.Task]bool{}
	for _, r := range rows {
		methods[r.Method], tasks[r.Task()] = true, true
	}
	v.Methods, v.Tasks = len(methods), len(tasks)
	for _, t := range []struct {
		dst   *template.HTML
		write func(io.Writer) error
	}{
		{&v.Best, func(w io.Writer) error { return bench.Pivot(w, rows, bench.BestValue, bench.HTML) }},
		{&v.Minutes, func(w io.Writer) error { return bench.Pivot(w, rows, bench.Minutes, bench.HTML) }},
		{&v.Rows, func(w io.Writer) error { return bench.Table(w, rows, bench.HTML) }},
		{&v.Paper, func(w io.Writer) error { return bench.CompareMeasured(w, rows, bench.HTML) }},
	} {
		var b strings.Builder
		if err := t.write(&b); err != nil {
			return nil, err
		}
		*t.dst = template.HTML(b.String()) // package bench has escaped it
	}
	curves := bench.Curves(p.Trials)
	styles := styleOf(methodsOf(curves)) // a method looks the same in all figures
	var err error
	if v.Legend, err = legendItems(methodsOf(curves), styles); err != nil {
		return nil, err
	}
	if v.Board, err = newBoard(p.Trials, styles); err != nil {
		return nil, err
	}
	v.Figures, err = drawings(curves, styles)
	return v, err
}

// drawings makes one figure per batch size.
func drawings(curves []bench.Curve, styles map[string]draw.LineStyle) ([]drawing, error) {
	tasks, byTask := tasksOf(curves)
	var list []drawing
	for i, t := range tasks {
		if i == 0 || t.Batch != tasks[i-1].Batch {
			list = append(list, drawing{Caption: fmt.Sprintf(
				"Best value by evaluation, %s: mean and one standard error (68 %%). Dashed: the minimum of the function.", pace(t.Batch))})
		}
		p, err := panel(t, byTask[t], styles)
		if err != nil {
			return nil, err
		}
		svg, err := pagePanel(p, curvePanel())
		if err != nil {
			return nil, err
		}
		last := &list[len(list)-1]
		last.Panels = append(last.Panels, svg)
	}
	return list, nil
}

// pagePanel is a panel as a part of the page.
func pagePanel(p *plot.Plot, size vg.Point) (template.HTML, error) {
	svg, err := figure.SVG(size.X+2*margin, size.Y+2*margin, func(c draw.Canvas) { p.Draw(draw.Crop(c, margin, -margin, margin, -margin)) })
	return template.HTML(figure.ForPage(svg)), err // the SVG writer has escaped its texts
}

func legendItems(methods []string, styles map[string]draw.LineStyle) ([]legendItem, error) {
	var list []legendItem
	for _, m := range methods {
		svg, err := figure.SVG(legendSample, legendLine/2, func(c draw.Canvas) {
			c.StrokeLine2(styles[m], c.Min.X, legendLine/4, c.Max.X, legendLine/4)
		})
		if err != nil {
			return nil, err
		}
		list = append(list, legendItem{m, template.HTML(svg)})
	}
	return list, nil
}

// pace says how many points are evaluated together.
func pace(batch int) string {
	if batch == 1 {
		return "one point at a time"
	}
	return fmt.Sprintf("in batches of %d", batch)
}

// settings lists the budgets of the rows.
func settings(rows []bench.Row) []string {
	count := map[[3]int]int{}
	for _, r := range rows {
		count[[3]int{r.Init, r.Evals, r.Trials}]++
	}
	var list []string
	for _, s := range slices.SortedFunc(maps.Keys(count), func(a, b [3]int) int { return slices.Compare(a[:], b[:]) }) {
		list = append(list, fmt.Sprintf("%d + %d evaluations, %d trials: %d rows", s[0], s[1], s[2], count[s]))
	}
	return list
}
