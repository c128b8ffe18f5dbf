package report

import (
	"bytes"
	"context"
	"fmt"
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
		"leaderboard of 9 methods on 1 task<", "There is one task", "without method1, method2",
		"target: 10 % left", "best known + left × (start − best known)", "500 evaluations, 4 trials: 9 rows", "prefers-color-scheme: dark", "2030-01-02 03:04 UTC",
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

// Methods that cannot be ranked still have their curves.
func TestPageWithoutLeaderboard(t *testing.T) {
	page := writePage(t, Page{Trials: trialsOf(bench.Cell{Method: "sobol", Problem: "branin", Dim: 5, Batch: 1}, 2, 3, 2, 9, 1)})
	if !strings.Contains(page, "There is no leaderboard") || strings.Contains(page, "Data profiles") || !strings.Contains(page, "<svg") {
		t.Error("the page of one method must say that there is no leaderboard, and have curves")
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

	for _, width := range []int64{1200, 360} {
		viewport := chromedp.EmulateViewport(width, 900)
		if width < 600 {
			viewport = chromedp.EmulateViewport(width, 900, chromedp.EmulateMobile)
		}
		figuretest.Ask(browser, t, viewport)
		look(browser, t, width)
	}
	for scheme, bounds := range map[string][2]float64{"light": {0.8, 1}, "dark": {0, 0.3}} {
		if b := figuretest.Brightness(browser, t, scheme); b < bounds[0] || b > bounds[1] {
			t.Errorf("brightness is %.2f in %s mode", b, scheme)
		}
	}
}

// look checks what is drawn, that it can be read, and that the page scrolls in one direction only. The picture is
// kept in the folder that MAHABO_SCREENSHOTS names, if any.
func look(browser context.Context, t *testing.T, width int64) {
	t.Helper()
	type counts struct {
		Figures, Shapes, Empty, Texts, Outside, Wide int
		Smallest                                     float64 // size of letters in pixels
		Columns                                      int     // of the curves
	}
	seen := figuretest.Ask(browser, t, chromedp.Evaluate[counts](`(() => {
		const box = e => { const b = e.getBBox(); return b.width + b.height; };
		const shapes = [...document.querySelectorAll('.panels svg path')];
		const texts = [...document.querySelectorAll('.panels svg text')];
		const outside = e => {
			const a = e.getBoundingClientRect(), b = e.ownerSVGElement.getBoundingClientRect();
			return a.left < b.left - 1 || a.right > b.right + 1;
		};
		const size = e => { const m = e.getScreenCTM(); return parseFloat(getComputedStyle(e).fontSize) * Math.hypot(m.c, m.d); };
		const places = new Set([...document.querySelectorAll('#profiles .panels svg')].map(e => e.getBoundingClientRect().left));
		return {
			Figures: [...document.querySelectorAll('.panels svg')].filter(e => e.getBoundingClientRect().height > 100).length,
			Shapes: shapes.length, Empty: shapes.filter(e => !(box(e) > 0)).length,
			Texts: texts.filter(e => box(e) > 0).length, Outside: texts.filter(outside).length,
			Wide: Math.max(0, document.documentElement.scrollWidth - innerWidth),
			Smallest: Math.min(...texts.map(size)), Columns: places.size,
		};
	})()`))
	columns := 2
	if width < 600 {
		columns = 1
	}
	// Ranks and costs, four profiles of nine methods, three tasks with eleven curves: a line and a band each, axes and grids.
	if seen.Figures != 2+4+3 || seen.Shapes < 2*4*9+2*11 || seen.Empty > 0 || seen.Texts < 100 || seen.Outside > 0 || seen.Wide > 0 || seen.Smallest < 9 || seen.Columns != columns {
		t.Errorf("at a width of %d the browser sees %+v", width, seen)
	}
	figuretest.Keep(browser, t, fmt.Sprintf("leaderboard%d", width))
}
