package report

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/mahabo/mahabo/internal/bench"
	"github.com/mahabo/mahabo/internal/figure/figuretest"
)

// examplePage has names that must be escaped, runs and a failure.
func examplePage() Page {
	return Page{
		Title: "Results <1>", Trials: example(), Command: "mahabo bench report results --out report.html", Version: "v1",
		Time: time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC),
		Folders: []Folder{
			{
				Dir: "results", Trials: 39, Versions: []string{"v1"},
				Runs: []Run{{Starts: 3, Origin: bench.Origin{
					Command: "mahabo bench run --suite 'a & b.yaml' --out results", Jobs: 2, Version: "v1",
					Machine: bench.Machine{Processor: "A processor", Cores: 2, OS: "linux", Arch: "amd64", Go: "go1.26"},
				}}},
				Failures: []bench.Failure{{Cell: bench.Cell{Method: "maha", Problem: "branin", Dim: 7, Batch: 1}, Trial: 3, Error: "not <positive> definite"}},
			},
			{Dir: "older", Trials: 1, Versions: []string{"v0"}},
		},
	}
}

func writePage(t *testing.T, p Page) string {
	t.Helper()
	var b strings.Builder
	if err := HTML(&b, p); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestPage(t *testing.T) {
	page := writePage(t, examplePage())
	for _, part := range []string{
		"<title>Results &lt;1&gt;</title>", "39 trials of 9 methods on 3 tasks", "<svg", "currentColor",
		"mahabo bench run --suite &#39;a &amp; b.yaml&#39; --out results", "and 3 times in all, 2 at a time", "A processor, 2 cores, linux/amd64",
		"not &lt;positive&gt; definite", "&lt;mine&gt; &amp; yours 7", "were not written down",
		"500 evaluations, 4 trials: 9 rows", "prefers-color-scheme: dark", "2030-01-02 03:04 UTC",
	} {
		if !strings.Contains(page, part) {
			t.Errorf("the page lacks %q", part)
		}
	}
	// Nothing is loaded from elsewhere: the only addresses are the names of SVG.
	rest := strings.NewReplacer("http://www.w3.org/2000/svg", "", "http://www.w3.org/1999/xlink", "").Replace(page)
	for _, bad := range []string{"http:", "https:", "<script", "<link", "<img", "url(", "@import", "NaN"} {
		if strings.Contains(rest, bad) {
			t.Errorf("the page has %q", bad)
		}
	}
	if strings.Contains(page, "Beside the paper") {
		t.Error("methods that the paper lacks are compared with it")
	}
	if err := HTML(&bytes.Buffer{}, Page{}); err == nil {
		t.Error("a page without trials was made")
	}
}

func TestPageComparesWithThePaper(t *testing.T) {
	p := Page{Trials: trialsOf(bench.Cell{Method: "turbo", Problem: "branin", Dim: 1000, Batch: 5}, 10, 500, 3, 25, 12)}
	page := writePage(t, p)
	if !strings.Contains(page, "Beside the paper") || !strings.Contains(page, "12.74 ± 0.16") || strings.Contains(page, "colville") {
		t.Error("the measured cell, and no other, must stand beside the paper's")
	}
}

func TestReadFolder(t *testing.T) {
	dir := t.TempDir()
	trials := `{"method":"sobol","problem":"branin","dim":5,"batch":1,"evals":1,"init":1,"trial":0,"seed":0,"best":1,"seconds":1,"cpu_seconds":1,"curve":[2,1],"version":"v1"}` + "\n"
	failures := `{"method":"sobol","problem":"branin","dim":5,"batch":1,"trial":0,"error":"once"}` + "\n" +
		`{"method":"sobol","problem":"branin","dim":5,"batch":1,"trial":1,"error":"always"}` + "\n"
	runs := `{"command":"a","time":"2030-01-01T00:00:00Z"}` + "\n" + `{"command":"a","time":"2030-01-02T00:00:00Z"}` + "\n" + `{"command":"b","time":"2030-01-03T00:00:00Z"}` + "\n"
	for name, text := range map[string]string{"trials.jsonl": trials, "failures.jsonl": failures, "runs.jsonl": runs} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	f, err := ReadFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	if f.Trials != 1 || len(f.Versions) != 1 || len(f.Runs) != 2 || f.Runs[0].Starts != 2 || f.Runs[0].Time.Day() != 1 || len(f.Failures) != 1 || f.Failures[0].Error != "always" {
		t.Errorf("folder %+v", f)
	}
}

// TestPageInABrowser looks at the page as a reader does.
func TestPageInABrowser(t *testing.T) {
	file := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(file, []byte(writePage(t, examplePage())), 0o644); err != nil {
		t.Fatal(err)
	}
	browser := figuretest.Open(t, file)

	type counts struct{ Figures, Shapes, Empty, Texts, Wide int }
	seen := figuretest.Ask(browser, t, chromedp.Evaluate[counts](`(() => {
		const box = e => { const b = e.getBBox(); return b.width + b.height; };
		const shapes = [...document.querySelectorAll('figure svg path')];
		const texts = [...document.querySelectorAll('figure svg text')];
		return {
			Figures: [...document.querySelectorAll('figure svg')].filter(e => e.getBoundingClientRect().height > 100).length,
			Shapes: shapes.length, Empty: shapes.filter(e => !(box(e) > 0)).length,
			Texts: texts.filter(e => box(e) > 0).length,
			Wide: Math.max(0, document.documentElement.scrollWidth - innerWidth),
		};
	})()`))
	// Two batch sizes; eleven curves with a line and a band each, axes and grids.
	if seen.Figures != 2 || seen.Shapes < 2*11 || seen.Empty > 0 || seen.Texts < 40 || seen.Wide > 0 {
		t.Errorf("the browser sees %+v", seen)
	}
	for scheme, bounds := range map[string][2]float64{"light": {0.8, 1}, "dark": {0, 0.3}} {
		if b := figuretest.Brightness(browser, t, scheme); b < bounds[0] || b > bounds[1] {
			t.Errorf("brightness is %.2f in %s mode", b, scheme)
		}
	}
}
