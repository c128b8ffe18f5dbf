package lingp

import (
	"errors"
	"math"

	"github.com/mahabo/mahabo/internal/linalg"
)

// Mixture is a set of processes given the same data, each with its own
// hyperparameters, summarised by the first two moments of their equal mixture:
//
//	mean = avg m_s,  variance = avg v_s + avg (m_s - mean)².
//
// Every member keeps M = L⁻¹, L the factor of its K: a prediction is one pass over M, and
// a new point is one more row, which Truncate takes away again. The rows of the first
// points do not change with later ones.
//
// It keeps scratch memory: use one Mixture for each goroutine.
type Mixture struct {
	dim, n  int
	members []member
	jitter  float64

	k, w  []float64 // n: covariances with a point, K⁻¹k
	u, c  []float64 // d: B x; sums over the data of a gradient
	means []float64 // of the members at a point
}

var (
	_ BatchDifferentiable = (*Mixture)(nil)
	_ Batch               = (*Mixture)(nil)
)

// member is one process.
type member struct {
	hyper  Hyper
	jitter float64
	z      linalg.Matrix // capacity x d: B x_i
	m      linalg.Matrix // capacity x capacity: L⁻¹, zero above the diagonal
	alpha  []float64     // Mᵀ M (y - mean)
}

// NewMixture conditions the processes on the data. The kernels have a matrix B.
func NewMixture(hypers []Hyper, in *Inputs, y []float64) (*Mixture, error) {
	if len(hypers) == 0 || in.n == 0 || len(y) != in.n {
		return nil, errors.New("gp: a mixture needs members and a value for every point")
	}
	mix := &Mixture{dim: in.dim, n: in.n}
	for _, h := range hypers {
		if err := h.validate(in.dim); err != nil {
			return nil, err
		}
		if h.B.Rows == 0 {
			return nil, errors.New("gp: a mixture needs kernels with a matrix B")
		}
		p := member{hyper: h}
		if err := p.condition(in); err != nil {
			return nil, err
		}
		mix.jitter = max(mix.jitter, p.jitter)
		mix.members = append(mix.members, p)
	}
	low := hypers[0].B.Rows
	mix.u, mix.c = make([]float64, low), make([]float64, low)
	mix.means = make([]float64, len(hypers))
	mix.room()
	mix.SetValues(y)
	return mix, nil
}

// condition computes z and M from the points.
func (p *member) condition(in *Inputs) error {
	n, low := in.n, p.hyper.B.Rows
	p.grow(n)
	z := p.z.Slice(0, n, 0, low)
	linalg.GemmTB(z, 0, 1, in.X(), p.hyper.B)
	K := padded(n, n)
	linalg.SquaredDistances(K, z, z)
	for i := range n {
		row := K.Row(i)[:i+1]
		p.hyper.Profile.Apply(row, nil, p.hyper.OutputScale)
		row[i] += p.hyper.NoiseVariance
	}
	M := p.m.Slice(0, n, 0, n)
	var err error
	p.jitter, err = linalg.CholeskyJitter(M, K, linalg.DefaultLadder(K))
	if err != nil {
		return err
	}
	linalg.InvertLower(M)
	return nil
}

// grow makes room for a tenth more than n points.
func (p *member) grow(n int) {
	capacity := n + n/10 + 8
	z, m := linalg.New(capacity, p.hyper.B.Rows), padded(capacity, capacity)
	for i := range p.m.Rows {
		copy(z.Row(i), p.z.Row(i))
		copy(m.Row(i), p.m.Row(i))
	}
	p.z, p.m = z, m
}

// room sizes what has one entry per point.
func (mix *Mixture) room() {
	if capacity := mix.members[0].m.Rows; len(mix.k) < capacity {
		mix.k, mix.w = make([]float64, capacity), make([]float64, capacity)
		for s := range mix.members {
			mix.members[s].alpha = append(mix.members[s].alpha, make([]float64, capacity-len(mix.members[s].alpha))...)
		}
	}
}

// Len returns the number of points.
func (mix *Mixture) Len() int { return mix.n }

// Jitter returns the most that had to be added to a diagonal, usually 0.
func (mix *Mixture) Jitter() float64 { return mix.jitter }

// Append adds a point. SetValues has to follow before the next prediction. With l = M k,
// the new row of M is
//
//	(-Mᵀl, 1)/pivot,  pivot² = s + noise - |l|², at least the noise.
func (mix *Mixture) Append(x []float64) {
	n := mix.n
	for s := range mix.members {
		p := &mix.members[s]
		if n == p.m.Rows {
			p.grow(n)
		}
	}
	mix.room()
	for s := range mix.members {
		p := &mix.members[s]
		k, w := mix.k[:n], mix.w[:n]
		p.covariances(k, nil, mix.u, x)
		quad := p.solve(w, k)
		noise := p.hyper.NoiseVariance + p.jitter
		pivot := math.Sqrt(max(p.hyper.OutputScale+noise-quad, noise))
		copy(p.z.Row(n), mix.u)
		row := p.m.Row(n)
		for i, v := range w {
			row[i] = -v / pivot
		}
		row[n] = 1 / pivot
	}
	mix.n++
}

