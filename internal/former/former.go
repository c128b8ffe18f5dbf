package former

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/mahabo/mahabo/internal/gp"
	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/strategy"
)

const (
	leastGain  = 0.3  // part of the squared error that a source has to save
	earlyGain  = 1.5  // over the number of values is added while they are few
	leastFit   = 5    // new values before a source can count
	sharedRows = 20   // that the rows of a source weigh together at most
	certain    = 1e-3 // least doubt, relative to the source's values
)

// Model is what former studies say in the terms of a space.
type Model struct {
	sources []*fitted
}

// fitted is a source and the model of its values.
type fitted struct {
	Source
	shared []int // coordinates of its parameters
	x      []strategy.Point
	y      []float64 // in order
	smooth []float64 // what the model has for them
	model  *gp.Posterior
	scale  scale
	usual  float64 // how far values lie above the lowest
}

// unit is the doubt at a value in units of the source's: the higher it is, the less the value itself matters.
func (f *fitted) unit(m float64) float64 { return f.usual + max(0, m-f.y[0]) }

// Fit makes the models of sources. One that has fewer than two points in the space is left out.
func Fit(ctx context.Context, sp *space.Space, sources []Source) (*Model, error) {
	m := &Model{}
	for _, s := range sources {
		f := &fitted{Source: s}
		x, y, err := s.place(sp)
		if err != nil {
			return nil, err
		}
		order := make([]int, len(y))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(y[a], y[b]) })
		for _, i := range order {
			f.x, f.y = append(f.x, x[i]), append(f.y, y[i])
		}
		if len(f.y) < 2 || f.y[0] == f.y[len(f.y)-1] {
			continue
		}
		f.usual = f.y[3*len(f.y)/4] - f.y[0]
		if !(f.usual > 0) {
			f.usual = f.y[len(f.y)-1] - f.y[0]
		}
		if f.shared = s.shared(sp); len(f.shared) == 0 {
			continue
		}
		if err := f.fit(ctx); err != nil {
			return nil, err
		}
		if f.model != nil {
			m.sources = append(m.sources, f)
		}
	}
	return m, nil
}

// scale is one on which values are modelled.
type scale struct {
	low, unit float64
	log       bool // of the distance from below the lowest value
}

func (s scale) from(y float64) float64 {
	if s.log {
		return math.Log1p((y - s.low) / s.unit)
	}
	return (y - s.low) / s.unit
}

func (s scale) to(w float64) float64 {
	if s.log {
		return s.low + s.unit*math.Expm1(w)
	}
	return s.low + s.unit*w
}

// slope is the logarithm of the derivative of from.
func (s scale) slope(y float64) float64 {
	if s.log {
		return -math.Log(s.unit + y - s.low)
	}
	return -math.Log(s.unit)
}

// fit learns the model, on the scale on which the values are more likely.
func (f *fitted) fit(ctx context.Context) error {
	points := gp.NewPoints(len(f.shared))
	for _, x := range f.x {
		points.Append(f.part(x))
	}
	least := math.Inf(1)
	for _, log := range []bool{false, true} {
		s := scale{f.y[0], f.usual, log}
		d := gp.Data{Points: points, Y: make([]float64, len(f.y))}
		slopes := 0.0
		for i, y := range f.y {
			d.Y[i] = s.from(y)
			slopes += s.slope(y)
		}
		hyper, loss, err := gp.Fit(ctx, gp.Prior{
			Profile: gp.Matern52,
			Metric:  gp.Isotropic{Prior: gp.LogNormalPrior{Mu: math.Log(0.5), StdDev: 1.5}},
			Noise:   gp.NoiseParam(gp.LogNormalPrior{Mu: math.Log(1e-4), StdDev: 3}),
		}, d)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil || loss-slopes >= least {
			continue
		}
		model, err := gp.Condition(hyper, d, 0)
		if err != nil {
			continue
		}
		least, f.model, f.scale = loss-slopes, model, s
	}
	if f.model == nil {
		return nil // there is no model, and it says nothing
	}
	f.smooth = make([]float64, len(f.y))
	for i, w := range f.model.Fitted() {
		f.smooth[i] = f.bounded(f.scale.to(w))
	}
	return nil
}

// part has the coordinates of the source's parameters.
func (f *fitted) part(x strategy.Point) []float64 {
	part := make([]float64, len(f.shared))
	for i, j := range f.shared {
		part[i] = x[j]
	}
	return part
}

// bounded keeps a value among those that there were.
func (f *fitted) bounded(y float64) float64 { return min(f.y[len(f.y)-1], max(f.y[0], y)) }

// value is what the model expects at a point.
func (f *fitted) value(x strategy.Point) float64 {
	w, _ := f.model.Predict(f.part(x))
	return f.bounded(f.scale.to(w))
}

// Probes are the first points to evaluate, apart from each other: the best of every source, and of a single
// one another good one. The points of the initial design that follow show how the other values compare.
func (m *Model) Probes() (points []strategy.Point) {
	parts := []float64{0, 0.1}
	if len(m.sources) > 1 {
		parts = parts[:1]
	}
	for _, part := range parts {
		for _, f := range m.sources {
			from := int(part * float64(len(f.x)-1))
			if i := slices.IndexFunc(f.x[from:], func(x strategy.Point) bool { return apart(x, points) }); i >= 0 {
				points = append(points, f.x[from+i])
			}
		}
	}
	return points
}

