package gp

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mahabo/mahabo/internal/fdcheck"
	"github.com/mahabo/mahabo/internal/linalg"
)

// smoothData are n points of a smooth function in dim dimensions.
func smoothData(n, dim int) Data {
	r := rand.New(rand.NewPCG(3, uint64(n)))
	d := Data{Points: NewPoints(dim), Y: make([]float64, n)}
	for i := range n {
		x := make([]float64, dim)
		for j := range x {
			x[j] = 2*r.Float64() - 1
		}
		d.Points.Append(x)
		d.Y[i] = math.Sin(2*x[0]) + x[1]*x[dim-1]
	}
	return d
}

// metrics are one of each kind in dim dimensions, at some hyperparameters.
func metrics(dim int) map[string]Metric {
	spiked := Spiked{
		Directions: linalg.New(2, dim), Floors: []float64{0.01, 0.2},
		Priors: [2]LogNormalPrior{{math.Log(0.5), 1.5}, {math.Log(0.5), 2}},
	}
	spiked.Directions.Set(0, 0, 0.6)
	spiked.Directions.Set(0, 1, 0.8)
	spiked.Directions.Set(1, 2, 1)
	weighted := Weighted{Of: make([]int, dim), Param: HyperParam{"weight", LogNormalPrior{-1, 2}, -9, 9}}
	logs := make([]float64, dim-1)
	for j := range dim { // the last two coordinates are one parameter
		weighted.Of[j] = min(j, dim-2)
	}
	for p := range logs {
		logs[p] = 0.3*float64(p) - 1
	}
	own := Weighted{Of: numbers(dim), Param: weighted.Param}
	turned := Turned{Directions: linalg.New(dim, dim), Weighted: own}
	for k := range dim {
		turned.Directions.Set(k, k, 1)
	}
	copy(turned.Directions.Row(0), []float64{0.6, 0.8})
	copy(turned.Directions.Row(1), []float64{-0.8, 0.6})
	return map[string]Metric{
		"turned":    turned.At(append([]float64{0.7}, logs...)),
		"isotropic": Isotropic{Theta: 3, Prior: LogNormalPrior{math.Log(0.3), 0.25}},
		"weighted":  weighted.At(logs),
		"spiked":    spiked.At([]float64{0.2, -0.5, 0.4}),
	}
}

var noisePrior = NoiseParam(LogNormalPrior{math.Log(1e-6), 6})

// smoothPrior expects a smooth function with any noise.
var smoothPrior = Prior{Metric: Isotropic{Prior: LogNormalPrior{math.Log(0.3), 0.25}}, Noise: noisePrior}

// setting is a way to look at data.
type setting struct {
	name       string
	restricted bool
	scale      float64 // known
	given      bool
	weights    bool
}

var settings = []setting{
	{name: "plain"}, {name: "restricted", restricted: true, weights: true}, {name: "given", given: true}, {name: "known scale", scale: 1.7}, {name: "all", scale: 1.7, given: true, weights: true},
}

func (s setting) data(n, dim int) Data {
	d := smoothData(n, dim)
	if s.given {
		d.Given = make([]float64, n)
		for i := range d.Given {
			d.Given[i] = 0.3 * float64(i%4)
		}
	}
	if s.weights {
		d.Weights = make([]float64, n)
		for i := range d.Weights {
			d.Weights[i] = 0.5 + float64(i%3)
		}
	}
	return d
}

// every runs a test for all metrics, profiles and settings.
func every(t *testing.T, dim int, f func(t *testing.T, m Metric, p Profile, s setting)) {
	for name, m := range metrics(dim) {
		for _, p := range []Profile{RBF, Matern52} {
			for _, s := range settings {
				t.Run(fmt.Sprintf("%s/%d/%s", name, p, s.name), func(t *testing.T) { f(t, m, p, s) })
			}
		}
	}
}

