package embed

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// Every image has a preimage, found again from the image alone: z itself where it is
// unique, else another z with the same image. Corners of z have the images with the
// fewest coordinates inside the box.
func TestImagesAreRecovered(t *testing.T) {
	r := stream(11)
	for _, high := range []int{1, 2, 3, 7, 12, 60, 1000} {
		for _, low := range []int{1, 2, 3, 4, 6, 12} {
			if low > high {
				continue
			}
			for name, s := range map[string]Subspace{
				"gaussian": NewGaussian(low, high, r), "hashing": NewHashing(low, high, r),
			} {
				t.Run(fmt.Sprintf("%s %d of %d", name, low, high), func(t *testing.T) {
					x, back := make([]float64, high), make([]float64, low)
					for i := range 40 {
						z := uniform(low, 1, r)
						if i%4 == 3 {
							for a, v := range z {
								z[a] = math.Copysign(1, v)
							}
						}
						s.Expand(x, z)
						if d := s.Recover(back, x); d > 1e-10 {
							t.Fatalf("z = %v: the image of what was recovered, %v, is %g away", z, back, d)
						}
						if slices.Max(back) > 1 || slices.Min(back) < -1 {
							t.Fatalf("%v is outside the box", back)
						}
						unique := name == "hashing" || high >= 60*low
						if far := distance(back, z); unique && far > 1e-12 {
							t.Fatalf("recovered %v of %v, %g away", back, z, far)
						}
					}
				})
			}
		}
	}
}

// A uniform point of many dimensions is no image; Recover then gives the nearest z, here
// compared with others around it.
func TestNearestOfAForeignPoint(t *testing.T) {
	r := stream(12)
	const low, high = 3, 50
	for name, s := range map[string]Subspace{
		"gaussian": NewGaussian(low, high, r), "hashing": NewHashing(low, high, r),
	} {
		x := uniform(high, 1, r)
		z, image := make([]float64, low), make([]float64, high)
		d := s.Recover(z, x)
		if d < 0.3 || d > 1 {
			t.Errorf("%s: a uniform point is %g from the subspace", name, d)
		}
		for range 200 {
			near := slices.Clone(z)
			for a := range near {
				near[a] = clamp(near[a] + 0.05*r.NormFloat64())
			}
			if s.Expand(image, near); apart(image, x) < d*(1-1e-3) {
				t.Fatalf("%s: %v is %g away, the recovered %v %g", name, near, apart(image, x), z, d)
			}
		}
	}
}

// Rounded images are recovered to about the rounding.
func TestRoundedImagesAreRecovered(t *testing.T) {
	r := stream(13)
	const low, high, grid = 4, 200, 100
	for name, s := range map[string]Subspace{
		"gaussian": NewGaussian(low, high, r), "hashing": NewHashing(low, high, r),
	} {
		z, back, x := uniform(low, 1, r), make([]float64, low), make([]float64, high)
		s.Expand(x, z)
		for j, v := range x {
			x[j] = math.Round(v*grid) / grid
		}
		if d := s.Recover(back, x); d > 1./grid || distance(back, z) > 1./grid {
			t.Errorf("%s: %g away, z off by %g", name, d, distance(back, z))
		}
	}
}

// Of a hashing embedding: one +-1 in each row of A, none of the variables unused, signs
// and variables about equally frequent.
func TestHashingIsBalanced(t *testing.T) {
	r := stream(14)
	const low, high = 4, 4000
	h := NewHashing(low, high, r)
	var count [low]float64
	positive := 0.0
	x, z := make([]float64, high), make([]float64, low)
	for a := range low {
		clear(z)
		z[a] = 0.5
		h.Expand(x, z)
		for _, v := range x {
			switch v {
			case 0:
			case 0.5:
				positive++
				count[a]++
			case -0.5:
				count[a]++
			default:
				t.Fatalf("entry %g, want 0 or +-0.5", v)
			}
		}
	}
	total := 0.0
	for _, c := range count {
		total += c
		if math.Abs(c-high/low) > 5*math.Sqrt(high/low) {
			t.Errorf("a variable moves %g parameters of %d", c, high)
		}
	}
	if total != high || math.Abs(positive-high/2) > 5*math.Sqrt(high)/2 {
		t.Errorf("%g entries, %g positive, of %d rows", total, positive, high)
	}
	for seed := range uint64(50) {
		if small := NewHashing(5, 5, stream(seed)); slices.Min(small.count) != 1 {
			t.Fatalf("seed %d: parameters per variable %v", seed, small.count)
		}
	}
}

// The entries of A are N(0, d), which stands for N(0,1) and z in [-sqrt(d),sqrt(d)]^d.
func TestGaussianEntries(t *testing.T) {
	const low, high = 5, 4000
	g := NewGaussian(low, high, stream(15))
	sum, square := 0.0, 0.0
	for _, v := range g.A.Data {
		sum += v
		square += v * v
	}
	n := float64(low * high)
	if mean, variance := sum/n, square/n; math.Abs(mean) > 5*math.Sqrt(low/n) || math.Abs(variance/low-1) > 5*math.Sqrt(2/n) {
		t.Errorf("mean %g, variance %g, want 0 and %d", mean, variance, low)
	}
}
