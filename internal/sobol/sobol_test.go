package sobol

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/mahabo/mahabo/internal/rng"
)

// take returns the next n points of q.
func take(q *Sequence, n int) [][]float64 {
	points := make([][]float64, n)
	for i := range points {
		points[i] = make([]float64, q.Dim())
		q.Next(points[i])
	}
	return points
}

func plain(t testing.TB, dim int) *Sequence {
	t.Helper()
	q, err := New(dim)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func scrambled(t testing.TB, dim int, seed uint64) *Sequence {
	t.Helper()
	q, err := NewScrambled(dim, rng.New(seed))
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func TestPlainPointsEqualReference(t *testing.T) {
	text, err := os.ReadFile("testdata/sobol.json")
	if err != nil {
		t.Fatal(err)
	}
	var want struct {
		Dims      map[string][][]float64
		D1000Tail [][]float64 `json:"d1000_tail"`
		Cols      []int
	}
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	if len(want.Dims) != 4 || len(want.D1000Tail) != 17 {
		t.Fatalf("the fixture has %d dimensions and %d long points, want 4 and 17", len(want.Dims), len(want.D1000Tail))
	}
	for name, points := range want.Dims {
		dim, err := strconv.Atoi(name)
		if err != nil {
			t.Fatal(err)
		}
		for i, x := range take(plain(t, dim), len(points)) {
			if !slices.Equal(x, points[i]) {
				t.Errorf("%d dimensions, point %d: got %v, want %v", dim, i, x, points[i])
			}
		}
	}
	for i, x := range take(plain(t, 1000), len(want.D1000Tail)) {
		for k, j := range want.Cols {
			if x[j] != want.D1000Tail[i][k] {
				t.Errorf("1000 dimensions, point %d, column %d: got %v, want %v", i, j, x[j], want.D1000Tail[i][k])
			}
		}
	}
}

// The dimensions of the small table and of the whole one are the same.
func TestTablesAgree(t *testing.T) {
	small, full := plain(t, smallDim), plain(t, MaxDim)
	for i := range 70 {
		a, b := take(small, 1)[0], take(full, 1)[0]
		if !slices.Equal(a, b[:smallDim]) {
			t.Fatalf("point %d differs between the tables", i)
		}
	}
}

// checkNet reports whether the points fall one by one into the len(points)
// equal intervals of coordinate j.
func checkNet(t *testing.T, points [][]float64, j int) {
	t.Helper()
	n := len(points)
	hit := make([]bool, n)
	for i, x := range points {
		if x[j] < 0 || x[j] >= 1 {
			t.Fatalf("point %d has coordinate %d = %v, outside [0,1)", i, j, x[j])
		}
		k := int(x[j] * float64(n))
		if hit[k] {
			t.Fatalf("coordinate %d has two of %d points in interval %d", j, n, k)
		}
		hit[k] = true
	}
}

func TestEveryCoordinateIsANet(t *testing.T) {
	for name, q := range map[string]*Sequence{
		"plain": plain(t, 300), "scrambled": scrambled(t, 300, 5),
		"scrambled, all dimensions": scrambled(t, MaxDim, 5),
	} {
		t.Run(name, func(t *testing.T) {
			size := 256
			if q.Dim() == MaxDim {
				size = 16
			}
			points := take(q, size)
			for m := 1; m <= size; m *= 2 {
				for j := range q.Dim() {
					checkNet(t, points[:m], j)
				}
			}
		})
	}
}

// The first two coordinates are a (0,m,2)-net, before and after scrambling.
func TestFirstTwoCoordinatesAreANet(t *testing.T) {
	for name, q := range map[string]*Sequence{"plain": plain(t, 2), "scrambled": scrambled(t, 2, 9)} {
		const m = 8
		points := take(q, 1<<m)
		for a := 0; a <= m; a++ {
			var hit [1 << m]bool
			for _, x := range points {
				k := int(x[0]*float64(int(1)<<a))<<(m-a) + int(x[1]*float64(int(1)<<(m-a)))
				if hit[k] {
					t.Fatalf("%s: two points in a cell of the 2^%d x 2^%d grid", name, a, m-a)
				}
				hit[k] = true
			}
		}
	}
}

// Over seeds, one scrambled coordinate is uniform and two are uncorrelated.
func TestScrambledPointIsUniform(t *testing.T) {
	const seeds, dim = 4000, 3
	for _, skip := range []int{0, 1, 6} {
		var mean [dim]float64
		var product float64
		for seed := range uint64(seeds) {
			q := scrambled(t, dim, seed)
			q.Skip(skip)
			x := take(q, 1)[0]
			for j, u := range x {
				mean[j] += u / seeds
			}
			product += (x[0] - .5) * (x[2] - .5) / seeds
		}
		for j, m := range mean {
			if math.Abs(m-.5) > 5*math.Sqrt(1./12/seeds) {
				t.Errorf("point %d, coordinate %d has mean %g", skip, j, m)
			}
		}
		if math.Abs(product) > 5./12/math.Sqrt(seeds) {
			t.Errorf("point %d has covariance %g between coordinates 0 and 2", skip, product)
		}
	}
}

// The digits beyond the net's are random too: all 32 bits are used.
func TestScrambledDigits(t *testing.T) {
	q := scrambled(t, 2000, 3)
	q.Skip(5)
	var ones [wordBits]int
	for _, u := range take(q, 1)[0] {
		w := uint32(u * (1 << 32))
		for b := range ones {
			ones[b] += int(w >> b & 1)
		}
	}
	for b, c := range ones {
		if math.Abs(float64(c)-1000) > 5*math.Sqrt(500) {
			t.Errorf("bit %d is set in %d of 2000 coordinates", b, c)
		}
	}
}

func TestSeedNamesTheSequence(t *testing.T) {
	a, b, c := take(scrambled(t, 40, 1), 20), take(scrambled(t, 40, 1), 20), take(scrambled(t, 40, 2), 20)
	for i := range a {
		if !slices.Equal(a[i], b[i]) {
			t.Fatalf("one seed gave two points %d", i)
		}
		if slices.Equal(a[i], c[i]) {
			t.Fatalf("two seeds gave the same point %d", i)
		}
	}
}

func TestSkipEqualsWalking(t *testing.T) {
	for name, fresh := range map[string]func() *Sequence{
		"plain":     func() *Sequence { return plain(t, 11) },
		"scrambled": func() *Sequence { return scrambled(t, 11, 4) },
	} {
		want := take(fresh(), 300)
		for _, start := range []int{0, 1, 7, 100} {
			for _, n := range []int{0, 1, 2, 63, 64, 199} {
				q := fresh()
				take(q, start)
				q.Skip(n)
				if got := take(q, 1)[0]; !slices.Equal(got, want[start+n]) {
					t.Errorf("%s: %d steps and a skip of %d give %v, want %v", name, start, n, got, want[start+n])
				}
			}
		}
	}
}

func TestPeriod(t *testing.T) {
	q := scrambled(t, 5, 8)
	want := take(q, 3)
	q.Skip(1<<32 - 3 - 1)
	last := take(q, 1)[0]
	if slices.Equal(last, want[0]) {
		t.Error("the last point of the period equals the first")
	}
	for i, x := range take(q, 3) {
		if !slices.Equal(x, want[i]) {
			t.Errorf("point 2^32+%d is %v, want %v", i, x, want[i])
		}
	}
}

func TestDimensionError(t *testing.T) {
	for _, dim := range []int{-1, 0, MaxDim + 1} {
		var wrong *DimensionError
		if _, err := New(dim); !errors.As(err, &wrong) || wrong.Dim != dim {
			t.Errorf("New(%d) returned error %v", dim, err)
		}
		if _, err := NewScrambled(dim, rng.New(1)); !errors.As(err, &wrong) || wrong.Dim != dim {
			t.Errorf("NewScrambled(%d) returned error %v", dim, err)
		}
	}
}

func TestBadTableIsRefused(t *testing.T) {
	for name, text := range map[string][]byte{
		"not compressed": []byte("1 1\n"), "truncated": joeKuo[:2000], "empty": nil,
	} {
		if _, err := readTable(text, smallDim); err == nil {
			t.Errorf("a table that is %s was accepted", name)
		}
	}
	for _, line := range []string{"", "x", "0 1", "7 1", "7 1 2", "7 1 5", "7 1 x"} {
		if _, err := directions([]byte(line)); err == nil {
			t.Errorf("the line %q was accepted", line)
		}
	}
}

func TestNextRefusesWrongLength(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a destination of the wrong length was accepted")
		}
	}()
	plain(t, 3).Next(make([]float64, 2))
}

func BenchmarkReadTable(b *testing.B) {
	for name, dim := range map[string]int{"small": smallDim, "full": MaxDim} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := readTable(joeKuo, dim); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkNext100(b *testing.B) {
	const dim = 1000
	x := make([]float64, dim)
	for name, start := range map[string]func() *Sequence{
		"plain":     func() *Sequence { return plain(b, dim) },
		"scrambled": func() *Sequence { return scrambled(b, dim, 1) },
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				q := start()
				for range 100 {
					q.Next(x)
				}
			}
		})
	}
}

func BenchmarkNewScrambled(b *testing.B) {
	for b.Loop() {
		scrambled(b, 1000, 1)
	}
}
