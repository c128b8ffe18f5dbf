package space

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestProjectExamples(t *testing.T) {
	for _, c := range []struct {
		name    string
		parts   []Part
		x, want []float64
	}{
		{"inside", []Part{Float("a", -1, 1), Float("b", -1, 1), Constraint("a + b <= 1")}, []float64{0.2, 0.3}, []float64{0.2, 0.3}},
		{"half-space", []Part{Float("a", -1, 1), Float("b", -1, 1), Constraint("a + b <= 1")}, []float64{1, 0.5}, []float64{0.75, 0.25}},
		{"corner of the box", []Part{Float("a", -1, 1), Float("b", -1, 1), Constraint("3*a + b <= -2")}, []float64{-1, 1}, []float64{-1, 1}},
		{"along the border", []Part{Float("a", -1, 1), Float("b", -1, 1), Constraint("a - 2*b >= 1")}, []float64{1, 1}, []float64{1, 0}},
		{"two constraints", []Part{Float("a", -1, 1), Float("b", -1, 1), Constraint("a <= 0.5"), Constraint("a + b <= 0")}, []float64{1, 0.5}, []float64{0.25, -0.25}},
		{"equality", []Part{Float("a", 0, 1), Float("b", 0, 1), Constraint("a + b <= 1"), Constraint("a + b >= 1")}, []float64{1, 1}, []float64{0, 0}},
		{"a point", []Part{Float("a", 0, 1), Float("b", 0, 1), Constraint("a + b >= 2")}, []float64{0, 0}, []float64{1, 1}},
		// The distance counts in the box, where b is short.
		{"units", []Part{Float("a", 0, 2), Float("b", 0, 200), Constraint("100*a + b <= 200")}, []float64{1, 1}, []float64{0, 0}},
		{"int", []Part{Int("n", 0, 3), Constraint("n <= 2.5")}, []float64{1}, []float64{0.25}},
		{"bool", []Part{Bool("b"), Float("a", 0, 1), Constraint("b + a <= 1")}, []float64{1, -0.9}, []float64{1, -1}},
		{"uneven levels", []Part{Ordinal("o", 1, 10, 1000), Constraint("o <= 500")}, []float64{1}, []float64{0}},
		{"untouched", []Part{Float("a", 0, 1), Choice("c", "x", "y"), Int("n", 0, 1), Constraint("a <= 0.5")}, []float64{1, 0.3, -0.1}, []float64{0, 1, -0.5}},
	} {
		s := mustNew(t, c.parts...)
		if err := s.Project(c.x); err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if distance(c.x, c.want) > 1e-8 {
			t.Errorf("%s: projected to %v, want %v", c.name, c.x, c.want)
		}
	}
}

// anyConstraints draws constraints that the values v keep, with some room or none.
func anyConstraints(t *rapid.T, names []string, v []float64) (parts []Part) {
	for range rapid.IntRange(1, 6).Draw(t, "constraints") {
		var text strings.Builder
		text.WriteString("0")
		sum := 0.0
		for i, name := range names {
			if !rapid.Bool().Draw(t, "in") && i != 0 {
				continue
			}
			a := rapid.SampledFrom([]float64{-3, -1, -0.5, 0.25, 1, 2, 7}).Draw(t, "a")
			fmt.Fprintf(&text, " + %g*%s", a, name)
			sum += a * v[i]
		}
		room := rapid.SampledFrom([]float64{0, 0.01, 1}).Draw(t, "room")
		parts = append(parts, Constraint(text.String()+" <= "+formatFloat(sum+room)))
		switch rapid.IntRange(0, 8).Draw(t, "more") {
		case 0: // the same again, in other words
			parts = append(parts, Constraint("3*("+text.String()+") <= "+formatFloat(3*(sum+room))))
		case 1: // no interior
			parts = append(parts, Constraint(text.String()+" >= "+formatFloat(sum)))
		}
	}
	return parts
}

