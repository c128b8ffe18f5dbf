package silbo

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/mahabo/mahabo/internal/cmaes"
	"github.com/mahabo/mahabo/internal/design"
	"github.com/mahabo/mahabo/internal/lbfgsb"
	"github.com/mahabo/mahabo/internal/linalg"
	"github.com/mahabo/mahabo/internal/method"
	"github.com/mahabo/mahabo/internal/method/paper/embed"
	"github.com/mahabo/mahabo/internal/method/paper/lingp"
	"github.com/mahabo/mahabo/internal/rng"
	"github.com/mahabo/mahabo/strategy"
)

// Method describes silbo.
func Method() strategy.Method {
	return strategy.Method{
		Name:      "silbo",
		Summary:   "learns a linear embedding by sliced inverse regression, finds z in it and a point near z by CMA-ES; to compare with maha",
		Reference: "Chen, Zhu, Yuan & Huang 2020 (arXiv:2005.14601), SILBO-TD",
		Options: []strategy.Option{
			{Key: "d", Default: "", Meaning: "embedding dimension: a number, or true for the problem's own (default: true where known, else 2)"},
		},
		New: newSilbo,
	}
}

// Settings of the authors' program.
const (
	silboPeriod     = 20   // observations between two embeddings
	silboLabelled   = 50   // best points an embedding is learned from
	silboUnlabelled = 50   // points without a value for the first embedding
	silboNeighbours = 7    // of the graphs
	silboAlpha      = 0.1  // weight of the graph of all points
	silboRidge      = 0.01 // of the metric
	silboGrid       = 2000 // places z that are compared
	silboStdDev     = 0.5  // of the first generation of the reconstruction
	silboFitEvals   = 50   // gradients per fit
	silboDefaultDim = 2    // where the problem's own dimension is not known
)

// silbo is SILBO-TD: B is learned from the observations, a Gaussian process on z = Bx
// chooses z*, and two generations of CMA-ES look for the x of the box that minimises
// |Bx - z*|². So few reach z* only when D is small.
//
// Embedding number e follows from the first Init + 20e observations alone, so that
// telling them again restores it. Its points without a value are the trail of the
// search that asked for the last of them when no other point was pending; that round
// is repeated.
type silbo struct {
	cfg strategy.Config
	d   int
	method.History
	maps   []learned // all embeddings so far
	last   played
	fits   lingp.Tied
	report strategy.AskReport
}

// learned is an embedding, or why there is none: the points before it may have no
// direction to learn.
type learned struct {
	B     linalg.Matrix
	err   error
	theta []float64 // fit to the points before it, where later fits begin; nil until needed
}

// played is the trail of the last search without pending points, which the next
// embedding may need; it saves the repetition and decides nothing.
type played struct {
	count int // observations before it
	trail []strategy.Point
}

var (
	_ strategy.Strategy = (*silbo)(nil)
	_ strategy.Reporter = (*silbo)(nil)
)

func newSilbo(cfg strategy.Config, s strategy.Settings) (strategy.Strategy, error) {
	fallback := cfg.TrueDim
	if fallback == 0 {
		fallback = silboDefaultDim
	}
	d, err := method.EmbeddingDim(s, cfg, fallback)
	if err != nil {
		return nil, err
	}
	return &silbo{cfg: cfg, d: d, History: method.NewHistory(cfg)}, nil
}

func (s *silbo) Tell(obs ...strategy.Observation) error { return s.Add(obs) }

// LastAsk says how the last Ask went.
func (s *silbo) LastAsk() strategy.AskReport { return s.report }

func (s *silbo) Ask(ctx context.Context, n int, pending []strategy.Suggestion) ([]strategy.Suggestion, error) {
	return s.AskPoints(ctx, n, pending, s.choose)
}

// choose returns n points.
func (s *silbo) choose(ctx context.Context, n int, pending []strategy.Point) ([]strategy.Point, error) {
	s.report = strategy.AskReport{EmbeddingDim: s.d}
	seen := len(s.X) + len(pending)
	if seen < s.cfg.Init || len(s.X) == 0 {
		return method.InitialDesign(s.cfg, seen, n), nil
	}
	points, err := s.propose(ctx, n, pending)
	if err != nil && ctx.Err() == nil {
		s.report.Fallback = err
		return method.UniformAfterDesign(s.cfg, seen, n), nil
	}
	return points, err
}

// propose chooses n points one after the other; each then waits with the pending ones.
func (s *silbo) propose(ctx context.Context, n int, pending []strategy.Point) ([]strategy.Point, error) {
	B, err := s.embedding(ctx)
	if err != nil {
		return nil, err
	}
	v, err := s.learn(ctx, B, len(s.X))
	if err != nil {
		return nil, err
	}
	waiting := slices.Clone(pending)
	for range n {
		trail, err := s.search(ctx, v, waiting)
		if err != nil {
			return nil, err
		}
		if len(waiting) == 0 {
			s.last = played{len(s.X), trail}
		}
		waiting = append(waiting, slices.Clone(trail[len(trail)-1]))
	}
	return waiting[len(pending):], nil
}

