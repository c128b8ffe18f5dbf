package web

import (
	"html/template"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/mahabo/mahabo/internal/chart"
	"github.com/mahabo/mahabo/space"
)

// trialPage is a page of trials as the API has it.
type trialPage struct {
	Trials []trial
	Total  int
	Next   *int
}

// trialTable is a page of trials and how it was chosen.
type trialTable struct {
	trialPage
	Study   string
	Query   tableQuery
	Session *session
	space   *space.Space
}

// tableQuery chooses trials.
type tableQuery struct {
	Search, State, Sort string
	Only                string // numbers, separated by commas: those chosen in a chart
	Offset              int
}

const trialsPerPage = 25

var sorts = []string{"-number", "number", "value", "-value", "-told", "told"}

// mostOnly is the longest list of numbers that is taken.
const mostOnly = 8000

// only is a list of numbers.
var only = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\d{1,9}(,\d{1,9})*$`) })

// Chosen is how many trials were chosen in a chart.
func (t trialTable) Chosen() int { return strings.Count(t.Query.Only, ",") + 1 }

// readQuery takes what is known of the query of an address.
func readQuery(q url.Values) tableQuery {
	t := tableQuery{Search: q.Get("search"), State: q.Get("state"), Sort: q.Get("sort")}
	if !slices.Contains(tableStates, t.State) {
		t.State = ""
	}
	if !slices.Contains(sorts, t.Sort) {
		t.Sort = sorts[0]
	}
	if only().MatchString(q.Get("only")) && len(q.Get("only")) < mostOnly {
		t.Only = q.Get("only")
	}
	t.Offset, _ = strconv.Atoi(q.Get("offset")) // anything else is the beginning
	t.Offset = max(t.Offset, 0)
	return t
}

func (q tableQuery) values() url.Values {
	v := url.Values{"sort": {q.Sort}, "offset": {strconv.Itoa(q.Offset)}}
	if q.Search != "" {
		v.Set("search", q.Search)
	}
	if q.State != "" {
		v.Set("state", q.State)
	}
	if q.Only != "" {
		v.Set("only", q.Only)
	}
	return v
}

// Address is where the table is, at an offset.
func (t trialTable) Address(offset int) string {
	q := t.Query
	q.Offset = max(offset, 0)
	return "/studies/" + url.PathEscape(t.Study) + "/trials?" + q.values().Encode()
}

// Here is the address of this page of the table.
func (t trialTable) Here() string { return t.Address(t.Query.Offset) }

// Previous is the address of the page before, empty on the first.
func (t trialTable) Previous() string {
	if t.Query.Offset == 0 {
		return ""
	}
	return t.Address(t.Query.Offset - trialsPerPage)
}

// Following is the address of the page behind, empty on the last.
func (t trialTable) Following() string {
	if t.Next == nil {
		return ""
	}
	return t.Address(*t.Next)
}

// First and Last number the rows among those that match, from 1 on.
func (t trialTable) First() int { return t.Query.Offset + 1 }

// Last is the number of the last row.
func (t trialTable) Last() int { return t.Query.Offset + len(t.Trials) }

// excluded is what the table calls trials that nobody learns from, which may be in any state.
const excluded = "excluded"

// tableStates are what the table can be filtered by.
var tableStates = append(slices.Clone(states), excluded)

// States are what the table can be filtered by.
func (trialTable) States() []string { return tableStates }

// Brief is the beginning of a point.
func (t trialTable) Brief(v space.Params) brief { return briefly(t.space, v) }

// Columns are the values that trials have: those of the first objective, then the other outcomes.
func (t trialTable) Columns() []valueColumn { return valueColumns(t.space.Outcomes(), t.Trials) }

// Misses are the limits that a complete trial does not keep.
func (t trialTable) Misses(one trial) (names []string) {
	for _, o := range t.space.Outcomes() {
		if v, ok := one.Outcomes[o.Name]; ok && one.State == "complete" && (o.AtMost != nil && v > *o.AtMost || o.AtLeast != nil && v < *o.AtLeast) {
			names = append(names, o.Name)
		}
	}
	return names
}

func (d *dashboard) readTrials(r *http.Request) (t trialTable, h heading, err error) {
	t.Query = readQuery(r.URL.Query())
	if h, err = d.readHeading(r, "trials"); err != nil {
		return t, h, err
	}
	t.Study, t.Session, t.space = h.Study.Name, h.Session, h.space
	q := t.Query.values()
	q.Del("only")
	if t.Query.Only != "" {
		q.Set("number", t.Query.Only)
	}
	if t.Query.State == excluded {
		q.Del("state")
		q.Set("excluded", "true")
	}
	q.Set("limit", strconv.Itoa(trialsPerPage))
	err = d.get(r, studyPath(r)+"/trials", q, &t.trialPage)
	return t, h, err
}

func (d *dashboard) trials(w http.ResponseWriter, r *http.Request) {
	t, h, err := d.readTrials(r)
	switch {
	case err != nil:
		d.fail(w, r, err)
	case partial(r):
		d.show(w, http.StatusOK, "trials", t)
	default:
		d.show(w, http.StatusOK, "trials-page", page{"Trials of " + t.Study, t.Session, tabled{h, t}})
	}
}

// tabled is the page of the trials of a study.
type tabled struct {
	heading
	Table trialTable
}

// trialView is the page of a trial.
type trialView struct {
	Study     string
	Trial     trial
	Session   *session
	Told      outcome
	Error     string // of what was told
	Note      string // that could not be added
	NoteError string

	Correction   *outcome // as its form shows it
	CorrectError string

	Previous, Following int // numbers of trials, 0 for none
	Output              *printed
	Learning            template.HTML // what it reported, "" for nothing

	space *space.Space
}

// Point lists the parameters of the trial.
func (v trialView) Point() []parameter { return point(v.space, v.Trial.Params, 0) }

// Telling is the form for its outcomes.
func (v trialView) Telling() outcomeForm {
	return newOutcomeForm("told", 0, v.space.Outcomes(), v.Told)
}

// Correcting is the form that mends them.
func (v trialView) Correcting() outcomeForm {
	return newOutcomeForm("right", 0, v.space.Outcomes(), *v.Correction)
}

// printed is what the program printed for a trial.
type printed struct{ Out, Err string }

func (d *dashboard) trial(w http.ResponseWriter, r *http.Request) {
	d.showTrial(w, r, http.StatusOK, trialView{})
}

// showTrial shows the trial of a request, with what a form on its page said.
func (d *dashboard) showTrial(w http.ResponseWriter, r *http.Request, status int, v trialView) {
	if err := d.readTrial(r, &v); err != nil {
		d.fail(w, r, err)
		return
	}
	d.show(w, status, "trial", page{"Trial " + strconv.Itoa(v.Trial.Number) + " of " + v.Study, v.Session, v})
}

func (d *dashboard) readTrial(r *http.Request, v *trialView) (err error) {
	v.Study = r.PathValue("study")
	if v.Session, err = d.session(r); err != nil {
		return err
	}
	if err := d.get(r, trialPath(r), nil, &v.Trial); err != nil {
		return err
	}
	var of study
	if err := d.get(r, studyPath(r), nil, &of); err != nil {
		return err
	}
	v.space = &space.Space{}
	if err := v.space.UnmarshalJSON(of.Space); err != nil {
		return err
	}
	if v.Correction == nil {
		known := v.Trial.known(v.space.Outcomes())
		v.Correction = &known
	}
	v.Previous = v.Trial.Number - 1
	if v.Trial.Number < of.Trials {
		v.Following = v.Trial.Number + 1
	}
	var out printed
	if d.get(r, trialPath(r)+"/output", nil, &out) == nil { // else there is none
		v.Output = &out
	}
	return d.readReports(r, v, of.Goal)
}

// readReports draws what the trial has reported.
func (d *dashboard) readReports(r *http.Request, v *trialView, goal string) error {
	var found struct {
		Curves []struct {
			Reports []struct {
				Step  int64
				Value float64
			}
		}
	}
	if err := d.get(r, studyPath(r)+"/reports", url.Values{"number": {strconv.Itoa(v.Trial.Number)}}, &found); err != nil || len(found.Curves) == 0 {
		return err
	}
	curve := chart.LearningCurve{Number: v.Trial.Number, State: v.Trial.State, Final: v.Trial.Value}
	for _, one := range found.Curves[0].Reports {
		curve.Steps, curve.Values = append(curve.Steps, one.Step), append(curve.Values, one.Value)
	}
	var err error
	v.Learning, err = chart.Figure("learning", map[string]any{"goal": goal, "learning": chart.Learning{Curves: []chart.LearningCurve{curve}}}, "What the trial had reached at each step.", "")
	return err
}