// u is the projection of t onto a convex set if and only if (t-u)·(z-u) <= 0 for all z in it.
func TestProjectIsNearest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(t, "n")
		var parts []Part
		var names []string
		var inside []float64
		for i := range n {
			names = append(names, fmt.Sprintf("w%d", i))
			parts = append(parts, Float(names[i], -2, 3))
			inside = append(inside, rapid.Float64Range(-2, 3).Draw(t, "inside"))
		}
		s := mustNewRapid(t, append(parts, anyConstraints(t, names, inside)...)...)
		project := func() (target, u []float64) {
			target = anyPoint(t, s)
			u = slices.Clone(target)
			if err := s.Project(u); err != nil {
				t.Fatal(err)
			}
			v, err := s.Decode(u)
			if err != nil {
				t.Fatal(err)
			}
			if _, by, err := s.Broken(v); by != 0 || err != nil {
				_, worst, _ := s.Broken(v)
				t.Fatalf("%v is exceeded by %g", v, worst)
			}
			return target, u
		}
		target, u := project()
		for range 5 {
			_, z := project()
			dot := 0.0
			for i := range u {
				dot += (target[i] - u[i]) * (z[i] - u[i])
			}
			if dot > 1e-7 {
				t.Fatalf("%v was projected to %v, but towards %v it goes on by %g", target, u, z, dot)
			}
		}
		again := slices.Clone(u)
		if err := s.Project(again); err != nil || distance(u, again) > 1e-8 {
			t.Fatalf("projected twice: %v, then %v, %v", u, again, err)
		}
	})
}

// Small discrete spaces: a point is found exactly when there is one.
func TestProjectDiscrete(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := []Param{Int("i", -1, 3), Int("j", 0, 4), Ordinal("o", 1, 2, 16), Bool("b")}
		names := []string{"i", "j", "o", "b"}
		v := []float64{
			float64(rapid.IntRange(-1, 3).Draw(t, "i")), float64(rapid.IntRange(0, 4).Draw(t, "j")),
			rapid.SampledFrom([]float64{1, 1.5, 2, 16}).Draw(t, "o"), rapid.SampledFrom([]float64{0, 0.5, 1}).Draw(t, "b"),
		}
		parts := anyConstraints(t, names, v)
		free := mustNewRapid(t, all[0], all[1], all[2], all[3])
		rows := make([]numbers, len(parts))
		for i, p := range parts {
			row, err := free.parseRow(string(p.(Constraint)))
			if err != nil {
				t.Fatal(err)
			}
			rows[i] = row
		}
		var feasible []Params
		for _, i := range everyValue(all[0]) {
			for _, j := range everyValue(all[1]) {
				for _, o := range everyValue(all[2]) {
					for _, b := range everyValue(all[3]) {
						if values := []any{i, j, o, b}; keeps(rows, values) {
							feasible = append(feasible, Params{names: free.names, index: free.index, values: values})
						}
					}
				}
			}
		}
		s, err := New(append(parts, all[0], all[1], all[2], all[3])...)
		if len(feasible) == 0 {
			if !errors.Is(err, ErrNoPoint) {
				t.Fatalf("no point is feasible, but %v", err)
			}
			return
		}
		if err != nil {
			t.Fatalf("%d points are feasible, such as %v, but %v", len(feasible), feasible[0].values, err)
		}
		x := anyPoint(t, s)
		u := slices.Clone(x)
		if err := s.Project(u); err != nil {
			t.Fatal(err)
		}
		got, err := s.Decode(u)
		if err != nil {
			t.Fatal(err)
		}
		if !keeps(rows, got.values) {
			t.Fatalf("%v is not feasible", got.values)
		}
		pins, err := s.Pins(ParamsOf(map[string]any{"j": feasible[0].values[1], "b": feasible[0].values[3]}))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Project(x, pins...); err != nil {
			t.Fatalf("pinned to %v: %v", feasible[0].values, err)
		}
		held, err := s.Decode(x)
		if err != nil {
			t.Fatal(err)
		}
		if !keeps(rows, held.values) || held.values[1] != feasible[0].values[1] || held.values[3] != feasible[0].values[3] {
			t.Fatalf("pinned to %v, projected to %v", feasible[0].values, held.values)
		}
	})
}

func keeps(rows []numbers, values []any) bool {
	for _, row := range rows {
		sum := 0.0
		for k, j := range row.Param {
			v, _ := numeric(values[j])
			sum += row.Coefficient[k] * v
		}
		if sum > row.Bound+1e-12 {
			return false
		}
	}
	return true
}

