package insight

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/mahabo/mahabo/internal/gp"
	"github.com/mahabo/mahabo/internal/linalg"
	"github.com/mahabo/mahabo/internal/progress"
	"github.com/mahabo/mahabo/internal/rng"
	"github.com/mahabo/mahabo/internal/sobol"
	"github.com/mahabo/mahabo/space"
)

// coordinate is what a coordinate of the box stands for.
type coordinate struct {
	param int    // among those that vary
	name  string // of the parameter
	label string // of a choice with one coordinate per label
	ends  [2]string
}

// coordinates lists those of a space. ends are the two values of a bool or a choice
// between two labels.
func coordinates(s *space.Space) []coordinate {
	var list []coordinate
	param := 0
	for _, p := range s.Params() {
		_, count, _ := s.Coordinates(p.Name)
		for k := range count {
			c := coordinate{param: param, name: p.Name}
			switch {
			case count > 1:
				c.label = p.Labels[k]
			case p.Kind == space.KindBool:
				c.ends = [2]string{"false", "true"}
			case p.Kind == space.KindChoice:
				c.ends = [2]string(p.Labels)
			}
			list = append(list, c)
		}
		if count > 0 {
			param++
		}
	}
	return list
}

// owners are the parameters of the coordinates.
func owners(coords []coordinate) []int {
	of := make([]int, len(coords))
	for j, c := range coords {
		of[j] = c.param
	}
	return of
}

// Effort of the indices.
const (
	baseSamples  = 1024 // pairs of points for the indices of a few parameters
	leastSamples = 256  // of them, where there are many points
	mostSteps    = 1e7  // correlations computed for them
	fewSamples   = 32   // where there are very many parameters
	mostTerms    = 6e8  // terms of the sums over parameters that the points of a model take
	firstSamples = 32   // of a first look at many
	refinedMost  = 24   // parameters that are looked at closely
	features     = 256  // of a draw
	drawsOfFit   = 8    // functions drawn from the model that was fitted to all values
	drawsOfFold  = 4    // and from each with hyperparameters learned without a fifth
	room         = 0.25 // of the range of the values by which predictions may leave it
)

// importances ranks the parameters by the share of the variance that they explain.
func (a *analyst) importances(ctx context.Context) error {
	box, good := a.box(), a.region.choices
	params := make([]int, len(box))
	for k := range params {
		params[k] = k
	}
	over := map[bool][]Effect{}
	for k, region := range [][]choice{box, good} {
		progress.Report(ctx, "how much each parameter matters", 0.6+0.15*float64(k))
		effects, err := a.effects(ctx, region, params)
		if err != nil {
			return err
		}
		over[k == 1] = effects
	}
	for k, p := range box {
		i := Importance{Param: a.coords[p.first].name, Effect: over[false][k], Range: a.region.ranges[k]}
		if !good[k].single() {
			i.Good = &over[true][k]
		}
		a.out.Importances = append(a.out.Importances, i)
	}
	slices.SortStableFunc(a.out.Importances, func(p, q Importance) int { return cmp.Compare(q.Share, p.Share) })
	return nil
}

// effects estimates the indices of the parameters over a region: all of them roughly when
// they are many, then the most important ones well.
func (a *analyst) effects(ctx context.Context, region []choice, params []int) ([]Effect, error) {
	all := make([]Effect, len(params))
	if len(params) > refinedMost {
		models, err := a.drawn(false)
		if err != nil {
			return nil, err
		}
		if err := a.estimate(ctx, all, models, region, params, firstSamples); err != nil {
			return nil, err
		}
		params = slices.Clone(params)
		slices.SortStableFunc(params, func(p, q int) int { return cmp.Compare(all[q].Share, all[p].Share) })
		params = slices.Sorted(slices.Values(params[:refinedMost]))
	}
	models, err := a.drawn(true)
	if err != nil {
		return nil, err
	}
	samples := baseSamples
	for samples > leastSamples && float64(samples*(len(params)+2)*(a.sample.len()+features)) > mostSteps {
		samples /= 2 // a power of two keeps the sequence even
	}
	for samples > fewSamples && 2*float64(samples)*float64(a.out.Dim)*float64(a.sample.len()+features) > mostTerms {
		samples /= 2
	}
	return all, a.estimate(ctx, all, models, region, params, samples)
}

// drawn is a model and how many functions to draw from it.
type drawn struct {
	*gp.Posterior
	draws int
}

// drawn returns the model of all values, and those that know all values but have the
// hyperparameters of the folds: what is not known of the function and of the
// hyperparameters shows in how their draws differ.
func (a *analyst) drawn(folds bool) ([]drawn, error) {
	hypers := []gp.Hyper{a.global.hyper}
	if folds {
		hypers = append(hypers, a.global.folds...)
	}
	var list []drawn
	for k, h := range hypers {
		// Where many points lie close together the folds are easy to predict, the rest is not.
		m, err := a.global.condition(h, 1)
		if err != nil {
			return nil, err
		}
		list = append(list, drawn{m, drawsOfFold})
		if k == 0 {
			list[0].draws = drawsOfFit
		}
	}
	return list, nil
}

