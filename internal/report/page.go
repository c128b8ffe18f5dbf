package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"time"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/internal/figure"
	"github.com/mahabo/mahabo/internal/insight"
	"github.com/mahabo/mahabo/study"
)

// Page is what a page shows and how it was made.
type Page struct {
	Summary  study.Summary
	Trials   []study.Trial // all, in the order of their numbers
	Analysis *insight.Analysis
	Command  string // that made the page
	Version  string
	Time     time.Time
}

//go:embed page.html
var pageTemplate string

// view is what the template sees.
type view struct {
	Page
	Style        template.CSS
	Advice       string
	Params       string // the best point, to copy
	States       []stateCount
	Improvements []improvement
	Directions   []directionView
	Important    []insight.Importance

	Convergence, Parallel, Importance  template.HTML
	Evidence, SliceGrid, Calibration   template.HTML
	AxesDrawn, LinesDrawn, Highlighted int
}

// stateCount is how many trials are in a state.
type stateCount struct {
	State evaluate.State
	Count int
}

// directionView is a direction with its figures and the rows of their tables.
type directionView struct {
	insight.Direction
	Number           int
	Loadings         []insight.Loading
	Figure, Response template.HTML
	Points           []responsePoint
}

// responsePoint is a row of the table beside a response.
type responsePoint struct{ At, Median, Low, High float64 }

// HTML writes the page.
func HTML(w io.Writer, p Page) error {
	page, err := template.New("page").Funcs(template.FuncMap{
		"percent": func(v float64) string { return fmt.Sprintf("%.0f %%", 100*v) },
		"number":  func(v float64) string { return fmt.Sprintf("%.6g", v) },
		"short":   func(v float64) string { return fmt.Sprintf("%.3g", v) },
		"last":    func(v []float64) float64 { return v[len(v)-1] },
		"model":   modelName,
	}).Parse(pageTemplate)
	if err != nil {
		return fmt.Errorf("page.html: %w", err)
	}
	v, err := p.view()
	if err != nil {
		return err
	}
	return page.Execute(w, v)
}

// tableRows bounds the tables beside figures.
const tableRows = 50

func (p Page) view() (*view, error) {
	p.Trials = slices.DeleteFunc(slices.Clone(p.Trials), func(t study.Trial) bool { return t.Excluded })
	a := p.Analysis
	v := &view{Page: p, Style: template.CSS(figure.Style), Advice: advice(a.Structure)}
	for _, s := range []evaluate.State{evaluate.Complete, study.Running, study.Waiting, study.Stale, evaluate.Failed, evaluate.Infeasible} {
		if n := p.Summary.States[s]; n > 0 {
			v.States = append(v.States, stateCount{s, n})
		}
	}
	if n := p.Summary.Excluded; n > 0 {
		v.States = append(v.States, stateCount{"excluded", n})
	}
	if a.Best != nil {
		v.Params = a.Best.Params.String()
		v.Improvements = improvements(p.Trials, p.Summary.Config.Goal)
		if n := len(v.Improvements); n > tableRows {
			v.Improvements = v.Improvements[n-tableRows:]
		}
	}
	v.Important = a.Importances[:min(tableRows, len(a.Importances))]
	return v, v.draw()
}

// drawing is a figure and where it goes.
type drawing struct {
	dst  *template.HTML
	show bool
	draw func() (string, error)
}

// draw makes the figures that there are data for.
func (v *view) draw() error {
	a, goal := v.Analysis, v.Summary.Config.Goal
	figures := []drawing{
		{&v.Convergence, a.Best != nil, func() (string, error) { return convergence(v.Trials, goal) }},
		{&v.Importance, len(a.Importances) > 0, func() (string, error) { return importance(a) }},
		{&v.Parallel, len(a.Importances) > 1, v.parallel},
		{&v.Evidence, len(a.Evidence) > 0, func() (string, error) { return evidence(a) }},
		{&v.SliceGrid, len(a.Slices) > 0, func() (string, error) { return sliceGrid(a) }},
		{&v.Calibration, a.Calibration != nil, func() (string, error) { return calibration(a.Calibration, goal) }},
	}
	for k, d := range a.Directions {
		v.Directions = append(v.Directions, newDirectionView(k+1, d))
	}
	for k, d := range a.Directions {
		one := &v.Directions[k]
		figures = append(figures,
			drawing{&one.Figure, true, func() (string, error) { return loadings(d) }},
			drawing{&one.Response, true, func() (string, error) { return response(d, goal) }})
	}
	for _, f := range figures {
		if !f.show {
			continue
		}
		svg, err := f.draw()
		if err != nil {
			return err
		}
		*f.dst = template.HTML(figure.ForPage(svg)) // the SVG writer has escaped its texts
	}
	return nil
}

func (v *view) parallel() (string, error) {
	axes := parallelAxes(v.Summary.Config.Space, v.Analysis)
	lines, err := polylines(v.Summary.Config, v.Trials, axes)
	if err != nil {
		return "", err
	}
	v.AxesDrawn, v.LinesDrawn = len(axes), len(lines)
	complete := 0
	for _, t := range v.Trials {
		if t.Value != nil {
			complete++
		}
	}
	v.Highlighted = min(mostLines/2, highlighted(complete))
	return parallel(axes, lines, v.Highlighted)
}

func newDirectionView(number int, d insight.Direction) directionView {
	v := directionView{Direction: d, Number: number, Loadings: d.Loadings[:min(tableRows, len(d.Loadings))]}
	for i := 0; i < len(d.Response.At); i += 4 {
		r := d.Response
		v.Points = append(v.Points, responsePoint{r.At[i], r.Median[i], r.Low[i], r.High[i]})
	}
	return v
}

// advice says what to do about a verdict.
func advice(s insight.Structure) string {
	switch s {
	case insight.LowDimensional:
		return "A method that learns directions, such as maha, can use this; so can you, by moving these parameters together."
	case insight.Unpredictable:
		return "Do not read anything into the importances below. Evaluate more points; if values at one point differ, repeat points to see how large the noise is."
	case insight.Unclear:
		return "The importances below are a first guess. More points that are spread over the space, for instance from the method sobol, would settle it."
	case insight.ManyMatter:
		return "Methods that search in a few directions would miss something; adaptive, vanilla and turbo do not."
	case insight.OneCoordinate:
		return "The slice below shows all there is."
	}
	return "Come back when there are more values."
}