func TestProjectMixed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		params := []Part{Float("x", -2, 2), Float("y", 0, 1), Int("i", 0, 5), Ordinal("o", 1, 3, 4), Bool("b")}
		v := []float64{
			rapid.Float64Range(-2, 2).Draw(t, "x"), rapid.Float64Range(0, 1).Draw(t, "y"), float64(rapid.IntRange(0, 5).Draw(t, "i")),
			rapid.SampledFrom([]float64{1, 3, 4}).Draw(t, "o"), rapid.SampledFrom([]float64{0, 1}).Draw(t, "b"),
		}
		s := mustNewRapid(t, append(params, anyConstraints(t, []string{"x", "y", "i", "o", "b"}, v)...)...)
		u := anyPoint(t, s)
		if err := s.Project(u); err != nil {
			t.Fatal(err)
		}
		snapped := slices.Clone(u)
		if err := s.Snap(snapped); err != nil || !slices.Equal(u, snapped) {
			t.Fatalf("projected to %v, which snaps to %v, %v", u, snapped, err)
		}
		values, err := s.Decode(u)
		if err != nil {
			t.Fatal(err)
		}
		if _, by, err := s.Broken(values); by != 0 || err != nil {
			t.Fatalf("%v is not feasible: %v", values.values, err)
		}
	})
}

// Bounds far from 1 and far from 0: what counts is the box.
func TestProjectScales(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		sum       string
	}{
		{0, 1e-300, "1e-300"}, {-1e300, 1e300, "0"}, {1e9, 1e9 + 1, "2000000001"}, {-1e-9, 1e-9, "0"}, {-1e15, 0, "-1e15"},
	} {
		s := mustNew(t, Float("a", c.low, c.high), Float("b", c.low, c.high), Constraint("a + b <= "+c.sum))
		x := []float64{1, 0.5}
		if err := s.Project(x); err != nil {
			t.Errorf("[%g, %g]: %v", c.low, c.high, err)
			continue
		}
		if want := []float64{0.25, -0.25}; distance(x, want) > 1e-6 {
			t.Errorf("[%g, %g]: projected to %v, want %v", c.low, c.high, x, want)
		}
		if !s.feasible(x, true) {
			t.Errorf("[%g, %g]: %v exceeds the constraint by rounding", c.low, c.high, x)
		}
	}
	if _, err := New(Float("a", -1e300, 1e300), Constraint("1e300*a <= 1")); err == nil || !strings.Contains(err.Error(), "rescale it") {
		t.Errorf("too large a product says %v", err)
	}
}

func TestProjectPinned(t *testing.T) {
	s := mustNew(t, Float("a", 0, 1), Float("b", 0, 1), Float("c", 0, 1), Constraint("a + b + c <= 1"))
	pins, err := s.Pins(ParamsOf(map[string]any{"a": 0.75}))
	if err != nil {
		t.Fatal(err)
	}
	x := []float64{-1, 1, 1}
	if err := s.Project(x, pins...); err != nil {
		t.Fatal(err)
	}
	if want := []float64{0.5, -0.75, -0.75}; distance(x, want) > 1e-8 || x[0] != 0.5 {
		t.Errorf("projected to %v, want %v", x, want)
	}
	pins, err = s.Pins(ParamsOf(map[string]any{"a": 0.75, "b": 0.5}))
	if err != nil {
		t.Fatal(err)
	}
	before := []float64{0, 0, 0}
	err = s.Project(before, pins...)
	if !errors.Is(err, ErrNoPoint) || !strings.Contains(err.Error(), `"a + b + c <= 1" cannot hold with the pinned parameters`) {
		t.Errorf("a contradiction to the pins says %v", err)
	}
	if !slices.Equal(before, []float64{0, 0, 0}) {
		t.Errorf("a failed projection left %v", before)
	}
	if err := s.Project(before, Pin{Coordinate: 3}); err == nil {
		t.Error("coordinate 3 of 3 was pinned")
	}
}

