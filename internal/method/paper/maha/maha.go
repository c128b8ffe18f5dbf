package maha

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/mahabo/mahabo/internal/linalg"
	"github.com/mahabo/mahabo/internal/method"
	"github.com/mahabo/mahabo/internal/method/paper/acquisition"
	"github.com/mahabo/mahabo/internal/method/paper/candidate"
	"github.com/mahabo/mahabo/internal/method/paper/lingp"
	"github.com/mahabo/mahabo/internal/num"
	"github.com/mahabo/mahabo/internal/rng"
	"github.com/mahabo/mahabo/strategy"
)

// Method describes maha.
func Method() strategy.Method {
	return strategy.Method{
		Name:      "maha",
		Summary:   "learns a low-dimensional linear structure (Mahalanobis kernel), queries in the full space (EST + k-DPP)",
		Reference: "Horiguchi, Iwata, Tsuzuki & Ozawa 2022",
		Batch:     true,
		Options: []strategy.Option{
			{Key: "d", Default: "1", Meaning: "embedding dimension: a number, or true for the problem's own"},
			{Key: "fit", Default: "adam", Meaning: "adam (10 restarts, as the paper) or lbfgs (one cold start; another, often better method)"},
			{Key: "search", Default: "joint", Meaning: "joint (the five starts as one problem, as BoTorch) or separate (one run each)"},
			{Key: "quirks", Default: "false", Meaning: "true: follow the authors' program where it differs from the paper's text (docs/METHODS.md)"},
		},
		New: newMaha,
	}
}

// Settings of the paper and its program.
const (
	mahaRestarts  = 10   // Adam starts per fit
	mahaStartB    = 1e-4 // standard deviation of the entries of B at a start
	mahaLBFGSEval = 50   // gradient evaluations of fit=lbfgs
	quirkSteps    = 10   // Adam steps after the first point of a batch, quirks only
)

// maha is Maha-BO, the one-step method of the paper (alg:one-step_bo): fit a
// Gaussian process with a Mahalanobis kernel, minimise EST over the box for the
// first point, draw the others of the batch from a k-DPP over the relevance
// region. Fits are cold every round.
type maha struct {
	cfg    strategy.Config
	d      int
	lbfgs  bool
	quirks bool
	kernel func(r *rand.Rand) lingp.Kernel // of a cold start of the fit
	fits   int                             // cold starts per fit
	starts candidate.Options               // of the searches over the box
	method.History
	in     *lingp.Inputs
	hyper  lingp.Hyper // of the last Ask
	report strategy.AskReport
}

var (
	_ strategy.Strategy = (*maha)(nil)
	_ strategy.Reporter = (*maha)(nil)
)

func newMaha(cfg strategy.Config, s strategy.Settings) (strategy.Strategy, error) {
	d, err := method.EmbeddingDim(s, cfg, 1)
	if err != nil {
		return nil, err
	}
	m := newMahaLoop(cfg)
	m.useMahalanobis(d)
	fit, err := method.Choice(s, "fit", "adam", "lbfgs")
	if err != nil {
		return nil, err
	}
	if m.lbfgs = fit == "lbfgs"; m.lbfgs {
		m.fits = 1
	}
	search, err := method.Choice(s, "search", "joint", "separate")
	if err != nil {
		return nil, err
	}
	m.starts.Joint = search == "joint"
	if m.quirks, err = method.Bool(s, "quirks"); err != nil {
		return nil, err
	}
	return m, nil
}

// newMahaLoop is the loop that maha, its two-step variants and rbf share; the kernel
// is still missing.
func newMahaLoop(cfg strategy.Config) *maha {
	return &maha{
		cfg: cfg, History: method.NewHistory(cfg), in: lingp.NewInputs(cfg.Domain.Dim()),
		starts: candidate.Options{Starts: 5, Samples: 100, MaxIter: 1000, Joint: true},
	}
}

// useMahalanobis fits Mahalanobis kernels from ten random matrices B of d rows.
func (m *maha) useMahalanobis(d int) {
	m.d, m.fits = d, mahaRestarts
	m.kernel = func(r *rand.Rand) lingp.Kernel {
		B := linalg.New(m.d, m.Dim)
		for j := range B.Data {
			B.Data[j] = mahaStartB * r.NormFloat64()
		}
		return lingp.Mahalanobis(B)
	}
}

