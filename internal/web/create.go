package web

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/mahabo/mahabo/space"
)

// creation is the form of a new study. Errors stand beside their fields.
type creation struct {
	Name, Space, Method, Goal, Seed, Init, Batch, Budget string
	Methods                                              []method
	Errors                                               map[string]string
}

type method struct {
	Name, Summary string
}

const exampleSpace = `parameters:
  rate:   {log: [1e-5, 1e-1]}
  layers: {int: [1, 8]}
  solver: {choice: [euler, rk4]}
`

func (d *dashboard) newStudy(w http.ResponseWriter, r *http.Request) {
	d.showCreation(w, r, http.StatusOK, creation{Space: exampleSpace, Goal: "minimize", Method: "adaptive"})
}

func (d *dashboard) showCreation(w http.ResponseWriter, r *http.Request, status int, c creation) {
	var list struct{ Methods []method }
	if err := d.get(r, "/v1/methods", nil, &list); err != nil {
		d.fail(w, r, err)
		return
	}
	c.Methods = list.Methods
	d.showPage(w, r, status, "new", "New study", c)
}

func (d *dashboard) createStudy(w http.ResponseWriter, r *http.Request) {
	field := func(name string) string { return strings.TrimSpace(r.PostFormValue(name)) }
	c := creation{
		Name: field("name"), Space: r.PostFormValue("space"), Method: field("method"), Goal: field("goal"),
		Seed: field("seed"), Init: field("init"), Batch: field("batch"), Budget: field("budget"), Errors: map[string]string{},
	}
	body := c.body()
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

// body is the form as the API wants it; what cannot be read becomes an error of its
// field.
func (c *creation) body() map[string]any {
	body := map[string]any{"name": c.Name, "method": c.Method}
	if c.Goal != "" {
		body["goal"] = c.Goal
	}
	if c.Name == "" {
		c.Errors["name"] = "Give the study a name."
	}
	s, err := space.Parse([]byte(c.Space))
	if err != nil {
		c.Errors["space"] = err.Error()
	}
	body["space"] = s
	for name, text := range map[string]string{"seed": c.Seed, "init": c.Init, "batch": c.Batch, "budget": c.Budget} {
		if text == "" {
			continue
		}
		n, err := strconv.ParseUint(text, 10, 53)
		if err != nil {
			c.Errors[name] = "Write a whole number, or leave it empty."
		}
		body[name] = n
	}
	return body
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