// Truncate forgets all but the first n points. SetValues has to follow.
func (mix *Mixture) Truncate(n int) { mix.n = n }

// SetValues sets the values of all points.
func (mix *Mixture) SetValues(y []float64) {
	if len(y) != mix.n {
		panic("gp: a mixture needs a value for every point")
	}
	for s := range mix.members {
		p := &mix.members[s]
		for i, v := range y {
			mix.k[i] = v - p.hyper.Mean
		}
		p.solve(p.alpha[:mix.n], mix.k[:mix.n])
	}
}

// covariances fills u with B x, k with the covariances of x and the points, and slope,
// unless nil, with -2 times their derivatives in the squared distance.
func (p *member) covariances(k, slope, u, x []float64) {
	p.hyper.project(u, x)
	for i := range k {
		r2 := 0.0
		for a, v := range p.z.Row(i) {
			r2 += (v - u[a]) * (v - u[a])
		}
		k[i] = r2
	}
	p.hyper.Profile.Apply(k, slope, p.hyper.OutputScale)
}

// solve computes w = K⁻¹k = MᵀMk in one pass over the rows of M and returns kᵀK⁻¹k.
func (p *member) solve(w, k []float64) (quad float64) {
	clear(w)
	for i := range k {
		row := p.m.Row(i)[:i+1]
		v := linalg.Dot(row, k[:i+1])
		linalg.Axpy(w[:i+1], v, row)
		quad += v * v
	}
	return quad
}

// explain returns |M k|² alone.
func (p *member) explain(k []float64) (quad float64) {
	for i := range k {
		v := linalg.Dot(p.m.Row(i)[:i+1], k[:i+1])
		quad += v * v
	}
	return quad
}

// Predict returns the moments of the mixture at x.
func (mix *Mixture) Predict(x []float64) (mean, variance float64) {
	k := mix.k[:mix.n]
	for s := range mix.members {
		p := &mix.members[s]
		p.covariances(k, nil, mix.u, x)
		mix.means[s] = p.hyper.Mean + linalg.Dot(k, p.alpha[:mix.n])
		variance += floor(p.hyper.OutputScale - p.explain(k))
	}
	return mix.match(variance)
}

// match turns the members' means and the sum of their variances into the moments of
// the mixture.
func (mix *Mixture) match(sum float64) (mean, variance float64) {
	count := float64(len(mix.members))
	for _, m := range mix.means {
		mean += m / count
	}
	for _, m := range mix.means {
		sum += (m - mean) * (m - mean)
	}
	return mean, sum / count
}

// PredictGrad also fills the gradients.
func (mix *Mixture) PredictGrad(dMean, dVar, x []float64) (mean, variance float64) {
	row := func(v []float64) linalg.Matrix { return linalg.Matrix{Rows: 1, Cols: len(v), Stride: len(v), Data: v} }
	var m, v [1]float64
	mix.PredictGrads(row(dMean), row(dVar), m[:], v[:], row(x))
	return m[0], v[0]
}

// PredictGrads predicts the rows of x, with gradients. Its cost is that of reading M from
// memory, nearly the same for one point as for ten. With the moments of the members,
//
//	d mean = avg dm_s,  d variance = avg dv_s + 2 avg (m_s - mean) dm_s.
func (mix *Mixture) PredictGrads(dMean, dVar linalg.Matrix, mean, variance []float64, x linalg.Matrix) {
	rows, count := x.Rows, len(mix.members)
	means, dMeans := linalg.New(count, rows), make([]linalg.Matrix, count)
	sc := newGradScratch(rows, mix.n)
	for j := range rows {
		clear(dVar.Row(j))
		variance[j] = 0
	}
	for s := range mix.members {
		dMeans[s] = linalg.New(rows, mix.dim)
		mix.members[s].predictGrads(dMeans[s], dVar, means.Row(s), variance, x, sc, mix)
	}
	for j := range rows {
		for s := range mix.members {
			mix.means[s] = means.At(s, j)
		}
		mean[j], variance[j] = mix.match(variance[j])
		dm, dv := dMean.Row(j), dVar.Row(j)
		clear(dm)
		for s, m := range mix.means {
			linalg.Axpy(dm, 1/float64(count), dMeans[s].Row(j))
			linalg.Axpy(dv, 2*(m-mean[j]), dMeans[s].Row(j))
		}
		for a := range dv {
			dv[a] /= float64(count)
		}
	}
}

// gradScratch has a row for every point: covariances with the data, their slopes, and
// K⁻¹k; and kᵀK⁻¹k.
type gradScratch struct {
	k, slope, w linalg.Matrix
	quad        []float64
}

func newGradScratch(points, n int) *gradScratch {
	return &gradScratch{padded(points, n), padded(points, n), padded(points, n), make([]float64, points)}
}