// stream names the random numbers of a round by the observations and pending points
// before it.
func (s *silbo) stream(count, pending int, purpose string) *rand.Rand {
	return rng.New(s.cfg.Seed, uint64(count), uint64(pending), rng.Purpose("silbo "+purpose))
}

// embedding returns the embedding to use after the observations told, learning those
// that are missing.
func (s *silbo) embedding(ctx context.Context) (linalg.Matrix, error) {
	if len(s.X) < s.cfg.Init { // the rest of the design is pending
		return s.regress(len(s.X), s.hypercube())
	}
	now := (len(s.X) - s.cfg.Init) / silboPeriod
	for e := len(s.maps); e <= now; e++ {
		unlabelled, err := s.unlabelled(ctx, e)
		if err != nil {
			return linalg.Matrix{}, err
		}
		B, err := s.regress(s.cfg.Init+e*silboPeriod, unlabelled)
		s.maps = append(s.maps, learned{B: B, err: err})
	}
	return s.maps[now].B, s.maps[now].err
}

// unlabelled returns the points without a value for embedding e: the trail of the search
// that asked for the last point before it, or a Latin hypercube where there was none.
func (s *silbo) unlabelled(ctx context.Context, e int) (linalg.Matrix, error) {
	if e == 0 || s.maps[e-1].err != nil {
		return s.hypercube(), nil
	}
	trail, err := s.replay(ctx, e)
	switch {
	case ctx.Err() != nil:
		return linalg.Matrix{}, ctx.Err()
	case err != nil: // the round had fallen back
		return s.hypercube(), nil
	}
	return stack(trail), nil
}

// replay returns the trail of the search that asked for the last point before embedding e
// when no other point was pending.
func (s *silbo) replay(ctx context.Context, e int) ([]strategy.Point, error) {
	count := s.cfg.Init + e*silboPeriod - 1
	if s.last.count == count {
		return s.last.trail, nil
	}
	v, err := s.learn(ctx, s.maps[e-1].B, count)
	if err != nil {
		return nil, err
	}
	return s.search(ctx, v, nil)
}

func (s *silbo) hypercube() linalg.Matrix {
	x := linalg.New(silboUnlabelled, s.Dim)
	design.LatinHypercube(x, s.stream(s.cfg.Init, 0, "unlabelled"))
	return x
}

// stack returns a matrix with the points as rows.
func stack(points []strategy.Point) linalg.Matrix {
	x := linalg.New(len(points), len(points[0]))
	for i, p := range points {
		copy(x.Row(i), p)
	}
	return x
}

// regress learns B from the best of the first count observations.
func (s *silbo) regress(count int, unlabelled linalg.Matrix) (linalg.Matrix, error) {
	order := make([]int, count)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(s.Y[i], s.Y[j]) })
	var x []strategy.Point
	var y []float64
	for _, i := range order[:min(count, silboLabelled)] {
		x, y = append(x, s.X[i]), append(y, s.Y[i])
	}
	return embed.SIR{
		Dim: s.d, Slices: s.d + 1, Neighbours: silboNeighbours, Alpha: silboAlpha, Ridge: silboRidge,
	}.Learn(stack(x), y, unlabelled)
}

// view is what a round knows of the function: the observations seen through B.
type view struct {
	B     linalg.Matrix
	count int // observations
	in    *lingp.Inputs
	y     []float64
	model *lingp.Model // until the next fit
}

// learn fits the Gaussian process to the first count observations.
func (s *silbo) learn(ctx context.Context, B linalg.Matrix, count int) (view, error) {
	theta, err := s.start(ctx, B, count)
	if err != nil {
		return view{}, err
	}
	v := s.look(B, count)
	v.model, err = fitIsotropic(ctx, theta, &s.fits, v.in, v.y)
	return v, err
}

// look returns the first count observations seen through B.
func (s *silbo) look(B linalg.Matrix, count int) view {
	v := view{B: B, count: count, in: lingp.NewInputs(B.Rows)}
	z := make([]float64, B.Rows)
	for _, x := range s.X[:count] {
		embed.Linear{B: B}.Apply(z, x)
		v.in.Append(z)
	}
	v.y, _ = method.Standardise(s.Y[:count])
	return v
}

// start returns where the fit to the first count observations begins: at the fit to those
// that the embedding was learned from, which itself begins at length-scale, output scale
// and noise variance 1.
func (s *silbo) start(ctx context.Context, B linalg.Matrix, count int) ([]float64, error) {
	e := (count - s.cfg.Init) / silboPeriod
	first := s.cfg.Init + e*silboPeriod
	if count <= first {
		return make([]float64, 3), nil
	}
	if s.maps[e].theta == nil {
		v, theta := s.look(B, first), make([]float64, 3)
		if _, err := fitIsotropic(ctx, theta, &s.fits, v.in, v.y); err != nil {
			return nil, err
		}
		s.maps[e].theta = theta
	}
	return slices.Clone(s.maps[e].theta), nil
}

