package lingp

import (
	"context"
	"math"

	"github.com/mahabo/mahabo/internal/adam"
	"github.com/mahabo/mahabo/internal/gp"
	"github.com/mahabo/mahabo/internal/linalg"
	"github.com/mahabo/mahabo/internal/parallel"
)

// AdamOptions are the settings of FitAdam; zero fields get the paper's.
type AdamOptions struct {
	MaxSteps  int     // 1000
	Rate      float64 // 0.1
	Tolerance float64 // of the stopping rule, 1e-5
	Threads   int     // goroutines, 1; the result does not depend on it
}

func (o AdamOptions) withDefaults() AdamOptions {
	if o.MaxSteps == 0 {
		o.MaxSteps = 1000
	}
	if o.Rate == 0 {
		o.Rate = 0.1
	}
	if o.Tolerance == 0 {
		o.Tolerance = 1e-5
	}
	o.Threads = max(o.Threads, 1)
	return o
}

// FitAdam minimises -log p(y)/n from every start and returns the
// hyperparameters after the last step of the start whose loss was lowest along
// the way, as the paper's program does. The starts share a kernel type; they
// step together, so that they share one pass over the inputs per step.
func FitAdam(ctx context.Context, starts []Hyper, in *Inputs, y []float64, o AdamOptions) (Hyper, Report, error) {
	for _, h := range starts {
		if err := h.validate(in.dim); err != nil {
			return Hyper{}, Report{}, err
		}
	}
	l := newLockstep(starts, in, y, o.withDefaults())
	l.projectMaps()
	for step := 0; step < l.opt.MaxSteps && l.active > 0; step++ {
		if err := ctx.Err(); err != nil {
			return Hyper{}, l.report, err
		}
		l.step(step == 0)
	}
	return l.winner()
}

// lockstep runs Adam from several starts side by side. The first active runs
// are still moving; run i owns block i of the matrices.
type lockstep struct {
	in     *Inputs
	y      []float64
	opt    AdamOptions
	shape  shape
	runs   []*run
	active int
	maps   linalg.Matrix // map parameters, one row per run
	grads  linalg.Matrix // their gradients
	z, dZ  linalg.Matrix // low rows per run
	rooms  []room        // one for each thread
	report Report
}

// room is where a thread evaluates likelihoods, one at a time.
type room struct {
	work *workspace
	few  *lowRank // nil where it does not pay
}

// maxRooms bounds the squares of n that all rooms hold, half a gigabyte.
const maxRooms = 2e7

// run is one start.
type run struct {
	id         int
	scalars    [rawScalars]float64
	ofScalars  *adam.State
	ofMap      *adam.State
	stop       adam.Stop
	keys       []keyed // order of the points at the last evaluation
	pivots     []int   // of the last evaluation of low rank
	dense      int     // evaluations to come without an attempt at low rank
	best       float64 // lowest loss so far
	evaluation evaluation
	failed     bool // the likelihood is not finite: the run stays where it is
}

func newLockstep(starts []Hyper, in *Inputs, y []float64, o AdamOptions) *lockstep {
	sh := starts[0].shape()
	count := len(starts)
	l := &lockstep{
		in: in, y: y, opt: o, shape: sh, active: count,
		maps: linalg.New(count, sh.mapLen()), grads: linalg.New(count, sh.mapLen()),
		z: padded(count*sh.low, in.n), dZ: padded(count*sh.low, in.n),
	}
	threads := max(1, min(o.Threads, count, int(maxRooms/float64(in.n)/float64(in.n))))
	for range threads {
		l.rooms = append(l.rooms, room{newWorkspace(in.n), newLowRank(in, sh.low, starts[0].Profile)})
	}
	for i, h := range starts {
		theta := toRaw(h)
		r := &run{
			id: i, keys: identity(in.n), best: math.Inf(1), stop: adam.Stop{Tolerance: o.Tolerance},
			ofScalars: adam.New(rawScalars), ofMap: adam.New(sh.mapLen()),
		}
		copy(r.scalars[:], theta)
		copy(l.maps.Row(i), theta[rawScalars:])
		l.runs = append(l.runs, r)
	}
	return l
}

// denseSteps is the number of steps after which a rank that was too high is tried again.
const denseSteps = 4

// step evaluates all active runs and moves them.
func (l *lockstep) step(first bool) {
	parallel.For(len(l.rooms), l.active, func(worker, i int) { l.evaluate(l.rooms[worker], i, first) })
	moving := l.active
	for i := moving - 1; i >= 0; i-- { // downwards: retiring run i moves only runs already done
		if l.moveScalars(i) {
			l.retire(i)
		}
	}
	if l.shape.ard {
		l.moveLengthScales(moving)
	} else {
		l.moveMaps(moving)
	}
}

