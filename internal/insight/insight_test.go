package insight_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/mahabo/mahabo/internal/insight"
	"github.com/mahabo/mahabo/internal/linalg"
	"github.com/mahabo/mahabo/internal/problem"
	"github.com/mahabo/mahabo/space"
)

// sample evaluates f at uniform points of [-1,1]^dim.
func sample(t testing.TB, n, dim int, f func(x []float64) float64) insight.Data {
	t.Helper()
	s, err := space.New(space.Float(fmt.Sprintf("x[0:%d]", dim-1), -1, 1))
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 7))
	d := insight.Data{Space: s}
	for i := range n {
		x := make([]float64, dim)
		for j := range x {
			x[j] = 2*r.Float64() - 1
		}
		d.Observations = append(d.Observations, insight.Observation{ID: i + 1, X: x, Value: f(x)})
	}
	return d
}

func analyse(t testing.TB, d insight.Data) *insight.Analysis {
	t.Helper()
	a, err := insight.Analyse(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// embedded hides a problem in dim parameters and returns the matrix that does.
func embedded(t *testing.T, name string, dim int) (f func([]float64) float64, A linalg.Matrix) {
	t.Helper()
	p, err := problem.New(name, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(3, 1))
	A = linalg.New(p.Dim, dim)
	for i := range A.Rows {
		var norm float64
		for j := range dim {
			A.Set(i, j, r.NormFloat64())
			norm += math.Abs(A.At(i, j))
		}
		for j := range dim {
			A.Set(i, j, A.At(i, j)/norm)
		}
	}
	q, err := problem.EmbedMatrix(p, A)
	if err != nil {
		t.Fatal(err)
	}
	return q.Eval, A
}

// cosine is that of the angle between a direction and the span of A's rows.
func cosine(A linalg.Matrix, d insight.Direction) float64 {
	v := make([]float64, A.Cols)
	for _, l := range d.Loadings {
		var j int
		if _, err := fmt.Sscanf(l.Param, "x%d", &j); err != nil {
			return 0
		}
		v[j] = l.Value
	}
	var basis [][]float64
	var square float64
	for i := range A.Rows {
		b := append([]float64(nil), A.Row(i)...)
		for _, other := range basis {
			linalg.Axpy(b, -linalg.Dot(b, other), other)
		}
		length := math.Sqrt(linalg.Dot(b, b))
		for j := range b {
			b[j] /= length
		}
		basis = append(basis, b)
		square += linalg.Dot(b, v) * linalg.Dot(b, v)
	}
	return math.Sqrt(square)
}

func TestPlantedDirectionsAreFound(t *testing.T) {
	for _, c := range []struct {
		problem string
		n, dim  int
		least   float64
	}{
		{"branin", 100, 50, 0.9}, {"branin", 100, 100, 0.8}, {"hartmann6", 100, 100, 0.85}, {"hartmann6", 60, 6, 0.99},
	} {
		f, A := embedded(t, c.problem, c.dim)
		a := analyse(t, sample(t, c.n, c.dim, f))
		if a.Structure != insight.LowDimensional || len(a.Directions) == 0 {
			t.Errorf("%s, %d points, D = %d: %s", c.problem, c.n, c.dim, a.Verdict)
			continue
		}
		for k, d := range a.Directions {
			got := cosine(A, d)
			if got < c.least || d.Accuracy > got+0.1 {
				t.Errorf("%s, %d points, D = %d: direction %d has cosine %.2f, said to be %.2f", c.problem, c.n, c.dim, k+1, got, d.Accuracy)
			}
		}
	}
}

// A ridge that is not linear is seen by the refined directions only.
func TestRidge(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	d := sample(t, 100, 10, func(x []float64) float64 { return math.Sin(2.1*(x[0]-x[1])) + 0.1*r.NormFloat64() })
	a := analyse(t, d)
	if len(a.Directions) != 1 {
		t.Fatalf("%d directions: %s", len(a.Directions), a.Verdict)
	}
	dir := a.Directions[0]
	if s := dir.Sentence; s != "raise x1 while lowering x0" && s != "raise x0 while lowering x1" {
		t.Errorf("the direction means %q", s)
	}
	if p := a.Importances; p[0].Share+p[1].Share < 0.9 || p[2].Share > 0.05 {
		t.Errorf("importances %+v", p[:3])
	}
	if c := a.Calibration; c.R2 < 0.8 || c.Coverage90 < 0.8 || c.Method != insight.HeldOut {
		t.Errorf("calibration %+v", c.Verdict)
	}
	if r := dir.Response; len(r.At) != len(r.Median) || r.At[0] >= 0 && r.At[len(r.At)-1] <= 0 || len(r.Seen) != 100 {
		t.Errorf("response from %g to %g, %d trials", r.At[0], r.At[len(r.At)-1], len(r.Seen))
	}
}

func TestNothingIsFoundWhereNothingIs(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	noise := func([]float64) float64 { return r.NormFloat64() }
	sphere := func(centre float64) func([]float64) float64 {
		return func(x []float64) (sum float64) {
			for _, v := range x {
				sum += (v - centre) * (v - centre)
			}
			return sum
		}
	}
	for _, c := range []struct {
		name   string
		n, dim int
		f      func([]float64) float64
		want   insight.Structure
	}{
		{"noise", 30, 5, noise, insight.Unpredictable},
		{"noise", 100, 20, noise, insight.Unpredictable},
		{"noise", 60, 200, noise, insight.Unpredictable},
		{"sphere", 60, 5, sphere(0), insight.ManyMatter},
		{"sphere", 150, 20, sphere(0), insight.ManyMatter},
		{"sphere beside the centre", 150, 20, sphere(0.3), insight.ManyMatter},
		{"sphere beside the centre", 150, 100, sphere(0.3), insight.ManyMatter},
	} {
		a := analyse(t, sample(t, c.n, c.dim, c.f))
		if a.Structure != c.want || len(a.Directions) > 0 {
			t.Errorf("%s, %d points, D = %d: %s", c.name, c.n, c.dim, a.Verdict)
		}
		if c.want == insight.Unpredictable && a.Calibration.R2 > 0.2 {
			t.Errorf("%s: %.2f of the variance is said to be predicted", c.name, a.Calibration.R2)
		}
	}
}

func TestImportancesFindTheActiveParameters(t *testing.T) {
	p, err := problem.New("branin", 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	a := analyse(t, sample(t, 150, 20, func(x []float64) float64 { return p.Eval([]float64{x[3], -x[11]}) }))
	top := map[string]bool{a.Importances[0].Param: true, a.Importances[1].Param: true}
	if !top["x3"] || !top["x11"] {
		t.Errorf("the most important are %+v", a.Importances[:3])
	}
	if others := a.Importances[2:]; len(others) != 18 || others[0].Share > 0.02 {
		t.Errorf("of the others the most important is %+v", others[0])
	}
}

// Values drawn from a process that the model knows are inside their intervals as often
// as these say.
func TestCalibrationOnDraws(t *testing.T) {
	const n, dim = 150, 3
	r := rand.New(rand.NewPCG(4, 4))
	d := sample(t, n, dim, func([]float64) float64 { return 0 })
	K, z := linalg.New(n, n), make([]float64, n)
	for i := range n {
		z[i] = r.NormFloat64()
		for j := range n {
			var r2 float64
			for k, v := range d.Observations[i].X {
				r2 += (v - d.Observations[j].X[k]) * (v - d.Observations[j].X[k])
			}
			K.Set(i, j, 4*math.Exp(-r2/2))
		}
		K.Set(i, i, 4+0.05)
	}
	if err := linalg.Cholesky(K); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		d.Observations[i].Value = 10 + linalg.Dot(K.Row(i)[:i+1], z[:i+1])
	}
	c := analyse(t, d).Calibration
	if c.Coverage90 < 0.83 || c.Coverage90 > 0.97 || c.Coverage50 < 0.38 || c.Coverage50 > 0.62 || c.Spread < 0.85 || c.Spread > 1.2 || c.R2 < 0.9 {
		t.Errorf("coverage %.2f and %.2f, spread %.2f, R² %.2f", c.Coverage50, c.Coverage90, c.Spread, c.R2)
	}
	if !strings.Contains(c.Verdict, "well") || !strings.Contains(c.Verdict, "honest") {
		t.Error(c.Verdict)
	}
}

func TestMaximizeIsMinimizeUpsideDown(t *testing.T) {
	d := sample(t, 60, 4, func(x []float64) float64 { return x[0] - 2*x[2] })
	down := analyse(t, d)
	for i := range d.Observations {
		d.Observations[i].Value *= -1
	}
	d.Maximize = true
	up := analyse(t, d)
	if up.Best.ID != down.Best.ID || up.Best.Value != -down.Best.Value || up.Directions[0].Sentence != down.Directions[0].Sentence {
		t.Errorf("best %+v and %+v, %q and %q", up.Best, down.Best, up.Directions[0].Sentence, down.Directions[0].Sentence)
	}
	if got := up.Directions[0].Sentence; got != "raise x2 while lowering x0" {
		t.Errorf("the way up is to %q", got)
	}
	m, n := up.Slices[0].Median[0], down.Slices[0].Median[0]
	if math.Abs(m+n) > 1e-9*math.Abs(m) {
		t.Errorf("slices begin at %g and %g", m, n)
	}
}

func TestSameSeedSameBytes(t *testing.T) {
	d := sample(t, 40, 6, func(x []float64) float64 { return math.Exp(x[0]) + x[1]*x[2] })
	first, err := json.Marshal(analyse(t, d))
	if err != nil {
		t.Fatal(err)
	}
	second, _ := json.Marshal(analyse(t, d))
	if string(first) != string(second) {
		t.Error("the same data gave two analyses")
	}
}

func BenchmarkAnalyse(b *testing.B) {
	for _, c := range [][2]int{{100, 20}, {500, 1000}, {500, 10000}} {
		b.Run(fmt.Sprintf("n=%d/D=%d", c[0], c[1]), func(b *testing.B) {
			d := sample(b, c[0], c[1], func(x []float64) float64 { return x[0] + x[1]*x[2] })
			for b.Loop() {
				analyse(b, d)
			}
		})
	}
}
