package report

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/mahabo/mahabo/internal/chart"
	"github.com/mahabo/mahabo/internal/figure/figuretest"
)

// One absurd trial does not press the lines of all others together, and the chart says that it lies outside.
func TestAbsurdOutcomesAreDrawnAtTheBorder(t *testing.T) {
	const n = 15
	f := chart.OutcomesData{
		Objectives: []chart.Objective{{Name: "cost", Goal: "minimize", Axis: 0}, {Name: "deflection", Goal: "minimize", Axis: 1}}, Total: n,
		Axes: []chart.Axis{{Name: "cost"}, {Name: "deflection", Unit: "in"}, {Name: "stress", Unit: "psi"}},
	}
	for i := range n {
		x := float64(i) / n
		row := []float64{2 + 50*x, 0.0004707 + 0.01*(1-x), 9000 + 1000*x}
		if i == 3 {
			row[1], row[2] = 525, 965200
		}
		f.Numbers, f.Kept, f.On = append(f.Numbers, i+1), append(f.Kept, i != 3), append(f.On, i == n-1)
		for k := range f.Axes {
			f.Axes[k].At = append(f.Axes[k].At, row[k])
			f.Axes[k].Low, f.Axes[k].High = min(f.Axes[k].Low, row[k]), max(f.Axes[k].High, row[k])
		}
	}
	lines, err := chart.FrontView{OutcomesData: f}.OutcomesFigure()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "page.html")
	page := "<!doctype html><body>" + string(lines) + "<script>" + chart.Unpacked() + `</script><script type="module">` + chart.Script + start + "</script>"
	if err := os.WriteFile(file, []byte(page), 0o644); err != nil {
		t.Fatal(err)
	}
	browser := figuretest.Open(t, file)
	for _, width := range []int64{1280, 390} {
		figuretest.Ask(browser, t, chromedp.EmulateViewport(width, 900))
		figuretest.Ask(browser, t, chromedp.Navigate("file://"+file))
		if said := figuretest.Ask(browser, t, chromedp.Evaluate[string](`document.querySelector(".remark")?.textContent || ""`)); said != "1 of 15 trials lies beyond the end of an axis and is drawn there." {
			t.Errorf("at %d pixels the chart says %q", width, said)
		}
		labels := figuretest.Ask(browser, t, chromedp.Evaluate[string](`[...document.querySelectorAll("svg text")].map((e) => e.textContent).join("|")`))
		if strings.Contains(labels, "0.0004707") || strings.Contains(labels, "500|") || !strings.Contains(labels, "|0.00") {
			t.Errorf("at %d pixels the labels are %s", width, labels)
		}
		if faults := figuretest.Faults(browser, t); faults != "" {
			t.Errorf("at %d pixels:\n%s", width, faults)
		}
	}
}
