package insight

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/mahabo/mahabo/internal/gp"
	"github.com/mahabo/mahabo/internal/linalg"
	"github.com/mahabo/mahabo/internal/num"
	"github.com/mahabo/mahabo/internal/rng"
)

const folds = 5

// fold is a part of the points that models are not told, and what was learned without it.
type fold struct {
	held   []int
	lesson *lesson
	hypers []gp.Hyper // by number of directions
}

// predictions are those of every point by models that were not told it.
type predictions struct{ mean, variance []float64 }

func newPredictions(n int) predictions { return predictions{make([]float64, n), make([]float64, n)} }

// contest is how models with more and more directions predict what they were not told.
type contest struct {
	sample   *sample
	lesson   *lesson // of all points
	folds    []fold
	held     []predictions // by number of directions
	inflate  []float64     // what the variances of a model with d directions have to be multiplied by
	constant predictions
	chance   float64 // agreement of directions that means nothing

	weights *predictor // with a weight for each parameter
}

// predictor is a model, and the same learned without each fold.
type predictor struct {
	model   Model
	warp    gp.Warp
	sample  *sample
	hyper   gp.Hyper
	folds   []gp.Hyper
	held    predictions
	inflate float64 // what its variances have to be multiplied by
	highest float64 // value of the sample
}

// condition returns the model of all points with some of the hyperparameters, its variances
// multiplied by what the folds teach, but by the given factor at least.
func (p *predictor) condition(h gp.Hyper, least float64) (*gp.Posterior, error) {
	m, err := p.sample.condition(h)
	if err == nil {
		m.Widen(max(p.inflate, least))
	}
	return m, err
}

// compare learns models with 0, 1, 2, ... directions without each fold and has them
// predict it.
func compare(ctx context.Context, s *sample, isotropic gp.Hyper, seed uint64) (*contest, error) {
	c := &contest{sample: s, constant: newPredictions(s.len()), chance: chance(s.points.X())}
	r := rng.New(seed, uint64(s.len()), rng.Purpose("insight"))
	var err error
	if c.lesson, err = s.study(ctx, isotropic, r); err != nil {
		return nil, err
	}
	if err := c.divide(ctx, r); err != nil {
		return nil, err
	}
	if err := c.hold(ctx, 0); err != nil {
		return nil, err
	}
	best, worse := c.score(c.held[0]), 0
	for d := 1; d <= min(mostDirections, s.dim()-1, c.lesson.directions.Rows) && worse < 2; d++ {
		if err := c.hold(ctx, d); err != nil {
			return nil, err
		}
		worse++
		if v := c.score(c.held[d]); v > best {
			best, worse = v, 0
		}
	}
	return c, nil
}

// divide makes the folds and lets a constant predict them.
func (c *contest) divide(ctx context.Context, r *rand.Rand) error {
	order := r.Perm(c.sample.len())
	for k := range folds {
		f := fold{}
		var told []int
		for place, i := range order {
			if place%folds == k {
				f.held = append(f.held, i)
			} else {
				told = append(told, i)
			}
		}
		train := c.sample.subset(told)
		h, _, err := train.fit(ctx, linalg.Matrix{}, nil)
		if err != nil {
			return err
		}
		if f.lesson, err = train.study(ctx, h, r); err != nil {
			return err
		}
		mean, std := num.MeanStd(train.w)
		for _, i := range f.held {
			c.constant.mean[i] = mean
			c.constant.variance[i] = max(std*std, smallestVariance) * (1 + 1/float64(len(told)))
		}
		c.folds = append(c.folds, f)
	}
	return nil
}

// smallestVariance is that of constant values; those of the model are of order 1.
const smallestVariance = 1e-12

// hold predicts every fold by a model with d directions.
func (c *contest) hold(ctx context.Context, d int) error {
	p := newPredictions(c.sample.len())
	for k := range c.folds {
		f := &c.folds[k]
		m, err := f.lesson.model(ctx, d)
		if err != nil {
			return err
		}
		f.hypers = append(f.hypers, m.Hyper)
		c.sample.predict(p, m, f.held)
	}
	c.inflate = append(c.inflate, c.correct(c.sample, p))
	c.held = append(c.held, p)
	return nil
}

