package web

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/mahabo/mahabo/internal/chart"
	"github.com/mahabo/mahabo/space"
	"go.yaml.in/yaml/v3"
)

// trial is a point of a study and what came of it.
type trial struct {
	Number    int
	State     string
	Origin    string
	Params    space.Params
	Predicted *struct{ Mean, Std float64 }
	Value     *float64
	Std       float64
	Outcomes  map[string]float64
	Stds      map[string]float64
	Reason    string
	Cost      float64
	Seconds   float64
	CountsAs  *float64 `json:"counts_as"`
	CountsStd float64  `json:"counts_std"`
	Last      *struct {
		Step  int64
		Value float64
	}
	Notes    []string
	Excluded bool
	History  []struct {
		Time     time.Time
		By, What string
	}
	Batch        int `json:"batch_id"`
	Worker       string
	Created      time.Time
	Asked        *time.Time
	Told         *time.Time
	LeaseExpires *time.Time `json:"lease_expires"`
}

// Duration is how long the trial took, or runs, as a text.
func (t trial) Duration() string {
	switch {
	case t.Asked == nil || t.State == "waiting":
		return ""
	case t.Told != nil && t.Seconds > 0:
		return lasting(time.Duration(t.Seconds * float64(time.Second)))
	case t.Told != nil:
		return lasting(t.Told.Sub(*t.Asked))
	case t.State == "running":
		return lasting(time.Since(*t.Asked))
	}
	return ""
}

// Took is the duration in a table.
func (t trial) Took() string {
	if d := t.Duration(); d != "" && t.Told != nil {
		return d
	}
	return "–"
}

// Open says whether an outcome can still be told.
func (t trial) Open() bool { return t.State != "complete" && t.State != "infeasible" }

// Untold says whether the page asks for an outcome; what is wrong with one of a failed trial is corrected.
func (t trial) Untold() bool { return t.Open() && t.State != "failed" }

// HasOutcome says whether there is something to correct.
func (t trial) HasOutcome() bool { return t.State == "failed" || !t.Open() }

// served is a batch and what became of it.
type served struct {
	BatchID int `json:"batch_id"`
	Worker  string
	Asked   time.Time
	Trials  []int
	States  map[string]int
	Best    *float64
}

// Shares are the states that the trials of the batch are in.
func (b served) Shares() []share { return shares(b.States, len(b.Trials)) }

// heading is what the top of all pages of a study shows.
type heading struct {
	Study   study
	Session *session
	Params  int
	Tab     string // the page among those of the study
	space   *space.Space
}

// overview is the part of a study's page that changes with every event.
type overview struct {
	heading
	Open    trialPage // trials that wait for an outcome
	Batches []served
}

// studyView is the first page of a study.
type studyView struct {
	overview
	Space   string // as a file
	Example string // of a point, to begin with

	Reported, Costs bool // there is something to draw of them
}

const (
	openShown    = "25"
	batchesShown = "10"
)

// readHeading reads what every page of a study needs.
func (d *dashboard) readHeading(r *http.Request, tab string) (h heading, err error) {
	h.Tab = tab
	if h.Session, err = d.session(r); err != nil {
		return h, err
	}
	if err := d.get(r, studyPath(r), nil, &h.Study); err != nil {
		return h, err
	}
	h.space = &space.Space{}
	err = h.space.UnmarshalJSON(h.Study.Space)
	h.Params = len(h.space.Params())
	h.Study.Objectives = objectives(h.space)
	return h, err
}

// Outcomes are those that the study declares.
func (h heading) Outcomes() []space.Outcome { return h.space.Outcomes() }

// Point lists the parameters of a point, most of them, 0 for all.
func (h heading) Point(v space.Params, most int) []parameter { return point(h.space, v, most) }

// Brief is the beginning of a point.
func (h heading) Brief(v space.Params) brief { return briefly(h.space, v) }

// Aim is what the study is after.
func (h heading) Aim() string { return chart.Aim(h.Study.Goal, h.space) }

