package web

import (
	"net/http"
	"net/url"
	"time"

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
	Reason    string
	Notes     []string
	Excluded  bool
	History   []struct {
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

// Open says whether an outcome can still be told.
func (t trial) Open() bool { return t.State != "complete" && t.State != "infeasible" }

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

// overview is the part of a study's page that changes with every event.
type overview struct {
	Study   study
	Session *session
	Open    trialPage // trials that wait for an outcome
	Batches []served
}

// studyView is the page of a study.
type studyView struct {
	overview
	Space   string // as a file
	Params  int
	Example string // of a point, to begin with
	Trials  trialTable
}

const (
	openShown    = "25"
	batchesShown = "10"
)

func (d *dashboard) readOverview(r *http.Request) (o overview, err error) {
	if o.Session, err = d.session(r); err != nil {
		return o, err
	}
	if err := d.get(r, studyPath(r), nil, &o.Study); err != nil {
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
	d.show(w, http.StatusOK, "overview", o)
}

func (d *dashboard) study(w http.ResponseWriter, r *http.Request) {
	o, err := d.readOverview(r)
	if err != nil {
		d.fail(w, r, err)
		return
	}
	v := studyView{overview: o}
	if err := v.readSpace(); err != nil {
		d.fail(w, r, err)
		return
	}
	if v.Trials, err = d.readTrials(r); err != nil {
		d.fail(w, r, err)
		return
	}
	d.show(w, http.StatusOK, "study", page{o.Study.Name, o.Session, v})
}

// readSpace writes the space as a file and proposes a point to add: the best one, or
// the middle.
func (v *studyView) readSpace() error {
	s := &space.Space{}
	if err := s.UnmarshalJSON(v.Study.Space); err != nil {
		return err
	}
	text, err := yaml.Marshal(s)
	if err != nil {
		return err
	}
	v.Space, v.Params = string(text), len(s.Params())
	point, err := s.Decode(make([]float64, s.Dim()))
	if v.Study.Best != nil {
		point = v.Study.Best.Params
	}
	v.Example = lines(point)
	return err
}
