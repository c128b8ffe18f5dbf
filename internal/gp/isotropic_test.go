package gp

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mahabo/mahabo/internal/fdcheck"
	"github.com/mahabo/mahabo/internal/linalg"
)

// isotropicData are n points of a smooth function in dim dimensions.
func isotropicData(n, dim int) (*Cloud, []float64) {
	r := rand.New(rand.NewPCG(3, uint64(n)))
	c := NewCloud(dim)
	y := make([]float64, n)
	for i := range n {
		x := make([]float64, dim)
		for j := range x {
			x[j] = 2*r.Float64() - 1
		}
		c.Append(x)
		y[i] = math.Sin(2*x[0]) + x[1]*x[dim-1]
	}
	return c, y
}

// smoothPrior expects a smooth function with any noise.
var smoothPrior = IsotropicPrior{Theta: LogNormalPrior{math.Log(0.3), 0.25}, Noise: LogNormalPrior{math.Log(1e-6), 6}}

func ones(n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = 1
	}
	return v
}

func TestCloudKeepsDistances(t *testing.T) {
	c, _ := isotropicData(130, 5) // grows twice
	check := func(c *Cloud) {
		t.Helper()
		for i := range c.Len() {
			for j := range i {
				var want float64
				for a, v := range c.At(i) {
					want += (v - c.At(j)[a]) * (v - c.At(j)[a])
				}
				if got := c.r2.At(i, j); math.Abs(got-want) > 1e-14 {
					t.Fatalf("|x%d-x%d|² = %g, want %g", i, j, got, want)
				}
			}
		}
	}
	check(c)
	var sum float64
	for i := range c.Len() {
		for j := range c.Len() {
			for a, v := range c.At(i) {
				sum += (v - c.At(j)[a]) * (v - c.At(j)[a])
			}
		}
	}
	if got, want := c.MeanSquare(), sum/(130*129*5); math.Abs(got-want) > 1e-12 {
		t.Errorf("mean square %g of the differences, want %g", got, want)
	}
	if got := NewCloud(3).MeanSquare(); got != 0 {
		t.Errorf("mean square %g without points", got)
	}
	numbers := []int{7, 3, 129, 64, 0}
	s := c.Subset(numbers)
	check(s)
	for a, i := range numbers {
		if s.At(a)[1] != c.At(i)[1] {
			t.Errorf("point %d of the subset is not point %d", a, i)
		}
	}
	if d := c.Nearest(c.At(99)); d > 1e-7 {
		t.Errorf("a point of the cloud is %g from it", d)
	}
	c.Truncate(2)
	if c.Len() != 2 {
		t.Errorf("%d points after truncation", c.Len())
	}
}

func TestIsotropicLossGradient(t *testing.T) {
	for _, profile := range []Profile{RBF, Matern52} {
		for _, n := range []int{5, 25} {
			checkIsotropicLossGradient(t, profile, n)
		}
	}
}

func checkIsotropicLossGradient(t *testing.T, profile Profile, n int) {
	t.Helper()
	c, y := isotropicData(n, 6)
	prior := smoothPrior
	prior.Profile = profile
	given := make([]float64, n)
	for i := range given {
		given[i] = 0.3 * float64(i%4)
	}
	for _, p := range [][]float64{{0, -3}, {2, -8}, {-1, 0}, {0, -3, 1}, {2, -8, -2}, {-1, 0, 4}} {
		f := newIsotropicLoss(prior, c, y, nil)
		if len(p) == 3 {
			f = newIsotropicLoss(prior, c, y, given)
		}
		grad, scratch := make([]float64, len(p)), make([]float64, len(p))
		f.eval(grad, p)
		fdcheck.Check(t, func(p []float64) float64 { return f.eval(scratch, p) }, grad, p, 1e-6)
	}
}

// The process is an ARD one with equal length-scales, whose mean and output scale have
// their closed form.
func TestIsotropicModelIsTheARDModel(t *testing.T) {
	for profile, kernel := range map[Profile]func([]float64) Kernel{RBF: RBFARD, Matern52: Matern52ARD} {
		checkIsARD(t, profile, kernel)
	}
}