// Reached is the best value of a batch, told apart from those of the others.
func (o overview) Reached(b served) string {
	var best []float64
	for _, b := range o.Batches {
		if b.Best != nil {
			best = append(best, *b.Best)
		}
	}
	if b.Best == nil {
		return "–"
	}
	return chart.Number(*b.Best, chart.Digits(best))
}

// Telling is the form for the outcomes of a trial in the list.
func (h heading) Telling(number int) outcomeForm {
	return newOutcomeForm("value-"+strconv.Itoa(number), number, h.space.Outcomes(), outcome{})
}

// Several says whether there is more than one objective.
func (h heading) Several() bool { return len(h.objectives()) > 1 }

// First is the objective whose values curves show.
func (h heading) First() string { return h.objectives()[0] }

// objectives are the names of those that the study declares.
func (h heading) objectives() (names []string) { return objectives(h.space) }

// BestTitle is the heading of the best point.
func (h heading) BestTitle() string {
	if h.Several() && h.Study.Best != nil && len(h.Study.Best.Violations) == 0 {
		return "Knee of the front"
	}
	return "Best point"
}

// ValueName is what axes of values are called.
func (h heading) ValueName() string { return chart.ValueName(h.space) }

// Limits says whether outcomes have limits.
func (h heading) Limits() bool {
	return slices.ContainsFunc(h.space.Outcomes(), func(o space.Outcome) bool { return o.AtMost != nil || o.AtLeast != nil })
}

// NameList are the parameters that vary.
func (h heading) NameList() (list []string) {
	for _, p := range h.space.Params() {
		if p.Kind != space.KindFixed {
			list = append(list, p.Name)
		}
	}
	return list
}

// Names are the same for scripts.
func (h heading) Names() (string, error) {
	text, err := json.Marshal(h.NameList())
	return string(text), err
}

func (d *dashboard) readOverview(r *http.Request) (o overview, err error) {
	if o.heading, err = d.readHeading(r, "overview"); err != nil {
		return o, err
	}
	open := url.Values{"state": {"running,stale,waiting"}, "limit": {openShown}}
	if err := d.get(r, studyPath(r)+"/trials", open, &o.Open); err != nil {
		return o, err
	}
	var list struct{ Batches []served }
	err = d.get(r, studyPath(r)+"/batches", url.Values{"limit": {batchesShown}}, &list)
	o.Batches = list.Batches
	return o, err
}

func (d *dashboard) overview(w http.ResponseWriter, r *http.Request) {
	o, err := d.readOverview(r)
	if err != nil {
		d.fail(w, r, err)
		return
	}
	d.show(w, http.StatusOK, "overview-parts", o)
}

func (d *dashboard) study(w http.ResponseWriter, r *http.Request) {
	o, err := d.readOverview(r)
	if err != nil {
		d.fail(w, r, err)
		return
	}
	v := studyView{overview: o}
	if err := d.readLearning(r, &v); err != nil {
		d.fail(w, r, err)
		return
	}
	if err := v.readSpace(); err != nil {
		d.fail(w, r, err)
		return
	}
	d.show(w, http.StatusOK, "study", page{o.Study.Name, o.Session, v})
}

// readLearning says whether there is something to draw of what trials reported and cost. A server
// that is asked for a study of an earlier version has neither.
func (d *dashboard) readLearning(r *http.Request, v *studyView) error {
	var found struct {
		Learning chart.Learning
		Spending chart.Spending
	}
	if err := d.get(r, studyPath(r)+"/learning", url.Values{"limit": {strconv.Itoa(chart.MostCurves)}}, &found); err != nil {
		return err
	}
	v.Reported = len(found.Learning.Curves) > 0
	v.Costs = v.Reported && len(found.Spending.Numbers) > 0 || found.Spending.Told || v.Study.Cost != ""
	return nil
}

// readSpace writes the space as a file and proposes a point to add: the best one, or
// the middle.
func (v *studyView) readSpace() error {
	text, err := yaml.Marshal(v.space)
	if err != nil {
		return err
	}
	v.Space = string(text)
	point, err := v.space.Decode(make([]float64, v.space.Dim()))
	if v.Study.Best != nil {
		point = v.Study.Best.Params
	}
	v.Example = lines(point)
	return err
}
