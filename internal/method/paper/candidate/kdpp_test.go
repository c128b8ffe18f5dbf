package candidate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// ground is a covariance over a few points on a line, named by their coordinate.
type ground struct{ cov *mat.SymDense }

func (g ground) Cov(x, y []float64) float64 { return g.cov.At(int(x[0]), int(y[0])) }

func newGround(m int, scale float64) ground {
	at := []float64{-1, -0.8, -0.1, 0.2, 0.3, 0.9}
	cov := mat.NewSymDense(m, nil)
	for i := range m {
		for j := range i + 1 {
			d := at[i] - at[j]
			cov.SetSym(i, j, scale*(1-0.1*float64(i))*(1-0.1*float64(j))*math.Exp(-d*d*2))
		}
	}
	return ground{cov}
}

// det returns the determinant of K over a list of ground points, repeats allowed.
func (g ground) det(points []int, noise float64) float64 {
	k := mat.NewDense(len(points), len(points), nil)
	for i, p := range points {
		for j, q := range points {
			k.Set(i, j, g.cov.At(p, q))
		}
		k.Set(i, i, g.cov.At(p, p)+noise)
	}
	return max(mat.Det(k), 0)
}

// tuples calls visit with every list of k points out of m.
func tuples(m, k int, visit func([]int)) {
	list := make([]int, k)
	for {
		visit(list)
		i := 0
		for ; i < k; i++ {
			if list[i]++; list[i] < m {
				break
			}
			list[i] = 0
		}
		if i == k {
			return
		}
	}
}

func name(list []int) string {
	list = slices.Clone(list)
	slices.Sort(list)
	return fmt.Sprint(list)
}

func TestKDPPMatchesEnumeration(t *testing.T) {
	const m, runs = 6, 5000
	for _, c := range []struct {
		k            int
		scale, noise float64
	}{{1, 1, 0}, {2, 1, 0}, {3, 1, 0}, {2, 0.05, 0}, {2, 0.6, 0.3}} {
		g := newGround(m, c.scale)
		want := map[string]float64{}
		var total float64
		tuples(m, c.k, func(list []int) {
			d := g.det(list, c.noise)
			want[name(list)] += d
			total += d
		})
		r := rand.New(rand.NewPCG(uint64(c.k), 77))
		propose := func(_ context.Context, bound float64) (Proposal, error) {
			i := r.IntN(m)
			return Proposal{[]float64{float64(i)}, g.cov.At(i, i), r.Float64() * bound}, nil
		}
		got := map[string]float64{}
		for range runs {
			config := KDPPConfig{Model: g, NoiseVariance: c.noise, K: c.k}
			s, err := KDPP(context.Background(), config, propose, r)
			if err != nil {
				t.Fatal(err)
			}
			list := make([]int, c.k)
			for i, x := range s {
				list[i] = int(x[0])
			}
			got[name(list)]++
		}
		// Sets expected less than five times share a cell.
		var chi, cells, restWant, restGot float64
		for set, w := range want {
			e := runs * w / total
			if e < 5 {
				restWant, restGot = restWant+e, restGot+got[set]
				continue
			}
			chi += (got[set] - e) * (got[set] - e) / e
			cells++
		}
		if restWant > 5 {
			chi += (restGot - restWant) * (restGot - restWant) / restWant
			cells++
		} else if restGot > 20 {
			t.Errorf("%+v: %g draws of sets expected %g times", c, restGot, restWant)
		}
		// Mean plus four standard deviations of chi-square.
		if limit := cells - 1 + 4*math.Sqrt(2*(cells-1)); chi > limit {
			t.Errorf("%+v: chi-square %.1f over %g cells, limit %.1f", c, chi, cells, limit)
		}
	}
}

func boxProposals(model *exactGP, dim int, r *rand.Rand) Proposer {
	return func(_ context.Context, bound float64) (Proposal, error) {
		x := uniform(r, dim)
		_, v := model.Predict(x)
		return Proposal{x, v, r.Float64() * bound}, nil
	}
}

func TestKDPPSizes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	model := stubGP(r, 5, 3, 0.5)
	for _, k := range []int{0, 1, 4, 20} {
		s, err := KDPP(context.Background(), KDPPConfig{Model: model, NoiseVariance: 1e-3, K: k}, boxProposals(model, 3, r), r)
		if err != nil || len(s) != k {
			t.Fatalf("k=%d: %d points, error %v", k, len(s), err)
		}
		for i, x := range s {
			checkBox(t, x, 3)
			for _, y := range s[:i] {
				if slices.Equal(x, y) {
					t.Errorf("k=%d: %v was drawn twice", k, x)
				}
			}
		}
	}
}

