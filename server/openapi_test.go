package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/mahabo/mahabo/server"
	"github.com/mahabo/mahabo/study"
)

// request fills a path and its query, and makes a body.
func (g generator) request(path string, op operation) (target string, body any) {
	query := url.Values{}
	for _, p := range op.Parameters {
		switch {
		case p.In == "path" && p.Name == "study" && g.Float64() < 0.9:
			path = strings.ReplaceAll(path, "{study}", "rig")
		case p.In == "path" && p.Name == "number" && g.Float64() < 0.9:
			path = strings.ReplaceAll(path, "{number}", fmt.Sprint(1+g.IntN(8)))
		case p.In == "path":
			path = strings.ReplaceAll(path, "{"+p.Name+"}", url.PathEscape(text(g.value(p.Schema, 0))))
		case p.In == "query" && (p.Required || g.IntN(3) == 0):
			query.Set(p.Name, text(g.value(p.Schema, 0)))
		}
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	if op.RequestBody == nil || !op.RequestBody.Required && g.IntN(4) == 0 {
		return path, nil
	}
	media, ok := op.RequestBody.Content["application/json"]
	if !ok {
		return path, []string{"x,n,value\n0.5,2,1\n0.5,9,1\nz\n", `{"x":0.1,"n":2,"value":3}`, "", "\x00"}[g.IntN(4)]
	}
	if g.Float64() < g.wrong {
		return path, []string{"", "{", "[1]", "null", strings.Repeat("[", 20000), `{"a":1}{}`}[g.IntN(6)]
	}
	return path, g.value(media.Schema, 0)
}

// text is a value in a path or query.
func text(v any) string {
	if list, ok := v.([]any); ok && len(list) > 0 {
		var parts []string
		for _, one := range list {
			parts = append(parts, text(one))
		}
		return strings.Join(parts, ",")
	}
	if s := fmt.Sprint(v); s != "" {
		return s
	}
	return "-"
}

// explored is an analysis that can be asked for more.
type explored struct{}

func (explored) Explore(params ...string) (any, error) {
	return map[string]any{"params": params}, nil
}

// TestEveryOperation throws requests at every operation, right ones and wrong ones: no
// answer is a server error, and each fits what the document says of it.
func TestEveryOperation(t *testing.T) {
	c := start(t, server.Config{
		Store:   open(t, "memory:"),
		Analyse: func(context.Context, study.Config, []study.Trial) (any, error) { return explored{}, nil },
		Output:  func(string, int) (stdout, stderr []byte, err error) { return []byte("1.5\xff\n"), nil, nil },
	})
	d := loadDocument(t, c)
	for seed := range uint64(3) {
		g := generator{d, rand.New(rand.NewPCG(seed, 1)), 0.15 * float64(seed)}
		fill(c)
		statuses := map[string]map[int]int{}
		for round := range 40 {
			for _, path := range slices.Sorted(maps.Keys(d.Paths)) {
				for _, verb := range slices.Sorted(maps.Keys(d.Paths[path])) {
					op := d.Paths[path][verb]
					if op.OperationID == "events" || verb == "delete" && round%4 != 3 {
						continue // a stream has a test of its own
					}
					status := try(t, g, strings.ToUpper(verb), path, op, c)
					if statuses[op.OperationID] == nil {
						statuses[op.OperationID] = map[int]int{}
					}
					statuses[op.OperationID][status]++
				}
			}
			if round%4 == 3 {
				fill(c) // it was deleted
			}
		}
		for id, seen := range statuses {
			ok := slices.ContainsFunc(slices.Collect(maps.Keys(seen)), func(s int) bool { return s < 300 })
			rare := []string{"create-study", "change-study", "heartbeat", "import", "enqueue", "report", "tell", "tell-many"} // fields have to fit each other
			if seed == 0 && !ok && !slices.Contains(rare, id) {
				t.Errorf("%s never succeeded: %v", id, seen)
			}
		}
	}
}

// fill makes study rig with trials that can be told and trials that can be retried.
func fill(c client) {
	c.call("POST", "/v1/studies", rig("sobol"))
	c.call("POST", "/v1/studies/rig/ask", object{"count": 6})
	for n := range 3 {
		c.call("POST", fmt.Sprintf("/v1/studies/rig/trials/%d/tell", n+1), object{"state": "failed"})
	}
}

// try sends one request and checks the answer.
func try(t *testing.T, g generator, verb, path string, op operation, c client) int {
	t.Helper()
	target, body := g.request(path, op)
	answer, data := c.call(verb, target, body)
	sent, _ := json.Marshal(body)
	what := fmt.Sprintf("%s %s %.300s gave %s %.500s", verb, target, sent, answer.Status, data)
	if answer.StatusCode >= 500 {
		t.Fatal(what)
	}
	declared, ok := op.Responses[fmt.Sprint(answer.StatusCode)]
	if !ok && answer.StatusCode != http.StatusNotFound && answer.StatusCode != http.StatusMovedPermanently && answer.StatusCode != http.StatusTemporaryRedirect {
		t.Fatalf("%s, which is not declared", what)
	}
	kind, _, _ := strings.Cut(answer.Header.Get("Content-Type"), ";")
	if !ok || len(declared.Content) == 0 || op.OperationID == "export" && answer.StatusCode == http.StatusOK {
		return answer.StatusCode
	}
	media, ok := declared.Content[kind]
	if !ok {
		t.Fatalf("%s of type %s, which is not declared", what, kind)
	}
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	if err := g.check(media.Schema, v, "answer"); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	return answer.StatusCode
}

func TestDocument(t *testing.T) {
	c := start(t, server.Config{Store: open(t, "memory:"), Version: "v1.2.3"})
	answer, data := c.call("GET", "/openapi.json", nil)
	var head struct {
		OpenAPI string
		Info    struct{ Version string }
	}
	if err := json.Unmarshal(data, &head); err != nil || !strings.HasPrefix(head.OpenAPI, "3.1") || head.Info.Version != "v1.2.3" {
		t.Errorf("the document begins %.100s (%v)", data, err)
	}
	if answer.Header.Get("X-Content-Type-Options") != "nosniff" || !strings.Contains(answer.Header.Get("Content-Security-Policy"), "default-src 'self'") {
		t.Errorf("the headers are %v", answer.Header)
	}
	for _, path := range []string{"/docs", "/docs/page.js", "/docs/page.css", "/healthz", "/metrics"} {
		if answer, data := c.call("GET", path, nil); answer.StatusCode != http.StatusOK || len(data) == 0 || strings.Contains(string(data), "://cdn") {
			t.Errorf("%s gave %s %.200s", path, answer.Status, data)
		}
	}
	c.refused(404, "GET", "/v1/nothing", nil)
	for _, verb := range []string{"PUT", "TRACE", "PATCH"} {
		if answer, text := c.call(verb, "/v1/studies", nil); answer.StatusCode != http.StatusMethodNotAllowed || answer.Header.Get("Allow") != "GET, POST" {
			t.Errorf("%s gave %s %s, allowed are %s", verb, answer.Status, text, answer.Header.Get("Allow"))
		}
	}
	if strings.Contains(string(data), "security") {
		t.Error("a server that wants no token describes tokens")
	}
}
