package chart

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/study"
)

// Learning is what trials reported while they ran, for a chart of learning curves.
type Learning struct {
	Curves []LearningCurve `json:"curves" nullable:"false"` // by number
	Best   int             `json:"best,omitempty" doc:"Number of the best trial, if it is among them."`
}

// LearningCurve is what one trial reported.
type LearningCurve struct {
	Number int       `json:"number"`
	State  string    `json:"state"`
	Steps  []int64   `json:"steps" nullable:"false"`
	Values []float64 `json:"values" nullable:"false"`
	Final  *float64  `json:"final" doc:"Value of a complete trial."`
}

// NewLearning is the curves of the trials that have reported something.
func NewLearning(trials []study.Trial, reports map[int][]study.Reported, best int) Learning {
	l := Learning{Curves: []LearningCurve{}}
	for _, t := range trials {
		list := reports[t.Number]
		if len(list) == 0 {
			continue
		}
		c := LearningCurve{Number: t.Number, State: string(t.State), Final: t.Value}
		for _, r := range list {
			c.Steps, c.Values = append(c.Steps, r.Step), append(c.Values, r.Value)
		}
		if t.Number == best {
			l.Best = best
		}
		l.Curves = append(l.Curves, c)
	}
	slices.SortFunc(l.Curves, func(a, b LearningCurve) int { return cmp.Compare(a.Number, b.Number) })
	return l
}

// Spending is what was reached for which cost.
type Spending struct {
	Numbers []int      `json:"numbers" nullable:"false"` // of the trials, in the order in which they ended
	States  []string   `json:"states" nullable:"false"`
	Spent   []float64  `json:"spent" nullable:"false" doc:"Cost of all trials up to each."`
	Values  []*float64 `json:"values" nullable:"false" doc:"Value of a complete trial, last report of a stopped one."`
	Best    []*float64 `json:"best" nullable:"false" doc:"Best value so far, null before the first."`
	Told    bool       `json:"told" doc:"Trials told what they cost; else costs are seconds."`
}

// NewSpending adds up what trials cost that have ended. before is the cost of those that are left
// out. keeps says whether a trial keeps all limits.
func NewSpending(trials []study.Trial, goal study.Goal, before float64, keeps func(study.Trial) bool) Spending {
	ended := slices.DeleteFunc(slices.Clone(trials), func(t study.Trial) bool { return t.Told.IsZero() || t.Asked.IsZero() && t.Cost == 0 })
	slices.SortStableFunc(ended, func(a, b study.Trial) int { return a.Told.Compare(b.Told) })
	s := Spending{Numbers: []int{}, States: []string{}, Spent: []float64{}, Values: []*float64{}, Best: []*float64{}}
	var best *float64
	for _, t := range ended {
		s.Told = s.Told || t.Cost > 0
		before = min(before+cost(t), math.MaxFloat64) // JSON has no infinity
		value := t.Value
		if t.State == evaluate.Stopped && t.Last != nil {
			value = &t.Last.Value
		}
		if t.Value != nil && !t.Excluded && keeps(t) && (best == nil || Better(goal, *t.Value, *best)) {
			best = t.Value
		}
		s.Numbers, s.States, s.Spent = append(s.Numbers, t.Number), append(s.States, string(t.State)), append(s.Spent, before)
		s.Values, s.Best = append(s.Values, value), append(s.Best, best)
	}
	return s
}

// cost is what a trial told, or the seconds that it took.
func cost(t study.Trial) float64 {
	if t.Cost > 0 || t.Asked.IsZero() {
		return t.Cost
	}
	return max(0, t.Told.Sub(Began(t)).Round(time.Millisecond).Seconds())
}

// Began is when the evaluation of a trial began: so many seconds before it was told as it took, or when it was asked for
// where nobody has said so.
func Began(t study.Trial) time.Time {
	if t.Seconds == 0 || t.Told.IsZero() {
		return t.Asked
	}
	return t.Told.Add(-time.Duration(t.Seconds * float64(time.Second)))
}

// MostCurves is how many learning curves a chart has.
const MostCurves = 60

// CurvePoints is how many points each of them has.
const CurvePoints = 150

// The captions of the charts.
const (
	LearningCaption = "What trials had reached at each step while they ran. A cross ends those that were stopped early, a dot those that still run; the best is orange."
	SpendingCaption = "The best value so far, by what all trials had cost by then. Crosses are trials that were stopped early, at what they had reached."
)
