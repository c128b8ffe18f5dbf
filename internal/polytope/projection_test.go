package polytope

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// unit scales a row to length 1.
func unit(bound float64, coefficients ...float64) (row []Entry, b float64) {
	norm := 0.0
	for _, a := range coefficients {
		norm = math.Hypot(norm, a)
	}
	for j, a := range coefficients {
		if a != 0 {
			row = append(row, Entry{j, a / norm})
		}
	}
	return row, bound / norm
}

type inequality struct {
	bound        float64
	coefficients []float64
}

func build(columns int, inequalities ...inequality) *Projection {
	var rows [][]Entry
	var b []float64
	for _, i := range inequalities {
		row, bound := unit(i.bound, i.coefficients...)
		rows, b = append(rows, row), append(b, bound)
	}
	return NewProjection(New(columns, rows, b))
}

func TestExamples(t *testing.T) {
	for _, c := range []struct {
		name         string
		q            *Projection
		target, want []float64
	}{
		{"no rows", build(2), []float64{3, -0.5}, []float64{1, -0.5}},
		{"inside", build(2, inequality{1, []float64{1, 1}}), []float64{0.2, 0.3}, []float64{0.2, 0.3}},
		{"half-space", build(2, inequality{1, []float64{1, 1}}), []float64{1, 0.5}, []float64{0.75, 0.25}},
		{"along a bound", build(2, inequality{-1, []float64{-1, 2}}), []float64{1, 1}, []float64{1, 0}},
		{"two rows", build(2, inequality{0.5, []float64{1, 0}}, inequality{0, []float64{1, 1}}), []float64{1, 0.5}, []float64{0.25, -0.25}},
		{"an equation", build(2, inequality{0, []float64{1, 1}}, inequality{0, []float64{-1, -1}}), []float64{1, 0}, []float64{0.5, -0.5}},
		{"one point", build(2, inequality{-2, []float64{-1, -1}}), []float64{-1, -1}, []float64{1, 1}},
		{"a row twice", build(2, inequality{1, []float64{1, 1}}, inequality{2, []float64{2, 2}}), []float64{1, 0.5}, []float64{0.75, 0.25}},
	} {
		if !c.q.Solve(c.target, []float64{-1, -1}, []float64{1, 1}) {
			t.Errorf("%s: no point was found", c.name)
			continue
		}
		for j, v := range c.q.U {
			if math.Abs(v-c.want[j]) > 1e-9 {
				t.Errorf("%s: projected to %v, want %v", c.name, c.q.U, c.want)
				break
			}
		}
	}
}

// Rows that contradict each other are named, and no others.
func TestBlocking(t *testing.T) {
	q := build(3, inequality{5, []float64{1, 1, 1}}, inequality{-1.5, []float64{1, 0, 0}}, inequality{0, []float64{0, 1, 0}})
	if q.Solve([]float64{0, 0, 0}, []float64{-1, -1, -1}, []float64{1, 1, 1}) {
		t.Errorf("a row beyond the bounds is kept by %v", q.U)
	}
	if !slices.Equal(q.Blocking, []int{1}) {
		t.Errorf("rows %v are named, want 1", q.Blocking)
	}
	q = build(3, inequality{5, []float64{1, 1, 1}}, inequality{-1, []float64{1, 1, 0}}, inequality{0.5, []float64{-1, -1, 0}})
	if q.Solve([]float64{0, 0, 0}, []float64{-1, -1, -1}, []float64{1, 1, 1}) {
		t.Errorf("rows that contradict each other are kept by %v", q.U)
	}
	if slices.Sort(q.Blocking); !slices.Equal(q.Blocking, []int{1, 2}) {
		t.Errorf("rows %v are named, want 1 and 2", q.Blocking)
	}
}

// A point u of a convex set is the nearest to t if and only if (t-u)·(z-u) <= 0 for all z in
// it. One Projection serves any number of targets and bounds.
func TestProjectionIsTheNearestPoint(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 60 {
		n, m := 1+r.IntN(8), 1+r.IntN(6)
		draw := func() []float64 {
			x := make([]float64, n)
			for j := range x {
				x[j] = 2*r.Float64() - 1
			}
			return x
		}
		lo, hi := draw(), make([]float64, n)
		for j := range hi {
			hi[j] = lo[j] + r.Float64()
			if r.IntN(5) == 0 {
				hi[j] = lo[j] // held
			}
		}
		between := func() []float64 {
			x := make([]float64, n)
			for j := range x {
				x[j] = lo[j] + (hi[j]-lo[j])*r.Float64()
			}
			return x
		}
		inside := between()
		var rows []inequality
		for range m {
			a := draw()
			bound := []float64{0, 0.05}[r.IntN(2)]
			for j, v := range a {
				bound += v * inside[j]
			}
			rows = append(rows, inequality{bound, a})
		}
		excess := func(x []float64) (most float64) {
			for _, i := range rows {
				sum := -i.bound
				for j, a := range i.coefficients {
					sum += a * x[j]
				}
				most = max(most, sum)
			}
			return most
		}
		q := build(n, rows...)
		for range 10 {
			target := draw()
			if !q.Solve(target, lo, hi) {
				t.Fatalf("no point was found, %v is one", inside)
			}
			u := slices.Clone(q.U)
			for j, v := range u {
				if v < lo[j]-1e-9 || v > hi[j]+1e-9 {
					t.Fatalf("coordinate %d is %g, outside %g to %g", j, v, lo[j], hi[j])
				}
			}
			if e := excess(u); e > 1e-9 {
				t.Fatalf("a row is exceeded by %g", e)
			}
			for k := range 50 {
				z := inside
				if k > 0 {
					if z = between(); excess(z) > 0 {
						continue
					}
				}
				along := 0.0
				for j := range z {
					along += (target[j] - u[j]) * (z[j] - u[j])
				}
				if along > 1e-8 {
					t.Fatalf("%v is projected to %v, but %v is nearer", target, u, z)
				}
			}
		}
	}
}
