package web

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/mahabo/mahabo/space"
)

// changed answers after a change: a script gets a line for the form and refreshes
// what it shows, a browser without one goes to a page.
func (d *dashboard) changed(w http.ResponseWriter, r *http.Request, line, page string) {
	if !partial(r) {
		http.Redirect(w, r, page, http.StatusSeeOther)
		return
	}
	if w.Header().Get("HX-Trigger") == "" {
		w.Header().Set("HX-Trigger", "study-changed")
	}
	d.show(w, http.StatusOK, "done-line", line)
}

// refuse answers a form that cannot be used as it is.
func (d *dashboard) refuse(w http.ResponseWriter, r *http.Request, err error) {
	if p := (&problem{}); errors.As(err, &p) {
		d.fail(w, r, err)
		return
	}
	d.fail(w, r, &problem{Status: http.StatusUnprocessableEntity, Title: "This cannot be used", Detail: err.Error()})
}

// here is the page of the study of a request.
func here(r *http.Request) string { return "/studies/" + url.PathEscape(r.PathValue("study")) }

// outcome is what a form says of a trial.
type outcome struct {
	State, Value, Std, Reason string
	Values, Stds              map[string]string // of outcomes that have fields of their own, without empty ones
	Params                    string            // those that were really used, NAME: VALUE lines
}

// body is the outcome as the API wants it.
func (o outcome) body() (map[string]any, error) {
	body := map[string]any{"state": o.State}
	if o.State == "" {
		body["state"] = "complete"
	}
	if err := o.addUsed(body); err != nil {
		return nil, err
	}
	if body["state"] != "complete" {
		if o.measured() {
			return nil, fmt.Errorf("a trial that is %s has no value: empty the fields of the values, or choose complete", o.State)
		}
		body["reason"] = o.Reason
		return body, nil
	}
	if o.Reason != "" {
		return nil, fmt.Errorf("the reason %q is that of a trial without a value: choose failed or infeasible, or write it as a note", o.Reason)
	}
	if len(o.Values)+len(o.Stds) == 0 && !strings.Contains(o.Value, "=") {
		numbers, err := measured("value", o.Value, o.Std)
		for name, v := range numbers {
			body[name] = v
		}
		return body, err
	}
	if o.Std != "" {
		return nil, fmt.Errorf("it is not clear which outcome has the standard deviation %s: write it behind its value, as in mass=1.2±0.1", o.Std)
	}
	outcomes, err := o.named()
	if err != nil {
		return nil, err
	}
	rest, err := readOutcomes(o.Value)
	for name, numbers := range rest {
		if outcomes[name] != nil {
			return nil, fmt.Errorf("%s is given twice: in its own field and as %q", name, o.Value)
		}
		outcomes[name] = numbers
	}
	body["outcomes"] = outcomes
	return body, err
}

// measured says whether there is a value, or a standard deviation.
func (o outcome) measured() bool {
	return o.Value != "" || o.Std != "" || len(o.Values) > 0 || len(o.Stds) > 0
}

func (d *dashboard) tell(w http.ResponseWriter, r *http.Request) {
	o := readOutcome(r)
	body, err := o.body()
	if err == nil {
		err = d.post(r, trialPath(r)+"/tell", body, nil)
	}
	again := trialView{Told: o}
	if err != nil {
		again.Error = err.Error()
	}
	line := "Recorded."
	if number := r.PathValue("number"); err == nil {
		line = fmt.Sprintf("Trial %s: %s recorded.", number, o)
		w.Header().Set("HX-Trigger", `{"told": {"number": "`+number+`"}, "study-changed": {}}`)
	}
	d.answerTrial(w, r, err, line, again)
}

func (d *dashboard) note(w http.ResponseWriter, r *http.Request) {
	again := trialView{Note: strings.TrimSpace(r.PostFormValue("text"))}
	err := errors.New("the note is empty: write something")
	if again.Note != "" {
		err = d.post(r, trialPath(r)+"/notes", map[string]any{"text": again.Note}, nil)
	}
	if err != nil {
		again.NoteError = err.Error()
	}
	d.answerTrial(w, r, err, "Added.", again)
}

