package insight_test

import (
	"math"
	"strings"
	"testing"

	"github.com/mahabo/mahabo/internal/insight"
	"github.com/mahabo/mahabo/space"
)

// Where one of eight parameters does nearly everything, it is named.
func TestFewParametersAreNamed(t *testing.T) {
	s := newSpace(t, space.Float("heat", 20, 90), space.Log("catalyst", 0.001, 1), space.Choice("solvent", "water", "ethanol", "toluene", "dmf", "dcm"),
		space.Int("minutes", 5, 120), space.Bool("stir"), space.Float("acid", 0, 1), space.Float("base", 0, 1), space.Ordinal("dose", 1, 2.5, 10))
	a := analyse(t, spread(t, s, 60, func(v space.Params) float64 {
		y := 70 * math.Exp(-math.Pow((v.Float("heat")-62)/22, 2)) * (1 - 0.15*math.Abs(math.Log10(v.Float("catalyst"))+1.5))
		if kind, _ := v.Text("solvent"); kind == "toluene" {
			y += 8
		}
		return -y
	}))
	if a.Structure != insight.FewParameters || !strings.HasPrefix(a.Verdict, "Of the 8 parameters, heat (") || strings.Contains(a.Verdict, "dose") {
		t.Errorf("%s: %s", a.Structure, a.Verdict)
	}
}