func (m *maha) Tell(obs ...strategy.Observation) error {
	if err := m.Add(obs); err != nil {
		return err
	}
	for _, o := range obs {
		m.in.Append(o.X)
	}
	return nil
}

func (m *maha) Ask(ctx context.Context, n int, pending []strategy.Suggestion) ([]strategy.Suggestion, error) {
	return m.ask(ctx, n, pending, m.propose)
}

func (m *maha) ask(ctx context.Context, n int, pending []strategy.Suggestion, propose method.Proposer) ([]strategy.Suggestion, error) {
	return m.AskModel(ctx, &m.report, n, pending, propose)
}

// LastAsk says how the last Ask went.
func (m *maha) LastAsk() strategy.AskReport { return m.report }

// propose fits the model and chooses n points with it.
func (m *maha) propose(ctx context.Context, n int, pending []strategy.Point) ([]strategy.Point, error) {
	t, err := m.learn(ctx, pending)
	if err != nil {
		return nil, err
	}
	first, _, err := m.minimise(ctx, t.model, t.beta, t.stream("first"))
	if err != nil {
		return nil, err
	}
	return m.complete(ctx, t, first, n)
}

// learn fits the model and estimates EST's weight of the standard deviation.
func (m *maha) learn(ctx context.Context, pending []strategy.Point) (task, error) {
	stream := func(purpose string) *rand.Rand {
		return rng.New(m.cfg.Seed, uint64(len(m.X)), uint64(len(pending)), rng.Purpose(purpose))
	}
	y, best := method.Standardise(m.Y)
	hyper, err := m.fit(ctx, y, stream("fit"))
	if err != nil {
		return task{}, err
	}
	m.hyper, m.report.EmbeddingDim = hyper, m.d
	in, y, err := lingp.Believe(hyper, m.in, y, pending)
	if err != nil {
		return task{}, err
	}
	model, err := lingp.NewModel(hyper, in, y)
	if err != nil {
		return task{}, err
	}
	m.report.Jitter = max(m.report.Jitter, model.Jitter())
	return task{model: model, in: in, y: y, beta: estBeta(m.cfg.Threads, model, best, stream("est")), stream: stream}, nil
}

// complete adds to the first point of a batch the other n-1.
func (m *maha) complete(ctx context.Context, t task, first []float64, n int) ([]strategy.Point, error) {
	points := []strategy.Point{first}
	if n == 1 {
		return points, nil
	}
	rest, err := m.batch(ctx, t, first, n-1)
	for _, x := range rest {
		points = append(points, x)
	}
	return points, err
}

// fit learns the hyperparameters from standardised values, from scratch.
func (m *maha) fit(ctx context.Context, y []float64, r *rand.Rand) (lingp.Hyper, error) {
	starts := make([]lingp.Hyper, m.fits)
	for i := range starts {
		starts[i] = lingp.Hyper{
			Kernel:        m.kernel(r),
			OutputScale:   num.Softplus(0),
			NoiseVariance: num.Softplus(0) + lingp.MinNoise,
		}
	}
	var h lingp.Hyper
	var report lingp.Report
	var err error
	if m.lbfgs {
		h, report, err = lingp.FitLBFGS(ctx, starts, m.in, y, mahaLBFGSEval)
	} else {
		h, report, err = lingp.FitAdam(ctx, starts, m.in, y, lingp.AdamOptions{Threads: m.cfg.Threads})
	}
	m.report.Jitter = report.Jitter
	return h, err
}

// minimise searches the box for the lowest mean - beta*std.
func (m *maha) minimise(ctx context.Context, model *lingp.Model, beta float64, r *rand.Rand) ([]float64, float64, error) {
	var f acquisition.Function = &acquisition.LCB{Model: model, Beta: beta}
	if m.quirks {
		f = &singlePrecision{f, nil}
	}
	return candidate.Minimize(ctx, f, m.Dim, m.starts, r)
}

// singlePrecision rounds what the optimiser sees of f as the authors' program did.
// Where f is nearly flat the search then ends early.
type singlePrecision struct {
	f acquisition.Function
	x []float64
}