// fitIsotropic maximises the marginal likelihood of a Matérn-5/2 kernel with one
// length-scale for all coordinates and mean 0 over theta, the logarithms of length-scale,
// output scale and noise variance, from the theta given. The likelihood is memory to use;
// the model holds until its next use.
func fitIsotropic(ctx context.Context, theta []float64, likelihood *lingp.Tied, in *lingp.Inputs, y []float64) (*lingp.Model, error) {
	likelihood.Reset(in)
	loss := func(grad, theta []float64) float64 {
		n := float64(len(y))
		value, g, err := likelihood.LogMarginal(math.Exp(theta[0]), math.Exp(theta[1]), math.Exp(theta[2]), y)
		if err != nil {
			return math.Inf(1)
		}
		for i, v := range g {
			grad[i] = -v / n
		}
		return -value / n
	}
	limit := math.Log(1e3)
	lower, upper := []float64{-limit, -limit, math.Log(lingp.MinNoise)}, []float64{limit, limit, limit}
	if _, err := lbfgsb.Minimize(ctx, theta, lower, upper, loss, lbfgsb.Options{MaxEval: silboFitEvals}); err != nil {
		return nil, err
	}
	return likelihood.Model(math.Exp(theta[0]), math.Exp(theta[1]), math.Exp(theta[2]), y)
}

// search returns the best points of the box after each generation; the last is the one
// to ask for.
func (s *silbo) search(ctx context.Context, v view, pending []strategy.Point) ([]strategy.Point, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	z, err := s.target(v, pending)
	if err != nil {
		return nil, err
	}
	return reconstruct(v.B, z, s.stream(v.count, len(pending), "reconstruction"))
}

// target returns z*, the place of the lowest mean - kappa*std on a Latin hypercube of
// [-c,c]^d, c = max_j |sum_a B_aj|. kappa² = 2 log(n^(d/2+2) pi²/0.3), n the size of the
// initial design.
func (s *silbo) target(v view, pending []strategy.Point) ([]float64, error) {
	low := v.B.Rows
	model, err := v.believing(pending)
	if err != nil {
		return nil, err
	}
	s.report.Jitter = max(s.report.Jitter, model.Jitter())
	grid := linalg.New(silboGrid, low)
	design.LatinHypercube(grid, s.stream(v.count, len(pending), "grid"))
	c := 0.0
	for j := range v.B.Cols {
		sum := 0.0
		for a := range low {
			sum += v.B.At(a, j)
		}
		c = max(c, math.Abs(sum))
	}
	for i := range grid.Data {
		grid.Data[i] *= c
	}
	kappa := math.Sqrt(2 * ((float64(s.d)/2+2)*math.Log(float64(s.cfg.Init)) + math.Log(math.Pi*math.Pi/0.3)))
	return grid.Row(model.LowestBound(grid, kappa)), nil
}

// believing returns the model after the pending points.
func (v view) believing(pending []strategy.Point) (*lingp.Model, error) {
	if len(pending) == 0 {
		return v.model, nil
	}
	waiting := make([]strategy.Point, len(pending))
	for i, x := range pending {
		waiting[i] = make(strategy.Point, v.B.Rows)
		embed.Linear{B: v.B}.Apply(waiting[i], x)
	}
	in, y, err := lingp.Believe(v.model.Hyper(), v.in, v.y, waiting)
	if err != nil {
		return nil, err
	}
	return lingp.NewModel(v.model.Hyper(), in, y)
}

// reconstruct returns the best x for |Bx - z|² after each of two generations of CMA-ES in
// the box, from the centre.
func reconstruct(B linalg.Matrix, z []float64, r *rand.Rand) ([]strategy.Point, error) {
	dim := B.Cols
	lower, upper := make([]float64, dim), make([]float64, dim)
	for j := range lower {
		lower[j], upper[j] = -1, 1
	}
	search, err := cmaes.New(cmaes.Config{Mean: make([]float64, dim), StdDev: silboStdDev, Lower: lower, Upper: upper})
	if err != nil {
		return nil, err
	}
	var trail []strategy.Point
	best, least := make(strategy.Point, dim), math.Inf(1)
	x, zx := make([]float64, dim), make([]float64, len(z))
	us, values := make([][]float64, search.Population()), make([]float64, search.Population())
	for generation := range 2 {
		if generation > 0 {
			search.Tell(us, values)
		}
		for i := range us {
			us[i] = make([]float64, dim)
			search.Sample(us[i], r)
			search.Fold(x, us[i])
			embed.Linear{B: B}.Apply(zx, x)
			linalg.Axpy(zx, -1, z)
			values[i] = linalg.Dot(zx, zx)
			if values[i] < least {
				copy(best, x)
				least = values[i]
			}
		}
		trail = append(trail, slices.Clone(best))
	}
	return trail, nil
}
