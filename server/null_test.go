package server_test

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/mahabo/mahabo/server"
)

// nullable says whether a schema permits null.
func (d document) nullable(s *schema) bool {
	s = d.resolve(s)
	return slices.Contains(s.types(), "null") || slices.ContainsFunc(s.OneOf, d.nullable)
}

// A field that may be left out may as well be null, another may not, and the description
// says so.
func TestNullIsAsDescribed(t *testing.T) {
	c := start(t, server.Config{Store: open(t, "memory:")})
	d := loadDocument(t, c)
	post := func(path string, body object) int {
		for _, name := range []string{"rig", "another"} {
			c.call("DELETE", "/v1/studies/"+name, nil)
		}
		c.must("POST", "/v1/studies", rig("sobol"), nil)
		c.must("POST", "/v1/studies/rig/ask", nil, nil)
		answer, _ := c.call("POST", strings.NewReplacer("{study}", "rig", "{number}", "1").Replace(path), body)
		return answer.StatusCode
	}
	point := object{"x": 0.5, "n": 2}
	for path, body := range map[string]object{
		"/v1/session":                                   {"token": "x"},
		"/v1/studies":                                   {"name": "another", "space": rig("")["space"]},
		"/v1/studies/{study}/ask":                       {},
		"/v1/studies/{study}/enqueue":                   {"params": []object{point}},
		"/v1/studies/{study}/release":                   {},
		"/v1/studies/{study}/tell":                      {"results": []object{{"number": 1, "value": 1}}},
		"/v1/studies/{study}/trials/{number}/tell":      {"value": 1},
		"/v1/studies/{study}/trials/{number}/heartbeat": {"lease_seconds": 60},
		"/v1/studies/{study}/trials/{number}/notes":     {"text": "hot"},
	} {
		s := d.resolve(d.Paths[path]["post"].RequestBody.Content["application/json"].Schema)
		for name, property := range s.Properties {
			null, without := maps.Clone(body), maps.Clone(body)
			null[name] = nil
			delete(without, name)
			required := slices.Contains(s.Required, name)
			if got, want := post(path, null), post(path, without); got != want {
				t.Errorf("%s: with %s null the answer is %d, without it %d", path, name, got, want)
			} else if required && got != 422 {
				t.Errorf("%s: without %s the answer is %d", path, name, got)
			}
			if d.nullable(property) == required {
				t.Errorf("%s: %s may be left out: %v, may be null by the description: %v", path, name, !required, required)
			}
		}
	}
	for _, name := range []string{"state", "value", "std", "reason", "worker"} {
		s := d.resolve(d.resolve(d.Paths["/v1/studies/{study}/tell"]["post"].RequestBody.Content["application/json"].Schema).Properties["results"].Items)
		if !d.nullable(s.Properties[name]) {
			t.Errorf("%s of many results may be left out, and not be null by the description", name)
		}
	}
}

// A field in another case is none that is known: beside the right one it would count, unchecked.
func TestCaseOfFields(t *testing.T) {
	c := start(t, server.Config{})
	c.must("POST", "/v1/studies", rig("sobol"), nil)
	for _, body := range []string{`{"count":1,"Count":1001}`, `{"Count":1}`} {
		if p := c.refused(http.StatusUnprocessableEntity, "POST", "/v1/studies/rig/ask", body); len(p.Errors) != 1 || p.Errors[0].Location != "body.Count" {
			t.Errorf("%s is refused as %+v", body, p)
		}
	}
}