func (s *singlePrecision) Value(x []float64) float64 {
	return float64(float32(s.f.Value(s.rounded(x))))
}

func (s *singlePrecision) ValueGrad(grad, x []float64) float64 {
	v := s.f.ValueGrad(grad, s.rounded(x))
	for j, g := range grad {
		grad[j] = float64(float32(g))
	}
	return float64(float32(v))
}

func (s *singlePrecision) rounded(x []float64) []float64 {
	s.x = s.x[:0]
	for _, v := range x {
		s.x = append(s.x, float64(float32(v)))
	}
	return s.x
}

// batch draws the points after the first from a k-DPP over the relevance region;
// its kernel is the posterior covariance after the first point.
func (m *maha) batch(ctx context.Context, t task, first []float64, k int) ([][]float64, error) {
	after, err := t.model.Condition(first)
	if err != nil {
		return nil, err
	}
	given := after.(interface {
		lingp.Batch
		candidate.Covariance
	})
	upperModel := t.model
	if m.quirks {
		if upperModel, err = t.refitted(ctx, first); err != nil {
			return nil, err
		}
		given = upperModel
	}
	_, threshold, err := m.minimise(ctx, upperModel, -t.beta, t.stream("threshold"))
	if err != nil {
		return nil, err
	}
	if m.quirks {
		threshold = -threshold
	}
	hyper := upperModel.Hyper()
	region, err := candidate.NewRegion(candidate.RegionConfig{
		Model: given, Dim: m.Dim, NoiseVariance: hyper.NoiseVariance, Beta: t.beta, Threshold: threshold,
	}, t.stream("region"))
	if err != nil {
		return nil, err
	}
	return candidate.KDPP(ctx, candidate.KDPPConfig{
		Model: given, NoiseVariance: hyper.NoiseVariance, K: k,
	}, region.Draw, t.stream("k-DPP"))
}

// task is the state of one Ask after the fit.
type task struct {
	model  *lingp.Model
	in     *lingp.Inputs
	y      []float64
	beta   float64
	stream func(purpose string) *rand.Rand
}

// refitted is the program's model after the first point: the point enters with
// value 0 and Adam takes ten more steps.
func (t task) refitted(ctx context.Context, first []float64) (*lingp.Model, error) {
	in := t.in.Clone()
	in.Append(first)
	y := append(append([]float64(nil), t.y...), 0)
	h, _, err := lingp.FitAdam(ctx, []lingp.Hyper{t.model.Hyper()}, in, y, lingp.AdamOptions{MaxSteps: quirkSteps})
	if err != nil {
		return nil, err
	}
	return lingp.NewModel(h, in, y)
}

// estBeta estimates EST's weight of the standard deviation from the posterior at
// uniform points of the box.
func estBeta(threads int, model *lingp.Model, best float64, r *rand.Rand) float64 {
	const chunk = 250
	low, dim := model.Hyper().Dims()
	count := acquisition.ESTPoints(dim)
	mean, std := make([]float64, count), make([]float64, count)
	fill, x := rng.NewFiller(r), linalg.New(chunk, dim)
	var z linalg.Matrix
	ard := model.Hyper().B.Rows == 0
	if !ard {
		z = linalg.New(count, low)
	}
	for i := 0; i < count; i += chunk {
		rows := min(chunk, count-i)
		fill.Uniform(x.Data[:rows*dim])
		part := x.Slice(0, rows, 0, dim)
		if ard { // z is no smaller than x: predict while x is at hand
			model.PredictBatch(mean[i:i+rows], std[i:i+rows], part)
			continue
		}
		model.Project(z.Slice(i, i+rows, 0, low), part)
	}
	if !ard {
		model.PredictProjected(threads, mean, std, z)
	}
	for i, v := range std {
		std[i] = math.Sqrt(v)
	}
	beta, _ := acquisition.EST(mean, std, best)
	return beta
}

// Predict returns what the model of the last Ask expects at a point.
func (m *maha) Predict(x strategy.Point) (mean, std float64, ok bool) {
	return m.PredictBy(x, func() (*method.Forecast, error) { return lingp.NewForecast(m.hyper, m.in, m.Y) })
}
