package report

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/internal/figure/figuretest"
	"github.com/mahabo/mahabo/internal/insight"
	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/study"
)

// examplePage is a study with n complete trials, two that are not, and dim more parameters.
func examplePage(t *testing.T, n, dim int, value func(v space.Params, r *rand.Rand) float64) Page {
	t.Helper()
	s, err := space.New(space.Float("a", 0, 10).WithUnit("<mol>"), space.Float("b", 0, 10), space.Log("rate", 1e-4, 1),
		space.Int("layers", 1, 8), space.Choice("solver", "euler", "rk4", "implicit"), space.Bool("flag"), space.Float(fmt.Sprintf("w[0:%d]", dim-1), -1, 1))
	if err != nil {
		t.Fatal(err)
	}
	config := study.Config{Name: "oven", Space: s, Method: "adaptive", Goal: study.Minimize}
	p := Page{
		Command: "mahabo report oven --out 'a & b.html'", Version: "v1", Time: time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC),
		Summary: study.Summary{Config: config, Trials: n + 2, States: map[evaluate.State]int{evaluate.Complete: n, evaluate.Failed: 1, study.Running: 1}},
	}
	r := rand.New(rand.NewPCG(1, 1))
	for i := range n + 2 {
		x := make([]float64, s.Dim())
		for j := range x {
			x[j] = 2*r.Float64() - 1
		}
		v, err := s.Decode(x)
		if err != nil {
			t.Fatal(err)
		}
		trial := study.Trial{Number: i + 1, State: study.Running, Params: v}
		if i < n {
			y := value(v, r)
			trial.State, trial.Value = evaluate.Complete, &y
		}
		p.Trials = append(p.Trials, trial)
	}
	if p.Review, err = insight.ReviewTrials(t.Context(), config, p.Trials); err != nil {
		t.Fatal(err)
	}
	return p
}

// ridge depends on a - b, the rate and a label.
func ridge(v space.Params, r *rand.Rand) float64 {
	y := math.Sin((v.Float("a") - v.Float("b")) / 5)
	return y + 0.02*math.Log10(v.Float("rate")) + 0.05*r.NormFloat64()
}

