package report

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
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
		"<title>Study oven</title>", "Minimise over 10 parameters by adaptive", "120 complete, 1 running, 1 failed",
		"Direction 1", "raise b while lowering a", "Table of loadings", "Table of importances", "Table of slices",
		"How many directions?", "Can it be trusted?", "a (&lt;mol&gt;)", "&#39;a &amp; b.html&#39;", "2030-01-02 03:04 UTC",
		"prefers-color-scheme: dark", "currentColor", "user-select: all", "The trials that improved",
	} {
		if !strings.Contains(page, part) {
			t.Errorf("the page lacks %q", part)
		}
	}
	rest := strings.NewReplacer("http://www.w3.org/2000/svg", "", "http://www.w3.org/1999/xlink", "").Replace(page)
	for _, bad := range []string{"http:", "https:", "<script", "<link", "<img", "url(", "@import", "NaN", "Inf", "ZgotmplZ"} {
		if strings.Contains(rest, bad) {
			t.Errorf("the page has %q", bad)
		}
	}
}

// A page says what there is, however little.
func TestPageOfLittle(t *testing.T) {
	for n, want := range map[int]string{0: "No trial is complete yet", 1: "too few for a model", 12: "How many directions?"} {
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

// A thousand parameters and five thousand trials make a page of at most two megabytes.
func TestPageOfMuch(t *testing.T) {
	p := examplePage(t, 40, 1000, ridge)
	for len(p.Trials) < 5000 {
		next := p.Trials[len(p.Trials)%40]
		next.Number = len(p.Trials) + 1
		p.Trials = append(p.Trials, next)
	}
	if page := write(t, p); len(page) > 2<<20 {
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
	type counts struct{ Figures, Unnamed, Shapes, Outside, Texts, Headings, Wide int }
	seen := figuretest.Ask(browser, t, chromedp.Evaluate[counts](`(() => {
		const box = e => { const b = e.getBBox(); return b.width + b.height; };
		const outside = e => {
			const b = e.getBoundingClientRect(), f = e.ownerSVGElement.getBoundingClientRect();
			return b.left < f.left - 1 || b.right > f.right + 1 || b.top < f.top - 1 || b.bottom > f.bottom + 1;
		};
		const shapes = [...document.querySelectorAll('figure svg path')].filter(e => box(e) > 0);
		return {
			Figures: [...document.querySelectorAll('figure svg')].filter(e => e.getBoundingClientRect().height > 80).length,
			Unnamed: [...document.querySelectorAll('figure')].filter(e => !e.getAttribute('aria-label')).length,
			Shapes: shapes.length, Outside: shapes.filter(outside).length,
			Texts: [...document.querySelectorAll('figure svg text')].filter(e => box(e) > 0).length,
			Headings: document.querySelectorAll('h1, h2').length,
			Wide: Math.max(0, document.documentElement.scrollWidth - innerWidth),
		};
	})()`))
	// Convergence, loadings, response, importance, parallel, slices, evidence, calibration.
	if seen.Figures != 8 || seen.Unnamed > 0 || seen.Shapes < 500 || seen.Outside > 0 || seen.Texts < 100 || seen.Headings < 8 || seen.Wide > 0 {
		t.Errorf("the browser sees %+v", seen)
	}
	for scheme, bounds := range map[string][2]float64{"light": {0.8, 1}, "dark": {0, 0.3}} {
		if b := figuretest.Brightness(browser, t, scheme); b < bounds[0] || b > bounds[1] {
			t.Errorf("brightness is %.2f in %s mode", b, scheme)
		}
	}
}
