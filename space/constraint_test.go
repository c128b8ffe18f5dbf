package space

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func constraintSpace(t testing.TB) *Space {
	return mustNew(t,
		Float("w[0:2]", -1, 1), Int("n", 0, 9), Ordinal("o", 1, 2, 4), Bool("b"), Fixed("c", 3), Fixed("yes", true),
		Log("rate", 1e-3, 1), LogInt("width", 1, 8), Choice("solver", "euler", "rk4"), Fixed("tag", "x"), Float("größe.1", 0, 1), Float("e5", 0, 1),
	)
}

func TestConstraints(t *testing.T) {
	s := constraintSpace(t)
	for _, c := range []struct {
		text   string
		params []int
		coefs  []float64
		bound  float64
	}{
		{"w0 + w1 <= 1", []int{0, 1}, []float64{1, 1}, 1},
		{"w0 + 2*w1 - 3 <= w2", []int{0, 1, 2}, []float64{1, 2, -1}, 3},
		{"w0>=-0.5", []int{0}, []float64{-1}, 0.5},
		{" 2 * (w0 - (w1 + 1)) / 4 >= n*0.5 ", []int{0, 1, 3}, []float64{-0.5, 0.5, 0.5}, -0.5},
		{"-w0 + +w0 - -w1 <= 1e-3", []int{1}, []float64{1}, 1e-3},
		{"w2 + w0 + w2 <= .5", []int{0, 2}, []float64{1, 2}, 0.5},
		{"o - 2*b <= c + yes", []int{4, 5}, []float64{1, -2}, 4},
		{"c*w0 <= 1.", []int{0}, []float64{3}, 1},
		{"größe.1 <= 2E-1", []int{12}, []float64{1}, 0.2},
		{"2*e5 <= 1e+0", []int{13}, []float64{2}, 1},
		{"1 >= w0", []int{0}, []float64{1}, 1},
	} {
		row, err := s.parseRow(c.text)
		if err != nil {
			t.Error(err)
			continue
		}
		if diff := cmp.Diff(numbers{Constraint(c.text), c.params, c.coefs, c.bound}, row); diff != "" {
			t.Errorf("%q: %s", c.text, diff)
		}
	}
}

func TestConstraintErrors(t *testing.T) {
	s := constraintSpace(t)
	for _, c := range []struct {
		text   string
		column int
		want   string
	}{
		{"", 1, "the text ends where a number, a parameter or ( was expected"},
		{"w0 + w1", 8, "a comparison is missing"},
		{"w0 + <= 1", 6, "expected a number, a parameter or (, got '<'"},
		{"w0 == 1", 4, "an equality leaves no room to search"},
		{"w0 = 1", 4, "an equality leaves no room to search"},
		{"w0 < 1", 4, "write <= or >="},
		{"w0 > 1", 4, "write <= or >="},
		{"0 <= w0 <= 1", 9, "a second comparison: write two constraints"},
		{"w0 <= 0,5", 8, "decimals stand behind a point, not a comma, as in 0.5"},
		{"w0 <= 1, w1", 8, "expected the end of the constraint, got ','"},
		{"w0 <= 1 1", 9, "expected the end of the constraint, got '1'"},
		{"w0 w1 <= 1", 4, "expected +, -, *, /, <= or >=, got 'w'"},
		{"w0 <= 2w1", 8, "an operator is missing: write 2*w..."},
		{"w0 <= 2e5e5", 10, "an operator is missing"},
		{"w0*w1 <= 1", 3, "a product of parameters is not linear"},
		{"1/w1 <= 1", 2, "dividing by a parameter is not linear"},
		{"w1/(1-1) <= 1", 3, "division by 0"},
		{"(w0 + 1 <= 1", 1, "the bracket is not closed"},
		{"w0) <= 1", 3, "got ')'"},
		{"w0 - w0 <= 1", 9, "no parameter is left in it"},
		{"c <= 4", 3, "no parameter is left in it"},
		{"w9 <= 1", 1, `parameter "w9" is not in the space (did you mean "w0"?)`},
		{"größe.2 <= 1", 1, `(did you mean "größe.1"?)`},
		{"größe.1 + rate <= 1", 11, "rate is searched on a logarithmic scale, where the constraint is not linear"},
		{"width <= 1", 1, "width is searched on a logarithmic scale"},
		{"solver <= 1", 1, "solver is a choice, whose labels are not numbers"},
		{"tag <= 1", 1, "tag is fixed to a text"},
		{"w0 <= 1e999", 7, "is not a number of a float64"},
		{"w0 <= .", 7, "is not a number of a float64"},
		{"1e300*1e300*w0 <= 1", 16, "too large for a float64"},
		{"w0 ? 1", 4, "got '?'"},
		{strings.Repeat("(", 200) + "w0", 101, "too many brackets or signs"},
		{strings.Repeat("w0 + ", 50) + "w5 <= 1", 251, `...`},
	} {
		_, err := s.parseRow(c.text)
		var e *constraintError
		if !errors.As(err, &e) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q says %v, want %s", c.text, err, c.want)
			continue
		}
		if e.Column != c.column {
			t.Errorf("%q is said to be wrong at %d, want %d", c.text, e.Column, c.column)
		}
	}
}

