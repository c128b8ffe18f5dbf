package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/mahabo/mahabo/space"
)

// creation is the form of a new study. Errors stand beside their fields, all at once.
type creation struct {
	Name, Space, Constraints, Method, Options, Goal, Seed, Init, Batch, Budget string

	Rows    []row
	Methods []method
	Errors  map[string]string
}

// row is a parameter in the table of the form.
type row struct {
	Name, Kind, Low, High, Values, Unit string
	Error                               string
}

type method struct {
	Name, Summary string
}

// kind is one of parameters, in words.
type kind struct{ Name, Words string }

// Kinds are those that the form offers.
func (creation) Kinds() []kind {
	return []kind{
		{"float", "number"}, {"log", "number over orders of magnitude"}, {"int", "whole number"}, {"logint", "whole number over orders of magnitude"},
		{"choice", "one of some names"}, {"ordinal", "one of some numbers"}, {"bool", "yes or no"}, {"fixed", "always the same"},
	}
}

// Example is a file with parameters.
func (creation) Example() string {
	return `parameters:
  rate:   {log: [1e-5, 1e-1]}
  layers: {int: [1, 8]}
  solver: {choice: [euler, rk4]}
constraints: []`
}

func (d *dashboard) newStudy(w http.ResponseWriter, r *http.Request) {
	d.showCreation(w, r, http.StatusOK, creation{Goal: "minimize", Method: "adaptive"})
}

func (d *dashboard) readMethods(r *http.Request) ([]method, error) {
	var list struct{ Methods []method }
	err := d.get(r, "/v1/methods", nil, &list)
	return list.Methods, err
}

func (d *dashboard) showCreation(w http.ResponseWriter, r *http.Request, status int, c creation) {
	s, err := d.session(r)
	if err == nil && !s.Admin() {
		err = &problem{Status: http.StatusForbidden, Title: "Not permitted", Detail: "Only tokens of the role admin create studies: log in with one."}
	}
	if err == nil {
		c.Methods, err = d.readMethods(r)
	}
	if err != nil {
		d.fail(w, r, err)
		return
	}
	if !slices.ContainsFunc(c.Methods, func(m method) bool { return m.Name == c.Method }) {
		c.Methods = append(c.Methods, method{c.Method, "not known"})
	}
	if len(c.Rows) == 0 {
		c.Rows = []row{{Kind: "float"}}
	}
	d.show(w, status, "new", page{"New study", s, c})
}

func (d *dashboard) createStudy(w http.ResponseWriter, r *http.Request) {
	field := func(name string) string { return strings.TrimSpace(r.PostFormValue(name)) }
	c := creation{
		Name: field("name"), Space: strings.TrimSpace(r.PostFormValue("space")), Constraints: field("constraints"), Method: field("method"), Options: field("options"), Goal: field("goal"),
		Seed: field("seed"), Init: field("init"), Batch: field("batch"), Budget: field("budget"), Errors: map[string]string{},
	}
	c.readRows(r.PostForm)
	if name, options, ok := strings.Cut(c.Method, ":"); ok && c.Options == "" {
		c.Method, c.Options = name, options
	}
	body := c.body()
	if err := d.checkCreation(r, &c); err != nil {
		d.fail(w, r, err)
		return
	}
	if len(c.Errors) == 0 {
		err := d.post(r, "/v1/studies", body, nil)
		if err == nil {
			http.Redirect(w, r, "/studies/"+url.PathEscape(c.Name), http.StatusSeeOther)
			return
		}
		if p := (&problem{}); !errors.As(err, &p) || p.Status == http.StatusUnauthorized {
			d.fail(w, r, err)
			return
		}
		c.blame(err)
	}
	d.showCreation(w, r, http.StatusUnprocessableEntity, c)
}

// readRows takes the rows of the table that are not empty.
func (c *creation) readRows(form url.Values) {
	at := func(name string, i int) string {
		if list := form[name]; i < len(list) {
			return strings.TrimSpace(list[i])
		}
		return ""
	}
	for i := range form["p-name"] {
		p := row{Name: at("p-name", i), Kind: at("p-kind", i), Low: at("p-low", i), High: at("p-high", i), Values: at("p-values", i), Unit: at("p-unit", i)}
		if p.Name+p.Low+p.High+p.Values+p.Unit != "" {
			c.Rows = append(c.Rows, p)
		}
	}
}

