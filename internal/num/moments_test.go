package num

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestMeanStd(t *testing.T) {
	near := func(got, want float64) bool {
		return got == want || math.Abs(got-want) <= 4e-16*math.Abs(want) || math.IsNaN(got) && math.IsNaN(want)
	}
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		name      string
		x         []float64
		mean, std float64
	}{
		{"plain", []float64{2, 4, 4, 4, 5, 5, 7, 9}, 5, math.Sqrt(32. / 7)},
		{"huge", []float64{1e300, 3e300, 2e300}, 2e300, 1e300},
		{"largest", []float64{math.MaxFloat64, math.MaxFloat64 / 2, math.MaxFloat64}, math.MaxFloat64 / 6 * 5, math.MaxFloat64 / (2 * math.Sqrt(3))},
		{"opposite and huge", []float64{-1e308, 1e308}, 0, 1e308 * math.Sqrt2},
		{"tiny", []float64{1e-300, 3e-300, 2e-300}, 2e-300, 1e-300},
		{"subnormal", []float64{0x1p-1070, 0x3p-1070, 0x2p-1070}, 0x1p-1069, 0x1p-1070},
		{"large offset", []float64{1 << 50, 1<<50 + 1, 1<<50 + 2}, 1<<50 + 1, 1},
		{"negative offset", []float64{-1e15, -1e15 + 4, -1e15 + 2, -1e15 + 2}, -1e15 + 2, math.Sqrt(8. / 3)},
		{"equal", []float64{0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1}, 0.1, 0},
		{"zeros", []float64{0, 0, 0}, 0, 0},
		{"one", []float64{-7.5}, -7.5, 0},
		{"empty", nil, nan, nan},
		{"NaN", []float64{1, nan, 2}, nan, nan},
		{"infinite", []float64{1, inf}, nan, nan},
	} {
		if mean, std := MeanStd(c.x); !near(mean, c.mean) || !near(std, c.std) {
			t.Errorf("%s: got %.17g and %.17g, want %.17g and %.17g", c.name, mean, std, c.mean, c.std)
		}
	}
}

// Powers of two change the scale exactly; a shift changes only the mean.
func TestMeanStdScalesExactly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.SliceOfN(rapid.Float64Range(-10, 10), 2, 40).Draw(t, "x")
		for i, v := range x {
			x[i] = math.Round(v*1024) / 1024 // exact under the shift below
		}
		e := rapid.IntRange(-800, 900).Draw(t, "e")
		mean, std := MeanStd(x)
		scaled, shifted := slices.Clone(x), slices.Clone(x)
		for i := range x {
			scaled[i] = math.Ldexp(x[i], e)
			shifted[i] += 1 << 30
		}
		if m, s := MeanStd(scaled); m != math.Ldexp(mean, e) || s != math.Ldexp(std, e) {
			t.Fatalf("scaling by 2^%d: %g and %g became %g and %g", e, mean, std, m, s)
		}
		if m, s := MeanStd(shifted); math.Abs(m-mean-1<<30) > 1e-6 || math.Abs(s-std) > 1e-12*std {
			t.Fatalf("shifting: %g and %.17g became %g and %.17g", mean, std, m, s)
		}
	})
}

func TestMedian(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		x    []float64
		want float64
	}{
		{[]float64{3, 1, 2}, 2}, {[]float64{4, 1, 3, 2}, 2.5}, {[]float64{5}, 5}, {[]float64{1, 2}, 1.5},
		{[]float64{math.MaxFloat64, math.MaxFloat64}, math.MaxFloat64}, {[]float64{-inf, 1, inf}, 1},
		{nil, nan}, {[]float64{1, nan, 2}, nan},
	} {
		before := slices.Clone(c.x)
		if got := Median(c.x); got != c.want && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("Median(%v) = %g, want %g", c.x, got, c.want)
		}
		for i := range before {
			if before[i] != c.x[i] && !math.IsNaN(before[i]) {
				t.Errorf("Median changed its argument %v to %v", before, c.x)
			}
		}
	}
}

func BenchmarkMeanStd(b *testing.B) {
	x := make([]float64, 500)
	for i := range x {
		x[i] = math.Sin(float64(i))
	}
	for b.Loop() {
		MeanStd(x)
	}
}