func checkIsARD(t *testing.T, profile Profile, kernel func(lengthScales []float64) Kernel) {
	t.Helper()
	const n, dim = 30, 4
	c, y := isotropicData(n, dim)
	h := Isotropic{Profile: profile, Theta: 3, Noise: 1e-3}
	m, err := NewIsotropicModel(h, c, y, nil, 2)
	if err != nil {
		t.Fatal(err)
	}
	in := NewInputs(dim)
	for i := range n {
		in.Append(c.At(i))
	}
	l := ones(dim)
	for j := range l {
		l[j] = math.Sqrt(dim / h.Theta)
	}
	want, err := NewModel(Hyper{
		Kernel: kernel(l), Mean: m.mean,
		OutputScale: m.scale, NoiseVariance: m.scale * (h.Noise + isotropicNugget),
	}, in, y)
	if err != nil {
		t.Fatal(err)
	}
	compare := func(want Surrogate) {
		t.Helper()
		x := linalg.Matrix{Rows: 1, Cols: dim, Stride: dim, Data: []float64{0.3, -0.2, 0.9, -0.5}}
		mean, variance := want.Predict(x.Data)
		m.Evaluate(make([]float64, 1), linalg.New(1, dim), x, func(gotMean, gotVariance float64) (float64, float64, float64) {
			if math.Abs(gotMean-mean) > 1e-9 || math.Abs(gotVariance-variance) > 1e-9 {
				t.Errorf("predicts %g ± %g, want %g ± %g", gotMean, gotVariance, mean, variance)
			}
			return 0, 0, 0
		})
	}
	compare(want)
	for i, got := range m.Fitted() {
		if mean, _ := want.Predict(c.At(i)); math.Abs(got-mean) > 1e-9 {
			t.Errorf("fitted value %d is %g, want %g", i, got, mean)
		}
	}

	believed := []float64{0.2, -0.1, 0.8, -0.4}
	after, err := want.Condition(believed)
	if err != nil {
		t.Fatal(err)
	}
	m.Believe(believed)
	compare(after)
	m.Release()
	if c.Len() != n {
		t.Errorf("%d points after release, want %d", c.Len(), n)
	}
}

func TestIsotropicEvaluateGradient(t *testing.T) {
	const n, dim = 20, 5
	for _, profile := range []Profile{RBF, Matern52} {
		c, y := isotropicData(n, dim)
		m, err := NewIsotropicModel(Isotropic{Profile: profile, Theta: 5, Noise: 1e-2}, c, y, nil, 1)
		if err != nil {
			t.Fatal(err)
		}
		m.Believe([]float64{0.1, 0.2, 0.3, 0.4, 0.5})
		f := func(mean, variance float64) (value, dMean, dVariance float64) {
			return mean * variance, variance, mean
		}
		value, grad := make([]float64, 2), linalg.New(2, dim)
		x := linalg.New(2, dim)
		copy(x.Data, []float64{0.5, -0.5, 0.2, 0.1, 0.9, -0.3, 0.4, 0.8, -0.7, 0})
		m.Evaluate(value, grad, x, f)
		for i := range 2 {
			fdcheck.Check(t, func(p []float64) float64 {
				v := make([]float64, 1)
				m.Evaluate(v, linalg.New(1, dim), linalg.Matrix{Rows: 1, Cols: dim, Stride: dim, Data: p}, f)
				return v[0]
			}, grad.Row(i), x.Row(i), 1e-6)
		}
	}
}