// evaluate computes the likelihood of run i and its derivatives.
func (l *lockstep) evaluate(at room, i int, first bool) {
	r, h, z, dZ := l.runs[i], l.hyper(i), l.block(l.z, i), l.block(l.dZ, i)
	if l.shape.ard {
		projectAll(z, h.Kernel, l.in)
	}
	if first && isFlat(z, h.Profile) {
		r.evaluation = evaluateFlat(dZ, z, l.y, h)
		return
	}
	if at.few != nil && r.dense == 0 {
		if e, ok := at.few.evaluate(dZ, z, l.y, h, &r.pivots); ok {
			r.evaluation, r.failed = e, false
			return
		}
		r.pivots, r.dense = r.pivots[:0], denseSteps
	}
	r.dense = max(r.dense-1, 0)
	var err error
	at.work.keys = r.keys
	r.evaluation, err = at.work.evaluate(dZ, z, l.y, h)
	r.failed = err != nil
}

// moveScalars takes Adam's step for the scalars of run i and says whether the
// step is the run's last.
func (l *lockstep) moveScalars(i int) (ended bool) {
	r := l.runs[i]
	l.report.Evals++
	l.report.Jitter = max(l.report.Jitter, r.evaluation.jitter)
	loss := -r.evaluation.value / float64(l.in.n)
	if r.failed || math.IsNaN(loss) || math.IsInf(loss, 0) {
		r.failed = true
		return true
	}
	r.best = min(r.best, loss)
	var grad [rawScalars]float64
	scalarGradient(grad[:], r.evaluation, r.scalars[:], l.in.n)
	r.ofScalars.Step(r.scalars[:], grad[:], l.opt.Rate)
	return r.stop.Done(loss)
}

const (
	// mapBlock is the number of coordinates that moveMaps takes at a time: their
	// inputs stay in the second-level cache between gradient and projection.
	mapBlock = 256
	// fewRows is the number of rows of B, of all runs together, up to which Gemm and
	// GemmTB sum in different orders; the gradient is then Gemm's, from X itself.
	fewRows = 8
)

// moveMaps takes Adam's step for the maps of the first moving runs and projects
// the inputs with those of the active ones. Column j of B depends on column j of
// the gradient alone, so one pass over the inputs does all three.
func (l *lockstep) moveMaps(moving int) {
	for _, r := range l.runs[:moving] {
		r.ofMap.Advance(l.opt.Rate)
	}
	n, low, c := l.in.n, l.shape.low, -1/float64(l.in.n)
	dZ := l.dZ.Slice(0, moving*low, 0, n)
	maps, grads := l.stacked(l.maps, moving), l.stacked(l.grads, moving)
	for j := 0; j < l.shape.high; j += mapBlock {
		end := min(j+mapBlock, l.shape.high)
		g := grads.Slice(0, grads.Rows, j, end)
		if grads.Rows <= fewRows {
			linalg.Gemm(g, 0, c, dZ, l.in.X().Slice(0, n, j, end))
		} else {
			linalg.GemmTB(g, 0, c, dZ, l.in.XT().Slice(j, end, 0, n))
		}
		for row := range grads.Rows {
			if r := l.runs[row/low]; !r.failed {
				r.ofMap.Move(row%low*l.shape.high+j, maps.Row(row)[j:end], g.Row(row))
			}
		}
		l.projectBlock(j, end)
	}
}

// projectMaps computes Z = B Xᵀ for the active runs.
func (l *lockstep) projectMaps() {
	for j := 0; j < l.shape.high && !l.shape.ard; j += mapBlock {
		l.projectBlock(j, min(j+mapBlock, l.shape.high))
	}
}

// projectBlock adds to Z what the coordinates from..to-1 give, the first of them
// to zero.
func (l *lockstep) projectBlock(from, to int) {
	rows, beta := l.active*l.shape.low, 1.0
	if from == 0 {
		beta = 0
	}
	B := l.stacked(l.maps, l.active).Slice(0, rows, from, to)
	linalg.Gemm(l.z.Slice(0, rows, 0, l.in.n), beta, 1, B, l.in.XT().Slice(from, to, 0, l.in.n))
}