func TestPointsKeepDistances(t *testing.T) {
	c := smoothData(130, 5).Points // grows twice
	check := func(c *Points) {
		t.Helper()
		for i := range c.Len() {
			for j := range i {
				var want float64
				for a, v := range c.At(i) {
					want += (v - c.At(j)[a]) * (v - c.At(j)[a])
				}
				if got := c.Square(i, j); math.Abs(got-want) > 1e-14 {
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
	if got := NewPoints(3).MeanSquare(); got != 0 {
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
		t.Errorf("a point is %g from itself", d)
	}
	c.Truncate(2)
	if c.Len() != 2 {
		t.Errorf("%d points after truncation", c.Len())
	}
}

// Between and Map are the same distance.
func TestMetricIsItsMap(t *testing.T) {
	const n, dim = 12, 5
	d := smoothData(n, dim)
	for name, m := range metrics(dim) {
		r2 := linalg.New(n, n)
		m.Between(r2, d.Points)
		rate, linear := m.Map(dim)
		z := d.Points.X()
		if linear != nil {
			z = linalg.New(n, linear.Dim())
			linear.Apply(z, d.Points.X())
		}
		for i := range n {
			for j := range i {
				var want float64
				for a, v := range z.Row(i) {
					want += rate * (v - z.At(j, a)) * (v - z.At(j, a))
				}
				if got := r2.At(i, j); math.Abs(got-want) > 1e-12 {
					t.Errorf("%s: r² of points %d and %d is %g, by the map %g", name, i, j, got, want)
				}
			}
		}
	}
}

func TestLossGradient(t *testing.T) {
	const n, dim = 25, 6
	every(t, dim, func(t *testing.T, m Metric, profile Profile, s setting) {
		prior := Prior{Profile: profile, Metric: m, Noise: noisePrior, Scale: s.scale, Restricted: s.restricted}
		f := newLoss(prior, s.data(n, dim))
		for _, at := range [][3]float64{{0, -3, 1}, {1, -6, -2}, {-1, 0, 2}} {
			p := make([]float64, len(f.params))
			for i := range p {
				p[i] = at[0] + 0.1*float64(i)
			}
			p[len(p)-1] = at[1]
			if f.moved {
				p = append(p, at[2])
			}
			grad, scratch := make([]float64, len(p)), make([]float64, len(p))
			f.eval(grad, p)
			fdcheck.Check(t, func(p []float64) float64 { return f.eval(scratch, p) }, grad, p, 1e-6)
		}
	})
}

// naive is the posterior at x by the textbook, given mean and scale.
func naive(m *Posterior, d Data, metric Metric, x []float64) (mean, variance float64) {
	n := len(d.Y)
	all := NewPoints(len(x))
	for i := range n {
		all.Append(d.Points.At(i))
	}
	all.Append(x)
	r := linalg.New(n+1, n+1)
	metric.Between(r, all)
	for i := range n + 1 {
		m.Profile.Apply(r.Row(i)[:i], nil, 1)
	}
	K, k := linalg.New(n, n), slices.Clone(r.Row(n)[:n])
	for i := range n {
		copy(K.Row(i)[:i], r.Row(i)[:i])
		K.Set(i, i, 1+m.Noise*d.weight(i)+nugget)
		if d.Given != nil {
			K.Set(i, i, K.At(i, i)+d.Given[i]/m.OutputScale())
		}
	}
	if err := linalg.Cholesky(K); err != nil {
		panic(err)
	}
	residual, one := make([]float64, n), make([]float64, n)
	for i, y := range d.Y {
		residual[i], one[i] = y-m.mean, 1
	}
	for _, v := range [][]float64{k, residual, one} {
		linalg.SolveLowerVec(K, v)
	}
	variance = 1 - linalg.Dot(k, k)
	if m.Restricted {
		missing := 1 - linalg.Dot(k, one)
		variance += missing * missing / linalg.Dot(one, one)
	}
	return m.mean + linalg.Dot(k, residual), m.OutputScale() * variance
}

func posterior(t *testing.T, m Metric, p Profile, s setting, d Data, spare int) *Posterior {
	t.Helper()
	h := Hyper{Profile: p, Metric: m, Noise: 1e-2, Scale: s.scale, Known: s.scale > 0, Restricted: s.restricted}
	if s.given && s.scale == 0 {
		h.Scale = 1.3
	}
	post, err := Condition(h, d, spare)
	if err != nil {
		t.Fatal(err)
	}
	return post
}

func TestPosterior(t *testing.T) {
	const n, dim = 30, 5
	x := []float64{0.1, -0.4, 0.7, 0.2, -0.9}
	every(t, dim, func(t *testing.T, m Metric, p Profile, s setting) {
		d := s.data(n, dim)
		post := posterior(t, m, p, s, d, 1)
		compare := func(what string, d Data, x []float64) {
			t.Helper()
			mean, variance := post.Predict(x)
			wantMean, wantVariance := naive(post, d, m, x)
			if math.Abs(mean-wantMean) > 1e-9 || math.Abs(variance-wantVariance) > 1e-9 {
				t.Errorf("%s: predicts %g ± %g, want %g ± %g", what, mean, variance, wantMean, wantVariance)
			}
		}
		compare("data", d, x)
		for i, got := range post.Fitted() {
			if mean, _ := naive(post, d, m, d.Points.At(i)); math.Abs(got-mean) > 1e-9 {
				t.Errorf("fitted value %d is %g, want %g", i, got, mean)
			}
		}
		for _, out := range []int{0, 7, n - 1} {
			checkLeftOut(t, post, d, m, out)
		}
		if s.restricted {
			return // believed points are no data, and the mean stays
		}
		believed := []float64{0.2, -0.1, 0.8, -0.4, 0}
		mean, _ := post.Predict(believed)
		post.Believe(believed)
		with := s.data(n, dim)
		with.Points.Append(believed)
		with.Y = append(with.Y, mean)
		if with.Given != nil {
			with.Given = append(with.Given, 0)
		}
		if with.Weights != nil {
			with.Weights = append(with.Weights, 1)
		}
		compare("a believed point", with, x)
		post.Release()
		if d.Points.Len() != n {
			t.Errorf("%d points after release, want %d", d.Points.Len(), n)
		}
	})
}

// checkLeftOut compares the closed form with the posterior of the other values.
func checkLeftOut(t *testing.T, post *Posterior, d Data, m Metric, out int) {
	t.Helper()
	var rest []int
	var sub Data
	for i := range d.Y {
		if i == out {
			continue
		}
		rest = append(rest, i)
		sub.Y = append(sub.Y, d.Y[i])
		if d.Given != nil {
			sub.Given = append(sub.Given, d.Given[i])
		}
		if d.Weights != nil {
			sub.Weights = append(sub.Weights, d.Weights[i])
		}
	}
	sub.Points = d.Points.Subset(rest)
	h := post.Hyper
	h.Scale, h.Known = post.OutputScale(), true
	if !post.Restricted {
		h.Mean = &post.mean
	}
	other, err := Condition(h, sub, 0)
	if err != nil {
		t.Fatal(err)
	}
	mean, variance := post.LeaveOneOut(out)
	wantMean, want := other.Predict(d.Points.At(out))
	want += post.OutputScale() * (post.Noise*d.weight(out) + nugget)
	if d.Given != nil {
		want += d.Given[out]
	}
	if math.Abs(mean-wantMean) > 1e-7 || math.Abs(variance-want) > 1e-7 {
		t.Errorf("value %d: %g ± %g in closed form, %g ± %g without it", out, mean, variance, wantMean, want)
	}
}

func TestEvaluateGradient(t *testing.T) {
	const n, dim = 20, 5
	every(t, dim, func(t *testing.T, m Metric, p Profile, s setting) {
		post := posterior(t, m, p, s, s.data(n, dim), 1)
		post.Believe([]float64{0.1, 0.2, 0.3, 0.4, 0.5})
		f := func(mean, variance float64) (value, dMean, dVariance float64) {
			return mean * variance, variance, mean
		}
		value, grad := make([]float64, 2), linalg.New(2, dim)
		x := linalg.New(2, dim)
		copy(x.Data, []float64{0.5, -0.5, 0.2, 0.1, 0.9, -0.3, 0.4, 0.8, -0.7, 0})
		post.Evaluate(value, grad, x, f)
		for i := range 2 {
			fdcheck.Check(t, func(p []float64) float64 {
				v := make([]float64, 1)
				post.Evaluate(v, linalg.New(1, dim), linalg.Matrix{Rows: 1, Cols: dim, Stride: dim, Data: p}, f)
				return v[0]
			}, grad.Row(i), x.Row(i), 1e-6)
		}
	})
}

// Of values without noise little is learned as noise; constant values are no trouble.
func TestFit(t *testing.T) {
	d := smoothData(60, 3)
	h, smooth, err := Fit(t.Context(), smoothPrior, d)
	if err != nil {
		t.Fatal(err)
	}
	if h.Noise > 1e-4 {
		t.Errorf("noise %g learned from exact values", h.Noise)
	}
	r := rand.New(rand.NewPCG(1, 1))
	for i := range d.Y {
		d.Y[i] += 0.5 * r.NormFloat64()
	}
	noisy, rough, err := Fit(t.Context(), smoothPrior, d)
	if err != nil {
		t.Fatal(err)
	}
	if noisy.Noise < 1e-2 || rough < smooth {
		t.Errorf("noise %g and loss %g learned from noisy values, exact ones had %g and %g", noisy.Noise, rough, h.Noise, smooth)
	}
	d.Y = make([]float64, 60)
	if _, _, err := Fit(t.Context(), smoothPrior, d); err != nil {
		t.Errorf("constant values: %v", err)
	}
}

// Weights find the parameters that matter.
func TestFitWeights(t *testing.T) {
	const n, dim = 60, 8
	d := smoothData(n, dim) // of coordinates 0, 1 and 7
	of := make([]int, dim)
	for j := range of {
		of[j] = j
	}
	h, _, err := Fit(t.Context(), Prior{Metric: Weighted{Of: of, Param: HyperParam{"weight", LogNormalPrior{-2, 2}, -9, 9}}, Noise: noisePrior}, d)
	if err != nil {
		t.Fatal(err)
	}
	w := h.Metric.(Weighted).Weights
	for j, v := range w {
		if matters := j == 0 || j == 1 || j == dim-1; matters == (v < 0.05) {
			t.Errorf("the weights are %.3g", w)
			break
		}
	}
}

// Noise that is given is not learned once more.
func TestFitGivenNoise(t *testing.T) {
	d := smoothData(80, 3)
	r := rand.New(rand.NewPCG(1, 1))
	given := make([]float64, len(d.Y))
	for i := range d.Y {
		std := 0.1 + 0.6*r.Float64()
		d.Y[i] += std * r.NormFloat64()
		given[i] = std * std
	}
	unknown, _, err := Fit(t.Context(), smoothPrior, d)
	if err != nil {
		t.Fatal(err)
	}
	d.Given = given
	known, _, err := Fit(t.Context(), smoothPrior, d)
	if err != nil {
		t.Fatal(err)
	}
	if learned, rest := unknown.Scale*unknown.Noise, known.Scale*known.Noise; !(rest < learned/10) {
		t.Errorf("of the noise variance %g that is learned without help, %g is left when it is given", learned, rest)
	}
	for name, flat := range map[string][]float64{"constant": make([]float64, 80), "one": {3}} {
		if _, _, err := Fit(t.Context(), smoothPrior, Data{Points: d.Points, Y: flat, Given: given[:len(flat)]}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestFitSpikedKeepsTheFloors(t *testing.T) {
	d := smoothData(40, 6)
	m := metrics(6)["spiked"].(Spiked)
	h, _, err := Fit(t.Context(), Prior{Metric: m, Noise: noisePrior, Restricted: true}, d)
	if err != nil {
		t.Fatal(err)
	}
	fitted := h.Metric.(Spiked)
	if least := m.Floors[0]*fitted.Along[0] + m.Floors[1]*fitted.Along[1]; fitted.Theta < least {
		t.Errorf("Theta is %g, below %g", fitted.Theta, least)
	}
}

func BenchmarkEvaluate(b *testing.B) {
	const n, dim = 500, 1000
	for name, m := range metrics(dim) {
		for _, profile := range []Profile{RBF, Matern52} {
			b.Run(name+"/"+[]string{RBF: "RBF", Matern52: "Matern52"}[profile], func(b *testing.B) {
				post, err := Condition(Hyper{Profile: profile, Metric: m, Noise: 1e-3}, smoothData(n, dim), 0)
				if err != nil {
					b.Fatal(err)
				}
				x := linalg.New(8, dim)
				value, grad := make([]float64, 8), linalg.New(8, dim)
				for b.Loop() {
					post.Evaluate(value, grad, x, func(mean, _ float64) (float64, float64, float64) { return mean, 1, 1 })
				}
			})
		}
	}
}

func BenchmarkFit(b *testing.B) {
	d := smoothData(500, 1000)
	for name, m := range metrics(1000) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, _, err := Fit(b.Context(), Prior{Metric: m, Noise: noisePrior, Evals: 20}, d); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