// leastApart is the root of the mean squared difference of coordinates below which points are much the same.
const leastApart = 0.1

func apart(x strategy.Point, points []strategy.Point) bool {
	return !slices.ContainsFunc(points, func(p strategy.Point) bool {
		sum := 0.0
		for j := range x {
			sum += (x[j] - p[j]) * (x[j] - p[j])
		}
		return sum < leastApart*leastApart*float64(len(x))
	})
}

// Finding is what a source was worth.
type Finding struct {
	Name          string
	Trials, Kept  int // that the source had, and that the space has a place for
	New           int // values that it was compared with
	Used          bool
	Offset, Scale float64
	Doubt         float64 // standard deviation, at the lowest values
	Gain          float64 // part of the squared error of the mean that it saves
}

func (f Finding) String() string {
	text := fmt.Sprintf("%s: %d of %d trials are used", f.Name, f.Kept, f.Trials)
	if f.New < leastFit {
		return text + " for the first points; there are too few new values to compare"
	}
	if !f.Used {
		return fmt.Sprintf("%s: not used, because it predicts %d new values not much better than their mean does", f.Name, f.New)
	}
	return fmt.Sprintf("%s; it predicted %d new values with %.0f %% less squared error than their mean (scale %.3g, offset %.3g, doubt %.2g)",
		text, f.New, 100*f.Gain, f.Scale, f.Offset, f.Doubt)
}

// Observations are those that the sources stand for, given the new ones in their order. They change when there are
// about a sixth more of those.
func (m *Model) Observations(own []strategy.Observation) (obs []strategy.Observation, findings []Finding) {
	n := counted(len(own))
	for _, f := range m.sources {
		finding := f.compare(own[:n])
		findings = append(findings, finding)
		if finding.Used {
			obs = append(obs, f.observations(finding, own)...)
		}
	}
	return obs, findings
}

// counted is how many of n new values are compared.
func counted(n int) int {
	c := min(n, 2*leastFit)
	for c+max(1, c/6) <= n {
		c += max(1, c/6)
	}
	return c
}

// compare fits the line, and asks how well each value was predicted before it was known.
func (f *fitted) compare(own []strategy.Observation) Finding {
	found := Finding{Name: f.Name, Trials: f.Trials, Kept: len(f.y), New: len(own)}
	if len(own) < leastFit {
		return found
	}
	var l line
	var wrong, plain float64
	m := make([]float64, len(own))
	for i, o := range own {
		m[i] = f.value(o.X)
		if i >= 2 {
			offset, scale := l.cautious()
			e, d := (o.Y[0]-offset-scale*m[i])/f.unit(m[i]), (o.Y[0]-l.y/l.n)/f.unit(m[i])
			wrong, plain = wrong+e*e, plain+d*d
		}
		l.add(m[i], o.Y[0], 1/(f.unit(m[i])*f.unit(m[i])))
	}
	found.Offset, found.Scale = l.fit()
	rest := 0.0
	for i, o := range own {
		e := (o.Y[0] - found.Offset - found.Scale*m[i]) / f.unit(m[i])
		rest += e * e
	}
	n := float64(len(own))
	found.Doubt = f.usual * (math.Sqrt(rest/max(1, n-2)*(1+3/n)) + certain*found.Scale)
	if plain > 0 {
		found.Gain = 1 - wrong/plain
	}
	found.Used = found.Scale > 0 && found.Gain > leastGain+earlyGain/(n-2) && found.Doubt > 0 && !math.IsInf(found.Doubt, 0)
	return found
}

// line is a regression that grows.
type line struct{ n, m, y, mm, my, count float64 }

func (l *line) add(m, y, weight float64) {
	l.count++
	l.n, l.m, l.y, l.mm, l.my = l.n+weight, l.m+weight*m, l.y+weight*y, l.mm+weight*m*m, l.my+weight*m*y
}

// fit returns the line; one that would fall is level.
func (l *line) fit() (offset, scale float64) {
	variance := l.mm - l.m*l.m/l.n
	if covariance := l.my - l.m*l.y/l.n; variance > 1e-12*l.mm && covariance > 0 {
		scale = covariance / variance
	}
	return (l.y - scale*l.m) / l.n, scale
}

// cautious is the line to predict by: few values do not make it steep.
func (l *line) cautious() (offset, scale float64) {
	_, scale = l.fit()
	scale *= l.count / (1 + l.count)
	return (l.y - scale*l.m) / l.n, scale
}

// observations are the rows at points that have no new value.
func (f *fitted) observations(found Finding, own []strategy.Observation) (obs []strategy.Observation) {
	doubt := found.Doubt / f.usual * math.Sqrt(max(1, float64(len(f.x))/sharedRows))
	for i, x := range f.x {
		if slices.ContainsFunc(own, func(o strategy.Observation) bool { return slices.Equal(o.X, x) }) {
			continue
		}
		obs = append(obs, strategy.Observation{X: x, Y: []float64{found.Offset + found.Scale*f.smooth[i]}, Std: []float64{doubt * f.unit(f.smooth[i])}})
	}
	return obs
}
