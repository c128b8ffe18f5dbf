package lingp

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/mahabo/mahabo/internal/linalg"
)

// fixture is one case of testdata/gp.json, made with GPyTorch (versions in the
// file's meta).
type fixture struct {
	Kernel       string
	X, Xstar, B  [][]float64
	LengthScales []float64 `json:"lengthscale"`
	Y            []float64
	OutputScale  float64     `json:"outputscale"`
	Noise        float64     `json:"noise"`
	Mean         float64     `json:"mean"`
	LogMarginal  float64     `json:"log_marginal"`
	PostMean     []float64   `json:"post_mean"`
	PostCov      [][]float64 `json:"post_cov"`
	GradPostMean [][]float64 `json:"grad_post_mean"`
	GradPostVar  [][]float64 `json:"grad_post_var"`
	DB           [][]float64 `json:"dL_dB"`
	DLogLength   []float64   `json:"dL_dlog_lengthscale"`
	DLogNoise    float64     `json:"dL_dlog_noise"`
	DLogScale    float64     `json:"dL_dlog_outputscale"`
	DMean        float64     `json:"dL_dmean"`
}

func fixtures(t testing.TB) []fixture {
	t.Helper()
	raw, err := os.ReadFile("testdata/gp.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Cases []fixture }
	if err := json.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	return file.Cases
}

func matrixOf(rows [][]float64) linalg.Matrix {
	m := linalg.New(len(rows), len(rows[0]))
	for i, r := range rows {
		copy(m.Row(i), r)
	}
	return m
}

func inputsOf(rows [][]float64) *Inputs {
	in := NewInputs(len(rows[0]))
	for _, r := range rows {
		in.Append(r)
	}
	return in
}

func (f fixture) hyper(t testing.TB) Hyper {
	h := Hyper{OutputScale: f.OutputScale, NoiseVariance: f.Noise, Mean: f.Mean}
	switch f.Kernel {
	case "mahalanobis":
		h.Kernel = Mahalanobis(matrixOf(f.B))
	case "rbf_ard":
		h.Kernel = RBFARD(f.LengthScales)
	case "matern52_ard":
		h.Kernel = Matern52ARD(f.LengthScales)
	default:
		t.Fatalf("unknown kernel %q in the fixture", f.Kernel)
	}
	return h
}

// tolerance is relative to the largest entry compared.
const tolerance = 1e-8

func checkClose(t *testing.T, what string, got, want []float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d numbers, want %d", what, len(got), len(want))
	}
	scale := 0.0
	for _, w := range want {
		scale = max(scale, math.Abs(w))
	}
	for i := range want {
		if !(math.Abs(got[i]-want[i]) <= tolerance*scale) {
			t.Errorf("%s[%d] = %.15g, want %.15g (off by %.1e of the largest)", what, i, got[i], want[i], math.Abs(got[i]-want[i])/scale)
		}
	}
}

func TestLogMarginalMatchesGPyTorch(t *testing.T) {
	for _, f := range fixtures(t) {
		t.Run(f.Kernel, func(t *testing.T) {
			value, grad, jitter, err := LogMarginal(f.hyper(t), inputsOf(f.X), f.Y)
			if err != nil || jitter != 0 {
				t.Fatalf("jitter %g, error %v", jitter, err)
			}
			checkClose(t, "value", []float64{value}, []float64{f.LogMarginal})
			want := f.DLogLength
			if len(f.DB) > 0 {
				want = matrixOf(f.DB).Data
			}
			for j, l := range f.LengthScales {
				grad.Map[j] *= l
			}
			checkClose(t, "gradient in the map", grad.Map, want)
			checkClose(t, "gradient in log noise", []float64{grad.LogNoise}, []float64{f.DLogNoise})
			checkClose(t, "gradient in log output scale", []float64{grad.LogOutputScale}, []float64{f.DLogScale})
			checkClose(t, "gradient in the mean", []float64{grad.Mean}, []float64{f.DMean})
		})
	}
}

func TestPosteriorMatchesGPyTorch(t *testing.T) {
	for _, f := range fixtures(t) {
		t.Run(f.Kernel, func(t *testing.T) {
			m, err := NewModel(f.hyper(t), inputsOf(f.X), f.Y)
			if err != nil {
				t.Fatal(err)
			}
			stars := matrixOf(f.Xstar)
			n := stars.Rows
			mean, variance := make([]float64, n), make([]float64, n)
			m.PredictBatch(mean, variance, stars)
			checkClose(t, "batch mean", mean, f.PostMean)
			for i := range n {
				x := stars.Row(i)
				pm, pv := m.Predict(x)
				checkClose(t, "mean and variance", []float64{pm, pv}, []float64{f.PostMean[i], f.PostCov[i][i]})
				checkClose(t, "batch variance", variance[i:i+1], []float64{f.PostCov[i][i]})
				dMean, dVar := make([]float64, m.Dim()), make([]float64, m.Dim())
				gm, gv := m.PredictGrad(dMean, dVar, x)
				checkClose(t, "mean and variance beside the gradient", []float64{gm, gv}, []float64{f.PostMean[i], f.PostCov[i][i]})
				checkClose(t, "gradient of the mean", dMean, f.GradPostMean[i])
				checkClose(t, "gradient of the variance", dVar, f.GradPostVar[i])
				row := make([]float64, n)
				for j := range n {
					row[j] = m.Cov(x, stars.Row(j))
				}
				checkClose(t, "covariance", row, f.PostCov[i])
			}
		})
	}
}