// answerTrial answers a form on the page of a trial, which is shown again when it cannot be used.
func (d *dashboard) answerTrial(w http.ResponseWriter, r *http.Request, err error, line string, again trialView) {
	p := &problem{Status: http.StatusUnprocessableEntity}
	switch {
	case err == nil:
		d.changed(w, r, line, here(r)+"/trials/"+url.PathEscape(r.PathValue("number")))
	case partial(r) || errors.As(err, &p) && p.Status == http.StatusUnauthorized:
		d.refuse(w, r, err)
	default:
		d.showTrial(w, r, p.Status, again)
	}
}

func (d *dashboard) retry(w http.ResponseWriter, r *http.Request) {
	if err := d.post(r, trialPath(r)+"/retry", struct{}{}, nil); err != nil {
		d.refuse(w, r, err)
		return
	}
	d.changed(w, r, "Waiting to be served again.", here(r)+"/trials/"+url.PathEscape(r.PathValue("number")))
}

// ask serves trials to the person at the browser, without an end to their lease.
func (d *dashboard) ask(w http.ResponseWriter, r *http.Request) {
	body := map[string]any{"worker": strings.TrimSpace(r.PostFormValue("worker"))}
	if text := strings.TrimSpace(r.PostFormValue("count")); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			d.refuse(w, r, fmt.Errorf("number is %q: write a whole number", text))
			return
		}
		body["count"] = n
	}
	if text := strings.TrimSpace(r.PostFormValue("minutes")); text != "" {
		minutes, err := strconv.ParseFloat(text, 64)
		if err != nil {
			d.refuse(w, r, fmt.Errorf("minutes is %q: write a number, or leave it empty", text))
			return
		}
		body["lease_seconds"] = 60 * minutes
	}
	var batch struct {
		BatchID int `json:"batch_id"`
		Trials  []trial
		Model   struct{ Fallback, Note *string }
	}
	if err := d.post(r, studyPath(r)+"/ask", body, &batch); err != nil {
		d.refuse(w, r, err)
		return
	}
	line := fmt.Sprintf("Trials of batch %d: %d.", batch.BatchID, len(batch.Trials))
	if batch.Model.Fallback != nil {
		line += " They are not of the method: " + *batch.Model.Fallback
	}
	if batch.Model.Note != nil {
		line += " Note: " + *batch.Model.Note + "."
	}
	d.changed(w, r, line, here(r))
}

func (d *dashboard) enqueue(w http.ResponseWriter, r *http.Request) {
	point, err := pointFrom(r.PostFormValue("point"))
	if err != nil {
		d.refuse(w, r, fmt.Errorf("point: %w", err))
		return
	}
	if len(point) == 0 {
		d.refuse(w, r, errors.New("point is empty: write NAME=VALUE lines, or a JSON object"))
		return
	}
	var added struct{ Trials []trial }
	if err := d.post(r, studyPath(r)+"/enqueue", map[string]any{"params": []space.Params{space.ParamsOf(point)}}, &added); err != nil {
		d.refuse(w, r, err)
		return
	}
	d.changed(w, r, fmt.Sprintf("Trial %d waits to be served.", added.Trials[0].Number), here(r))
}

// remove deletes a study whose name was written once more.
func (d *dashboard) remove(w http.ResponseWriter, r *http.Request) {
	if name := r.PathValue("study"); strings.TrimSpace(r.PostFormValue("confirm")) != name {
		d.refuse(w, r, fmt.Errorf("nothing was deleted: write the name of the study, %s, to confirm", name))
		return
	}
	if _, err := d.send(r, request{method: http.MethodDelete, path: studyPath(r)}); err != nil {
		d.refuse(w, r, err)
		return
	}
	if partial(r) {
		w.Header().Set("HX-Redirect", "/")
		w.WriteHeader(http.StatusOK)
		return
	}
	http.Redirect(w, r, "/", http.StatusSeeOther)
}
