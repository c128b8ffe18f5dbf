package chart

import (
	"html/template"
	"slices"
	"strconv"
	"strings"

	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/study"
)

// OutcomesData is the outcomes of complete trials, which of them are on the front, and how limits are kept.
type OutcomesData struct {
	Objectives  []Objective `json:"objectives" nullable:"false"`
	Total       int         `json:"total" doc:"Complete trials."`
	Numbers     []int       `json:"numbers" nullable:"false" doc:"Of the trials drawn: those on the front and an even choice of the others, the knee last."`
	Kept        []bool      `json:"kept" nullable:"false" doc:"Whether they keep all limits."`
	On          []bool      `json:"on" nullable:"false" doc:"Whether they are on the front."`
	Axes        []Axis      `json:"axes" nullable:"false" doc:"Objectives and limits, in the order in which they are declared."`
	Limits      []Limit     `json:"limits" nullable:"false"`
	Grown       []int       `json:"grown" nullable:"false" doc:"Numbers of trials, increasing."`
	Volumes     []float64   `json:"volumes" nullable:"false" doc:"Hypervolume after each of them."`
	Hypervolume float64     `json:"hypervolume"`
}

// Objective is one of several.
type Objective struct {
	Name string `json:"name"`
	Goal string `json:"goal" enum:"minimize,maximize"`
	Axis int    `json:"axis" doc:"Its place in axes."`
}

// Limit is an outcome that has to stay within bounds.
type Limit struct {
	Name string `json:"name"`
	Text string `json:"text" example:"at most 10"`
	Kept int    `json:"kept" doc:"Complete trials that keep it."`
}

// ValueName is what the axis of a study's values is called: the first objective, with its unit.
func ValueName(s *space.Space) string {
	for _, o := range s.Outcomes() {
		if o.Goal != "" && o.Unit != "" {
			return o.Name + " (" + o.Unit + ")"
		} else if o.Goal != "" {
			return o.Name
		}
	}
	return "value"
}

// mostFront is the number of trials that charts of outcomes draw.
const mostFront = 800

// NewFront is what charts show of a study's front; trials are the complete ones that count.
func NewFront(f study.Front, trials []study.Trial, sp *space.Space) OutcomesData {
	c := OutcomesData{
		Objectives: []Objective{}, Total: f.Complete, Numbers: []int{}, Kept: []bool{}, On: []bool{}, Axes: []Axis{}, Limits: []Limit{},
		Grown: f.Numbers, Volumes: f.Volumes, Hypervolume: f.Hypervolume,
	}
	limited := map[string]space.Outcome{}
	for _, o := range sp.Outcomes() {
		if o.AtMost != nil || o.AtLeast != nil {
			limited[o.Name] = o
			c.Limits = append(c.Limits, Limit{o.Name, boundText(o), f.Kept[o.Name]})
		} else if o.Goal == "" {
			continue
		}
		if o.Goal != "" {
			c.Objectives = append(c.Objectives, Objective{o.Name, o.Goal, len(c.Axes)})
		}
		c.Axes = append(c.Axes, Axis{Name: o.Name, Unit: o.Unit, At: []float64{}})
	}
	on := map[int]bool{}
	for _, p := range f.Points {
		on[p.Number] = true
	}
	for _, t := range drawnOf(trials, on, f.Knee) {
		c.Numbers, c.On = append(c.Numbers, t.Number), append(c.On, on[t.Number])
		kept := true
		for name, o := range limited {
			v := t.Outcomes[name]
			kept = kept && (o.AtMost == nil || v <= *o.AtMost) && (o.AtLeast == nil || v >= *o.AtLeast)
		}
		c.Kept = append(c.Kept, kept)
		for k := range c.Axes {
			v := t.Outcomes[c.Axes[k].Name]
			if len(c.Axes[k].At) == 0 {
				c.Axes[k].Low, c.Axes[k].High = v, v
			}
			c.Axes[k].Low, c.Axes[k].High = min(c.Axes[k].Low, v), max(c.Axes[k].High, v)
			c.Axes[k].At = append(c.Axes[k].At, v)
		}
	}
	return c
}

// drawnOf are the trials on the front and an even choice of the others, the knee last.
func drawnOf(trials []study.Trial, on map[int]bool, knee int) (drawn []study.Trial) {
	var others []study.Trial
	for _, t := range trials {
		if len(t.Outcomes) == 0 || t.Value == nil {
			continue
		}
		if !on[t.Number] {
			others = append(others, t)
		} else if t.Number != knee {
			drawn = append(drawn, t)
		}
	}
	room := max(mostFront-len(drawn), 0)
	count := min(room, len(others))
	chosen := make([]study.Trial, 0, count)
	for k := range count {
		chosen = append(chosen, others[k*len(others)/count])
	}
	drawn = append(chosen, drawn...)
	if i := slices.IndexFunc(trials, func(t study.Trial) bool { return t.Number == knee }); i >= 0 {
		drawn = append(drawn, trials[i])
	}
	return drawn
}

// boundText is a limit in words.
func boundText(o space.Outcome) string {
	var parts []string
	if o.AtLeast != nil {
		parts = append(parts, "at least "+strconv.FormatFloat(*o.AtLeast, 'g', 6, 64))
	}
	if o.AtMost != nil {
		parts = append(parts, "at most "+strconv.FormatFloat(*o.AtMost, 'g', 6, 64))
	}
	return strings.TrimSpace(strings.Join(parts, ", ") + " " + o.Unit)
}

// FrontView is the figures of a front; Trials is where the pages of trials are, "" for nowhere.
type FrontView struct {
	OutcomesData
	Trials string
}

func (v FrontView) figure(kind, caption string) (template.HTML, error) {
	return Figure(kind, map[string]any{"front": v.OutcomesData}, caption, v.Trials)
}

// FrontFigure draws the objectives of the trials.
func (v FrontView) FrontFigure() (template.HTML, error) {
	return v.figure("front", "Each dot is a trial. No other trial is better in one objective than those on the front without being worse in another; what to choose among them is yours. The diamond is the knee, which gives most for least.")
}

// VolumeFigure draws how the hypervolume grew.
func (v FrontView) VolumeFigure() (template.HTML, error) {
	return v.figure("hypervolume", "The volume of what the front beats, up to the reference point. While it grows, more trials pay.")
}

// LimitsFigure draws how often limits are kept.
func (v FrontView) LimitsFigure() (template.HTML, error) {
	return v.figure("limits", "How many of the complete trials keep each limit, those that are kept least first.")
}

// OutcomesFigure draws parallel coordinates over the outcomes.
func (v FrontView) OutcomesFigure() (template.HTML, error) {
	return v.figure("outcomes", "Each line is a trial across its outcomes. Lines that cross between two axes mean that one outcome is bought with the other. Drag along an axis to keep the lines that pass there.")
}

// Several says whether there is more than one objective.
func (f OutcomesData) Several() bool { return len(f.Objectives) > 1 }
