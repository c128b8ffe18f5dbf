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
	a.out.Structure = a.structure()
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

// told is what the models of the evidence know when they predict.
const told = "told four fifths of the values"

// explain says whether few linear combinations explain the values.
func (a *analyst) explain() {
	c, n, dim := a.contest, a.sample.len(), a.out.Parameters
	const no = "The data do not show that a few combinations of the parameters explain the values"
	predicted := percent(max(0, a.mostPredicted()))
	switch a.out.Structure {
	case LowDimensional:
		a.out.Verdict = fmt.Sprintf("A few combinations of the parameters explain the values: %s of the %s %s %s of all change, and a model with %s, %s, predicts %s of the differences between the others.",
			plural(a.d, "combination"), a.parameters(), verb(a.d, "makes up", "make up"), percent(c.lesson.share(a.d)), verb(a.d, "it", "them"), told, percent(max(0, r2(c.sample.w, c.held[a.d].mean))))
	case OneCoordinate:
		a.out.Verdict = "Only one parameter varies, so there are no combinations to look for."
	case Unpredictable:
		if a.mostPredicted() >= leastPredicted {
			a.out.Verdict = fmt.Sprintf("%s: %s, the best model predicts %s of the differences between the others, which may be chance. The points are too few, or lie too close together, to tell.", no, told, predicted)
			return
		}
		why := "The points are too few, or lie too close together, to tell."
		switch noisy := c.noise() > someNoise && a.out.Calibration.R2 < leastPredicted; {
		case noisy && n < 2*dim:
			why = fmt.Sprintf("%d points are too few for %s, or the values are mostly noise.", n, a.parameters())
		case noisy:
			why = "The values are mostly noise, or change too fast for this many points."
		}
		a.out.Verdict = fmt.Sprintf("%s: %s, the models predict the others hardly better than their mean would. %s", no, told, why)
	case Unclear:
		matter := "parameters that matter"
		if a.replaceable() {
			matter = "combinations"
		}
		a.out.Verdict = fmt.Sprintf("%s yet: %s, the model predicts %s of the differences between the others, but parts of the data disagree on the %s; %d points for %s are too few, or lie too close together.",
			no, told, predicted, matter, n, a.parameters())
	case ManyMatter:
		a.out.Verdict = c.allMatter(dim)
	}
	if doubt := Doubt(a.out.Importances); doubt != "" && a.out.Structure != Unpredictable {
		a.out.Verdict += " " + doubt
	}
}

// allMatter says that no few combinations can replace the parameters.
func (c *contest) allMatter(params int) string {
	what := "Many parameters matter."
	if params <= mostFew {
		what = "All parameters matter."
	}
	switch strongest := len(c.held) - 1; strongest {
	case 0:
		return what
	case 1:
		return fmt.Sprintf("%s One combination is not enough: the strongest makes up %s of the change, but predicts new values worse than all parameters do.", what, percent(c.lesson.share(1)))
	default:
		return fmt.Sprintf("%s No few combinations are enough: the %s strongest make up %s of the change, but predict new values worse than all parameters do.", what, inWords(strongest), percent(c.lesson.share(strongest)))
	}
}

// parameters says how many there are, and that these vary where others are fixed.
func (a *analyst) parameters() string {
	text := plural(a.out.Parameters, "parameter")
	if len(a.Space.Params()) > a.out.Parameters {
		text += " that vary"
	}
	return text
}

// mostPredicted is the largest share of the variance that a model predicts of held-out values.
func (a *analyst) mostPredicted() (most float64) {
	c := a.contest
	most = r2(c.sample.w, c.weights.held.mean)
	for _, p := range c.held {
		most = max(most, r2(c.sample.w, p.mean))
	}
	return most
}

// someNoise is the share of noise in the variance from which on a model, that cannot predict values from their
// neighbours either, takes them for noise.
const someNoise = 0.1

// noise is the share of the variance that the model takes for noise: the one with weights, or the isotropic
// one where that predicts better.
func (c *contest) noise() float64 {
	h := c.lesson.isotropic
	if c.score(c.weights.held) > c.score(c.held[0]) {
		h = c.weights.hyper
	}
	return h.Noise / (1 + h.Noise)
}

// structure classifies the evidence.
func (a *analyst) structure() Structure {
	c := a.contest
	gain, stdErr := c.difference(c.weights.held, c.constant)
	predictable := gain > clearly*stdErr
	for d := range c.held {
		predictable = predictable || c.beatsConstant(d)
	}
	switch {
	case a.d > 0:
		return LowDimensional
	case a.out.Dim == 1:
		return OneCoordinate
	case !predictable || a.mostPredicted() < leastPredicted:
		return Unpredictable
	}
	if gain, stdErr := c.difference(c.weights.held, c.held[0]); a.replaceable() || gain > clearly*stdErr {
		return Unclear // where parameters do not count alike many need not matter
	}
	return ManyMatter
}

// replaceable says whether a few combinations predict about as well as all parameters, supported or not.
func (a *analyst) replaceable() bool {
	return slices.ContainsFunc(a.out.Evidence, func(e Evidence) bool {
		return e.Model == Directional && e.Share >= needed(e.Dimension, a.out.Dim) && a.contest.keepsUp(e)
	})
}

const (
	restShare  = 0.1  // of the variance that all other parameters may explain where a few do
	mostFew    = 4    // parameters that are few
	leastR2    = 0.5  // share of the variance that has to be predicted
	leastSure  = 0.5  // of the variance that the lower bounds of a few parameters have to explain
	leastLow   = 0.01 // lower bound of each of them
	doubtShare = 0.2  // of a parameter that is worth a doubt
)

// name says which parameters explain the values where few do, and no combination is needed for
// it. Among many parameters some follow the values by chance, and a fit to all values is sure of them; the
// lower bounds are not, because they are of models that were learned without each fifth of the values, too.
func (a *analyst) name() {
	list := a.out.Importances
	r2 := r2(a.global.sample.w, a.global.held.mean)
	if a.d > 0 || a.out.Structure == OneCoordinate || a.out.Structure == Unpredictable || r2 < leastR2 {
		return
	}
	if loss, stdErr := a.contest.difference(a.contest.held[0], a.contest.weights.held); loss > clearly*stdErr {
		return // parameters are told apart at the price of what can be predicted
	}
	var rest, sure float64
	for _, i := range list {
		rest += i.Share
	}
	var named []string
	for _, i := range list[:min(mostFew, len(list)/2)] {
		if i.Low < leastLow {
			return
		}
		rest -= i.Share
		sure += i.Low
		named = append(named, fmt.Sprintf("%s (%s)", i.Param, percent(i.Share)))
		if rest <= restShare {
			break
		}
	}
	if len(named) == 0 || rest > restShare || sure < leastSure {
		return
	}
	a.out.Structure = FewParameters
	a.out.Verdict = fmt.Sprintf("Of the %s, %s %s most of the differences between values. A model with a weight for each parameter, %s, predicts %s of the differences between the others.",
		a.parameters(), enumerate(named), verb(len(named), "explains", "explain"), told, percent(r2))
}

// Doubt says that the most important parameter may as well not matter, if so.
func Doubt(list []Importance) string {
	if len(list) < 2 || list[0].Share < doubtShare || list[0].Low >= leastLow {
		return ""
	}
	top := list[0]
	return fmt.Sprintf("Which parameters matter most is not known: %s has %s in the model of all values, but anything from %s to %s agrees with the data.",
		top.Param, percent(top.Share), percent(top.Low), percent(top.High))
}
