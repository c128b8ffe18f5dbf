package insight_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/internal/insight"
	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/study"
)

// Any parameter has a slice and any two a contour, which stays within the constraints.
func TestAnySliceAndContour(t *testing.T) {
	s := newSpace(t, space.Float("x", 0, 1), space.Float("y", 0, 1), space.Choice("kind", "a", "b", "c"), space.Int("n", 1, 4), space.Constraint("x + y <= 1.5"))
	config := study.Config{Name: "rig", Space: s, Goal: study.Maximize}
	var trials []study.Trial
	for i, o := range spread(t, s, 60, kinds).Observations {
		v := -o.Value
		trials = append(trials, study.Trial{Number: i + 1, State: evaluate.Complete, Params: o.Params, Value: &v, Told: time.Unix(int64(i), 0)})
	}
	r, err := insight.ReviewTrials(t.Context(), config, trials)
	if err != nil {
		t.Fatal(err)
	}
	c, err := r.Contour("x", "kind")
	if err != nil {
		t.Fatal(err)
	}
	if len(c.X.At) < 20 || len(c.Y.Labels) != 3 || len(c.Median) != 3 || c.Y.Labels[c.Y.Best] != "b" {
		t.Fatalf("the contour is over %v and %v", c.X, c.Y)
	}
	if b, a := *c.Median[1][c.X.Best], *c.Median[0][c.X.Best]; math.Abs(b-a-1) > 0.2 {
		t.Errorf("b has %.3f, a %.3f, want one less", b, a)
	}
	c, err = r.Contour("x", "y")
	if err != nil {
		t.Fatal(err)
	}
	if n := len(c.Median) - 1; c.Median[n][len(c.Median[n])-1] != nil || c.Median[0][0] == nil {
		t.Error("the contour does not end where the constraint does")
	}
	if c, err = r.Contour("n", "y"); err != nil || len(c.X.At) != 4 || c.X.At[3] != 4 {
		t.Errorf("a whole number has %v, %v", c.X.At, err)
	}
	if slice, err := r.Slice("n"); err != nil || len(slice.At) != 4 {
		t.Errorf("the slice of n is %v, %v", slice.At, err)
	}
	for _, names := range [][2]string{{"x", "x"}, {"x", "z"}} {
		if _, err := r.Contour(names[0], names[1]); err == nil || !strings.Contains(err.Error(), names[1]) {
			t.Errorf("%v: %v", names, err)
		}
	}
	if _, err := r.Slice("z"); err == nil {
		t.Error("a parameter that is not there has a slice")
	}
}
