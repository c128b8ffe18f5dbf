package strategy

import (
	"math"
	"math/rand/v2"

	"github.com/mahabo/mahabo/gp"
	"github.com/mahabo/mahabo/internal/linalg"
)

// arm is a kind of query: in a box of half-width widths[width] around a good point, with
// all parameters free or a few, or on the flat through the best points.
type arm struct {
	kind  kind
	width int
}

type kind int

const (
	all  kind = iota
	few       // about fewParams of them; the others stay those of the centre
	span      // centre + sum t_k (x_k - centre), x_k the best points
)

// widths are the half-widths of the boxes; the last is the whole box [-1,1]^D.
var widths = [...]float64{0.02, 0.06, 0.2, 0.6, 2}

const (
	armCount  = 3 * len(widths)
	forget    = 0.95 // factor of rewards and counts for every further observation
	curiosity = 0.25 // share of the draws that ignores the rewards
	fewParams = 20   // parameters that a query of few changes, on average
	centres   = 10   // points around which queries of few are made
)

// arms remembers what every kind of query brought. It is a bandit whose record is read
// off the observations: the kind of a point is where it lies from the best points before
// it, whoever proposed it, so that a log of observations restores it.
type arms struct {
	cfg    Config
	reward [armCount]float64 // improvements over the lowest value
	count  [armCount]float64
}

func newArms(cfg Config) *arms { return &arms{cfg: cfg} }

func (k arm) index() int { return int(k.kind)*len(widths) + k.width }

// learn takes note of an observation that follows those in x and y.
func (a *arms) learn(x []Point, y []float64, o Observation) {
	if len(x) < a.cfg.Init {
		return
	}
	ranked := lowest(y, centres)
	for i := range armCount {
		a.reward[i] *= forget
		a.count[i] *= forget
	}
	i := a.recognise(x, ranked, o.X).index()
	a.reward[i] += max(0, y[ranked[0]]-o.Value)
	a.count[i]++
}

// recognise says what kind of query x is. A query of few parameters shares the others,
// exactly, with one of the best points. Coordinates on the border do not count: many
// points share them.
func (a *arms) recognise(points []Point, ranked []int, x Point) arm {
	centre, kind := points[ranked[0]], all
	for _, i := range ranked {
		inner, same := 0, 0
		for j, c := range points[i] {
			if c > -1 && c < 1 {
				inner++
				if c == x[j] {
					same++
				}
			}
		}
		if same > 0 && 2*same >= inner {
			centre, kind = points[i], few
			break
		}
	}
	if kind == all && onFlat(points, ranked, x) {
		kind = span
	}
	var reach float64
	for j, c := range centre {
		reach = max(reach, math.Abs(x[j]-c))
	}
	k := arm{kind: kind, width: len(widths) - 1}
	for w := len(widths) - 2; w >= 0 && reach <= widths[w]*(1+1e-9); w-- {
		k.width = w
	}
	return k
}

// draw chooses a kind of query, mostly in proportion to the reward per query, and where
// it is made: around the best point, queries of few in half of the cases around another
// of the best.
func (a *arms) draw(cloud *gp.Cloud, ranked []int, r *rand.Rand) query {
	var score [armCount]float64
	var total float64
	for i := range score {
		score[i] = a.reward[i] / (a.count[i] + 0.5)
		total += score[i]
	}
	k, left := armCount-1, r.Float64()
	for i, s := range score {
		p := 1 / float64(armCount)
		if total > 0 {
			p = curiosity*p + (1-curiosity)*s/total
		}
		if left -= p; left < 0 {
			k = i
			break
		}
	}
	q := query{arm: arm{kind: kind(k / len(widths)), width: k % len(widths)}, centre: cloud.At(ranked[0])}
	switch q.kind {
	case few:
		if r.Float64() < 0.5 {
			q.centre = cloud.At(ranked[r.IntN(len(ranked))])
		}
	case span:
		var points []Point
		for _, i := range ranked {
			points = append(points, cloud.At(i))
		}
		q.basis = flat(points)
	}
	return q
}

// flat returns an orthonormal basis of the differences of the points from the first.
func flat(points []Point) linalg.Matrix {
	dim := len(points[0])
	basis := linalg.New(len(points)-1, dim)
	rows := 0
	for _, p := range points[1:] {
		v := basis.Row(rows)
		for j := range v {
			v[j] = p[j] - points[0][j]
		}
		before := linalg.Dot(v, v)
		for range 2 { // twice is enough
			for b := range rows {
				linalg.Axpy(v, -linalg.Dot(v, basis.Row(b)), basis.Row(b))
			}
		}
		if left := linalg.Dot(v, v); left > 1e-12*before {
			scale := 1 / math.Sqrt(left)
			for j := range v {
				v[j] *= scale
			}
			rows++
		}
	}
	return basis.Slice(0, rows, 0, dim)
}

// onFlat says whether x lies on the flat through the best points, up to what the border
// of the box cuts off.
func onFlat(points []Point, ranked []int, x Point) bool {
	best := make([]Point, len(ranked))
	for k, i := range ranked {
		best[k] = points[i]
	}
	basis := flat(best)
	v := make([]float64, len(x))
	for j := range v {
		v[j] = x[j] - best[0][j]
	}
	before := linalg.Dot(v, v)
	for b := range basis.Rows {
		linalg.Axpy(v, -linalg.Dot(v, basis.Row(b)), basis.Row(b))
	}
	return linalg.Dot(v, v) < 0.02*before
}
