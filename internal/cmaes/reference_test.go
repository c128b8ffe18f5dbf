package cmaes

import (
	"math"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mahabo/mahabo/internal/rng"
)

// The heads of pycma's logs: `(3_w,6)-aCMA-ES (mu_w=2.0,w_1=63%) in dimension 2`.
func TestWeights(t *testing.T) {
	for _, c := range []struct {
		n, lambda      int
		muEff, percent float64
	}{{2, 6, 2.0, 63}, {5, 8, 2.6, 52}, {10, 10, 3.2, 45}, {20, 12, 3.7, 40}, {40, 15, 4.5, 34}} {
		if got := DefaultPopulation(c.n); got != c.lambda {
			t.Errorf("n=%d: lambda is %d, want %d", c.n, got, c.lambda)
		}
		r := newRates(c.n, c.lambda)
		if math.Abs(r.muEff-c.muEff) > 0.05 || math.Floor(100*r.w[0]) != c.percent {
			t.Errorf("n=%d: mu_eff %g and w_1 %g, want %g and %g%%", c.n, r.muEff, r.w[0], c.muEff, c.percent)
		}
	}
	for _, n := range []int{1, 2, 3, 10, 100, 1000} {
		for _, lambda := range []int{2, 3, 4, 9, 50, 1000} {
			r := newRates(n, lambda)
			plus, minus := 0.0, 0.0
			for i, w := range r.w {
				if i > 0 && w > r.w[i-1] {
					t.Errorf("n=%d, lambda=%d: weight %d is larger than the one before", n, lambda, i)
				}
				plus, minus = plus+max(w, 0), minus-min(w, 0)
			}
			if math.Abs(plus-1) > 1e-12 || r.c1 <= 0 || r.cmu < 0 || r.c1+r.cmu > 1 {
				t.Errorf("n=%d, lambda=%d: positive weights sum to %g, c1 %g, cmu %g", n, lambda, plus, r.c1, r.cmu)
			}
			// The worst case of the active update: C loses n cmu |w-| of itself.
			if r.cmu*(minus*float64(n)-plus+minus) > 1-r.c1+1e-12 {
				t.Errorf("n=%d, lambda=%d: C can lose its sign: %g", n, lambda, r.cmu*minus*float64(n))
			}
		}
	}
}

// The update against the tutorial's formulas, written with dense matrices, over
// some generations.
func TestUpdateAgainstFormulas(t *testing.T) {
	const n, lambda = 4, 8
	s := start(t, Config{Mean: filled(n, 1), StdDev: 0.5, Population: lambda})
	p := newRates(n, lambda)
	if p.eigenStep != 1 {
		t.Fatalf("%d generations between decompositions, this test needs 1", p.eigenStep)
	}
	m, sigma := mat.NewVecDense(n, filled(n, 1)), 0.5
	ps, pc := mat.NewVecDense(n, nil), mat.NewVecDense(n, nil)
	C := mat.NewSymDense(n, nil)
	for i := range n {
		C.SetSym(i, i, 1)
	}
	r := rng.New(4)
	points, values := make([][]float64, lambda), make([]float64, lambda)
	for i := range points {
		points[i] = make([]float64, n)
	}
	for g := 1; g <= 12; g++ {
		for i, x := range points {
			s.Sample(x, r)
			values[i] = rosenbrock(x)
		}
		order := make([]int, lambda)
		rank(order, values)
		s.Tell(points, values)

		var e mat.EigenSym
		if !e.Factorize(C, true) {
			t.Fatal("no eigenvalues")
		}
		var V, root, scaled mat.Dense
		e.VectorsTo(&V)
		scaled.Apply(func(_, j int, v float64) float64 { return v / math.Sqrt(e.Values(nil)[j]) }, &V)
		root.Mul(&scaled, V.T())
		shift := mat.NewVecDense(n, nil)
		ys := make([]*mat.VecDense, lambda)
		for k, i := range order {
			y := mat.NewVecDense(n, nil)
			y.SubVec(mat.NewVecDense(n, points[i]), m)
			y.ScaleVec(1/sigma, y)
			ys[k] = y
			if k < lambda/2 {
				shift.AddScaledVec(shift, p.w[k], y)
			}
		}
		m.AddScaledVec(m, sigma, shift)
		var white mat.VecDense
		white.MulVec(&root, shift)
		ps.ScaleVec(1-p.cs, ps)
		ps.AddScaledVec(ps, math.Sqrt(p.cs*(2-p.cs)*p.muEff), &white)
		chi := math.Sqrt(n) * (1 - 1./(4*n) + 1./(21*n*n))
		sigma *= math.Exp(p.cs / p.ds * (mat.Norm(ps, 2)/chi - 1))
		h := 0.0
		if mat.Norm(ps, 2)/math.Sqrt(1-math.Pow(1-p.cs, 2*float64(g))) < (1.4+2./(n+1))*chi {
			h = 1
		}
		pc.ScaleVec(1-p.cc, pc)
		pc.AddScaledVec(pc, h*math.Sqrt(p.cc*(2-p.cc)*p.muEff), shift)
		sum := 0.0
		for _, w := range p.w {
			sum += w
		}
		C.ScaleSym(1+p.c1*(1-h)*p.cc*(2-p.cc)-p.c1-p.cmu*sum, C)
		C.SymRankOne(C, p.c1, pc)
		for k, y := range ys {
			w := p.w[k]
			if w < 0 {
				white.MulVec(&root, y)
				w *= n / mat.Dot(&white, &white)
			}
			C.SymRankOne(C, p.cmu*w, y)
		}

		if math.Abs(s.sigma-sigma) > 1e-12 {
			t.Fatalf("generation %d: sigma %g, want %g", g, s.sigma, sigma)
		}
		for i := range n {
			if math.Abs(s.mean[i]-m.AtVec(i)) > 1e-12 || math.Abs(s.pc[i]-pc.AtVec(i)) > 1e-11 {
				t.Fatalf("generation %d: mean %g, pc %g, want %g, %g", g, s.mean[i], s.pc[i], m.AtVec(i), pc.AtVec(i))
			}
			for j := range i + 1 {
				if math.Abs(s.C.At(i, j)-C.At(i, j)) > 1e-11 {
					t.Fatalf("generation %d: C(%d,%d) is %g, want %g", g, i, j, s.C.At(i, j), C.At(i, j))
				}
			}
		}
	}
}

