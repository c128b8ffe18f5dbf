package acquisition

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/mahabo/mahabo/internal/num"
)

// plainEST is the algorithm bin by bin.
func plainEST(mean, std []float64, best float64) (beta, m float64) {
	var meanStd float64
	minMean := math.Inf(1)
	for i, s := range std {
		meanStd += s / float64(len(std))
		minMean = min(minMean, mean[i])
	}
	bin := max(0.01*meanStd, 0.01)
	w := best
	m = best
	for range 10000 {
		var lpp float64
		for i := range mean {
			lpp += num.LogNormSF((w - mean[i]) / std[i])
		}
		m -= (1 - math.Exp(lpp)) * bin
		w -= bin
		if lpp >= -1e-5 {
			break
		}
	}
	m = min(m, minMean-1e-6)
	beta = math.Inf(1)
	for i := range mean {
		beta = min(beta, (mean[i]-m)/std[i])
	}
	return beta, m
}

func relative(got, want float64) float64 {
	if got == want {
		return 0
	}
	return math.Abs(got-want) / math.Abs(want)
}

func TestESTMatchesTheProgram(t *testing.T) {
	raw, err := os.ReadFile("testdata/est.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Cases []struct {
			Mean, Std   []float64
			Best, Beta  float64
			MinEstimate float64 `json:"min_estimate"`
		}
	}
	if err := json.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Cases) != 4 {
		t.Fatalf("%d cases, want 4", len(file.Cases))
	}
	for i, c := range file.Cases {
		beta, m := EST(c.Mean, c.Std, c.Best)
		if relative(beta, c.Beta) > 1e-10 || relative(m, c.MinEstimate) > 1e-10 {
			t.Errorf("case %d: beta %.15g (want %.15g), minimum %.15g (want %.15g)", i, beta, c.Beta, m, c.MinEstimate)
		}
	}
}

// cloud draws n posterior moments.
func cloud(r *rand.Rand, n int, meanScale, stdFrom, stdTo float64) (mean, std []float64) {
	mean, std = make([]float64, n), make([]float64, n)
	for i := range mean {
		mean[i] = meanScale * r.NormFloat64()
		std[i] = stdFrom * math.Pow(stdTo/stdFrom, r.Float64())
	}
	return mean, std
}

func TestESTMatchesThePlainAlgorithm(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for c := range 80 {
		n := 1 << r.IntN(9)
		low := math.Pow(10, -3*r.Float64())
		mean, std := cloud(r, n, 2*r.Float64(), low, low*math.Pow(10, 2*r.Float64()))
		best := 4*r.Float64() - 4
		beta, m := EST(mean, std, best)
		wantBeta, want := plainEST(mean, std, best)
		if math.Abs(m-want) > 1e-11*max(1, math.Abs(want)) || math.Abs(beta-wantBeta) > 1e-9*max(1e-3, wantBeta) {
			t.Errorf("case %d (n=%d, std from %.3g, best %.3g): beta %.15g (want %.15g), minimum %.15g (want %.15g)", c, n, low, best, beta, wantBeta, m, want)
		}
	}
}

// At full size, where interpolation does most of the work.
func TestESTMatchesThePlainAlgorithmAtFullSize(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	for name, c := range fullSize {
		mean, std := cloud(r, 10000, c.meanScale, c.from, c.to)
		beta, m := EST(mean, std, c.best)
		wantBeta, want := plainEST(mean, std, c.best)
		if relative(m, want) > 1e-12 || relative(beta, wantBeta) > 1e-11 {
			t.Errorf("%s: beta %.15g (want %.15g), minimum %.15g (want %.15g)", name, beta, wantBeta, m, want)
		}
	}
}

// fullSize are posteriors of a high-dimensional box, where random points look alike, and
// of low-dimensional ones.
var fullSize = map[string]struct{ meanScale, from, to, best float64 }{
	"alike":  {0.05, 0.95, 1, -2.5},
	"spread": {0.8, 0.05, 0.8, -2},
	"narrow": {0.5, 0.01, 0.3, -3},
}

