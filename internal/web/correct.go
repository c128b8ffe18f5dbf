package web

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/mahabo/mahabo/space"
	"go.yaml.in/yaml/v3"
)

// pointFrom reads NAME: VALUE lines, or a JSON object.
func pointFrom(text string) (map[string]any, error) {
	var point map[string]any
	if err := yaml.Unmarshal([]byte(text), &point); err != nil {
		return nil, fmt.Errorf("write NAME: VALUE lines, or a JSON object: %w", err)
	}
	return point, nil
}

// addUsed adds the parameters that were really used to a body, if the form names any.
func (o outcome) addUsed(body map[string]any) error {
	point, err := pointFrom(o.Params)
	if err != nil {
		return fmt.Errorf("really used: %w", err)
	}
	if len(point) > 0 {
		body["params"] = space.ParamsOf(point)
	}
	return nil
}

// known is the outcome of a trial as its form shows it.
func (t trial) known() outcome {
	o := outcome{State: t.State, Reason: t.Reason}
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	if t.Value != nil {
		o.Value = number(*t.Value)
	}
	if len(t.Outcomes) > 0 {
		o.Value = t.outcomesText()
		return o
	}
	if t.Std > 0 {
		o.Std = number(t.Std)
	}
	return o
}

// correct mends an outcome, or what a button of the page stands for.
func (d *dashboard) correct(w http.ResponseWriter, r *http.Request) {
	var again trialView
	body, err := map[string]any{}, error(nil)
	switch act := r.PostFormValue("act"); act {
	case "exclude", "include":
		body["excluded"] = act == "exclude"
	case "delete-note":
		body["delete_note"], err = strconv.Atoi(r.PostFormValue("note"))
	default:
		o := readOutcome(r)
		again.Correction = &o
		if body, err = o.body(); err == nil && o.Std == "" && body["state"] == "complete" && body["outcomes"] == nil {
			body["std"] = 0
		}
	}
	if err == nil {
		err = d.post(r, trialPath(r)+"/correct", body, nil)
	}
	if err != nil {
		again.CorrectError = err.Error()
	}
	d.answerTrial(w, r, err, "Corrected.", again)
}

// readOutcome reads the fields of a form about a trial.
func readOutcome(r *http.Request) outcome {
	field := func(name string) string { return strings.TrimSpace(r.PostFormValue(name)) }
	return outcome{field("state"), field("value"), field("std"), field("reason"), field("params")}
}
