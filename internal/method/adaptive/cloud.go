package adaptive

import (
	"context"
	"math"
	"slices"

	"github.com/mahabo/mahabo/internal/gp"
	"github.com/mahabo/mahabo/internal/linalg"
	"github.com/mahabo/mahabo/internal/method"
	"github.com/mahabo/mahabo/internal/num"
	"github.com/mahabo/mahabo/internal/rng"
	"github.com/mahabo/mahabo/strategy"
)

// cloud are points drawn at random around a common centre: a part of those that many workers evaluate when there are too many
// parameters to learn directions. A model of these points alone says where the centre goes next. Points of queries would mislead
// it: they were chosen because an earlier model expected low values there, so their values show its errors above all.
type cloud struct {
	numbers []int // of the observations that were drawn
	centres []int // of those among them that were a centre themselves
	drawn   int   // points of the last Ask, which end it,
	centre  bool  // and whether the first of them is the centre
	moved   move  // the last one
}

// move is a move of the centre, with all that it is a function of beside the observations.
type move struct {
	count, from int // drawn observations that it has seen, and the observation that it begins at
	log         bool
	to          strategy.Point
}

// Tags of drawn suggestions and of the centre around which they are drawn.
const (
	cloudTag  = "cloud"
	centreTag = "centre"
)

const (
	cloudBudget   = 3000 // evaluations that are meant at least; functions of few directions are better off without a cloud until then
	leastCloud    = 0.5  // share of the open points, when the queries do better
	cloudRounds   = 10   // of as many points as are open,
	cloudPatience = 2    // and observations for each parameter, until the cloud has to lead
	fewDrawn      = 10   // observations, with which the centre is the best point still
	cloudBlock    = 8    // of them make a new move
	cloudTheta    = 5    // of the model, which has to be right near the centre only
	cloudNoise    = 0.1  // relative to the variance of the function
	cloudWindow   = 1500 // latest observations that it has
	moveSteps     = 15   // at most
)

// learn takes note of observations, the first of which has a number.
func (c *cloud) learn(first int, obs []strategy.Observation) {
	for i, o := range obs {
		if isDrawn(o.Tag) {
			c.numbers = append(c.numbers, first+i)
		}
		if o.Tag == centreTag {
			c.centres = append(c.centres, first+i)
		}
	}
}

func isDrawn(tag string) bool { return tag == cloudTag || tag == centreTag }

// others leaves out those values of the first observations that were drawn.
func (c *cloud) others(values []float64) []float64 {
	kept := make([]float64, 0, len(values))
	next := c.numbers
	for i, v := range values {
		if len(next) > 0 && next[0] == i {
			next = next[1:]
		} else {
			kept = append(kept, v)
		}
	}
	return kept
}

// tag marks the points of an Ask that were drawn.
func (c *cloud) tag(asked []strategy.Suggestion) {
	drawn := asked[len(asked)-c.drawn:]
	for i := range drawn {
		drawn[i].Tag = cloudTag
		if c.centre && i == 0 {
			drawn[i].Tag = centreTag
		}
	}
}

// proposeWithCloud is propose, with drawn points where there is a cloud. They come last.
func (a *run) proposeWithCloud(ctx context.Context, n int, pending []strategy.Suggestion) ([]strategy.Point, error) {
	round := a.cloudRound(len(pending) + n)
	running := 0
	for _, p := range pending {
		if isDrawn(p.Tag) {
			running++
		}
	}
	drawn := min(max(round-running, 0), n)
	var queries []strategy.Point
	var err error
	if drawn < n {
		queries, err = a.propose(ctx, n-drawn, method.Points(pending), nil)
	} else {
		err = a.refit(ctx)
	}
	if err != nil || drawn == 0 {
		return queries, err
	}
	centre, err := a.cloudCentre()
	if err != nil {
		return nil, err
	}
	// One of the points of a round is the centre itself, except in the first one: it has been evaluated.
	first := len(a.cloud.numbers) + running
	a.cloud.drawn = drawn
	if a.cloud.centre = (first+drawn-1)/round > max(first-1, 0)/round; a.cloud.centre {
		queries = append(queries, slices.Clone(centre))
		drawn--
	}
	return append(queries, a.draw(centre, drawn, len(pending))...), nil
}

// cloudRound is how many of the open points are drawn. There is a round of queries first, so that the middle of the box is known.
// A cloud needs more observations than there are parameters to get ahead of the queries, and costs before: there is one where
// these are at most half of the evaluations that are meant, and many are.
func (a *run) cloudRound(open int) int {
	known, until := len(a.y)-a.Config.Init, cloudRounds*open+cloudPatience*a.params
	if open < a.WideFrom || a.CloudShare == 0 || a.grid != nil || a.params <= mostTurned || known < open || a.Config.Budget < max(2*until, cloudBudget) {
		return 0
	}
	share := a.CloudShare
	if known >= until && !a.cloudLeads() {
		share = min(share, leastCloud)
	}
	return int(math.Round(share * float64(open)))
}

