package report

import (
	"strings"
	"testing"

	"github.com/mahabo/mahabo/internal/chart"
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
	ask, show := charts(t, string(lines))
	for _, width := range []int64{1280, 390} {
		if faults := show(width); faults != "" {
			t.Errorf("at %d pixels:\n%s", width, faults)
		}
		if said := ask(`document.querySelector(".remark")?.textContent || ""`); said != "1 of 15 trials lies beyond the end of an axis and is drawn there." {
			t.Errorf("at %d pixels the chart says %q", width, said)
		}
		labels := ask(`[...document.querySelectorAll("svg text")].map((e) => e.textContent).join("|")`)
		if strings.Contains(labels, "0.0004707") || strings.Contains(labels, "500|") || !strings.Contains(labels, "|0.00") {
			t.Errorf("at %d pixels the labels are %s", width, labels)
		}
	}
}

// Trials that miss a limit stand where they are, unless they lie far from all that keep the limits.
func TestFrontHasRoomForOrdinaryTrials(t *testing.T) {
	f := chart.OutcomesData{
		Objectives: []chart.Objective{{Name: "mass", Goal: "minimize", Axis: 0}, {Name: "range", Goal: "maximize", Axis: 1}}, Total: 12,
		Axes: []chart.Axis{{Name: "mass"}, {Name: "range"}}, Limits: []chart.Limit{{Name: "range", Text: "at least 0.9", Kept: 5}},
	}
	add := func(mass, span float64) {
		n := len(f.Numbers)
		f.Numbers, f.Kept, f.On = append(f.Numbers, n+1), append(f.Kept, n < 5), append(f.On, n < 3)
		f.Axes[0].At, f.Axes[1].At = append(f.Axes[0].At, mass), append(f.Axes[1].At, span)
	}
	for i, span := range []float64{2, 2.9, 3.7, 2.1, 2.5, 0.12, 0.2, 0.3, 0.4, 0.5, 0.7, 0.8} {
		add([]float64{1.1, 1.2, 1.5, 1.3, 1.6, 1.7, 1.8, 1.9, 1.2, 1.3, 1.4, 1.5}[i], span)
	}
	for range 2 {
		figure, err := chart.FrontView{OutcomesData: f}.FrontFigure()
		if err != nil {
			t.Fatal(err)
		}
		ask, show := charts(t, string(figure))
		show(1280)
		want := ""
		if len(f.Numbers) > 12 {
			want = "1 of 13 trials lies beyond the border and is drawn there."
		}
		if said := ask(`document.querySelector(".remark")?.textContent || ""`); said != want {
			t.Errorf("of %d trials the chart says %q", len(f.Numbers), said)
		}
		add(50, 1)
	}
}
