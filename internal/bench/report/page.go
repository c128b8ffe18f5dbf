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
	Figures        []drawing
	Best, Minutes  template.HTML
	Paper, Rows    template.HTML
	Style          template.CSS
}

// drawing is a figure on the page.
type drawing struct {
	Caption string
	SVG     template.HTML
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
	var err error
	v.Figures, err = drawings(bench.Curves(p.Trials))
	return v, err
}

// drawings makes one figure per batch size.
func drawings(curves []bench.Curve) ([]drawing, error) {
	byBatch := map[int][]bench.Curve{}
	for _, c := range curves {
		byBatch[c.Batch] = append(byBatch[c.Batch], c)
	}
	styles := styleOf(methodsOf(curves)) // a method looks the same in all figures
	var list []drawing
	for _, batch := range slices.Sorted(maps.Keys(byBatch)) {
		f, err := layOut(byBatch[batch], styles)
		if err != nil {
			return nil, err
		}
		svg, err := figure.SVG(f.width, f.height, f.draw)
		if err != nil {
			return nil, err
		}
		list = append(list, drawing{
			Caption: fmt.Sprintf("Best value by evaluation, %s: mean and one standard error (68 %%). Dashed: the minimum of the function.", pace(batch)),
			SVG:     template.HTML(figure.ForPage(svg)), // the SVG writer has escaped its texts
		})
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
