package gp

import (
	"context"
	"math"

	"github.com/mahabo/mahabo/internal/lbfgsb"
	"github.com/mahabo/mahabo/internal/linalg"
)

// Spiked are the hyperparameters of a process that treats all directions alike but a
// few, the orthonormal v_k, along which it may vary faster:
//
//	cov(y_i, y_j) = s [exp(-(Theta |x_i-x_j|² + sum_k Along_k (v_k·(x_i-x_j))²)/(2D)) + Noise w_i (i = j)],
//
// with s and the constant mean in closed form, the mean counted as unknown (restricted
// likelihood). Without directions it is Isotropic under wider priors.
type Spiked struct {
	Theta float64   // D squared inverse length-scales, in every direction
	Along []float64 // what is added to it along the v_k
	Noise float64   // variance of the observation noise where w_i = 1, relative to s
}

// SpikedData are what a spiked process is fitted to.
type SpikedData struct {
	Cloud      *Cloud
	Directions linalg.Matrix // one v_k per row; none is the isotropic process
	Y          []float64     // values of the first points of the cloud
	Weights    []float64     // w_i, nil for ones
}

// spikedPriors are normal distributions of the logarithms of Theta, Noise and Along/D.
var spikedPriors = [3]struct{ median, spread float64 }{{0.5, 1.5}, {1e-3, 3}, {0.5, 2}}

const spikedEvals = 30

// FitSpiked returns the most probable hyperparameters and minus the logarithm of their
// density, without the constant terms.
//
// Directions that were learned from the same points explain them better than others, and
// a fit takes them for better than they are. What they miss has to be left to Theta, which
// is kept above sum_k floors_k Along_k. When the square of the cosine between v_k and the
// true direction is c, all of the rest spread over D dimensions, that is (1/c - 1)/D.
func FitSpiked(ctx context.Context, d SpikedData, floors []float64) (Spiked, float64, error) {
	f := newSpikedLoss(d, floors)
	count := 2 + d.Directions.Rows
	p, lower, upper := make([]float64, count), make([]float64, count), make([]float64, count)
	for i := range p {
		p[i] = math.Log(spikedPriors[min(i, 2)].median)
		lower[i], upper[i] = math.Log(1e-6), math.Log(1e6)
	}
	lower[1], upper[1] = math.Log(1e-8), math.Log(1e3)
	best, least := f.hyper(p), math.Inf(1)
	_, err := lbfgsb.Minimize(ctx, p, lower, upper, func(grad, p []float64) float64 {
		v := f.eval(grad, p)
		if v < least {
			best, least = f.hyper(p), v
		}
		return v
	}, lbfgsb.Options{MaxEval: spikedEvals, Ftol: 1e-6})
	if err != nil {
		return Spiked{}, 0, err
	}
	if math.IsInf(least, 1) {
		return Spiked{}, 0, ErrNoFit
	}
	return best, least * float64(len(d.Y)), nil
}

// spikedLoss evaluates the loss of a fit, divided by n.
type spikedLoss struct {
	SpikedData
	n                  int
	floors             []float64
	along              linalg.Matrix // coordinates of the points, one direction per row
	r, l, s            linalg.Matrix // correlations, their factor, their inverse
	unit, alpha, slope []float64     // S1, S(y - mean), d loss/d Theta and Along
}

func newSpikedLoss(d SpikedData, floors []float64) *spikedLoss {
	n := len(d.Y)
	f := &spikedLoss{SpikedData: d, n: n, floors: floors, along: d.along(), slope: make([]float64, 1+d.Directions.Rows)}
	f.r, f.l, f.s = linalg.New(n, n), linalg.New(n, n), linalg.New(n, n)
	f.unit, f.alpha = make([]float64, n), make([]float64, n)
	return f
}

// hyper returns the hyperparameters that p stands for: the logarithms of Theta above its
// floor, of Noise and of Along/D.
func (f *spikedLoss) hyper(p []float64) Spiked {
	h := Spiked{Theta: math.Exp(p[0]), Noise: math.Exp(p[1])}
	for k, v := range p[2:] {
		a := float64(f.Cloud.dim) * math.Exp(v)
		h.Along = append(h.Along, a)
		h.Theta += f.floors[k] * a
	}
	return h
}

