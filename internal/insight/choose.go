package insight

import (
	"fmt"
	"slices"
)

// leastShare is the share of the gradient energy that directions need beyond what d out
// of D have anyway.
const leastShare = 0.5

// leastAccuracy is the cosine with the truth that every direction needs.
const leastAccuracy = 0.5

// aboutAsWell is the share of what the isotropic model gains over a constant that a model
// with directions may lose.
const aboutAsWell = 0.1

// clearly is the number of standard errors that is no accident.
const clearly = 2

// weigh lists the evidence, chooses the number of directions and says why.
func (a *analyst) weigh() {
	c := a.contest
	add := func(model Model, d int, p predictions) *Evidence {
		e := Evidence{Model: model, Dimension: d, LogDensity: c.score(p), R2: r2(c.sample.w, p.mean)}
		e.Gain, e.GainStdErr = c.difference(p, c.held[0])
		a.out.Evidence = append(a.out.Evidence, e)
		return &a.out.Evidence[len(a.out.Evidence)-1]
	}
	add(Constant, 0, c.constant)
	add(Isotropic, 0, c.held[0])
	add(Weights, 0, c.weights.held)
	for d := 1; d < len(c.held); d++ {
		e := add(Directional, d, c.held[d])
		e.Share, e.Agreement, e.Chance = c.lesson.share(d), c.lesson.agreement[d-1], c.chance
		e.Accuracy = slices.Min(c.jackknife(d).accuracy)
		e.Supported = c.beatsConstant(d) && c.holdsUp(*e) && e.Share >= needed(d, a.out.Dim) && e.Accuracy >= leastAccuracy
	}
	a.d = a.choose()
	a.explain()
}

// needed is the share of the gradient energy that d directions of D need.
func needed(d, dim int) float64 {
	return leastShare + (1-leastShare)*float64(d)/float64(dim)
}

// beatsConstant reports whether the model with d directions predicts anything.
func (c *contest) beatsConstant(d int) bool {
	gain, stdErr := c.difference(c.held[d], c.constant)
	return gain > clearly*stdErr
}

// holdsUp reports whether directions are more than a way to fit the data: they predict
// what was held out clearly better than the isotropic model, or about as well, and two
// halves of the data agree on them.
func (c *contest) holdsUp(e Evidence) bool {
	return e.Gain > clearly*e.GainStdErr || c.keepsUp(e) && e.Agreement > e.Chance
}

// keepsUp reports whether a model with directions predicts about as well as the isotropic.
func (c *contest) keepsUp(e Evidence) bool {
	gain, _ := c.difference(c.held[0], c.constant)
	return e.Gain >= -max(clearly*e.GainStdErr, aboutAsWell*gain)
}

// choose returns the smallest supported number of directions that predicts as well as
// the best one, up to a standard error.
func (a *analyst) choose() int {
	best := 0
	for _, e := range a.out.Evidence {
		if e.Supported && (best == 0 || e.LogDensity > a.contest.score(a.contest.held[best])) {
			best = e.Dimension
		}
	}
	for _, e := range a.out.Evidence {
		if !e.Supported {
			continue
		}
		if loss, stdErr := a.contest.difference(a.contest.held[best], a.contest.held[e.Dimension]); loss <= stdErr {
			return e.Dimension
		}
	}
	return 0
}

// explain says whether few linear combinations explain the values.
func (a *analyst) explain() {
	c, n, dim := a.contest, a.sample.len(), a.out.Parameters
	const no = "The data do not show that a few combinations of the parameters explain the values"
	a.out.Structure = a.structure()
	switch a.out.Structure {
	case LowDimensional:
		a.out.Verdict = fmt.Sprintf("A few combinations of the parameters explain the values: %s of the %d parameters %s %s of all change, and a model with %s predicts %s of the differences between values that it was not told.",
			plural(a.d, "combination"), dim, verb(a.d, "makes up", "make up"), percent(c.lesson.share(a.d)), verb(a.d, "it", "them"), percent(max(0, r2(c.sample.w, c.held[a.d].mean))))
	case OneCoordinate:
		a.out.Verdict = "Only one parameter varies, so there are no combinations to look for."
	case Unpredictable:
		why := fmt.Sprintf("%d points are too few for %d parameters, or the values are mostly noise", n, dim)
		if n >= 2*dim {
			why = "the values are mostly noise, or change too fast for this many points"
		}
		a.out.Verdict = no + ": values that the model was not told are predicted no better than by their mean; " + why + "."
	case Unclear:
		a.out.Verdict = fmt.Sprintf("%s yet: the model predicts %s of the differences between values, but parts of the data disagree on the combinations; %d points for %d parameters are too few, or lie too close together.",
			no, percent(max(0, r2(c.sample.w, c.held[0].mean), r2(c.sample.w, c.weights.held.mean))), n, dim)
	default:
		strongest := len(c.held) - 1
		a.out.Verdict = fmt.Sprintf("%s: many of them matter. The strongest %s of %d, with %s of all change, cannot replace the others.",
			no, verb(strongest, "combination", fmt.Sprint(strongest)), dim, percent(c.lesson.share(strongest)))
	}
}

// structure classifies the evidence.
func (a *analyst) structure() Structure {
	gain, stdErr := a.contest.difference(a.contest.weights.held, a.contest.constant)
	predictable := gain > clearly*stdErr
	for d := range a.contest.held {
		predictable = predictable || a.contest.beatsConstant(d)
	}
	switch {
	case a.d > 0:
		return LowDimensional
	case a.out.Dim == 1:
		return OneCoordinate
	case !predictable:
		return Unpredictable
	}
	for _, e := range a.out.Evidence {
		if e.Model == Directional && e.Share >= needed(e.Dimension, a.out.Dim) && a.contest.keepsUp(e) {
			return Unclear
		}
	}
	return ManyMatter
}

const (
	restShare = 0.1 // of the variance that all other parameters may explain where a few do
	mostFew   = 4   // parameters that are few
	leastR2   = 0.5 // share of the variance that has to be predicted
)

// name says which parameters explain the values where few do, and no combination is needed for
// it.
func (a *analyst) name() {
	list := a.out.Importances
	r2 := r2(a.global.sample.w, a.global.held.mean)
	if a.d > 0 || a.out.Structure == OneCoordinate || a.out.Structure == Unpredictable || r2 < leastR2 {
		return
	}
	var rest float64
	for _, i := range list {
		rest += i.Share
	}
	var named []string
	for _, i := range list[:min(mostFew, len(list)/2)] {
		rest -= i.Share
		named = append(named, fmt.Sprintf("%s (%s)", i.Param, percent(i.Share)))
		if rest <= restShare {
			a.out.Structure = FewParameters
			a.out.Verdict = fmt.Sprintf("Of the %d parameters, %s %s most of the differences between values. A model with a weight for each parameter predicts %s of the differences between values that it was not told.",
				a.out.Parameters, enumerate(named), verb(len(named), "explains", "explain"), percent(r2))
			return
		}
	}
}