// moveLengthScales takes Adam's step for the length-scales of the first moving runs.
func (l *lockstep) moveLengthScales(moving int) {
	for i, r := range l.runs[:moving] {
		if r.failed {
			continue
		}
		lengthScaleLossGradient(l.grads.Row(i), l.maps.Row(i), l.hyper(i), l.block(l.dZ, i), l.in)
		r.ofMap.Step(l.maps.Row(i), l.grads.Row(i), l.opt.Rate)
	}
}

// retire swaps run i with the last active one, with all that its last step needs.
func (l *lockstep) retire(i int) {
	l.active--
	last := l.active
	if i == last {
		return
	}
	l.runs[i], l.runs[last] = l.runs[last], l.runs[i]
	swap(l.maps.Row(i), l.maps.Row(last))
	a, b := l.block(l.dZ, i), l.block(l.dZ, last)
	for row := range a.Rows {
		swap(a.Row(row), b.Row(row))
	}
}

func swap(a, b []float64) {
	for j := range a {
		a[j], b[j] = b[j], a[j]
	}
}

// block returns the rows of run i in z or dZ.
func (l *lockstep) block(m linalg.Matrix, i int) linalg.Matrix {
	return m.Slice(i*l.shape.low, (i+1)*l.shape.low, 0, l.in.n)
}

// stacked views the first rows of maps or grads as one matrix with low rows per
// run.
func (l *lockstep) stacked(m linalg.Matrix, runs int) linalg.Matrix {
	rows := runs * l.shape.low
	return linalg.Matrix{Rows: rows, Cols: l.shape.high, Stride: l.shape.high, Data: m.Data[:rows*l.shape.high]}
}

// hyper returns the current hyperparameters of run i.
func (l *lockstep) hyper(i int) Hyper {
	return l.shape.hyper(l.runs[i].scalars[:], l.maps.Row(i))
}

// winner returns the last parameters of the run with the lowest loss; the
// earlier start wins a tie.
func (l *lockstep) winner() (Hyper, Report, error) {
	win := -1
	for i, r := range l.runs {
		if math.IsInf(r.best, 1) {
			continue
		}
		if win < 0 || r.best < l.runs[win].best || r.best == l.runs[win].best && r.id < l.runs[win].id {
			win = i
		}
	}
	if win < 0 {
		return Hyper{}, l.report, gp.ErrNoFit
	}
	l.report.Start, l.report.Loss = l.runs[win].id, l.runs[win].best
	return l.hyper(win), l.report, nil
}

// isFlat says whether all points have practically the same z, as before Adam's
// first step, when B is tiny.
func isFlat(z linalg.Matrix, p gp.Profile) bool {
	r2 := 0.0
	for a := range z.Rows {
		lo, hi := math.Inf(1), math.Inf(-1)
		for _, v := range z.Row(a) {
			lo, hi = min(lo, v), max(hi, v)
		}
		r2 += (hi - lo) * (hi - lo)
	}
	return p == gp.RBF && r2 < 1e-2
}

// evaluateFlat is evaluate for K = s 11ᵀ + noise I, in O(n d): with
// c = s/(noise + n s), K⁻¹ = (I - c 11ᵀ)/noise. The gradient in z is that of the
// exact likelihood to first order in r²; Adam's first step uses its signs.
func evaluateFlat(dZ, z linalg.Matrix, y []float64, h Hyper) evaluation {
	n, s, noise := float64(len(y)), h.OutputScale, h.NoiseVariance
	c := s / (noise + n*s)
	sum := 0.0
	for _, v := range y {
		sum += v - h.Mean
	}
	alpha := make([]float64, len(y))
	var total, square, fit float64
	for i, v := range y {
		alpha[i] = (v - h.Mean - c*sum) / noise
		total += alpha[i]
		square += alpha[i] * alpha[i]
		fit += alpha[i] * (v - h.Mean)
	}
	for a := range z.Rows {
		za, out := z.Row(a), dZ.Row(a)
		az, zSum := linalg.Dot(alpha, za), 0.0
		for _, v := range za {
			zSum += v
		}
		for i, v := range za {
			// q_i - z_i r_i; the diagonal cancels.
			out[i] = s * (alpha[i]*(az-v*total) + c/noise*(zSum-n*v))
		}
	}
	return evaluation{
		value:     -0.5 * (fit + (n-1)*math.Log(noise) + math.Log(noise+n*s) + n*math.Log(2*math.Pi)),
		dLogScale: 0.5 * s * (total*total - (n-n*n*c)/noise),
		dNoise:    0.5 * (square - n*(1-c)/noise),
		dMean:     total,
	}
}
