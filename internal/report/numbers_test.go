package report

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/mahabo/mahabo/internal/chart"
	"github.com/mahabo/mahabo/internal/figure"
	"github.com/mahabo/mahabo/internal/figure/figuretest"
)

// charts opens figures in a browser: ask looks at them, show draws them at a width and lists what cannot be read.
func charts(t *testing.T, figures string) (ask func(expression string) string, show func(width int64) (faults string)) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "page.html")
	page := "<!doctype html><style>" + figure.Style + chart.Style + "</style><body>" + figures + "<script>" + chart.Unpacked() + `</script><script type="module">` + chart.Script + start + "</script>"
	if err := os.WriteFile(file, []byte(page), 0o644); err != nil {
		t.Fatal(err)
	}
	browser := figuretest.Open(t, file)
	ask = func(expression string) string {
		t.Helper()
		return figuretest.Ask(browser, t, chromedp.Evaluate[string](expression))
	}
	return ask, func(width int64) string {
		t.Helper()
		figuretest.Ask(browser, t, chromedp.EmulateViewport(width, 900))
		figuretest.Ask(browser, t, chromedp.Navigate("file://"+file))
		return figuretest.Faults(browser, t)
	}
}

// figuresOf are charts of twelve values: how they went, a slice, a contour, and predictions.
func figuresOf(t *testing.T, values []float64) (text string) {
	t.Helper()
	n := len(values)
	best := make([]*float64, n)
	at, numbers, low, high := make([]float64, n), make([]int, n), slices.Clone(values), slices.Clone(values)
	var points, grid, sure []any
	for i, v := range values {
		least := slices.Min(values[:i+1])
		best[i], at[i], numbers[i] = &least, float64(i)/float64(n-1), i+1
		points = append(points, map[string]any{"id": i + 1, "observed": v, "median": v, "low": v, "high": v})
		grid, sure = append(grid, values), append(sure, at)
	}
	axis := map[string]any{"param": "x", "name": "x", "low": 0, "high": 1, "at": at, "best": 0}
	for kind, data := range map[string]any{
		"convergence": map[string]any{"goal": "minimize", "studies": []any{map[string]any{"name": "s", "curve": chart.Curve{Total: n, Numbers: numbers, Values: values, Best: best}}}},
		"slice": map[string]any{"goal": "minimize", "slice": map[string]any{"param": "x", "at": at, "median": values, "low": low, "high": high, "best": 0},
			"points": map[string]any{"numbers": numbers, "values": values, "axes": []any{axis}}},
		"contour":     map[string]any{"goal": "minimize", "contour": map[string]any{"x": axis, "y": axis, "median": grid, "sure": sure}},
		"calibration": map[string]any{"goal": "minimize", "calibration": map[string]any{"points": points}},
	} {
		f, err := chart.Figure(kind, data, "", "")
		if err != nil {
			t.Fatal(err)
		}
		text += string(f)
	}
	return text
}

// Ticks and labels have the digits that their range needs, whatever it is far from.
func TestChartsOfAnOffset(t *testing.T) {
	for offset, best := range map[float64]string{0: "0.0123", 101325: "101325.0123", 1e9: "1000000000.0123", -5e6: "-4999999.9877"} {
		var values []float64
		for i := range 12 {
			values = append(values, offset+0.0123+0.3*float64((i+3)*5%12)/12)
		}
		ask, show := charts(t, figuresOf(t, values))
		for _, width := range []int64{1280, 390} {
			if faults := show(width); faults != "" {
				t.Errorf("%g at %d pixels:\n%s", offset, width, faults)
			}
			if said := ask(`document.querySelector("[data-chart=convergence] .plot").ariaLabel`); !strings.HasSuffix(said, "the best is "+best) {
				t.Errorf("%g: the label is %q, want %s in it", offset, said, best)
			}
			for _, kind := range []string{"convergence", "slice", "contour", "calibration"} {
				texts := strings.Split(ask(`[...document.querySelectorAll("[data-chart=`+kind+`] svg text")].map((e) => e.textContent).filter((s) => /^-?[0-9.]+$/.test(s)).join("|")`), "|")
				slices.Sort(texts)

				if longest(texts) > 2 || len(texts) < 4 { // once on each axis
					t.Errorf("%g at %d pixels: the labels of %s are %v", offset, width, kind, texts)
				}
			}
		}
	}
}

// longest is how often the commonest of some sorted texts occurs.
func longest(sorted []string) (most int) {
	for i := range sorted {
		k := i
		for k < len(sorted) && sorted[k] == sorted[i] {
			k++
		}
		most = max(most, k-i)
	}
	return most
}

// Values at the ends of what a number can be are drawn.
func TestChartsOfExtremes(t *testing.T) {
	for _, size := range []float64{1.7e308, 1e-313, math.SmallestNonzeroFloat64} {
		values := []float64{size, -size, size / 2, -size / 3, 0, size / 5, size, -size, size / 2, -size / 3, 0, size / 5}
		ask, show := charts(t, figuresOf(t, values))
		show(1280)
		if drawn := ask(`[...document.querySelectorAll("figure")].map((f) => f.dataset.drawn).join()`); drawn != "yes,yes,yes,yes" {
			t.Errorf("%g: drawn are %s", size, drawn)
		}
		if bad := ask(`[...document.querySelectorAll("svg *")].filter((e) => [...e.attributes].some((a) => /Infinity|NaN/.test(a.value))).map((e) => e.closest("figure").dataset.chart + ": " + e.outerHTML.slice(0, 200)).join("\n")`); bad != "" {
			t.Errorf("%g:\n%s", size, bad)
		}
	}
}
