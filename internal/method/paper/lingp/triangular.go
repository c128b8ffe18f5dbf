package lingp

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/mahabo/mahabo/internal/gp"
	"github.com/mahabo/mahabo/internal/lbfgsb"
	"github.com/mahabo/mahabo/internal/linalg"
	"github.com/mahabo/mahabo/internal/num"
)

// triangularNugget is added to every precision of the Laplace approximation: no entry
// of U has a standard deviation above 32.
const triangularNugget = 1e-3

// TriangularOptions limit the gradients of FitTriangular. Noise-free likelihoods are
// badly conditioned: no start converges in hundreds of gradients, but the good ones are
// ahead after few.
type TriangularOptions struct {
	Screen    int // gradients of every start
	Finalists int // starts that go on, the best
	Finish    int // gradients of each of these
}

// FitTriangular maximises log p(y) over the mean, the output scale and an upper triangular
// B = U, the factor of a full metric UᵀU, by L-BFGS from several starts. The noise
// variance stays that of the first.
func FitTriangular(ctx context.Context, starts []Hyper, in *Inputs, y []float64, o TriangularOptions) (Hyper, Report, error) {
	if min(o.Screen, o.Finalists, o.Finish) < 1 {
		return Hyper{}, Report{}, fmt.Errorf("gp: Screen, Finalists and Finish are %d, %d and %d: all must be at least 1", o.Screen, o.Finalists, o.Finish)
	}
	t, err := newTriangular(starts[0], in, y)
	if err != nil {
		return Hyper{}, Report{}, err
	}
	runs := make([]triangularRun, len(starts))
	for i, h := range starts {
		runs[i] = triangularRun{start: i, theta: t.parameters(h)}
		if err := t.descend(ctx, &runs[i], o.Screen); err != nil {
			return Hyper{}, t.report, err
		}
	}
	byLoss := func(a, b triangularRun) int { return cmp.Or(cmp.Compare(a.loss, b.loss), a.start-b.start) }
	slices.SortFunc(runs, byLoss)
	runs = runs[:min(o.Finalists, len(runs))]
	for i := range runs {
		if err := t.descend(ctx, &runs[i], o.Finish); err != nil {
			return Hyper{}, t.report, err
		}
	}
	best := slices.MinFunc(runs, byLoss)
	if math.IsInf(best.loss, 1) {
		return Hyper{}, t.report, gp.ErrNoFit
	}
	t.report.Start, t.report.Loss = best.start, best.loss
	return t.hyper(best.theta), t.report, nil
}

// triangularRun is a start and where it has come.
type triangularRun struct {
	start int
	theta []float64
	loss  float64
}

// descend spends up to evals more gradients on a run.
func (t *triangular) descend(ctx context.Context, r *triangularRun, evals int) error {
	res, err := lbfgsb.Minimize(ctx, r.theta, nil, nil, t.loss, lbfgsb.Options{MaxEval: evals})
	t.report.Evals += res.Evaluations
	r.loss = res.F
	if math.IsNaN(r.loss) {
		r.loss = math.Inf(1)
	}
	return err
}

// SampleTriangular returns count hyperparameters: the maximum h that FitTriangular found,
// then draws of U from the Laplace approximation there with a diagonal Hessian,
//
//	U_ab ~ N(U_ab, 1/(|d² log p/dU_ab²| + nugget)).
//
// The absolute value covers a search that ended before its maximum. Mean and output
// scale are those of h.
func SampleTriangular(ctx context.Context, h Hyper, in *Inputs, y []float64, count int, r *rand.Rand) ([]Hyper, error) {
	t, err := newTriangular(h, in, y)
	if err != nil {
		return nil, err
	}
	curvature, err := t.curvature(ctx, h)
	if err != nil {
		return nil, err
	}
	theta := t.parameters(h)
	draw := make([]float64, len(theta))
	samples := []Hyper{h}
	for len(samples) < count {
		copy(draw, theta)
		for k, c := range curvature {
			draw[triangularScalars+k] += r.NormFloat64() / math.Sqrt(math.Abs(c)+triangularNugget)
		}
		samples = append(samples, t.hyper(draw))
	}
	return samples, nil
}

