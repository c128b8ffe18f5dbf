package adaptive

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mahabo/mahabo/internal/gp"
	"github.com/mahabo/mahabo/internal/linalg"
)

// turnedMembers are models with one weight for each of D directions of their own: smooth and rough
// functions. Many workers bring more observations than parameters soon, and these show along which
// directions a function varies, and how fast. A model that knows them tells in a few rounds what
// one step after another would have found.
var turnedMembers = []weighted{{profile: gp.RBF, turned: true}, {profile: gp.Matern52, turned: true}}

// mostTurned is the most parameters with which there are directions: they are the numbers of a D x D matrix.
const mostTurned = 100

// turn gives the prior of a fit the directions of the function: the eigenvectors of the mean of g gᵀ,
// g the gradients that the last fit of the model, or the even one, expects at the observations.
// The fit begins with the weights that the last one had along them. It says no where there are none.
func (a *run) turn(prior *gp.Prior, m *weighted, even gp.Hyper, d gp.Data) bool {
	h := even
	if m.known {
		h = m.hyper
	}
	n := len(d.Y)
	if d.Points.Len() > n {
		d.Points = d.Points.Subset(numbers(0, n))
	}
	model, err := gp.Condition(h, d, 0)
	if err != nil {
		return false
	}
	grad := linalg.New(n, a.Dim)
	model.Evaluate(make([]float64, n), grad, d.Points.X(), gp.Mean)
	directions, ok := spectrum(grad)
	if !ok {
		return false
	}
	w := prior.Metric.(gp.Weighted)
	prior.Metric = gp.Turned{Directions: directions, Weighted: w}
	if m.known {
		prior.Start = slices.Clone(m.hyper.Logs)
		for k, v := range m.hyper.Metric.(gp.Turned).Turn(directions).Weights {
			prior.Start[k] = min(max(math.Log(v), w.Param.Low), w.Param.High)
		}
	}
	return true
}

// spectrum returns the eigenvectors of GᵀG, one per row, that of the largest eigenvalue first.
func spectrum(g linalg.Matrix) (directions linalg.Matrix, ok bool) {
	dim := g.Cols
	outer := linalg.New(dim, dim)
	linalg.GemmTA(outer, 0, 1, g, g)
	sym := mat.NewSymDense(dim, nil)
	for i := range dim {
		for j := range i + 1 {
			if v := outer.At(i, j); v-v == 0 {
				sym.SetSym(i, j, v)
			} else {
				return directions, false
			}
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(sym, true) {
		return directions, false
	}
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	directions = linalg.New(dim, dim)
	for k := range dim {
		for j := range dim {
			directions.Set(k, j, vectors.At(j, dim-1-k))
		}
	}
	return directions, true
}

// turnedFor returns the models with directions where so many points are open that they make queries, else nil.
func (a *run) turnedFor(open int) *relevance {
	if open < a.WideFrom || a.TurnedShare == 0 || a.grid != nil || a.params > mostTurned || a.relevance == nil {
		return nil
	}
	if a.turned == nil {
		a.turned = &relevance{run: a, turned: true}
	}
	return a.turned
}

// spread returns the observations of a model that has limit of them at most: the lowest, the latest and
// others, so that it knows all valleys.
func (a *run) spread(limit int) (d gp.Data, std []float64) {
	if len(a.y) <= limit {
		return a.keep(len(a.y), limit)
	}
	kept := chosen(a.y, limit)
	return gp.Data{Points: a.points.Subset(kept), Y: pick(a.y, kept)}, pick(a.std, kept)
}

// lead is the largest of the models, and which one has it; none is -Inf.
func (v *relevance) lead() (k int, lead float64) {
	lead = math.Inf(-1)
	for i, m := range v.models {
		if m.known && m.lead > lead {
			k, lead = i, m.lead
		}
	}
	return k, lead
}