// holdWeights learns a model with a weight for each parameter of values on a scale, and
// predicts every fold by one that was learned without it.
func (c *contest) holdWeights(ctx context.Context, s *sample, warp gp.Warp, of []int) (*predictor, error) {
	p := &predictor{model: Weights, warp: warp, sample: s, held: newPredictions(s.len()), highest: slices.Max(s.w)}
	var err error
	if p.hyper, err = s.fitWeights(ctx, of); err != nil {
		return nil, err
	}
	for _, f := range c.folds {
		var told []int
		for i := range s.len() {
			if !slices.Contains(f.held, i) {
				told = append(told, i)
			}
		}
		train := s.subset(told)
		h, err := train.fitWeights(ctx, of)
		if err != nil {
			return nil, err
		}
		m, err := train.condition(h)
		if err != nil {
			return nil, err
		}
		p.folds = append(p.folds, h)
		s.predict(p.held, m, f.held)
	}
	p.inflate = c.correct(s, p.held)
	return p, nil
}

// correct multiplies the variances of each fold by the mean squared standardised residual
// of the others, and returns that of all. A fit cannot know how much better its directions
// suit the points that they were learned from.
func (c *contest) correct(s *sample, p predictions) float64 {
	sums := make([]float64, len(c.folds))
	var all float64
	for k, f := range c.folds {
		for _, i := range f.held {
			e := s.w[i] - p.mean[i]
			sums[k] += e * e / p.variance[i]
		}
		all += sums[k]
	}
	n := s.len()
	for k, f := range c.folds {
		factor := max((all-sums[k])/float64(n-len(f.held)), leastFactor)
		for _, i := range f.held {
			p.variance[i] *= factor
		}
	}
	return max(all/float64(n), leastFactor)
}

// leastFactor keeps variances positive when predictions are exact.
const leastFactor = 1e-6

// predict fills the predictions, with noise, of the given points.
func (s *sample) predict(p predictions, m *gp.Posterior, numbers []int) {
	x := linalg.New(len(numbers), s.dim())
	for k, i := range numbers {
		copy(x.Row(k), s.points.At(i))
	}
	mean, variance := make([]float64, x.Rows), make([]float64, x.Rows)
	m.PredictRows(mean, variance, x)
	for k, i := range numbers {
		p.mean[i], p.variance[i] = mean[k], variance[k]+m.NoiseVariance()*s.weight(i)
	}
}

const (
	chanceQuantile = 2.6  // of a normal distribution, 99 %
	mostChance     = 0.95 // in few dimensions random vectors may agree by any amount
)

// chance is the cosine that random vectors with the covariance C of the points exceed
// once in a hundred times. Its standard deviation is sqrt(tr C²)/tr C, 1/sqrt(D) for a
// round C; products of different points estimate tr C² without bias.
func chance(X linalg.Matrix) float64 {
	n := X.Rows
	centred := linalg.New(n, X.Cols)
	mean := make([]float64, X.Cols)
	for i := range n {
		linalg.Axpy(mean, 1/float64(n), X.Row(i))
	}
	for i := range n {
		copy(centred.Row(i), X.Row(i))
		linalg.Axpy(centred.Row(i), -1, mean)
	}
	gram := linalg.New(n, n)
	linalg.Syrk(gram, 0, 1, centred)
	var trace, square float64
	for i := range n {
		trace += gram.At(i, i)
		for j := range i {
			square += 2 * gram.At(i, j) * gram.At(i, j)
		}
	}
	trace /= float64(n)
	square /= float64(n) * float64(n-1)
	return min(mostChance, chanceQuantile*math.Sqrt(square)/trace)
}

// logDensity is that of point i under its prediction.
func (c *contest) logDensity(p predictions, i int) float64 {
	e := c.sample.w[i] - p.mean[i]
	return -0.5 * (math.Log(2*math.Pi*p.variance[i]) + e*e/p.variance[i])
}

// score is the mean log density.
func (c *contest) score(p predictions) float64 {
	var sum float64
	for i := range c.sample.w {
		sum += c.logDensity(p, i)
	}
	return sum / float64(c.sample.len())
}

// difference is the mean of the log density of p over that of q, and its standard error.
func (c *contest) difference(p, q predictions) (mean, stdErr float64) {
	d := make([]float64, c.sample.len())
	for i := range d {
		d[i] = c.logDensity(p, i) - c.logDensity(q, i)
	}
	mean, std := num.MeanStd(d)
	return mean, std / math.Sqrt(float64(len(d)))
}

// r2 is the share of the variance that predictions explain.
func r2(w, mean []float64) float64 {
	centre, _ := num.MeanStd(w)
	var rest, all float64
	for i, v := range w {
		rest += (v - mean[i]) * (v - mean[i])
		all += (v - centre) * (v - centre)
	}
	return 1 - rest/all
}