func TestViolation(t *testing.T) {
	s := mustNew(t, Float("x", 0, 10), Int("n", 0, 9), Bool("b"), Constraint("x + n - 5*b <= 6"), Constraint("x >= 1"))
	for _, c := range []struct {
		x    float64
		n    int64
		b    bool
		want float64
	}{{1, 5, false, 0}, {2, 5, false, 1}, {2, 5, true, 0}, {0, 9, false, 3}, {0.5, 0, true, 0.5}, {1 + 1e-12, 5, false, 0}} {
		v := ParamsOf(map[string]any{"x": c.x, "n": c.n, "b": c.b})
		_, got, err := s.Broken(v)
		if err != nil || math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%+v: violation %g, %v", c, got, err)
		}
	}
	if _, _, err := s.Broken(ParamsOf(map[string]any{"x": 1, "b": true})); err == nil || !strings.Contains(err.Error(), `needs a number for parameter "n"`) {
		t.Errorf("a missing value says %v", err)
	}
}

func FuzzConstraint(f *testing.F) {
	for _, text := range []string{"w0 + 2*w1 - 3 <= w2", "2*(n - o)/4 >= -b", "w0 == 1", "1e3 + .5e-2*größe.1 <= e5", "((w0)) >= --1"} {
		f.Add(text)
	}
	s := constraintSpace(f)
	f.Fuzz(func(t *testing.T, text string) {
		row, err := s.parseRow(text)
		var e *constraintError
		if err != nil {
			if !errors.As(err, &e) || e.Column < 1 || e.Column > len(text)+1 {
				t.Fatalf("%q says %v", text, err)
			}
			return
		}
		if len(row.Param) == 0 || len(row.Param) != len(row.Coefficient) || !finite(row.Bound) {
			t.Fatalf("%q is %+v", text, row)
		}
		for k, i := range row.Param {
			if row.Coefficient[k] == 0 || !finite(row.Coefficient[k]) || k > 0 && i <= row.Param[k-1] {
				t.Fatalf("%q is %+v", text, row)
			}
		}
		// Brackets around both sides change nothing.
		for _, relation := range []string{"<=", ">="} {
			left, right, ok := strings.Cut(text, relation)
			if !ok {
				continue
			}
			again, err := s.parseRow("(" + left + ")" + relation + "(" + right + ")")
			if errors.As(err, &e) && strings.Contains(e.Problem, "too many") {
				return
			}
			if err != nil {
				t.Fatalf("%q in brackets says %v", text, err)
			}
			if again.Bound != row.Bound || !cmp.Equal(again.Coefficient, row.Coefficient) || !cmp.Equal(again.Param, row.Param) {
				t.Fatalf("%q is %+v, in brackets %+v", text, row, again)
			}
		}
	})
}