var studyName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]*$`) })

// checkCreation finds what only the server can know, so that all errors are shown at once.
func (d *dashboard) checkCreation(r *http.Request, c *creation) error {
	switch {
	case c.Name == "":
		c.Errors["name"] = "Give the study a name."
	case !studyName().MatchString(c.Name):
		c.Errors["name"] = fmt.Sprintf("name is %q: use letters, digits and -_. with a letter or digit first.", c.Name)
	default:
		err := d.get(r, "/v1/studies/"+url.PathEscape(c.Name), nil, &struct{}{})
		if p := (&problem{}); err == nil {
			c.Errors["name"] = "There is a study of this name: choose another."
		} else if errors.As(err, &p) && p.Status == http.StatusUnauthorized {
			return err
		}
	}
	methods, err := d.readMethods(r)
	if err == nil && c.Method != "" && !slices.ContainsFunc(methods, func(m method) bool { return m.Name == c.Method }) {
		c.Errors["method"] = fmt.Sprintf("method %q is not known: choose one of the list.", c.Method)
	}
	return err
}

// body is the form as the API wants it; what cannot be read becomes an error of its
// field.
func (c *creation) body() map[string]any {
	body := map[string]any{"name": c.Name, "method": c.Method}
	if c.Options != "" {
		body["method"] = c.Method + ":" + c.Options
	}
	if c.Goal != "" {
		body["goal"] = c.Goal
	}
	var s *space.Space
	var err error
	switch {
	case c.Space != "":
		s, err = space.Parse([]byte(c.Space))
	case len(c.Rows) == 0:
		err = errors.New("there is no parameter: fill in a row of the table")
	default:
		s, err = c.table()
	}
	if err != nil {
		c.Errors["space"] = err.Error()
	}
	body["space"] = s
	if s != nil && len(objectives(s)) > 0 {
		delete(body, "goal") // its objectives have theirs
	}
	for _, f := range []struct {
		name, text string
		low, high  uint64
	}{{"seed", c.Seed, 0, 1<<53 - 1}, {"init", c.Init, 1, 10000}, {"batch", c.Batch, 1, 1000}, {"budget", c.Budget, 1, 1e9}} {
		if f.text == "" {
			continue
		}
		n, err := strconv.ParseUint(f.text, 10, 53)
		switch {
		case err != nil:
			c.Errors[f.name] = "Write a whole number, or leave it empty."
		case n < f.low || n > f.high:
			c.Errors[f.name] = fmt.Sprintf("Write a number from %d to %d, or leave it empty.", f.low, f.high)
		}
		body[f.name] = n
	}
	return body
}

// table is the space of the rows; a row that cannot be used has its error beside it.
func (c *creation) table() (*space.Space, error) {
	var text, known []string
	bad := 0
	for i := range c.Rows {
		p := &c.Rows[i]
		one, err := p.parameter()
		if err == nil {
			_, err = space.Parse([]byte(`{"parameters": {` + one + `, "beside_` + fmt.Sprint(i) + `": {"float": [0, 1]}}}`)) // a fixed one alone is no space
		}
		if err == nil && slices.Contains(known, p.Name) {
			err = fmt.Errorf("%s is there twice", p.Name)
		}
		if err != nil {
			p.Error = err.Error()
			bad++
		}
		text, known = append(text, one), append(known, p.Name)
	}
	if bad > 0 {
		return nil, fmt.Errorf("parameters that cannot be used: %d, see the table", bad)
	}
	limits := []string{}
	for line := range strings.Lines(c.Constraints) {
		if line = strings.TrimSpace(line); line != "" {
			limits = append(limits, line)
		}
	}
	list, err := json.Marshal(limits)
	if err != nil {
		return nil, err
	}
	return space.Parse([]byte(`{"parameters": {` + strings.Join(text, ", ") + `}, "constraints": ` + string(list) + `}`))
}

// parameter writes a row as a member of an object.
func (p row) parameter() (string, error) {
	if p.Name == "" {
		return "", errors.New("the name is missing")
	}
	object := map[string]any{}
	var err error
	switch p.Kind {
	case "bool":
		object["bool"] = []bool{false, true}
	case "choice":
		object["choice"] = p.list()
	case "ordinal":
		var levels []float64
		for _, word := range p.list() {
			v, e := strconv.ParseFloat(word, 64)
			levels, err = append(levels, v), errors.Join(err, e)
		}
		object["ordinal"] = levels
	case "fixed":
		object["fixed"] = p.Values
		if v, e := strconv.ParseFloat(p.Values, 64); e == nil {
			object["fixed"] = v
		}
	case "float", "log", "int", "logint":
		var ends [2]float64
		for k, end := range []string{p.Low, p.High} {
			if ends[k], err = strconv.ParseFloat(end, 64); err != nil {
				return "", fmt.Errorf("%q is no number: write one from which, and one to which, the values go, as in 0.5", end)
			}
		}
		object[p.Kind] = ends
	default:
		return "", fmt.Errorf("%q is no kind of parameter", p.Kind)
	}
	if err != nil {
		return "", fmt.Errorf("%q: write numbers, separated by commas", p.Values)
	}
	if p.Unit != "" {
		object["unit"] = p.Unit
	}
	name, err := json.Marshal(p.Name)
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(object)
	return string(name) + ": " + string(text), err
}

// list divides values at commas.
func (p row) list() (words []string) {
	for word := range strings.SplitSeq(p.Values, ",") {
		if word = strings.TrimSpace(word); word != "" {
			words = append(words, word)
		}
	}
	return words
}

// blame puts an answer of the API beside the field that it names.
func (c *creation) blame(err error) {
	var p *problem
	errors.As(err, &p)
	for _, e := range p.Errors {
		name, _, _ := strings.Cut(strings.TrimPrefix(e.Location, "body."), ".")
		c.Errors[name] = e.Message
	}
	if len(p.Errors) > 0 {
		return
	}
	name := "form"
	if p.Status == http.StatusConflict {
		name = "name"
	}
	for _, field := range []string{"name", "space", "method", "goal", "init", "batch", "budget"} {
		if strings.HasPrefix(p.Detail, field+" ") || strings.HasPrefix(p.Detail, field+":") {
			name = field
		}
	}
	c.Errors[name] = p.Detail
}