func TestKDPPIsDiverse(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	model := stubGP(r, 2, 1, 0.3)
	propose := boxProposals(model, 1, r)
	var dpp, independent float64
	nearest := func(s [][]float64) float64 {
		d := math.Inf(1)
		for i, x := range s {
			for _, y := range s[:i] {
				d = min(d, math.Abs(x[0]-y[0]))
			}
		}
		return d
	}
	for range 400 {
		s, err := KDPP(context.Background(), KDPPConfig{Model: model, NoiseVariance: 1e-3, K: 3}, propose, r)
		if err != nil {
			t.Fatal(err)
		}
		dpp += nearest(s)
		independent += nearest([][]float64{uniform(r, 1), uniform(r, 1), uniform(r, 1)})
	}
	if dpp < 1.3*independent {
		t.Errorf("mean distance of the nearest pair %g, of independent points %g", dpp/400, independent/400)
	}
}

func TestKDPPAnchorsChangeNothing(t *testing.T) {
	model := stubGP(rand.New(rand.NewPCG(1, 2)), 6, 2, 0.5)
	draw := func(c Covariance) [][]float64 {
		r := rand.New(rand.NewPCG(3, 4))
		s, err := KDPP(context.Background(), KDPPConfig{Model: c, NoiseVariance: 1e-3, K: 4}, boxProposals(model, 2, r), r)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	plain, again, anchored := draw(model), draw(model), draw(anchoredGP{model})
	for i := range plain {
		if !slices.Equal(plain[i], again[i]) || !slices.Equal(plain[i], anchored[i]) {
			t.Errorf("point %d: %v, again %v, anchored %v", i, plain[i], again[i], anchored[i])
		}
	}
}

// constant has the same covariance everywhere: after one point nothing is left.
type constant float64

func (c constant) Cov(x, y []float64) float64 { return float64(c) }

func TestKDPPEndsWithoutVariance(t *testing.T) {
	for _, c := range []float64{0, 1e-20, 1, math.NaN()} {
		r := rand.New(rand.NewPCG(1, 2))
		proposals := 0
		propose := func(_ context.Context, bound float64) (Proposal, error) {
			proposals++
			return Proposal{[]float64{0.5}, c, r.Float64() * bound}, nil
		}
		s, err := KDPP(context.Background(), KDPPConfig{Model: constant(c), K: 3}, propose, r)
		if err != nil || len(s) != 3 || s[0] == nil || s[2] == nil {
			t.Errorf("covariance %g: %v, error %v", c, s, err)
		}
		if limit := maxDraws + maxRejections; proposals > limit {
			t.Errorf("covariance %g: %d proposals, limit %d", c, proposals, limit)
		}
	}
}

func TestKDPPKeepsTheBestOfTheRejected(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	n := 0
	propose := func(_ context.Context, bound float64) (Proposal, error) {
		n++
		switch n {
		case 1:
			return Proposal{[]float64{1}, 1, 0}, nil // sets the bound, taken first
		case 1234:
			return Proposal{[]float64{1234}, 2e-12, bound}, nil
		}
		return Proposal{[]float64{0}, 1e-12, bound}, nil
	}
	// The warm start takes the first proposal, the first Gibbs step the best of the
	// next 2000.
	g := gibbs{KDPPConfig: KDPPConfig{Model: constant(0), K: 1}, source: propose, bound: 1, r: r, schur: newSchur(1)}
	for range 2 {
		if err := g.add(context.Background()); err != nil {
			t.Fatal(err)
		}
		if len(g.members) == 1 && g.members[0].X[0] == 1 {
			g.drop(0)
		}
	}
	if g.members[0].X[0] != 1234 {
		t.Errorf("kept %v, want the proposal of largest variance", g.members[0].X)
	}
}

func TestKDPPErrors(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	failure := errors.New("no proposal")
	propose := func(context.Context, float64) (Proposal, error) { return Proposal{}, failure }
	if _, err := KDPP(context.Background(), KDPPConfig{Model: constant(1), K: 2}, propose, r); !errors.Is(err, failure) {
		t.Errorf("error %v, want that of the proposal", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := KDPP(ctx, KDPPConfig{Model: constant(1), K: 2}, propose, r); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
	for _, c := range []KDPPConfig{{Model: constant(1), K: -1}, {K: 1}, {Model: constant(1), K: 1, NoiseVariance: -1}} {
		if _, err := KDPP(context.Background(), c, propose, r); err == nil || errors.Is(err, failure) {
			t.Errorf("%+v: error %v", c, err)
		}
	}
}

func BenchmarkKDPP(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	model := anchoredGP{stubGP(r, 50, 10, 1)}
	for b.Loop() {
		region, err := NewRegion(RegionConfig{Model: model, Dim: 10, NoiseVariance: 1e-3, Beta: 1, Threshold: 0}, r)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := KDPP(context.Background(), KDPPConfig{Model: model, NoiseVariance: 1e-3, K: 4}, region.Draw, r); err != nil {
			b.Fatal(err)
		}
	}
}