// cloudLeads says whether the lowest value of the cloud is lower than the mean of its lowest and that of the others in the first
// half of the observations: it is lower than theirs, or would be after as much progress again. The others gain from what the cloud
// finds: compared with all of them it would hardly ever lead.
func (a *run) cloudLeads() bool {
	half := len(a.y) / 2
	early, _ := slices.BinarySearch(a.cloud.numbers, half)
	drawn, others := pick(a.y, a.cloud.numbers), a.cloud.others(a.y[:half])
	return early > 0 && len(others) > 0 && slices.Min(drawn) < (slices.Min(drawn[:early])+slices.Min(others))/2
}

// draw returns n points around the centre, in mirrored pairs, so that their mean is the centre.
func (a *run) draw(centre strategy.Point, n, pending int) []strategy.Point {
	r := rng.New(a.Config.Seed, uint64(len(a.y)), uint64(pending), rng.Purpose("cloud"))
	points := make([]strategy.Point, n)
	step := make([]float64, a.Dim)
	for i := range points {
		mirrored := i%2 == 1
		for j := range step {
			if step[j] = -step[j]; !mirrored {
				step[j] = a.CloudSpread * r.NormFloat64()
			}
		}
		x := slices.Clone(centre)
		linalg.Axpy(x, 1, step)
		a.region.Keep(x)
		points[i] = x
	}
	return points
}

// cloudCentre is the last centre that was evaluated, or the best point as long as none was, moved to where the model of the cloud
// is lower. It is a function of the observations: the last one is remembered.
func (a *run) cloudCentre() (strategy.Point, error) {
	from := a.best
	if n := len(a.cloud.centres); n > 0 {
		from = a.cloud.centres[n-1]
	}
	count := len(a.cloud.numbers) / cloudBlock * cloudBlock
	if count < fewDrawn {
		return a.x[from], nil
	}
	if m := a.cloud.moved; m.count == count && m.from == from && m.log == a.fit.log {
		return m.to, nil
	}
	model, err := a.cloudModel(a.cloud.numbers[max(0, count-cloudWindow):count])
	if err != nil {
		return nil, err
	}
	centre := slices.Clone(a.x[from])
	a.moveDown(centre, model)
	a.cloud.moved = move{count, from, a.fit.log, centre}
	return centre, nil
}

// cloudModel is a model of the observations with the given numbers.
func (a *run) cloudModel(numbers []int) (*gp.Posterior, error) {
	s := a.newScaled(a.fit.log, pick(a.y, numbers), pick(a.std, numbers), a.designMedian(len(a.y)))
	h := gp.Hyper{Profile: gp.RBF, Metric: gp.Isotropic{Theta: cloudTheta}, Noise: cloudNoise}
	if s.noise != nil {
		_, std := num.MeanStd(s.w)
		h.Scale = max(std*std, smallestNoise)
	}
	return gp.Condition(h, gp.Data{Points: a.points.Subset(numbers), Y: s.w, Given: s.noise}, 0)
}

// moveDown moves x down the mean of a model, by a limited distance. A step that leads up is tried again with half of its length.
func (a *run) moveDown(x strategy.Point, model *gp.Posterior) {
	reach := a.CloudReach * math.Sqrt(float64(a.Dim))
	start, next := slices.Clone(x), make(strategy.Point, a.Dim)
	value, grad := make([]float64, 1), linalg.New(1, a.Dim)
	evaluate := func(x strategy.Point) float64 {
		model.Evaluate(value, grad, linalg.Matrix{Rows: 1, Cols: a.Dim, Stride: a.Dim, Data: x}, gp.Mean)
		return value[0]
	}
	now, length := evaluate(x), reach/4
	slope := slices.Clone(grad.Row(0))
	for range moveSteps {
		steep := math.Sqrt(linalg.Dot(slope, slope))
		if steep == 0 {
			return
		}
		copy(next, x)
		linalg.Axpy(next, -length/steep, slope)
		if far := math.Sqrt(method.SquaredDistance(next, start)); far > reach {
			for j, c := range start {
				next[j] = c + (next[j]-c)*reach/far
			}
		}
		a.region.Keep(next)
		if v := evaluate(next); v < now {
			now = v
			copy(x, next)
			copy(slope, grad.Row(0))
		} else {
			length /= 2
		}
	}
}