// predictGrads fills the member's means and their gradients, and adds its variances and
// their gradients. With dk_i/du = -slope_i (u - u_i):
//
//	d mean/du = sum_i alpha_i dk_i/du,  d variance/du = -2 sum_i w_i dk_i/du.
func (p *member) predictGrads(dMean, dVar linalg.Matrix, mean, variance []float64, x linalg.Matrix, sc *gradScratch, mix *Mixture) {
	for j := range mean {
		p.covariances(sc.k.Row(j), sc.slope.Row(j), mix.u, x.Row(j))
	}
	p.solveAll(sc)
	for j := range mean {
		k, slope := sc.k.Row(j), sc.slope.Row(j)
		mean[j] = p.hyper.Mean + linalg.Dot(k, p.alpha[:mix.n])
		variance[j] += floor(p.hyper.OutputScale - sc.quad[j])
		p.hyper.project(mix.u, x.Row(j))
		p.weigh(mix.c, p.alpha, slope, mix.u)
		for a, v := range mix.c {
			linalg.Axpy(dMean.Row(j), -v, p.hyper.B.Row(a))
		}
		p.weigh(mix.c, sc.w.Row(j), slope, mix.u)
		for a, v := range mix.c {
			linalg.Axpy(dVar.Row(j), 2*v, p.hyper.B.Row(a))
		}
	}
}

// solveAll is solve for every point: a row of M serves all while it is near.
func (p *member) solveAll(sc *gradScratch) {
	for j := range sc.quad {
		clear(sc.w.Row(j))
		sc.quad[j] = 0
	}
	for i := range sc.k.Cols {
		row := p.m.Row(i)[:i+1]
		for j := range sc.quad {
			v := linalg.Dot(row, sc.k.Row(j)[:i+1])
			linalg.Axpy(sc.w.Row(j)[:i+1], v, row)
			sc.quad[j] += v * v
		}
	}
}

// weigh computes c = sum_i weight_i slope_i (u - u_i).
func (p *member) weigh(c, weight, slope, u []float64) {
	clear(c)
	for i, sl := range slope {
		f := weight[i] * sl
		for a, v := range p.z.Row(i) {
			c[a] += f * (u[a] - v)
		}
	}
}

// Sizes of the blocks of PredictBatch: points at a time, rows of M at a time.
const (
	mixturePoints = 128
	mixtureRows   = 48
)

// PredictBatch predicts the rows of x; the variances come from products with blocks of
// rows of M, as long as the triangle is.
func (mix *Mixture) PredictBatch(mean, variance []float64, x linalg.Matrix) {
	n, low := mix.n, len(mix.u)
	u, k, t := linalg.New(mixturePoints, low), padded(n, mixturePoints), padded(mixtureRows, mixturePoints)
	means, sums := linalg.New(len(mix.members), mixturePoints), make([]float64, mixturePoints)
	for lo := 0; lo < x.Rows; lo += mixturePoints {
		hi := min(lo+mixturePoints, x.Rows)
		c := hi - lo
		clear(sums)
		for s := range mix.members {
			p := &mix.members[s]
			kc := k.Slice(0, n, 0, c)
			p.crossCovariances(kc, u.Slice(0, c, 0, low), x.Slice(lo, hi, 0, x.Cols))
			p.predictColumns(means.Row(s)[:c], sums[:c], kc, t)
		}
		for j := range c {
			for s := range mix.members {
				mix.means[s] = means.At(s, j)
			}
			mean[lo+j], variance[lo+j] = mix.match(sums[j])
		}
	}
}

// crossCovariances fills k (n x points) and u with B x for the rows of x.
func (p *member) crossCovariances(k, u, x linalg.Matrix) {
	linalg.GemmTB(u, 0, 1, x, p.hyper.B)
	linalg.SquaredDistances(k, p.z.Slice(0, k.Rows, 0, u.Cols), u)
	for i := range k.Rows {
		p.hyper.Profile.Apply(k.Row(i), nil, p.hyper.OutputScale)
	}
}

// predictColumns fills mean and adds the variances to sum, for the covariances in the
// columns of k; t is scratch.
func (p *member) predictColumns(mean, sum []float64, k, t linalg.Matrix) {
	for j := range mean {
		mean[j] = p.hyper.Mean
	}
	quad := make([]float64, len(mean))
	for lo := 0; lo < k.Rows; lo += mixtureRows {
		hi := min(lo+mixtureRows, k.Rows)
		block := t.Slice(0, hi-lo, 0, k.Cols)
		linalg.Gemm(block, 0, 1, p.m.Slice(lo, hi, 0, hi), k.Slice(0, hi, 0, k.Cols))
		for i := range block.Rows {
			linalg.Axpy(mean, p.alpha[lo+i], k.Row(lo+i))
			for j, v := range block.Row(i) {
				quad[j] += v * v
			}
		}
	}
	for j, q := range quad {
		sum[j] += floor(p.hyper.OutputScale - q)
	}
}