func TestInfeasible(t *testing.T) {
	for _, c := range []struct {
		name  string
		parts []Part
		want  string
	}{
		{"one", []Part{Float("a", 0, 1), Constraint("a >= 2")}, `"a >= 2" cannot hold within the bounds: relax it, or widen the bounds`},
		{"two of three", []Part{Float("a", 0, 1), Float("b", 0, 1), Constraint("a + b <= 1"), Constraint("a <= 0.9"), Constraint("a + b >= 1.0001")}, `the constraints "a + b <= 1", "a + b >= 1.0001" cannot`},
		{"a circle", []Part{Float("a", 0, 1), Float("b", 0, 1), Float("c", 0, 1), Constraint("a - b >= 0.1"), Constraint("b - c >= 0.1"), Constraint("c - a >= -0.1")}, `cannot hold together`},
		{"no integer", []Part{Int("n", 0, 5), Int("m", 0, 5), Constraint("2*n + 2*m <= 5.5"), Constraint("2*n + 2*m >= 4.5")}, `no values of the discrete parameters were found`},
	} {
		_, err := New(c.parts...)
		if !errors.Is(err, ErrNoPoint) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s says %v, want %s", c.name, err, c.want)
		}
	}
}

// A search that is cut short still ends feasible: at the levels known from the beginning,
// with the floats as near to the target as these allow.
func TestSearchIsCutShort(t *testing.T) {
	s := mustNew(t, Int("n", 0, 10), Float("a", 0, 1), Constraint("n + a >= 3"), Constraint("n + a <= 7.5"))
	at := func(x []float64) *search {
		search := newSearch(&s.poly)
		for j, column := range s.poly.columns {
			search.place(j, x[column.coordinate], false)
		}
		return search
	}
	for _, x := range [][]float64{{1, 1}, {-1, -1}} {
		u, _ := at(x).run(s.poly.anchor, -1)
		if u == nil || u[0] != s.poly.anchor[0] || math.Abs(u[1]-x[1]) > 1e-12 {
			t.Errorf("from %v to %v, want the level of %v and the float as it was", x, u, s.poly.anchor)
		}
		if u, rows := at(x).run(nil, -1); u != nil || rows != nil {
			t.Errorf("without an anchor: %v, %v", u, rows)
		}
	}
}

// Many parameters under many constraints: a thousand floats and integers that share
// budgets, and neighbours that may not differ much.
func TestProjectLarge(t *testing.T) {
	parts := []Part{Float("w[0:999]", -1, 1), Int("n[0:249]", 0, 20)}
	var all, counts strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&all, "w%d + ", i)
	}
	for i := range 250 {
		fmt.Fprintf(&counts, "n%d + ", i)
	}
	parts = append(parts, Constraint(all.String()+"0 <= -100"), Constraint(counts.String()+"0 <= 333"))
	for i := range 100 {
		parts = append(parts,
			Constraint(fmt.Sprintf("w%d - w%d <= 0.05", i, i+1)), Constraint(fmt.Sprintf("w%d - w%d <= 0.05", i+1, i)),
			Constraint(fmt.Sprintf("n%d + 3*w%d <= 12", i, i)))
	}
	s := mustNew(t, parts...)
	r := rand.New(rand.NewPCG(1, 2))
	x := make([]float64, s.Dim())
	for i := range x {
		x[i] = 2*r.Float64() - 1
	}
	if err := s.Project(x); err != nil {
		t.Fatal(err)
	}
	v, err := s.Decode(x)
	if err != nil {
		t.Fatal(err)
	}
	if _, worst, err := s.Broken(v); worst != 0 || err != nil {
		t.Errorf("a constraint is exceeded by %g, %v", worst, err)
	}
	if !s.feasible(x, true) {
		t.Error("a constraint with room is exceeded by rounding")
	}
}

// The multipliers of a hard chain of constraints take Newton's steps to find.
func TestProjectChain(t *testing.T) {
	parts := []Part{Float("w[0:99]", -1, 1)}
	for i := range 99 {
		parts = append(parts, Constraint(fmt.Sprintf("w%d <= w%d", i, i+1)))
	}
	s := mustNew(t, parts...)
	x := make([]float64, 100)
	for i := range x { // falling: the nearest rising sequence is constant
		x[i] = 1 - 2*float64(i)/99
	}
	if err := s.Project(x); err != nil {
		t.Fatal(err)
	}
	for i, v := range x {
		if math.Abs(v) > 1e-6 {
			t.Fatalf("x[%d] is %g, want 0", i, v)
		}
	}
}

func BenchmarkProject(b *testing.B) {
	s, err := Parse(large(1000))
	if err != nil {
		b.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	target, x := make([]float64, s.Dim()), make([]float64, s.Dim())
	for i := range target {
		target[i] = 1.2 * r.Float64()
	}
	for b.Loop() {
		copy(x, target)
		if err := s.Project(x); err != nil {
			b.Fatal(err)
		}
	}
}
