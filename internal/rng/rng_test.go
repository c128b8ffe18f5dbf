package rng

import (
	"math"
	"testing"
)

func TestStreamsAreNamed(t *testing.T) {
	a, b := New(1, 2, Purpose("fit")), New(1, 2, Purpose("fit"))
	for range 10 {
		if a.Uint64() != b.Uint64() {
			t.Fatal("the same name gave two streams")
		}
	}
	seen := map[uint64]string{}
	for name, r := range map[string]uint64{
		"1,2,fit": New(1, 2, Purpose("fit")).Uint64(), "2,1,fit": New(2, 1, Purpose("fit")).Uint64(),
		"1,2,est": New(1, 2, Purpose("est")).Uint64(), "1,2": New(1, 2).Uint64(), "1": New(1).Uint64(),
		"1,0": New(1, 0).Uint64(), "0,1": New(0, 1).Uint64(), "0": New(0).Uint64(),
	} {
		if other, ok := seen[r]; ok {
			t.Errorf("streams %s and %s start alike", name, other)
		}
		seen[r] = name
	}
}

// The vector path gives the bytes of the scalar one.
func TestFillerPathsAgree(t *testing.T) {
	for n := range 100 {
		got, want := make([]float64, n), make([]float64, n)
		f := Filler{uint64(n) * 12345}
		end := fillScalar(want, f.state)
		f.Uniform(got)
		if f.state != end {
			t.Fatalf("length %d: state %x, want %x", n, f.state, end)
		}
		for i := range want {
			if got[i] != want[i] {
				t.Fatalf("length %d: number %d is %v, want %v", n, i, got[i], want[i])
			}
		}
	}
}

func TestFillerIsUniform(t *testing.T) {
	f := NewFiller(New(7))
	const n = 200_001
	x := make([]float64, n)
	f.Uniform(x)
	var mean, square, lag float64
	var bins [20]int
	for i, v := range x {
		if v < -1 || v > 1 {
			t.Fatalf("draw %d is %g, outside [-1,1]", i, v)
		}
		mean += v / n
		square += v * v / n
		if i > 0 {
			lag += v * x[i-1] / n
		}
		bins[min(19, int((v+1)*10))]++
	}
	// Five standard errors each.
	if math.Abs(mean) > 5*math.Sqrt(1./3/n) || math.Abs(square-1./3) > 5*math.Sqrt(4./45/n) || math.Abs(lag) > 5./3/math.Sqrt(n) {
		t.Errorf("mean %g, second moment %g, lag-1 product %g", mean, square, lag)
	}
	for b, c := range bins {
		if math.Abs(float64(c)-n/20) > 5*math.Sqrt(n/20) {
			t.Errorf("bin %d holds %d of %d draws", b, c, n)
		}
	}
}

func BenchmarkFiller(b *testing.B) {
	f := NewFiller(New(7))
	x := make([]float64, 1000)
	b.SetBytes(8000)
	for b.Loop() {
		f.Uniform(x)
	}
}