// Of values without noise little is learned as noise; constant values are no trouble.
func TestFitIsotropic(t *testing.T) {
	c, y := isotropicData(60, 3)
	h, smooth, err := FitIsotropic(t.Context(), smoothPrior, c, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	if h.Noise > 1e-4 {
		t.Errorf("noise %g learned from exact values", h.Noise)
	}
	r := rand.New(rand.NewPCG(1, 1))
	for i := range y {
		y[i] += 0.5 * r.NormFloat64()
	}
	noisy, rough, err := FitIsotropic(t.Context(), smoothPrior, c, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	if noisy.Noise < 1e-2 || rough < smooth {
		t.Errorf("noise %g and loss %g learned from noisy values, exact ones had %g and %g", noisy.Noise, rough, h.Noise, smooth)
	}
	if _, _, err := FitIsotropic(t.Context(), smoothPrior, c, make([]float64, 60), nil); err != nil {
		t.Errorf("constant values: %v", err)
	}
}

// Two values at one point are their mean with half of the variance, and a value of which
// nothing is known but noise is no value.
func TestIsotropicGivenNoise(t *testing.T) {
	const n, dim, large = 12, 3, 1e9
	h := Isotropic{Theta: 3, Noise: 1e-3, Scale: 2}
	predict := func(points []int, values, given []float64) (mean, variance, fitted float64) {
		t.Helper()
		c, y := isotropicData(n, dim)
		v := slices.Repeat([]float64{0.1}, n)
		for i, p := range points {
			c.Append(c.At(p))
			y, v = append(y, values[i]), append(v, given[i])
		}
		m, err := NewIsotropicModel(h, c, y, v, 0)
		if err != nil {
			t.Fatal(err)
		}
		mean, variance = m.Predict([]float64{0.2, 0.1, -0.3})
		fittedMean, _ := m.Predict(c.At(5))
		if math.Abs(fittedMean-m.Fitted()[5]) > 1e-9 {
			t.Errorf("fitted value %g, predicted %g", m.Fitted()[5], fittedMean)
		}
		return mean, variance, fittedMean
	}
	own := h.Scale * (h.Noise + isotropicNugget) // of every value, besides what is given
	for _, c := range []struct {
		name                  string
		points, others        []int
		values, given, v2, g2 []float64
	}{
		{"repeated", []int{3, 3}, []int{3}, []float64{0.5, 0.9}, []float64{0.4, 0.4}, []float64{0.7}, []float64{0.2 - own/2}},
		{"pure noise", []int{3}, nil, []float64{-5}, []float64{large}, nil, nil},
	} {
		mean, variance, fitted := predict(c.points, c.values, c.given)
		wantMean, wantVariance, wantFitted := predict(c.others, c.v2, c.g2)
		if math.Abs(mean-wantMean) > 1e-7 || math.Abs(variance-wantVariance) > 1e-7 || math.Abs(fitted-wantFitted) > 1e-7 {
			t.Errorf("%s: %g ± %g, want %g ± %g", c.name, mean, variance, wantMean, wantVariance)
		}
	}
}

// Noise that is given is not learned once more.
func TestFitIsotropicGivenNoise(t *testing.T) {
	c, y := isotropicData(80, 3)
	r := rand.New(rand.NewPCG(1, 1))
	given := make([]float64, len(y))
	for i := range y {
		std := 0.1 + 0.6*r.Float64()
		y[i] += std * r.NormFloat64()
		given[i] = std * std
	}
	unknown, _, err := FitIsotropic(t.Context(), smoothPrior, c, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	known, _, err := FitIsotropic(t.Context(), smoothPrior, c, y, given)
	if err != nil {
		t.Fatal(err)
	}
	if learned, rest := unknown.Scale*unknown.Noise, known.Scale*known.Noise; !(rest < learned/10) {
		t.Errorf("of the noise variance %g that is learned without help, %g is left when it is given", learned, rest)
	}
	for name, flat := range map[string][]float64{"constant": make([]float64, 80), "one": {3}} {
		if _, _, err := FitIsotropic(t.Context(), smoothPrior, c, flat, given[:len(flat)]); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Leaving a value out is conditioning on the others, at the same scale and mean.
func TestIsotropicLeaveOneOut(t *testing.T) {
	const n, dim, large = 14, 3, 1e12
	for _, out := range []int{0, 6, n - 1} {
		c, y := isotropicData(n, dim)
		h := Isotropic{Profile: Matern52, Theta: 2, Noise: 1e-2, Scale: 1.5}
		given := slices.Repeat([]float64{0.2}, n)
		m, err := NewIsotropicModel(h, c, y, given, 1)
		if err != nil {
			t.Fatal(err)
		}
		m.Believe([]float64{0.1, 0.2, 0.3}) // no data
		mean, variance := m.LeaveOneOut(out, y[out])
		m.Release()
		blind := slices.Clone(given)
		blind[out] = large
		wantMean, latent := predictAt(m, c, y, blind, c.At(out))
		want := latent + h.Scale*(h.Noise+isotropicNugget) + given[out]
		if math.Abs(mean-wantMean) > 1e-6 || math.Abs(variance-want) > 1e-6 {
			t.Errorf("value %d: %g ± %g without it, want %g ± %g", out, mean, variance, wantMean, want)
		}
	}
}

// predictAt is the prediction of m at x for other noise, its constant mean unchanged.
func predictAt(m *IsotropicModel, c *Cloud, y, given, x []float64) (mean, variance float64) {
	n := len(y)
	r := linalg.New(n, n)
	c.correlations(r, linalg.Matrix{}, m.Profile, m.rate, m.Noise)
	addGiven(r, given, m.Scale)
	if err := linalg.Cholesky(r); err != nil {
		panic(err)
	}
	k, alpha := make([]float64, n), make([]float64, n)
	c.distances(k, x)
	m.Profile.correlate(k, nil, m.rate, k)
	for i, v := range y {
		alpha[i] = v - m.mean
	}
	linalg.SolveLowerVec(r, alpha)
	linalg.SolveLowerVec(r, k)
	return m.mean + linalg.Dot(k, alpha), m.Scale * (1 - linalg.Dot(k, k))
}

func BenchmarkIsotropicEvaluate(b *testing.B) {
	const n, dim = 500, 1000
	for _, profile := range []Profile{RBF, Matern52} {
		b.Run([]string{RBF: "RBF", Matern52: "Matern52"}[profile], func(b *testing.B) {
			c, y := isotropicData(n, dim)
			m, err := NewIsotropicModel(Isotropic{Profile: profile, Theta: 0.3, Noise: 1e-6}, c, y, nil, 0)
			if err != nil {
				b.Fatal(err)
			}
			x := linalg.New(8, dim)
			value, grad := make([]float64, 8), linalg.New(8, dim)
			for b.Loop() {
				m.Evaluate(value, grad, x, func(mean, _ float64) (float64, float64, float64) { return mean, 1, 1 })
			}
		})
	}
}

func BenchmarkFitIsotropic(b *testing.B) {
	c, y := isotropicData(500, 1000)
	for b.Loop() {
		if _, _, err := FitIsotropic(b.Context(), smoothPrior, c, y, nil); err != nil {
			b.Fatal(err)
		}
	}
}
