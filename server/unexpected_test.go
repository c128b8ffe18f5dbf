package server_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/mahabo/mahabo/server"
)

// A field that does not exist is refused with the one that was meant, or with all that do.
func TestUnexpectedField(t *testing.T) {
	c := start(t, server.Config{Store: open(t, "memory:")})
	c.must("POST", "/v1/studies", rig("sobol"), nil)
	for _, k := range []struct {
		status             int
		path, body         string
		location, contains string
	}{
		{422, "/ask", `{"cuont": 2}`, "body.cuont", `unexpected property (did you mean "count"?)`},
		{422, "/ask", `{"zzz": 2}`, "body.zzz", "unexpected property: the fields are count, "},
		{422, "/ask", `{"count": "many"}`, "body.count", "expected integer"},
		{422, "/tell", `{"results": [{"number": 1, "value": 1}, {"number": 1, "valeu": 1}]}`, "body.results[1].valeu", `(did you mean "value"?)`},
		{422, "/trials/1/tell", `{"outcomes": {"mass": {"value": 1, "sdt": 1}}}`, "", ""},
		{422, "/trials/1/tell", `{"a.b": 1}`, "body.a.b", "unexpected property: the fields are cost, "},
		{422, "", `{"name": "b", "space": {"parametrs": {}}}`, "body.space.parametrs", `(did you mean "parameters"?)`},
		{400, "/trials/1/tell", `{"value": NaN}`, "body", `NaN is no number in JSON, and no value: leave it out, and tell such a trial with "state": "failed"`},
		{400, "/trials/1/tell", `{"value": -Infinity}`, "body", "Infinity is no number in JSON"},
		{400, "/trials/1/tell", `{"value": 3`, "body", "unexpected end"},
	} {
		path := "/v1/studies/rig" + k.path
		if k.path == "" {
			path = "/v1/studies"
		}
		found := false
		p := c.refused(k.status, http.MethodPost, path, k.body)
		for _, e := range p.Errors {
			found = found || e.Location == k.location && strings.Contains(e.Message, k.contains)
		}
		if !found && k.location != "" {
			t.Errorf("%s to %s says %+v, want %q at %s", k.body, path, p, k.contains, k.location)
		}
	}
}
