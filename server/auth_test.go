package server_test

import (
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mahabo/mahabo/internal/token"
	"github.com/mahabo/mahabo/server"
)

// tokens makes a file of tokens and returns how to add one.
func tokens(t *testing.T) (path string, add func(study string, role token.Role) string) {
	path = filepath.Join(t.TempDir(), "tokens")
	return path, func(study string, role token.Role) string {
		t.Helper()
		text, _, err := token.Create(path, token.Grant{Role: role, Study: study}, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
}

func guarded(t *testing.T, path string) client {
	t.Helper()
	return start(t, server.Config{Store: open(t, "memory:"), TokenFile: path})
}

// TestWrongTokensSeeNothing walks the document: whoever has no right token gets no
// data from any operation.
func TestWrongTokensSeeNothing(t *testing.T) {
	path, add := tokens(t)
	admin, reader, other := add("*", token.Admin), add("rig", token.Read), add("another*", token.Admin)
	c := guarded(t, path)
	c.token = admin
	c.must("POST", "/v1/studies", rig("sobol"), nil)
	c.must("POST", "/v1/studies/rig/ask", object{"count": 2}, nil)
	d := loadDocument(t, c)
	open := []string{"list-methods", "log-in", "log-out"}
	for _, route := range slices.Sorted(maps.Keys(d.Paths)) {
		for verb, op := range d.Paths[route] {
			if slices.Contains(open, op.OperationID) {
				continue
			}
			target := strings.NewReplacer("{study}", "rig", "{number}", "1").Replace(route)
			for _, wrong := range []string{"", "x", "mhb_a_b", admin[:len(admin)-1] + "!", strings.ToUpper(admin)} {
				c.token = wrong
				c.refused(401, strings.ToUpper(verb), target, nil)
			}
			if strings.Contains(route, "{study}") {
				c.token = other
				c.refused(403, strings.ToUpper(verb), target, nil)
			}
			if strings.Contains(route, "{study}") && verb != "get" {
				c.token = reader
				c.refused(403, strings.ToUpper(verb), target, nil)
			}
		}
	}
	for _, wrong := range []string{"", "x"} {
		c.token = wrong
		c.refused(401, "GET", "/metrics", nil)
	}
	c.token = reader
	c.refused(403, "GET", "/metrics", nil)
	c.must("GET", "/v1/studies/rig/trials", nil, nil)

	c.token = other
	var list struct{ Studies []any }
	if c.must("GET", "/v1/studies", nil, &list); len(list.Studies) != 0 {
		t.Errorf("a token for other studies lists %v", list)
	}
	c.refused(403, "POST", "/v1/studies", object{"name": "mine", "space": rig("")["space"]})
	c.must("POST", "/v1/studies", object{"name": "another1", "space": rig("")["space"]}, nil)
}

func TestRevokedToken(t *testing.T) {
	path, add := tokens(t)
	first := add("*", token.Admin)
	c := guarded(t, path)
	c.token = first
	late := add("*", token.Read)
	c.must("GET", "/v1/studies", nil, nil)
	if err := token.Revoke(path, strings.Split(c.token, "_")[1]); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		if answer, _ := c.call("GET", "/v1/studies", nil); answer.StatusCode == http.StatusUnauthorized {
			break
		}
		if time.Now().After(end) {
			t.Fatal("a revoked token still works")
		}
	}
	c.token = late
	c.must("GET", "/v1/studies", nil, nil)
}

func TestSession(t *testing.T) {
	path, add := tokens(t)
	text := add("rig*", token.Write)
	c := guarded(t, path)
	c.refused(401, "POST", "/v1/session", object{"token": "mhb_x_y"})
	answer, _ := c.call("POST", "/v1/session", object{"token": text})
	cookies := answer.Cookies()
	if answer.StatusCode != http.StatusOK || len(cookies) != 1 || !cookies[0].HttpOnly || cookies[0].SameSite != http.SameSiteStrictMode {
		t.Fatalf("logging in gave %s, %v", answer.Status, cookies)
	}
	send := func(verb, origin string) int {
		r, err := http.NewRequestWithContext(t.Context(), verb, c.url+"/v1/studies/rig/ask", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.AddCookie(cookies[0])
		r.Header.Set("Origin", origin)
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		return answer.StatusCode
	}
	if got := send("POST", c.url); got != 404 { // let in; there is no such study
		t.Errorf("the cookie gave %d", got)
	}
	if got := send("POST", "https://evil.example"); got != 403 {
		t.Errorf("another site's request gave %d", got)
	}
}

func TestHostnames(t *testing.T) {
	c := start(t, server.Config{Store: open(t, "memory:"), Hostnames: []string{"localhost"}})
	c.must("GET", "/v1/studies", nil, nil)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, c.url+"/v1/studies", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Host = "rebound.example"
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusMisdirectedRequest {
		t.Errorf("another name gave %s", answer.Status)
	}
}

func TestLimits(t *testing.T) {
	c := start(t, server.Config{Store: open(t, "memory:"), Limits: server.Limits{Body: 300, Import: 1000}})
	c.must("POST", "/v1/studies", rig("sobol"), nil)
	if p := c.refused(400, "POST", "/v1/studies/rig/ask", "{"+strings.Repeat(" ", 250)); p.Errors[0].Value != nil {
		t.Error("a problem repeats a long request")
	}
	c.refused(413, "POST", "/v1/studies/rig/ask", object{"worker": strings.Repeat("w", 400)})
	c.refused(413, "POST", "/v1/studies/rig/import", strings.Repeat("x", 2000))
	c.refused(422, "POST", "/v1/studies/rig/ask", object{"count": 1001})
	c.refused(422, "GET", "/v1/studies/rig/trials?limit=1001", nil)
}