func TestESTDegenerate(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for name, c := range map[string]struct {
		mean, std []float64
		best      float64
		beta, m   float64
	}{
		"no points":            {nil, nil, -2, 0, -2},
		"no points, no best":   {nil, nil, nan, 0, 0},
		"all certain":          {[]float64{1, 2, 3}, []float64{0, 0, 0}, 0.5, 0, 0.5},
		"certain below best":   {[]float64{1, 2, 3}, []float64{0, 0, 0}, 1.005, 0, 0.995},
		"all NaN":              {[]float64{nan, nan}, []float64{1, 1}, 3, 0, 3},
		"infinite deviation":   {[]float64{1, 1}, []float64{inf, inf}, 3, 0, 3},
		"negative deviation":   {[]float64{1}, []float64{-1}, 3, 0, 3},
		"huge means":           {[]float64{1e300, 2e300}, []float64{1, 1}, 1e300, 0, 1e300},
		"best far above means": {[]float64{0}, []float64{1}, 1e9, 1e-6, -1e-6},
	} {
		beta, m := EST(c.mean, c.std, c.best)
		if math.Abs(beta-c.beta) > 1e-9*math.Abs(c.beta) || math.Abs(m-c.m) > 1e-12*math.Abs(c.m) {
			t.Errorf("%s: beta %v, minimum %v, want %v, %v", name, beta, m, c.beta, c.m)
		}
	}
	// Points that are left out leave no trace.
	beta, m := EST([]float64{0.3, nan, 1, 5}, []float64{0.5, 1, inf, -1}, 0.1)
	wantBeta, want := EST([]float64{0.3}, []float64{0.5}, 0.1)
	if beta != wantBeta || m != want {
		t.Errorf("with unusable points %v, %v; without %v, %v", beta, m, wantBeta, want)
	}
	// Extreme scales stay finite.
	r := rand.New(rand.NewPCG(3, 4))
	for _, scale := range []float64{1e-300, 1e-150, 1e-20, 1e20, 1e150, 1e307} {
		mean, std := cloud(r, 100, scale, scale/10, scale)
		for _, best := range []float64{0, scale, -scale, nan, inf, -inf} {
			if beta, m := EST(mean, std, best); !finite(beta) || !finite(m) {
				t.Errorf("scale %g, best %g: beta %v, minimum %v", scale, best, beta, m)
			}
		}
	}
}

func TestESTDoesNotDependOnTheOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	mean, std := cloud(r, 3000, 1, 0.05, 0.5)
	beta, m := EST(mean, std, -2.5)
	for range 3 {
		r.Shuffle(len(mean), func(i, j int) {
			mean[i], mean[j] = mean[j], mean[i]
			std[i], std[j] = std[j], std[i]
		})
		if b, e := EST(mean, std, -2.5); relative(b, beta) > 1e-11 || relative(e, m) > 1e-12 {
			t.Errorf("shuffled: beta %v (%v), minimum %v (%v)", b, beta, e, m)
		}
	}
}

func TestESTPoints(t *testing.T) {
	for dim, want := range map[int]int{0: 1, 1: 2, 5: 32, 13: 8192, 14: 10000, 64: 10000, 1000: 10000} {
		if got := ESTPoints(dim); got != want {
			t.Errorf("ESTPoints(%d) = %d, want %d", dim, got, want)
		}
	}
}

func TestLogSFTable(t *testing.T) {
	table := logSF()
	worst := 0.0
	for i := range 100_000 {
		z := tableFrom + (tableTo-tableFrom)*(float64(i)+0.5)/100_000
		worst = max(worst, relative(table.sum(z, []float64{0}, []float64{1}), num.LogNormSF(z)))
	}
	if worst > 5e-14 {
		t.Errorf("relative error %g", worst)
	}
}

func BenchmarkEST(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	for name, c := range fullSize {
		mean, std := cloud(r, 10000, c.meanScale, c.from, c.to)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				EST(mean, std, c.best)
			}
		})
	}
}