// triangular is the log marginal likelihood as a function of
//
//	theta = (mean, softplus⁻¹(output scale), upper triangle of U row by row).
type triangular struct {
	in     *Inputs
	y      []float64
	noise  float64
	work   *workspace
	z, dZ  linalg.Matrix // d x n: U Xᵀ and the derivative in it
	dU     linalg.Matrix // d x d
	report Report
}

const triangularScalars = 2

func newTriangular(h Hyper, in *Inputs, y []float64) (*triangular, error) {
	if err := h.validate(in.dim); err != nil {
		return nil, err
	}
	d := in.dim
	if h.Profile != gp.RBF || h.B.Rows != d {
		return nil, fmt.Errorf("gp: B is %d x %d: a full metric of %d inputs has a square B", h.B.Rows, h.B.Cols, d)
	}
	return &triangular{
		in: in, y: y, noise: h.NoiseVariance, work: newWorkspace(in.n),
		z: padded(d, in.n), dZ: padded(d, in.n), dU: linalg.New(d, d),
	}, nil
}

func (t *triangular) parameters(h Hyper) []float64 {
	theta := []float64{h.Mean, num.InvSoftplus(h.OutputScale)}
	for a := range t.in.dim {
		theta = append(theta, h.B.Row(a)[a:]...)
	}
	return theta
}

func (t *triangular) hyper(theta []float64) Hyper {
	U := linalg.New(t.in.dim, t.in.dim)
	rest := theta[triangularScalars:]
	for a := range U.Rows {
		rest = rest[copy(U.Row(a)[a:], rest):]
	}
	return Hyper{Kernel: Mahalanobis(U), Mean: theta[0], OutputScale: num.Softplus(theta[1]), NoiseVariance: t.noise}
}

// loss is -log p(y)/n, +Inf where it cannot be computed.
func (t *triangular) loss(grad, theta []float64) float64 {
	value, err := t.logMarginal(grad, theta)
	if err != nil {
		return math.Inf(1)
	}
	n := float64(t.in.n)
	for k := range grad {
		grad[k] /= -n
	}
	return -value / n
}

// logMarginal returns log p(y) and fills grad. With Z = U Xᵀ: d/dU = (d/dZ) X.
func (t *triangular) logMarginal(grad, theta []float64) (float64, error) {
	h := t.hyper(theta)
	projectAll(t.z, h.Kernel, t.in)
	ev, err := t.work.evaluate(t.dZ, t.z, t.y, h)
	t.report.Jitter = max(t.report.Jitter, ev.jitter)
	if err != nil {
		return 0, err
	}
	grad[0] = ev.dMean
	grad[1] = ev.dLogScale / h.OutputScale * num.Sigmoid(theta[1])
	linalg.Gemm(t.dU, 0, 1, t.dZ, t.in.X())
	rest := grad[triangularScalars:]
	for a := range t.dU.Rows {
		rest = rest[copy(rest, t.dU.Row(a)[a:]):]
	}
	return ev.value, nil
}

// curvature returns d² log p/dU_ab² for the upper triangle, by central differences of the
// gradient. An entry beside which the likelihood cannot be computed counts as flat.
func (t *triangular) curvature(ctx context.Context, h Hyper) ([]float64, error) {
	theta := t.parameters(h)
	grad := make([]float64, len(theta))
	out := make([]float64, len(theta)-triangularScalars)
	for k := range out {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		i := triangularScalars + k
		at := theta[i]
		step := 1e-4 + 1e-3*math.Abs(at)
		slope := func(x float64) float64 {
			theta[i] = x
			if _, err := t.logMarginal(grad, theta); err != nil {
				return math.NaN()
			}
			return grad[i]
		}
		out[k] = (slope(at+step) - slope(at-step)) / (2 * step)
		theta[i] = at
		if c := out[k]; c-c != 0 {
			out[k] = 0
		}
	}
	return out, nil
}
