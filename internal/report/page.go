package report

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/internal/chart"
	"github.com/mahabo/mahabo/internal/figure"
	"github.com/mahabo/mahabo/internal/insight"
	"github.com/mahabo/mahabo/internal/outcome"
	"github.com/mahabo/mahabo/study"
)

// Page is what a page shows and how it was made.
type Page struct {
	Summary study.Summary
	Trials  []study.Trial // all, in the order of their numbers
	Review  *insight.Review
	Front   *study.Front // where the study declares outcomes
	Reports map[int][]study.Reported
	Command string // that made the page
	Version string
	Time    time.Time
}

//go:embed page.html
var pageTemplate string

// view is what the template sees.
type view struct {
	Page
	chart.View
	Style           template.CSS
	Library, Script template.JS
	Policy          string
	Params          string // the best point, to copy
	States          []stateCount
	Improvements    []improvement

	Asked      *chart.Chosen // nil before a batch was chosen
	Chosen     *study.Best   // the best point where outcomes are declared
	Objectives []string

	Outcomes *chart.FrontView // nil where none are declared, or no trial is complete

	Convergence, Parallel template.HTML
	Learning, Spending    template.HTML // "" when there is nothing to draw
	SliceGrid, Contours   []template.HTML
	Drawn                 int // trials of the parallel coordinates
}

// stateCount is how many trials are in a state.
type stateCount struct {
	State evaluate.State
	Count int
}

// improvement is a complete trial that was better than all before.
type improvement struct {
	Number int
	Value  float64
}

// Aim is what the study is after, as the beginning of a sentence.
func (v *view) Aim() string {
	aim := chart.Aim(v.Goal, v.Summary.Config.Space)
	return strings.ToUpper(aim[:1]) + aim[1:]
}

// ImprovedDigits tell the improvements apart.
func (v *view) ImprovedDigits() int {
	var values []float64
	for _, i := range v.Improvements {
		values = append(values, i.Value)
	}
	return chart.Digits(values)
}

// SliceDigits tell what the table of slices has apart.
func (v *view) SliceDigits() int {
	var values []float64
	for _, s := range v.Slices {
		values = append(values, s.Median[0], s.Median[s.Best], s.Median[len(s.Median)-1])
	}
	return chart.Digits(values)
}

// HTML writes the page.
func HTML(w io.Writer, p Page) error {
	t, err := chart.Parse(template.New("page").Funcs(chart.Functions()).Funcs(template.FuncMap{"number": chart.Number}))
	if err == nil {
		t, err = t.Parse(pageTemplate)
	}
	if err != nil {
		return fmt.Errorf("page.html: %w", err)
	}
	v, err := p.view()
	if err != nil {
		return err
	}
	return t.Execute(w, v)
}

// start draws the figures when the page is there.
const start = "\ndrawAll(document);\n"

const (
	tableRows = 50   // of tables beside figures
	mostDots  = 1500 // of the chart of convergence
	mostLines = 300  // of the parallel coordinates
	mostAxes  = 9
	sliceDots = 200
	contours  = 3 // most important parameters whose pairs are drawn
)

func (p Page) view() (*view, error) {
	p.Trials = slices.DeleteFunc(slices.Clone(p.Trials), func(t study.Trial) bool { return t.Excluded })
	a, goal := p.Review, p.Summary.Config.Goal
	v := &view{Page: p, View: chart.View{Review: a, Goal: string(goal)}, Style: template.CSS(figure.Style + chart.Style)}
	if m := p.Summary.Model; m.Method != "" {
		v.Asked = &chart.Chosen{Method: m.Method, D: m.D, Former: m.Former, FitSeconds: m.FitSeconds, SearchSeconds: m.SearchSeconds, Weights: m.Weights, WeightShare: m.WeightShare, WeightLead: m.WeightLead}
	}
	v.Library, v.Script = template.JS(chart.Unpacked()), template.JS(chart.Script+start)
	v.Policy = "default-src 'none'; style-src 'unsafe-inline'; script-src " + digest(string(v.Library)) + " " + digest(string(v.Script))
	for _, s := range []evaluate.State{evaluate.Complete, study.Running, study.Waiting, study.Stale, evaluate.Stopped, evaluate.Failed, evaluate.Infeasible} {
		if n := p.Summary.States[s]; n > 0 {
			v.States = append(v.States, stateCount{s, n})
		}
	}
	if n := p.Summary.Excluded; n > 0 {
		v.States = append(v.States, stateCount{"excluded", n})
	}
	if f := p.Front; f != nil && f.Complete > 0 {
		complete := slices.DeleteFunc(slices.Clone(p.Trials), func(t study.Trial) bool { return t.State != evaluate.Complete })
		v.Outcomes = &chart.FrontView{OutcomesData: chart.NewFront(*f, complete, p.Summary.Config.Space)}
	}
	if a.Best == nil {
		return v, nil
	}
	v.Params = a.Best.Params.String()
	if f := p.Front; f != nil {
		v.Objectives, v.Chosen = f.Objectives, f.Least
		for i, b := range f.Points {
			if b.Number == f.Knee {
				v.Chosen = &f.Points[i]
			}
		}
		if v.Chosen != nil {
			v.Params = v.Chosen.Params.String()
		}
	}
	v.Improvements = improvements(p.Trials, goal, outcome.Of(p.Summary.Config.Space.Outcomes()))
	if n := len(v.Improvements); n > tableRows {
		v.Improvements = v.Improvements[n-tableRows:]
	}
	return v, v.draw()
}