// eval returns the loss at p. With R the correlations including the noise, S = R⁻¹,
// T = S - S11'S/1'S1 and alpha = Ty = S(y - mean):
//
//	s = y'alpha/(n-1),
//	loss = (n-1)/2 log s + 1/2 log det R + 1/2 log 1'S1 + priors,
//	d loss = 1/2 tr(T dR) - 1/2 alpha'dR alpha/s + ...
func (f *spikedLoss) eval(grad, p []float64) float64 {
	h := f.hyper(p)
	f.correlations(f.r, f.along, h)
	copy(f.l.Data, f.r.Data)
	if linalg.Cholesky(f.l) != nil {
		return math.Inf(1)
	}
	linalg.InverseFromCholesky(f.s, f.l)
	var total, weighted float64
	for i, y := range f.Y {
		f.unit[i] = 0
		for _, v := range f.s.Row(i) {
			f.unit[i] += v
		}
		total += f.unit[i]
		weighted += f.unit[i] * y
	}
	for i := range f.n {
		f.alpha[i] = linalg.Dot(f.s.Row(i), f.Y) - f.unit[i]*weighted/total
	}
	freedom := float64(max(1, f.n-1))
	scale := max(linalg.Dot(f.Y, f.alpha)/freedom, smallestScale)
	noise := f.gradient(scale, total)
	value := 0.5*freedom*math.Log(scale) + 0.5*linalg.LogDet(f.l) + 0.5*math.Log(total)
	grad[0] = f.slope[0] * math.Exp(p[0])
	grad[1] = noise * h.Noise
	for k, a := range h.Along {
		grad[2+k] = (f.slope[1+k] + f.floors[k]*f.slope[0]) * a
	}
	for i := range p {
		prior := spikedPriors[min(i, 2)]
		t := (p[i] - math.Log(prior.median)) / prior.spread
		value += t * t / 2
		grad[i] = (grad[i] + t/prior.spread) / float64(f.n)
	}
	return value / float64(f.n)
}

// gradient fills slope and returns the derivative in Noise.
func (f *spikedLoss) gradient(scale, total float64) (noise float64) {
	clear(f.slope)
	for i := range f.n {
		r, r2, s := f.r.Row(i), f.Cloud.r2.Row(i), f.s.Row(i)
		a, u := f.alpha[i]/scale, f.unit[i]/total
		for j := range i {
			// Both triangles, hence no 1/2.
			w := r[j] * (s[j] - u*f.unit[j] - a*f.alpha[j])
			f.slope[0] += w * r2[j]
			for k := range f.along.Rows {
				d := f.along.At(k, i) - f.along.At(k, j)
				f.slope[1+k] += w * d * d
			}
		}
		noise += 0.5 * f.weight(i) * (s[i] - u*f.unit[i] - a*f.alpha[i])
	}
	for k := range f.slope {
		f.slope[k] /= -2 * float64(f.Cloud.dim)
	}
	return noise
}

func (d SpikedData) weight(i int) float64 {
	if d.Weights == nil {
		return 1
	}
	return d.Weights[i]
}

// along returns the coordinates of the points, one direction per row.
func (d SpikedData) along() linalg.Matrix {
	along := linalg.New(d.Directions.Rows, len(d.Y))
	if along.Rows > 0 {
		linalg.GemmTB(along, 0, 1, d.Directions, d.Cloud.x.Slice(0, len(d.Y), 0, d.Cloud.dim))
	}
	return along
}

// correlations fills the lower triangle of r.
func (d SpikedData) correlations(r, along linalg.Matrix, h Spiked) {
	rate := -1 / (2 * float64(d.Cloud.dim))
	for i := range r.Rows {
		row := r.Row(i)[:i]
		for j, v := range d.Cloud.r2.Row(i)[:i] {
			row[j] = h.Theta * v
		}
		for k, a := range h.Along {
			coordinates := along.Row(k)
			for j := range row {
				t := coordinates[i] - coordinates[j]
				row[j] += a * t * t
			}
		}
		linalg.ExpScaled(row, 1, rate, row)
		r.Set(i, i, 1+h.Noise*d.weight(i)+isotropicNugget)
	}
}
