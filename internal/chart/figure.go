package chart

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/json"
	"fmt"
	"html"
	"html/template"
	"io"
	"math"
	"strconv"
	"strings"
	"sync"

	"github.com/mahabo/mahabo/internal/insight"
)

// Library is ECharts with what chart.js needs of it, compressed by gzip. build/entry.js says what
// that is; make echarts builds it.
//
//go:embed assets/echarts-6.1.0.min.js.gz
var Library []byte

// LibraryName is its name as a file.
const LibraryName = "echarts-6.1.0.min.js"

// Script is a module that draws charts.
//
//go:embed assets/chart.js
var Script string

// Style is what charts and sections add to the style sheet of a page, which has to set the
// colours --ink, --soft, --rule, --accent and --paper.
//
//go:embed assets/chart.css
var Style string

//go:embed sections.html
var sections string

// Unpacked is the library as text.
var Unpacked = sync.OnceValue(func() string {
	r, err := gzip.NewReader(bytes.NewReader(Library))
	if err != nil {
		panic(err) // the program was built without its files
	}
	text, err := io.ReadAll(r)
	if err != nil {
		panic(err)
	}
	return string(text)
})

// Figure is a chart of some kind with its data. trials is where the pages of trials are, "" for
// nowhere.
func Figure(kind string, data any, caption, trials string) (template.HTML, error) {
	text, err := json.Marshal(data) // escapes what could end the script element
	if err != nil {
		return "", fmt.Errorf("chart %s: %w", kind, err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<figure class="chart" data-chart="%s"`, html.EscapeString(kind))
	if trials != "" {
		fmt.Fprintf(&b, ` data-trials="%s"`, html.EscapeString(trials))
	}
	fmt.Fprintf(&b, `><div class="plot"></div><script type="application/json">%s</script>`, text)
	if caption != "" {
		fmt.Fprintf(&b, "<figcaption>%s</figcaption>", html.EscapeString(caption))
	}
	b.WriteString("</figure>")
	return template.HTML(b.String()), nil //nolint:gosec // all parts are escaped
}

// View is what the sections of an analysis show.
type View struct {
	*insight.Review
	Goal   string
	Trials string // where the pages of trials are, "" for nowhere
}

// figure is one whose points open the pages of trials.
func (v View) figure(kind string, data any, caption string) (template.HTML, error) {
	return Figure(kind, data, caption, v.Trials)
}

// shownRows is how many parameters a chart has, and a table beside it.
const (
	shownBars = 20
	shownRows = 50
)

// Shown is the beginning of the importances.
func (v View) Shown() []insight.Importance { return v.Importances[:min(shownRows, len(v.Importances))] }

// Doubt says that the most important parameter may as well not matter, if so.
func (v View) Doubt() string { return insight.Doubt(v.Importances) }

// ImportanceFigure draws the importances.
func (v View) ImportanceFigure() (template.HTML, error) {
	rows := v.Importances[:min(shownBars, len(v.Importances))]
	return v.figure("importance", map[string]any{"rows": rows}, fmt.Sprintf(
		"Blue: how much of the differences between values goes away when the parameter is held, over all values that the parameters can have. Orange: the same within the ranges of the best tenth of the trials (%d), where a parameter without a bar has one value only. Lines: nine of ten possible answers lie between. What parameters do together counts for each of them, so that the bars may add up to more than 100 %%.", v.GoodPoints))
}

// estimate is a row of a list.
type estimate struct {
	Name   string  `json:"name"`
	Value  float64 `json:"value"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
	Strong bool    `json:"strong"`
}

// Combination is a direction and its figures.
type Combination struct {
	insight.Direction
	Number           int
	Figure, Response template.HTML
}

// Shown are the coordinates that take part most.
func (c Combination) Shown() []insight.Loading { return c.Loadings[:min(shownRows, len(c.Loadings))] }

// Combinations are the directions that the data support.
func (v View) Combinations() (list []Combination, err error) {
	for k, d := range v.Directions {
		c := Combination{Direction: d, Number: k + 1}
		var rows []estimate
		for _, l := range d.Loadings[:min(shownBars, len(d.Loadings))] {
			rows = append(rows, estimate{l.Name(), l.Value, l.Value - l.StdDev, l.Value + l.StdDev, math.Abs(l.Value) > 2*l.StdDev})
		}
		c.Figure, err = v.figure("estimates", map[string]any{"rows": rows, "x": "moves down (left) or up (right)"},
			"How far each parameter moves when all move together, as a part of half its range. Lines: one standard deviation. A parameter in grey may as well stay.")
		if err != nil {
			return nil, err
		}
		c.Response, err = v.figure("response", map[string]any{"response": d.Response, "goal": v.Goal},
			"The model when all of these move together, to the right towards better values: the middle and the range in which it lies with 90 %. Dots are trials at their place along the combination. If the curve still improves at the right end, better values lie further out.")
		if err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	return list, nil
}

// EvidenceFigure draws the evidence.
func (v View) EvidenceFigure() (template.HTML, error) {
	var rows []estimate
	for _, e := range v.Evidence {
		rows = append(rows, estimate{ModelName(e), e.Gain, e.Gain - e.GainStdErr, e.Gain + e.GainStdErr, e.Supported || e.Model == v.Predictor})
	}
	return v.figure("estimates", map[string]any{"rows": rows, "x": "how much better it predicts"},
		"Further right is better; 0 is a model in which all parameters are alike. Blue: supported by the data, or used on this page.")
}

// TrustFigure draws predictions against values.
func (v View) TrustFigure() (template.HTML, error) {
	return v.figure("calibration", map[string]any{"calibration": v.Calibration, "goal": v.Goal},
		"Each dot is a trial, predicted by a model that was not told its value; the bar is the range in which the value should lie with 90 %. On the dashed line the prediction is right. A cloud without a slope means that the model knows nothing, whatever the other charts show.")
}

// ModelName names a model for people.
func ModelName(e insight.Evidence) string {
	switch {
	case e.Model == insight.Constant:
		return "always the mean"
	case e.Model == insight.Isotropic:
		return "all parameters alike"
	case e.Model == insight.Weights:
		return "each parameter its own weight"
	case e.Dimension == 1:
		return "1 combination"
	}
	return fmt.Sprintf("%d combinations", e.Dimension)
}

// Advice says what to do about a verdict.
func (v View) Advice() string {
	switch v.Structure {
	case insight.LowDimensional:
		return "Move these parameters together. A method that learns combinations, such as maha, can use this too."
	case insight.Unpredictable:
		return "Do not read anything into the importances yet. Evaluate more points that are spread over the space; if values at one point differ, repeat points to see how large the noise is."
	case insight.Unclear:
		return "The importances are a first guess. More points that are spread over the space, for instance from the method sobol, would settle it."
	case insight.FewParameters:
		return "Look at these parameters first. The others may stay where they are, as far as the data show."
	case insight.ManyMatter:
		return "Methods that search in a few combinations only would miss something; adaptive, vanilla and turbo do not."
	case insight.OneCoordinate:
		return "The slice of the parameter shows all there is."
	}
	return "Come back when there are more values."
}

// structures in words.
var structures = map[insight.Structure]string{
	insight.LowDimensional: "a few combinations explain the values", insight.Unpredictable: "nothing can be predicted yet", insight.Unclear: "not clear yet",
	insight.FewParameters: "a few parameters explain the values", insight.ManyMatter: "many parameters matter", insight.OneCoordinate: "one parameter varies", insight.NoModel: "too few values",
}

// Span is the good range of a parameter as a text.
func Span(r insight.Range) string {
	if len(r.Labels) > 0 {
		return strings.Join(r.Labels, ", ")
	}
	if len(r.Numbers) == 2 && r.Numbers[0] != r.Numbers[1] {
		return few(r.Numbers[0]) + " to " + few(r.Numbers[1])
	}
	if len(r.Numbers) > 0 {
		return few(r.Numbers[0])
	}
	return "–"
}

func few(v float64) string { return strconv.FormatFloat(v, 'g', 4, 64) }

// Functions are what the sections call.
func Functions() template.FuncMap {
	return template.FuncMap{
		"figure":          Figure,
		"few":             few,
		"share":           func(v float64) string { return strconv.FormatFloat(100*min(max(v, 0), 1), 'f', 1, 64) },
		"whole":           func(v float64) string { return strconv.FormatFloat(100*min(max(v, 0), 1), 'f', 0, 64) },
		"last":            func(v []float64) float64 { return v[len(v)-1] },
		"span":            Span,
		"modelName":       ModelName,
		"learningCaption": func() string { return LearningCaption },
		"spendingCaption": func() string { return SpendingCaption },
		"inWords":         func(s insight.Structure) string { return structures[s] },
	}
}

// Parse adds the sections to the templates of a page, which has the functions.
func Parse(t *template.Template) (*template.Template, error) { return t.Parse(sections) }
