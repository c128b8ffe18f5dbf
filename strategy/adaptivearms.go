package strategy

import (
	"math"
	"math/rand/v2"

	"github.com/mahabo/mahabo/gp"
)

// arm is a kind of query: in a box of half-width widths[width] around a good point, of all
// parameters or of a few, where the others stay those of the centre.
type arm struct {
	few   bool
	width int
}

// widths are the half-widths of the boxes; the last is the whole box [-1,1]^D.
var widths = [...]float64{0.02, 0.06, 0.2, 0.6, 2}

const (
	armCount  = 2 * len(widths)
	forget    = 0.95 // factor of rewards and counts for every further observation
	curiosity = 0.25 // share of the draws that ignores the rewards
	fewShare  = 30   // of these, queries of few are the share fewShare/D, at most half
	fewParams = 20   // parameters that a query of few changes, on average
	clearance = 10   // standard deviations of the noise that a box has to show
	centres   = 10   // points around which queries of few are made
)

// arms remembers what every kind of query brought. It is a bandit whose record is read
// off the observations: the kind of a point is where it lies from the best points before
// it, whoever proposed it, so that a log of observations restores it.
type arms struct {
	cfg     Config
	without part
	reward  [armCount]float64 // improvements over the lowest value
	count   [armCount]float64
}

func newArms(cfg Config, without part) *arms { return &arms{cfg: cfg, without: without} }

func (k arm) index() int {
	if k.few {
		return len(widths) + k.width
	}
	return k.width
}

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
	centre, few := points[ranked[0]], false
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
			centre, few = points[i], true
			break
		}
	}
	var reach float64
	for j, c := range centre {
		reach = max(reach, math.Abs(x[j]-c))
	}
	k := arm{few: few, width: len(widths) - 1}
	for w := len(widths) - 2; w >= 0 && reach <= widths[w]*(1+1e-9); w-- {
		k.width = w
	}
	return k
}

// draw chooses a kind of query, mostly in proportion to the reward per query, and where
// it is made: around the best point, queries of few in half of the cases around another
// of the best.
func (a *arms) draw(best Point, ranked []int, cloud *gp.Cloud, h gp.Isotropic, r *rand.Rand) query {
	k, left := armCount-1, r.Float64()
	for i, p := range a.chances(h) {
		if left -= p; left < 0 {
			k = i
			break
		}
	}
	q := query{arm: arm{few: k >= len(widths), width: k % len(widths)}, centre: best}
	if q.few && r.Float64() < 0.5 {
		q.centre = cloud.At(ranked[r.IntN(len(ranked))])
	}
	return q
}

// narrowest returns the number of the narrowest box in which single observations show how
// the function changes: the model's difference of the centre and a uniform point of the
// box, of variance theta L²/3, is clear of the noise. The whole box always counts.
func (a *arms) narrowest(h gp.Isotropic) int {
	last := len(widths) - 1
	if a.without == boxes {
		return last
	}
	for i, l := range widths[:last] {
		if h.Theta*l*l/3 >= clearance*clearance*h.Noise {
			return i
		}
	}
	return last
}

// chances returns the probability of every kind of query.
func (a *arms) chances(h gp.Isotropic) (p [armCount]float64) {
	few := min(fewShare/float64(a.cfg.Dim), 0.5)
	if a.without == fewQueries {
		few = 0
	}
	narrowest := a.narrowest(h)
	sizes := float64(len(widths) - narrowest)
	var score [armCount]float64
	var total float64
	for i := range p {
		if i%len(widths) < narrowest {
			continue
		}
		p[i] = (1 - few) / sizes
		if i >= len(widths) {
			p[i] = few / sizes
		}
		if p[i] > 0 && a.without != rewards {
			score[i] = a.reward[i] / (a.count[i] + 0.5)
			total += score[i]
		}
	}
	if total > 0 {
		for i, s := range score {
			p[i] = curiosity*p[i] + (1-curiosity)*s/total
		}
	}
	return p
}