// C = B diag(d²) Bᵀ, with the same bytes for every number of cores.
func TestDecomposition(t *testing.T) {
	const n = 150
	s := start(t, Config{Mean: filled(n, 0), StdDev: 1})
	r, v := rng.New(2), make([]float64, n)
	for range 20 {
		for j := range v {
			v[j] = r.NormFloat64()
		}
		for i := range n {
			for j := range i + 1 {
				s.C.Set(i, j, s.C.At(i, j)+v[i]*v[j])
			}
		}
	}
	s.g = s.rates.eigenStep
	many := new(Search)
	many.Copy(s)
	before := runtime.GOMAXPROCS(1)
	s.decompose()
	runtime.GOMAXPROCS(4)
	many.decompose()
	runtime.GOMAXPROCS(before)
	if s.broken || !slices.Equal(s.B.Data, many.B.Data) || !slices.Equal(s.d, many.d) {
		t.Fatal("the decomposition depends on the number of cores")
	}
	for i := range n {
		for j := range i + 1 {
			got := 0.0
			for k, d := range s.d {
				got += s.B.At(i, k) * d * d * s.B.At(j, k)
			}
			if math.Abs(got-s.C.At(i, j)) > 1e-11 {
				t.Fatalf("element (%d,%d) is %g, want %g", i, j, got, s.C.At(i, j))
			}
		}
	}
}

// Samples have the mean m and the covariance sigma² C.
func TestSamplesFollowTheDistribution(t *testing.T) {
	const n, count = 3, 40_000
	s := start(t, Config{Mean: filled(n, 1), StdDev: 2})
	run(t, s, 3, rosenbrock, 0, 300)
	r, x := rng.New(9), make([]float64, n)
	var mean [n]float64
	var cov [n][n]float64
	for range count {
		s.Sample(x, r)
		for i := range n {
			mean[i] += (x[i] - s.mean[i]) / s.sigma / count
			for j := range n {
				cov[i][j] += (x[i] - s.mean[i]) * (x[j] - s.mean[j]) / (s.sigma * s.sigma) / count
			}
		}
	}
	for i := range n {
		if math.Abs(mean[i]) > 5*math.Sqrt(s.C.At(i, i)/count) {
			t.Errorf("coordinate %d is off the mean by %g", i, mean[i])
		}
		for j := range i + 1 {
			scale := math.Sqrt(s.C.At(i, i) * s.C.At(j, j))
			if math.Abs(cov[i][j]-s.C.At(i, j)) > 5*math.Sqrt(2./count)*scale {
				t.Errorf("covariance (%d,%d) is %g, want %g", i, j, cov[i][j], s.C.At(i, j))
			}
		}
	}
}
