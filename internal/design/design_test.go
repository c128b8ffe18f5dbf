package design

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mahabo/mahabo/internal/linalg"
	"github.com/mahabo/mahabo/internal/rng"
)

type fill = func(dst linalg.Matrix, r *rand.Rand)

var designs = map[string]fill{
	"Sobol": Sobol, "LatinHypercube": LatinHypercube,
	"SymmetricLatinHypercube": SymmetricLatinHypercube, "Uniform": Uniform,
}

func filled(f fill, n, dim int, seed uint64) linalg.Matrix {
	m := linalg.New(n, dim)
	f(m, rng.New(seed))
	return m
}

func TestPointsLieInTheBoxAndSeedsNameThem(t *testing.T) {
	for name, f := range designs {
		for _, n := range []int{1, 2, 7, 10} {
			for _, dim := range []int{1, 3, 1000, MaxSobolDim + 1} {
				if dim > MaxSobolDim && name != "Sobol" {
					continue // only Sobol changes its ways there
				}
				a, b, c := filled(f, n, dim, 1), filled(f, n, dim, 1), filled(f, n, dim, 2)
				for i, v := range a.Data {
					if !(v >= -1 && v <= 1) {
						t.Fatalf("%s %dx%d: element %d is %g", name, n, dim, i, v)
					}
				}
				if !slices.Equal(a.Data, b.Data) {
					t.Errorf("%s %dx%d: one seed gave two designs", name, n, dim)
				}
				// A symmetric design of one point is the centre.
				if slices.Equal(a.Data, c.Data) && !(name == "SymmetricLatinHypercube" && n == 1) {
					t.Errorf("%s %dx%d: two seeds gave one design", name, n, dim)
				}
			}
		}
	}
}

func TestEmptyDesigns(t *testing.T) {
	for _, f := range designs {
		f(linalg.New(0, 5), rng.New(1))
		f(linalg.New(5, 0), rng.New(1))
	}
}

// A view into a larger matrix is filled like a matrix of its own, and nothing
// around it is touched.
func TestViews(t *testing.T) {
	for name, f := range designs {
		big := linalg.New(9, 8)
		for i := range big.Data {
			big.Data[i] = 5
		}
		view := big.Slice(1, 7, 2, 6)
		f(view, rng.New(3))
		want := filled(f, 6, 4, 3)
		for i := range 9 {
			for j := range 8 {
				expect := 5.0
				if i >= 1 && i < 7 && j >= 2 && j < 6 {
					expect = want.At(i-1, j-2)
				}
				if big.At(i, j) != expect {
					t.Fatalf("%s: element (%d,%d) is %g, want %g", name, i, j, big.At(i, j), expect)
				}
			}
		}
	}
}

// strips returns how many points of column j lie in each of n strips.
func strips(m linalg.Matrix, j, n int) []int {
	count := make([]int, n)
	for i := range m.Rows {
		count[min(n-1, int((m.At(i, j)+1)/2*float64(n)))]++
	}
	return count
}

func TestEveryStripHasOnePoint(t *testing.T) {
	for _, c := range []struct {
		name   string
		n, dim int
	}{
		{"LatinHypercube", 1, 4}, {"LatinHypercube", 10, 50}, {"LatinHypercube", 2000, 3},
		{"SymmetricLatinHypercube", 10, 50}, {"SymmetricLatinHypercube", 11, 50},
		{"Sobol", 8, 1000}, {"Sobol", 64, 100}, {"Sobol", 16, MaxSobolDim + 1},
	} {
		m := filled(designs[c.name], c.n, c.dim, 7)
		for j := range c.dim {
			if got := strips(m, j, c.n); slices.Max(got) != 1 {
				t.Fatalf("%s %dx%d: strips of column %d hold %v points", c.name, c.n, c.dim, j, got)
			}
		}
	}
}