func write(t *testing.T, p Page) string {
	t.Helper()
	var b strings.Builder
	if err := HTML(&b, p); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestPage(t *testing.T) {
	p := examplePage(t, 120, 4, ridge)
	page := write(t, p)
	for _, part := range []string{
		"<title>Study oven</title>", "Minimize over 10 parameters by adaptive", "120 complete, 1 running, 1 failed",
		"Combination 1", "raise b while lowering a", "Table of importances", "Table of slices", "Table of models", "Good trials have",
		"How many combinations?", "Can it be trusted?", `"unit":"\u003cmol\u003e"`, "&#39;a &amp; b.html&#39;", "2030-01-02 03:04 UTC",
		"prefers-color-scheme: dark", "user-select: all", "The trials that improved", "Has the answer changed?",
		`data-chart="convergence"`, `data-chart="parallel"`, `data-chart="importance"`, `data-chart="slice"`, `data-chart="contour"`, `data-chart="calibration"`,
	} {
		if !strings.Contains(page, part) {
			t.Errorf("the page lacks %q", part)
		}
	}
	// What is not a script of ours loads nothing and has nothing that is no number.
	scripts := regexp.MustCompile(`(?s)<script>.*?</script>|<script type="module">.*?</script>`)
	if n := len(scripts.FindAllString(page, -1)); n != 2 {
		t.Errorf("the page has %d scripts", n)
	}
	rest := scripts.ReplaceAllString(page, "")
	for _, bad := range []string{"http:", "https:", "<link", "<img", "url(", "@import", "NaN", "Inf", "ZgotmplZ", "src="} {
		if strings.Contains(rest, bad) {
			t.Errorf("the page has %q", bad)
		}
	}
}

// Rows of tables are told apart, and the head says what a study with outcomes is after.
func TestPageTellsApart(t *testing.T) {
	p := examplePage(t, 30, 2, func(v space.Params, _ *rand.Rand) float64 { return 1 + 1e-7*v.Float("a") })
	rows := regexp.MustCompile(`<tr><td class="num">\d+</td><td class="num">(.*)</td></tr>`).FindAllStringSubmatch(write(t, p), -1)
	known := map[string]bool{}
	for _, row := range rows {
		known[row[1]] = true
	}
	if len(rows) < 2 || len(known) != len(rows) {
		t.Errorf("of %d rows %d are told apart: %v", len(rows), len(known), known)
	}
	if text := write(t, p); !strings.Contains(text, `<p class="big">`+rows[len(rows)-1][1]) {
		t.Error("the best value is written with other digits")
	}
	s, err := space.Parse([]byte("parameters: {x: {float: [0, 1]}}\noutcomes: {mass: minimize, range: {goal: maximize, at_least: 1}, heat: {at_most: 3}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	p = Page{Summary: study.Summary{Config: study.Config{Name: "beam", Space: s, Method: "adaptive", Goal: study.Minimize}}}
	if p.Review, err = insight.ReviewTrials(t.Context(), p.Summary.Config, nil); err != nil {
		t.Fatal(err)
	}
	if text := write(t, p); !strings.Contains(text, "Minimize mass, maximize range within 2 limits over ") {
		t.Error("the head does not name the objectives")
	}
}

// A page says what there is, however little.
func TestPageOfLittle(t *testing.T) {
	for n, want := range map[int]string{0: "No trial is complete yet", 1: "too few for a model", 12: "How many combinations?"} {
		page := write(t, examplePage(t, n, 2, ridge))
		if !strings.Contains(page, want) {
			t.Errorf("%d trials: the page lacks %q", n, want)
		}
	}
	same := write(t, examplePage(t, 15, 2, func(space.Params, *rand.Rand) float64 { return 3 }))
	if !strings.Contains(same, "no parameter matters") {
		t.Error("equal values are not called so")
	}
}

// The page says which weights the method uses.
func TestPageOfWeights(t *testing.T) {
	p := examplePage(t, 12, 2, ridge)
	if text := write(t, p); strings.Contains(text, `id="chosen"`) {
		t.Error("a page without a batch says how it was chosen")
	}
	p.Summary.Model = study.ModelInfo{Method: "adaptive", Weights: map[string]float64{"a": 1, "b": 0.5}, WeightShare: 0.6, WeightLead: 20}
	if text := write(t, p); !strings.Contains(text, `data-chart="weights"`) || !strings.Contains(text, "60 % are made by models") {
		t.Error("the page does not show the weights in use")
	}
}

// A thousand parameters and five thousand trials make a page of at most three megabytes.
func TestPageOfMuch(t *testing.T) {
	p := examplePage(t, 40, 1000, ridge)
	for len(p.Trials) < 5000 {
		next := p.Trials[len(p.Trials)%40]
		next.Number = len(p.Trials) + 1
		p.Trials = append(p.Trials, next)
	}
	if page := write(t, p); len(page) > 3<<20 {
		t.Errorf("the page has %d bytes", len(page))
	}
}

// TestPageInABrowser looks at the page as a reader does.
func TestPageInABrowser(t *testing.T) {
	file := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(file, []byte(write(t, examplePage(t, 120, 4, ridge))), 0o644); err != nil {
		t.Fatal(err)
	}
	browser := figuretest.Open(t, file)
	for _, width := range []int64{1280, 390} {
		figuretest.Ask(browser, t, chromedp.EmulateViewport(width, 900))
		figuretest.Ask(browser, t, chromedp.Navigate("file://"+file))
		type counts struct{ Figures, Drawn, Unnamed, Texts, Headings int }
		seen := figuretest.Ask(browser, t, chromedp.Evaluate[counts](`({
			Figures: document.querySelectorAll('figure.chart').length,
			Drawn: [...document.querySelectorAll('figure.chart[data-drawn=yes] svg')].filter((e) => e.getBoundingClientRect().height > 80).length,
			Unnamed: [...document.querySelectorAll('figure.chart .plot')].filter((e) => !e.getAttribute('aria-label')).length,
			Texts: document.querySelectorAll('figure.chart svg text').length,
			Headings: document.querySelectorAll('h1, h2').length,
		})`))
		// Convergence, importance, parallel, 10 slices, 3 contours, loadings, response, evidence, calibration.
		if seen.Figures != 20 || seen.Drawn != seen.Figures || seen.Unnamed > 0 || seen.Texts < 150 || seen.Headings < 8 {
			t.Errorf("at %d pixels the browser sees %+v", width, seen)
		}
		figuretest.Keep(browser, t, fmt.Sprintf("report-%d", width))
		if faults := figuretest.Faults(browser, t); faults != "" {
			t.Errorf("at %d pixels:\n%s", width, faults)
		}
	}
	for scheme, bounds := range map[string][2]float64{"light": {0.8, 1}, "dark": {0, 0.3}} {
		if b := figuretest.Brightness(browser, t, scheme); b < bounds[0] || b > bounds[1] {
			t.Errorf("brightness is %.2f in %s mode", b, scheme)
		}
	}
}
