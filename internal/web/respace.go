package web

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/mahabo/mahabo/space"
	"go.yaml.in/yaml/v3"
)

// changeView is the page that gives a study other parameters.
type changeView struct {
	heading
	Text   string // of the space, as a file
	Values string // that the trials so far had for new parameters
	Error  string
	Result *spaceChange
}

// spaceChange is what becomes, or would become, of the study.
type spaceChange struct {
	Changed     bool
	Differences []string
	Trials      int
	Outside     []struct {
		Number int
		Reason string
	}
	Inside []int
}

// outsideShown is how many trials that no longer count are listed.
const outsideShown = 20

// Counting is how many trials count with the new parameters, as far as their place goes.
func (c spaceChange) Counting() int { return c.Trials - len(c.Outside) }

// Shown are the first trials that do not count.
func (c spaceChange) Shown() any { return c.Outside[:min(outsideShown, len(c.Outside))] }

// More is how many more there are.
func (c spaceChange) More() int { return max(0, len(c.Outside)-outsideShown) }

// changePage shows the parameters of a study as a file that can be edited.
func (d *dashboard) changePage(w http.ResponseWriter, r *http.Request) {
	d.showChange(w, r, http.StatusOK, changeView{})
}

// showChange adds to a page what all have.
func (d *dashboard) showChange(w http.ResponseWriter, r *http.Request, status int, v changeView) {
	var err error
	if v.heading, err = d.readHeading(r, "parameters"); err != nil {
		d.fail(w, r, err)
		return
	}
	if v.Text == "" {
		text, err := yaml.Marshal(v.space)
		if err != nil {
			d.fail(w, r, err)
			return
		}
		v.Text = string(text)
	}
	d.show(w, status, "change", page{"Change " + v.Study.Name, v.Session, v})
}

// changeSpace previews or makes a change.
func (d *dashboard) changeSpace(w http.ResponseWriter, r *http.Request) {
	v := changeView{Text: r.PostFormValue("space"), Values: r.PostFormValue("values")}
	result := &spaceChange{}
	body, err := v.body(r.PostFormValue("action") != "change")
	if err == nil {
		err = d.post(r, studyPath(r)+"/change", body, result)
	}
	if err == nil {
		v.Result = result
		if result.Changed {
			v.Text, v.Values = "", ""
		}
		d.showChange(w, r, http.StatusOK, v)
		return
	}
	status := http.StatusUnprocessableEntity
	if p := (&problem{}); errors.As(err, &p) {
		if status = p.Status; status != http.StatusUnprocessableEntity {
			d.fail(w, r, err)
			return
		}
	}
	v.Error = err.Error()
	d.showChange(w, r, status, v)
}

// body is the form as the API wants it.
func (v changeView) body(preview bool) (map[string]any, error) {
	sp, err := space.Parse([]byte(v.Text))
	if err != nil {
		return nil, fmt.Errorf("parameters: %w", err)
	}
	body := map[string]any{"space": sp, "preview": preview}
	values, err := pointFrom(v.Values)
	if err != nil {
		return nil, fmt.Errorf("values of new parameters: %w", err)
	}
	if len(values) > 0 {
		body["values"] = space.ParamsOf(values)
	}
	return body, nil
}
