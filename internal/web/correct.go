package web

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/mahabo/mahabo/space"
	"go.yaml.in/yaml/v3"
)

// pairName is the beginning of NAME=VALUE.
var pairName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?:^|[\s,;])([^\s,;=]+)\s*=`) })

// pairs reads NAME=VALUE, several of them on a line or one. Of a line that does not begin so, ok is false.
func pairs(line string) (list [][2]string, ok bool) {
	line = strings.TrimSpace(line)
	names := pairName().FindAllStringSubmatchIndex(line, -1)
	for i, at := range names {
		end := len(line)
		if i+1 < len(names) {
			end = names[i+1][0]
		}
		list = append(list, [2]string{line[at[2]:at[3]], strings.TrimRight(strings.TrimSpace(line[at[1]:end]), ",;")})
	}
	return list, line == "" || len(names) > 0 && names[0][0] == 0
}

// pointFrom reads pairs, or NAME: VALUE lines, or a JSON object.
func pointFrom(text string) (map[string]any, error) {
	var point map[string]any
	if yaml.Unmarshal([]byte(text), &point) == nil {
		return point, nil
	}
	point = map[string]any{}
	for line := range strings.Lines(text) {
		list, ok := pairs(line)
		if !ok {
			return nil, fmt.Errorf("%q cannot be read: write NAME=VALUE, one per line, or a JSON object", strings.TrimSpace(line))
		}
		for _, pair := range list {
			name, value := pair[0], pair[1]
			if _, twice := point[name]; twice {
				return nil, fmt.Errorf("%s is there twice", name)
			}
			var v any
			if err := yaml.Unmarshal([]byte(value), &v); err != nil || v == nil {
				return nil, fmt.Errorf("%s is %q: write a value, as in %s=0.5", name, value, name)
			}
			point[name] = v
		}
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

// known is the outcome of a trial as its form shows it, with what the study declares.
func (t trial) known(outcomes []space.Outcome) outcome {
	o := outcome{State: t.State, Reason: t.Reason}
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	if len(outcomes) > 0 {
		var rest []string
		o.Values, o.Stds = map[string]string{}, map[string]string{}
		for i, one := range outcomes {
			v, told := t.Outcomes[one.Name]
			if !told {
				continue
			}
			value, std := number(v), ""
			if t.Stds[one.Name] > 0 {
				std = number(t.Stds[one.Name])
			}
			switch {
			case i >= mostFields && std != "":
				rest = append(rest, one.Name+"="+value+"±"+std)
			case i >= mostFields:
				rest = append(rest, one.Name+"="+value)
			default:
				o.Values[one.Name] = value
				if std != "" {
					o.Stds[one.Name] = std
				}
			}
		}
		o.Value = strings.Join(rest, " ")
		return o
	}
	if t.Value != nil {
		o.Value = number(*t.Value)
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
		body, err = d.correction(r, o)
	}
	if err == nil {
		err = d.post(r, trialPath(r)+"/correct", body, nil)
	}
	if err != nil {
		again.CorrectError = err.Error()
	}
	d.answerTrial(w, r, err, "Corrected.", again)
}

// correction is a corrected outcome as the API wants it. What the form began with, and the new state has no place for, goes without
// saying; a standard deviation that was taken away is 0.
func (d *dashboard) correction(r *http.Request, o outcome) (map[string]any, error) {
	var of study
	var s space.Space
	var t trial
	if err := errors.Join(d.get(r, trialPath(r), nil, &t), d.get(r, studyPath(r), nil, &of)); err != nil {
		return nil, err
	}
	if err := s.UnmarshalJSON(of.Space); err != nil {
		return nil, err
	}
	known := t.known(s.Outcomes())
	if o.State == "complete" && o.Reason == known.Reason {
		o.Reason = ""
	}
	if o.State != "complete" && o.Value == known.Value && o.Std == known.Std && maps.Equal(o.Values, known.Values) && maps.Equal(o.Stds, known.Stds) {
		o.Value, o.Std, o.Values, o.Stds = "", "", nil, nil
	}
	body, err := o.body()
	if err != nil || body["state"] != "complete" {
		return body, err
	}
	if outcomes, several := body["outcomes"].(map[string]any); several {
		for name := range known.Stds {
			if o.Values[name] != "" && o.Stds[name] == "" {
				outcomes[name].(map[string]float64)["std"] = 0
			}
		}
	} else if o.Std == "" {
		body["std"] = 0
	}
	return body, nil
}

// The names of the fields of outcomes begin with these.
const (
	valueOf = "value of "
	stdOf   = "std of "
)

// readOutcome reads the fields of a form about a trial.
func readOutcome(r *http.Request) outcome {
	field := func(name string) string { return strings.TrimSpace(r.PostFormValue(name)) }
	o := outcome{State: field("state"), Value: field("value"), Std: field("std"), Reason: field("reason"), Params: field("params"), Values: map[string]string{}, Stds: map[string]string{}}
	for key := range r.PostForm {
		text := field(key)
		if name, ok := strings.CutPrefix(key, valueOf); ok && text != "" {
			o.Values[name] = text
		} else if name, ok := strings.CutPrefix(key, stdOf); ok && text != "" {
			o.Stds[name] = text
		}
	}
	return o
}

// String says what was told, in few words.
func (o outcome) String() string {
	if o.State != "" && o.State != "complete" {
		return o.State
	}
	var parts []string
	with := func(value, std string) {
		if std != "" {
			value += " ± " + std
		}
		if value != "" {
			parts = append(parts, value)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(o.Values)) {
		with(name+" "+o.Values[name], o.Stds[name])
	}
	with(o.Value, o.Std)
	return strings.Join(parts, ", ")
}