// estimate fills the indices of some parameters, by the estimators of Jansen (total) and
// Saltelli (alone) on a scrambled Sobol sequence of twice as many coordinates.
func (a *analyst) estimate(ctx context.Context, out []Effect, models []drawn, region []choice, params []int, samples int) error {
	r := rng.New(a.Seed, uint64(a.sample.len()), rng.Purpose("importance"))
	points := a.pairs(region, samples, r)
	var shares, alones [][]float64 // by draw, those of the mean first
	var sampling []float64         // standard error of the first
	for k, m := range models {
		total, alone, stdErr, err := a.indices(ctx, m, region, params, points, r)
		if err != nil {
			return err
		}
		if k == 0 {
			sampling = stdErr
		} else { // the mean of a fold is no draw
			total, alone = total[1:], alone[1:]
		}
		shares, alones = append(shares, total...), append(alones, alone...)
	}
	for i, p := range params {
		e := Effect{Share: shares[0][i], Alone: alones[0][i]}
		e.StdDev, e.Low, e.High = scatter(shares, i, sampling[i])
		e.AloneStdDev, _, _ = scatter(alones, i, sampling[i])
		out[p] = e
	}
	return nil
}

// scatter is how far the draws are from the mean's index, and their central 90 %, with what
// the choice of the pairs adds.
func scatter(of [][]float64, i int, sampling float64) (deviation, low, high float64) {
	var list []float64
	for _, d := range of[1:] {
		deviation += (d[i] - of[0][i]) * (d[i] - of[0][i]) / float64(len(of)-1)
		list = append(list, d[i])
	}
	slices.Sort(list)
	edge := len(list) / 20
	more := quantile90 * sampling
	low, high = min(list[edge], of[0][i]), max(list[len(list)-1-edge], of[0][i])
	return math.Hypot(math.Sqrt(deviation), sampling), max(0, low-more), min(1, high+more)
}

// pair are two independent points of a region.
type pair struct{ a, b []float64 }

func (a *analyst) pairs(region []choice, samples int, r *rand.Rand) []pair {
	u := make([]float64, 2*len(region))
	next := func() {
		for k := range u {
			u[k] = r.Float64()
		}
	}
	if q, err := sobol.NewScrambled(len(u), r); err == nil { // else there are too many
		next = func() { q.Next(u) }
	}
	list := make([]pair, samples)
	for i := range list {
		next()
		list[i] = pair{make([]float64, a.out.Dim), make([]float64, a.out.Dim)}
		for k, c := range region {
			copy(list[i].a[c.first:], c.at(u[k]))
			copy(list[i].b[c.first:], c.at(u[len(region)+k]))
		}
	}
	return list
}

// indices returns those of the mean and of each draw, by parameter: with f at the points of
// a pair and at the first one with a parameter of the second,
//
//	total = E (f_a - f_ab)² / 2V,  alone = E f_b (f_ab - f_a) / V,
//
// and the standard error of the mean's total index, were the pairs independent.
func (a *analyst) indices(ctx context.Context, m drawn, region []choice, params []int, points []pair, r *rand.Rand) (total, alone [][]float64, stdErr []float64, err error) {
	columns, rows := 1+m.draws, len(params)+2
	s := a.global.sample
	paths := m.Draw(s.points.X(), s.weights, m.draws, features, rows, r)
	f := linalg.New(len(points)*rows, columns)
	for i, p := range points {
		if err := ctx.Err(); err != nil {
			return nil, nil, nil, err
		}
		paths.At(p.a)
		for _, k := range params {
			c := region[k]
			paths.With(c.first, p.b[c.first:c.first+c.width])
		}
		paths.At(p.b)
		part := paths.Values(f.Slice(i*rows, (i+1)*rows, 0, columns))
		for j := range part.Rows {
			a.global.plain(part.Row(j))
		}
	}
	stdErr = make([]float64, len(params))
	for c := range columns {
		total, alone = append(total, make([]float64, len(params))), append(alone, make([]float64, len(params)))
		var mean, variance float64
		for i := range points {
			mean += (f.At(i*rows, c) + f.At((i+1)*rows-1, c)) / float64(2*len(points))
		}
		for i := range points {
			fa, fb := f.At(i*rows, c)-mean, f.At((i+1)*rows-1, c)-mean
			variance += (fa*fa + fb*fb) / float64(2*len(points))
		}
		if !(variance > 0) {
			continue
		}
		for k := range params {
			var t, s, square float64
			for i := range points {
				fa, fb, fab := f.At(i*rows, c), f.At((i+1)*rows-1, c)-mean, f.At(i*rows+1+k, c)
				step := (fa - fab) * (fa - fab)
				t += step
				square += step * step
				s += fb * (fab - fa)
			}
			n := variance * float64(len(points))
			if c == 0 {
				stdErr[k] = math.Sqrt(max(0, square-t*t/float64(len(points)))) / (2 * n)
			}
			total[c][k] = min(t/(2*n), 1)
			alone[c][k] = min(max(s/n, 0), total[c][k])
		}
	}
	return total, alone, stdErr, nil
}

// plain turns predictions on the model's scale into values, of which the lowest observed is 0
// and the highest 1. They may leave this range a little only: a logarithm has no such bounds.
func (p *predictor) plain(w []float64) {
	highest := p.warp.Excess(p.highest)
	for i, v := range w {
		w[i] = min(max(p.warp.Excess(v)/highest, -room), 1+room)
	}
}