func TestSymmetricDesignIsSymmetric(t *testing.T) {
	for _, n := range []int{2, 9, 10} {
		m := filled(SymmetricLatinHypercube, n, 20, 2)
		for i := range n {
			for j := range 20 {
				if m.At(i, j) != -m.At(n-1-i, j) {
					t.Fatalf("n=%d: rows %d and %d are not mirror images", n, i, n-1-i)
				}
			}
		}
	}
}

// Over many designs, each place is uniform and columns are uncorrelated.
func TestDesignsAreUnbiased(t *testing.T) {
	const seeds, n, dim = 3000, 6, 2
	for name, f := range designs {
		var mean, product [n]float64
		m := linalg.New(n, dim)
		for seed := range uint64(seeds) {
			f(m, rng.New(seed))
			for i := range n {
				mean[i] += m.At(i, 0) / seeds
				product[i] += m.At(i, 0) * m.At(i, 1) / seeds
			}
		}
		for i := range n {
			if math.Abs(mean[i]) > 5*math.Sqrt(1./3/seeds) || math.Abs(product[i]) > 5./3/math.Sqrt(seeds) {
				t.Errorf("%s: row %d has mean %g and covariance %g", name, i, mean[i], product[i])
			}
		}
	}
}

func TestRowsDoNotDependOnTheirNumber(t *testing.T) {
	for name, f := range map[string]fill{"Sobol": Sobol, "Uniform": Uniform} {
		for _, dim := range []int{1, 5, 1000, MaxSobolDim + 1} {
			long := filled(f, 40, dim, 11)
			for _, n := range []int{1, 2, 17, 39} {
				short := filled(f, n, dim, 11)
				if !slices.Equal(short.Data, long.Data[:n*dim]) {
					t.Errorf("%s in %d dimensions: %d rows are not the first of 40", name, dim, n)
				}
			}
		}
	}
}

func TestSequenceContinuesTheDesign(t *testing.T) {
	for _, dim := range []int{3, 1000, MaxSobolDim + 1} {
		want := filled(Sobol, 40, dim, 5)
		r := rng.New(5)
		s, err := NewSequence(dim, r)
		if err != nil {
			t.Fatal(err)
		}
		x := make([]float64, dim)
		for _, step := range []struct{ skip, row int }{{0, 0}, {0, 1}, {3, 5}, {14, 20}, {18, 39}} {
			r.Uint64() // others may use the generator meanwhile
			s.Skip(step.skip)
			s.Peek(x, []int{2, 0})
			peeked := slices.Clone(x[:2])
			s.Next(x)
			if !slices.Equal(peeked, []float64{x[2], x[0]}) {
				t.Errorf("%d dimensions: coordinates 2 and 0 of row %d were said to be %v", dim, step.row, peeked)
			}
			if !slices.Equal(x, want.Row(step.row)) {
				t.Errorf("%d dimensions: the sequence differs from row %d of the design", dim, step.row)
			}
		}
	}
}

func TestSequenceNeedsAParameter(t *testing.T) {
	for _, dim := range []int{-1, 0} {
		if _, err := NewSequence(dim, rng.New(1)); err == nil {
			t.Errorf("a sequence in %d dimensions was accepted", dim)
		}
	}
}

func TestSobolStaysInside(t *testing.T) {
	m := filled(Sobol, 4096, 8, 1)
	for i, v := range m.Data {
		if !(math.Abs(v) < 1) {
			t.Fatalf("element %d is %g, on the border", i, v)
		}
	}
}

func ExampleSobol() {
	points := linalg.New(8, 2)
	Sobol(points, rng.New(1))
	var quadrant [2][2]int
	for i := range points.Rows {
		x := points.Row(i)
		quadrant[int(x[0]+1)][int(x[1]+1)]++
	}
	fmt.Println("points in each quadrant:", quadrant)
	// Output: points in each quadrant: [[2 2] [2 2]]
}

func BenchmarkDesigns(b *testing.B) {
	m := linalg.New(100, 1000)
	for name, f := range designs {
		b.Run(name, func(b *testing.B) {
			r := rng.New(1)
			for b.Loop() {
				f(m, r)
			}
		})
	}
}
