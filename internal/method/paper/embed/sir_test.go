package embed

import (
	"errors"
	"math"
	"testing"

	"github.com/mahabo/mahabo/internal/linalg"
)

var paperSIR = SIR{Dim: 1, Slices: 2, Neighbours: 7, Alpha: 0.1, Ridge: 0.01}

func uniformRows(n, dim int, seed uint64) linalg.Matrix {
	r := stream(seed)
	x := linalg.New(n, dim)
	for i := range n {
		copy(x.Row(i), uniform(dim, 1, r))
	}
	return x
}

func cosine(a, b []float64) float64 {
	return math.Abs(linalg.Dot(a, b)) / math.Sqrt(linalg.Dot(a, a)*linalg.Dot(b, b))
}

// Values that follow one direction, however bent, give that direction.
func TestSIRFindsAPlantedDirection(t *testing.T) {
	const n, dim = 200, 8
	x := uniformRows(n, dim, 31)
	planted := gaussian(1, dim, 1, stream(32)).Row(0)
	for name, link := range map[string]func(float64) float64{
		"line": func(z float64) float64 { return z },
		"bent": func(z float64) float64 { return math.Exp(2 * z) },
	} {
		y := make([]float64, n)
		for i := range y {
			y[i] = link(linalg.Dot(planted, x.Row(i)))
		}
		s := SIR{Dim: 1, Slices: 5, Neighbours: 40, Alpha: 0.1, Ridge: 0.01}
		B, err := s.Learn(x, y, uniformRows(50, dim, 33))
		if err != nil {
			t.Fatal(err)
		}
		if c := cosine(B.Row(0), planted); c < 0.95 {
			t.Errorf("%s: cosine with the planted direction %g", name, c)
		}
	}
}

// Four points of two slices and one without a value, small enough to write every
// matrix down: the rows solve the eigenproblem.
func TestSIREigenproblem(t *testing.T) {
	x := linalg.Matrix{Rows: 4, Cols: 3, Stride: 3, Data: []float64{
		0.9, 0.1, 0, // value 4
		-0.7, 0.2, 0.1, // value 1
		-0.8, -0.3, 0.3, // value 2
		0.6, -0.2, 0.2, // value 3
	}}
	u := linalg.Matrix{Rows: 1, Cols: 3, Stride: 3, Data: []float64{0, 0.2, -0.1}}
	s := SIR{Dim: 2, Slices: 2, Neighbours: 1, Alpha: 0.1, Ridge: 0.01}
	B, err := s.Learn(x, []float64{4, 1, 2, 3}, u)
	if err != nil {
		t.Fatal(err)
	}
	// By value: rows 1, 2 | 3, 0; then the point without a value. In a slice of two
	// each is the other's neighbour, so W swaps them with weight 1.
	sorted := [][]float64{x.Row(1), x.Row(2), x.Row(3), x.Row(0), u.Row(0)}
	mean := make([]float64, 3)
	for _, p := range sorted {
		linalg.Axpy(mean, 0.2, p)
	}
	X := make([][]float64, 5)
	for i, p := range sorted {
		X[i] = append([]float64(nil), p...)
		linalg.Axpy(X[i], -1, mean)
	}
	W := [][]float64{{0, 1, 0, 0, 0}, {1, 0, 0, 0, 0}, {0, 0, 0, 1, 0}, {0, 0, 1, 0, 0}, {0, 0, 0, 0, 0}}
	// Points 0 and 1, and 2 and 3, are nearest to each other; nearest to the fifth, with
	// squared distances 0.53, 1.05, 0.61 and 0.83, is point 0.
	M := [][]float64{
		{1.21, -0.1, 0, 0, -0.1}, {-0.1, 1.11, 0, 0, 0}, {0, 0, 1.11, -0.1, 0}, {0, 0, -0.1, 1.11, 0}, {-0.1, 0, 0, 0, 0.11},
	}
	z := func(a, i int) float64 { return linalg.Dot(B.Row(a), X[i]) }
	for a := range 2 {
		for b := range 2 {
			between, within := 0.0, 0.0
			for i := range 5 {
				wa, wb := 0.0, 0.0
				for j := range 5 {
					wa += W[i][j] * z(a, j)
					wb += W[i][j] * z(b, j)
					within += M[i][j] * z(a, i) * z(b, j)
				}
				between += wa * wb
			}
			want := 0.0
			if a == b {
				want = 1
			}
			if math.Abs(between-want) > 1e-12 {
				t.Errorf("(W X b%d)·(W X b%d) = %g, want %g", a, b, between, want)
			}
			if a != b && math.Abs(within) > 1e-12 {
				t.Errorf("b%d and b%d are not orthogonal in the metric: %g", a, b, within)
			}
		}
	}
	if cosine(B.Row(0), []float64{1, 0, 0}) < 0.85 {
		t.Errorf("the first direction is %v, the values follow the first coordinate", B.Row(0))
	}
}

// Points that span fewer directions than wanted give fewer, points that span none an error.
func TestSIRRank(t *testing.T) {
	s := paperSIR
	s.Dim, s.Slices = 3, 4
	x := linalg.New(12, 5)
	y := make([]float64, 12)
	r := stream(34)
	for i := range 12 {
		x.Set(i, 0, r.Float64())
		x.Set(i, 3, r.Float64())
		y[i] = r.Float64()
	}
	B, err := s.Learn(x, y, linalg.New(0, 5))
	if err != nil || B.Rows != 2 {
		t.Errorf("%d directions from points of a plane, want 2; error %v", B.Rows, err)
	}
	for name, points := range map[string]linalg.Matrix{"one point": linalg.New(1, 5), "one point again and again": linalg.New(9, 5)} {
		if _, err := s.Learn(points, make([]float64, points.Rows), linalg.New(0, 5)); !errors.Is(err, ErrNoDirection) {
			t.Errorf("%s: error %v, want ErrNoDirection", name, err)
		}
	}
}

func TestSIRRefuses(t *testing.T) {
	for name, change := range map[string]func(*SIR){
		"Dim": func(s *SIR) { s.Dim = 0 }, "Slices": func(s *SIR) { s.Slices = 0 }, "Neighbours": func(s *SIR) { s.Neighbours = 0 },
		"Alpha": func(s *SIR) { s.Alpha = math.NaN() }, "Ridge": func(s *SIR) { s.Ridge = 0 },
	} {
		s := paperSIR
		change(&s)
		if _, err := s.Learn(uniformRows(5, 3, 1), make([]float64, 5), linalg.Matrix{}); err == nil {
			t.Errorf("a bad %s was accepted", name)
		}
	}
	if _, err := paperSIR.Learn(uniformRows(5, 3, 1), make([]float64, 4), linalg.Matrix{}); err == nil {
		t.Error("five points with four values were accepted")
	}
}