// digest names a script in a Content-Security-Policy.
func digest(script string) string {
	sum := sha256.Sum256([]byte(script))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// improvements lists the trials that were better than all before.
func improvements(trials []study.Trial, goal study.Goal, scheme outcome.Scheme) (list []improvement) {
	for _, t := range trials {
		if t.Value != nil && scheme.Keeps(t.Outcomes) && (len(list) == 0 || chart.Better(goal, *t.Value, list[len(list)-1].Value)) {
			list = append(list, improvement{t.Number, *t.Value})
		}
	}
	return list
}

// draw makes the figures that there are data for.
func (v *view) draw() (err error) {
	goal := v.Summary.Config.Goal
	var values []study.Value
	scheme := outcome.Of(v.Summary.Config.Space.Outcomes())
	for _, t := range v.Page.Trials {
		if t.Value != nil {
			values = append(values, study.Value{Number: t.Number, Value: *t.Value, Broken: !scheme.Keeps(t.Outcomes)})
		}
	}
	curve := chart.NewCurve(values, goal, mostDots)
	caption := "Dots: the value of each complete trial. Line: the best so far. Triangles at the border lie beyond it. A line that has been flat for long means that the method has run out of better points, or that the remaining differences are noise."
	if len(curve.Numbers) < curve.Total {
		caption = fmt.Sprintf("%d of %d trials are drawn, the highest and the lowest of every stretch. ", len(curve.Numbers), curve.Total) + caption
	}
	v.Convergence, err = chart.Figure("convergence", map[string]any{
		"goal": v.Goal, "value": v.value(), "studies": []any{map[string]any{"name": v.Summary.Config.Name, "curve": curve}},
	}, caption, "")
	if err == nil {
		err = v.drawLong(scheme)
	}
	if err != nil || len(v.Importances) == 0 {
		return err
	}
	points := func(limit int, names ...string) (chart.Points, error) {
		return v.points(slices.Clone(values), limit, names...)
	}
	if err := v.drawParallel(points); err != nil {
		return err
	}
	for _, s := range v.Slices {
		p, err := points(sliceDots, s.Param)
		if err != nil {
			return err
		}
		f, err := chart.Figure("slice", map[string]any{"slice": s, "points": p, "goal": v.Goal, "value": v.value()}, "", "")
		if err != nil {
			return err
		}
		v.SliceGrid = append(v.SliceGrid, f)
	}
	return v.drawContours(points)
}

// value is what axes of values are called.
func (v *view) value() string { return chart.ValueName(v.Summary.Config.Space) }

// drawLong draws what trials reported, and what they cost if that was told or reports show that they take long.
func (v *view) drawLong(scheme outcome.Scheme) (err error) {
	if len(v.Page.Reports) > 0 {
		v.Learning, err = chart.Figure("learning", map[string]any{"goal": v.Goal, "value": v.value(), "learning": chart.NewLearning(v.Page.Trials, v.Page.Reports, v.Best.ID)}, chart.LearningCaption, "")
		if err != nil {
			return err
		}
	}
	spending := chart.NewSpending(v.Page.Trials, v.Summary.Config.Goal, 0, func(t study.Trial) bool { return scheme.Keeps(t.Outcomes) })
	if spending.Told || len(v.Page.Reports) > 0 || v.Summary.Config.Cost != "" {
		v.Spending, err = chart.Figure("spending", map[string]any{"goal": v.Goal, "value": v.value(), "spending": spending}, chart.SpendingCaption, "")
	}
	return err
}

// points are the best trials and others, with some parameters.
func (v *view) points(values []study.Value, limit int, names ...string) (chart.Points, error) {
	axes, err := chart.Axes(v.Summary.Config.Space, names)
	if err != nil {
		return chart.Points{}, err
	}
	known := map[int]study.Trial{}
	for _, t := range v.Page.Trials {
		known[t.Number] = t
	}
	total := len(values)
	var chosen []study.Trial
	for _, n := range chart.BestAndOthers(values, v.Summary.Config.Goal, limit) {
		chosen = append(chosen, known[n])
	}
	p := chart.NewPoints(chosen, axes)
	p.Total = total
	return p, nil
}

func (v *view) drawParallel(points func(int, ...string) (chart.Points, error)) error {
	var names []string
	for _, i := range v.Importances[:min(mostAxes, len(v.Importances))] {
		names = append(names, i.Param)
	}
	p, err := points(mostLines, names...)
	if err != nil {
		return err
	}
	v.Drawn = len(p.Numbers)
	v.Parallel, err = chart.Figure("parallel", map[string]any{"goal": v.Goal, "value": v.value(), "points": p},
		fmt.Sprintf("Each line is a trial across the most important parameters and its value, %d of %d: blue ones are good, the orange one is the best. Where good lines meet, good trials agree; where they spread, the parameter matters little or depends on another. Drag along an axis to keep the lines that pass there.", len(p.Numbers), p.Total), "")
	return err
}

func (v *view) drawContours(points func(int, ...string) (chart.Points, error)) error {
	top := v.Importances[:min(contours, len(v.Importances))]
	for i := range top {
		for j := range i {
			c, err := v.Contour(top[j].Param, top[i].Param)
			if err != nil {
				return err
			}
			p, err := points(sliceDots, top[j].Param, top[i].Param)
			if err != nil {
				return err
			}
			f, err := chart.Figure("contour", map[string]any{"contour": c, "points": p, "goal": v.Goal}, "", "")
			if err != nil {
				return err
			}
			v.Contours = append(v.Contours, f)
		}
	}
	return nil
}
