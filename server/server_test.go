package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mahabo/mahabo/server"
	"github.com/mahabo/mahabo/store"
	"github.com/mahabo/mahabo/study"
)

// client talks to a server of a test.
type client struct {
	t     testing.TB
	url   string
	token string
}

// open opens a store for the time of a test.
func open(t testing.TB, url string) study.Store {
	t.Helper()
	st, err := store.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	return st
}

// start runs a server on a random port.
func start(t testing.TB, c server.Config) client {
	t.Helper()
	if c.Store == nil {
		c.Store = open(t, "sqlite:"+filepath.Join(t.TempDir(), "a.db"))
	}
	s, err := server.New(c)
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(s)
	t.Cleanup(func() {
		s.Close()
		web.Close()
	})
	return client{t: t, url: web.URL}
}

// call sends a request and returns the answer. A body is sent as it is when it is
// a string, else as JSON.
func (c client) call(method, path string, body any) (*http.Response, []byte) {
	c.t.Helper()
	var data io.Reader
	switch b := body.(type) {
	case nil:
	case string:
		data = bytes.NewBufferString(b)
	default:
		text, err := json.Marshal(b)
		if err != nil {
			c.t.Fatal(err)
		}
		data = bytes.NewReader(text)
	}
	r, err := http.NewRequestWithContext(c.t.Context(), method, c.url+path, data)
	if err != nil {
		c.t.Fatal(err)
	}
	if c.token != "" {
		r.Header.Set("Authorization", "Bearer "+c.token)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	return answer, text
}

// must sends a request that has to succeed and decodes the answer into out.
func (c client) must(method, path string, body, out any) {
	c.t.Helper()
	answer, text := c.call(method, path, body)
	if answer.StatusCode >= 300 {
		c.t.Fatalf("%s %s gave %s: %s", method, path, answer.Status, text)
	}
	if out != nil {
		if err := json.Unmarshal(text, out); err != nil {
			c.t.Fatalf("%s %s: %v in %s", method, path, err, text)
		}
	}
}

// refused sends a request that has to fail with a problem of a status.
func (c client) refused(status int, method, path string, body any) problemJSON {
	c.t.Helper()
	answer, text := c.call(method, path, body)
	var p problemJSON
	if err := json.Unmarshal(text, &p); err != nil || answer.StatusCode != status || p.Status != status ||
		answer.Header.Get("Content-Type") != "application/problem+json" {
		c.t.Fatalf("%s %s gave %s %s: %s, want a problem %d", method, path, answer.Status, answer.Header.Get("Content-Type"), text, status)
	}
	return p
}

type problemJSON struct {
	Type   string
	Status int
	Detail string
	Errors []struct {
		Message, Location string
		Value             any
	}
}

type object = map[string]any

func rig(method string) object {
	return object{"name": "rig", "method": method, "space": object{"parameters": object{
		"x": object{"float": []float64{0, 1}}, "n": object{"int": []int{1, 5}}}}}
}

type batchJSON struct {
	BatchID int `json:"batch_id"`
	Model   struct{ Method, Fallback *string }
	Trials  []struct {
		Number       int
		Params       map[string]any
		LeaseExpires *string `json:"lease_expires"`
	}
}

func TestAskTell(t *testing.T) {
	c := start(t, server.Config{})
	c.must("POST", "/v1/studies", rig("sobol"), nil)
	var b, again batchJSON
	ask := object{"count": 3, "worker": "w", "request_id": "r1", "lease_seconds": 60}
	c.must("POST", "/v1/studies/rig/ask", ask, &b)
	if b.BatchID != 1 || len(b.Trials) != 3 || *b.Model.Method != "sobol" || b.Model.Fallback != nil ||
		b.Trials[2].Number != 3 || b.Trials[0].LeaseExpires == nil || len(b.Trials[0].Params) != 2 {
		t.Fatalf("asking gave %+v", b)
	}
	c.must("POST", "/v1/studies/rig/ask", ask, &again)
	if fmt.Sprint(again.Trials[0].Params, again.BatchID) != fmt.Sprint(b.Trials[0].Params, b.BatchID) {
		t.Errorf("the same request gave %+v, then %+v", b, again)
	}
	for range 2 { // idempotent
		c.must("POST", "/v1/studies/rig/trials/1/tell", object{"value": 0.5}, nil)
	}
	c.must("POST", "/v1/studies/rig/tell", object{"results": []object{{"number": 2, "value": 0.25}, {"number": 3, "state": "failed", "reason": "oil"}}}, nil)
	if p := c.refused(409, "POST", "/v1/studies/rig/trials/1/tell", object{"value": 7}); p.Type != "urn:mahabo:outcome-conflict" {
		t.Errorf("telling another value gave %+v", p)
	}
	c.refused(404, "POST", "/v1/studies/rig/trials/9/tell", object{"value": 7})
	c.refused(422, "POST", "/v1/studies/rig/trials/1/tell", object{})
	c.must("POST", "/v1/studies/rig/ask", nil, nil)
	for body, field := range map[string]string{
		`{"state": "failed", "value": 0.5}`:               "body.value",
		`{"state": "infeasible", "value": 0, "std": 0.1}`: "body.value",
		`{"state": "stopped", "std": 0.1}`:                "body.std",
		`{"value": 0.5, "reason": "oil"}`:                 "body.reason",
	} {
		if answer, data := c.call("POST", "/v1/studies/rig/trials/4/tell", body); answer.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(string(data), field) {
			t.Errorf("%s: %s %s, want %q", body, answer.Status, data, field)
		}
	}
	var best struct{ Best struct{ Number, Count int } }
	c.must("GET", "/v1/studies/rig/best", nil, &best)
	if best.Best.Number != 2 || best.Best.Count != 1 {
		t.Errorf("the best is %+v", best)
	}
}

// A study that nobody uses leaves the memory, one that is watched stays, and both go on as
// if nothing had been.
func TestIdleStudiesAreDropped(t *testing.T) {
	c := start(t, server.Config{Store: open(t, "memory:"), Idle: 40 * time.Millisecond})
	watched := rig("sobol")
	watched["name"] = "watched"
	c.must("POST", "/v1/studies", watched, nil)
	c.must("POST", "/v1/studies", rig("sobol"), nil)
	stream, err := http.Get(c.url + "/v1/studies/watched/events")
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Body.Close()
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		_, text := c.call("GET", "/metrics", nil)
		if strings.Contains(string(text), "mahabo_studies_open 1\n") {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("the studies stay open:\n%s", text)
		}
	}
	for i := 1; i <= 2; i++ {
		var b batchJSON
		c.must("POST", "/v1/studies/rig/ask", nil, &b)
		if b.Trials[0].Number != i {
			t.Errorf("ask %d got trial %d", i, b.Trials[0].Number)
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// A list of studies leaves parameters out unless they are wanted.
func TestListIsLight(t *testing.T) {
	c := start(t, server.Config{Store: open(t, "memory:")})
	c.must("POST", "/v1/studies", rig("sobol"), nil)
	c.must("POST", "/v1/studies/rig/ask", nil, nil)
	c.must("POST", "/v1/studies/rig/trials/1/tell", object{"value": 2}, nil)
	for path, long := range map[string]bool{"/v1/studies": false, "/v1/studies?full=true": true} {
		_, text := c.call("GET", path, nil)
		if strings.Contains(string(text), `"space"`) != long || strings.Contains(string(text), `"params"`) != long || !strings.Contains(string(text), `"value":2`) {
			t.Errorf("%s gave %s", path, text)
		}
	}
}

// slowStore takes a while for every page of trials.
type slowStore struct{ study.Store }

func (s slowStore) Trials(ctx context.Context, id string, page study.Page) ([]study.Trial, error) {
	time.Sleep(100 * time.Millisecond)
	return s.Store.Trials(ctx, id, page)
}

// TestLongExport: an export may take longer than other answers as long as it moves.
func TestLongExport(t *testing.T) {
	const trials = 5500
	st := open(t, "sqlite:"+filepath.Join(t.TempDir(), "a.db"))
	c := start(t, server.Config{Store: st})
	c.must("POST", "/v1/studies", rig("sobol"), nil)
	table := bytes.NewBufferString("x,n,value\n")
	for i := range trials {
		fmt.Fprintf(table, "%g,3,1\n", float64(i)/trials)
	}
	c.must("POST", "/v1/studies/rig/import?format=csv", table.String(), nil)
	slow := start(t, server.Config{Store: slowStore{st}, Limits: server.Limits{Answer: 300 * time.Millisecond}})
	answer, text := slow.call("GET", "/v1/studies/rig/export?format=jsonl", nil)
	if lines := bytes.Count(text, []byte("\n")); answer.StatusCode != http.StatusOK || lines != trials {
		t.Errorf("%s, %d lines, want %d", answer.Status, lines, trials)
	}
}

// countedStore counts who reads logs from their beginning, which takes a while.
type countedStore struct {
	study.Store
	reads atomic.Int32
}

func (c *countedStore) Events(ctx context.Context, id string, after int64) ([]study.Event, error) {
	if after == 0 {
		c.reads.Add(1)
		time.Sleep(50 * time.Millisecond)
	}
	return c.Store.Events(ctx, id, after)
}

// TestRequestsShareTheReadingOfALog: after a restart workers come all at once.
func TestRequestsShareTheReadingOfALog(t *testing.T) {
	st := open(t, "sqlite:"+filepath.Join(t.TempDir(), "a.db"))
	start(t, server.Config{Store: st}).must("POST", "/v1/studies", rig("sobol"), nil)
	counted := &countedStore{Store: st}
	c := start(t, server.Config{Store: counted})
	var wait sync.WaitGroup
	for range 10 {
		wait.Go(func() { c.must("GET", "/v1/studies/rig", nil, nil) })
	}
	wait.Wait()
	if n := counted.reads.Load(); n != 1 {
		t.Errorf("the log was read %d times", n)
	}
}

// TestCreateAfterDeletionElsewhere: another process has deleted the study that this one has
// open.
func TestCreateAfterDeletionElsewhere(t *testing.T) {
	st := open(t, "sqlite:"+filepath.Join(t.TempDir(), "a.db"))
	here, there := start(t, server.Config{Store: st}), start(t, server.Config{Store: st})
	here.must("POST", "/v1/studies", rig("sobol"), nil)
	here.must("POST", "/v1/studies/rig/ask", object{}, nil)
	there.must("DELETE", "/v1/studies/rig", nil, nil)
	here.must("POST", "/v1/studies", rig("random"), nil)
	var s struct{ Method string }
	here.must("GET", "/v1/studies/rig", nil, &s)
	if s.Method != "random" {
		t.Errorf("the study has the method %s", s.Method)
	}
}

// heldStore holds up the writing of logs until it is cancelled.
type heldStore struct {
	study.Store
	held chan struct{} // gets a word for each
}

func (h heldStore) Append(ctx context.Context, _ string, _ []study.Event, _ []study.Trial) error {
	h.held <- struct{}{}
	<-ctx.Done()
	return ctx.Err()
}

// TestAskDuringDeletion: who asks while the study is deleted hears that it is gone.
func TestAskDuringDeletion(t *testing.T) {
	held := heldStore{open(t, "memory:"), make(chan struct{}, 1)}
	c := start(t, server.Config{Store: held})
	c.must("POST", "/v1/studies", rig("sobol"), nil)
	asked := make(chan problemJSON)
	go func() {
		_, text := c.call("POST", "/v1/studies/rig/ask", nil)
		var p problemJSON
		if err := json.Unmarshal(text, &p); err != nil {
			t.Error(err)
		}
		asked <- p
	}()
	<-held.held
	c.must("DELETE", "/v1/studies/rig", nil, nil)
	if p := <-asked; p.Status != http.StatusNotFound || p.Type != "urn:mahabo:no-such-study" {
		t.Errorf("the ask got %+v", p)
	}
}

// TestUsedRequestID: points are not dropped for the sake of others.
func TestUsedRequestID(t *testing.T) {
	c := start(t, server.Config{Store: open(t, "memory:")})
	c.must("POST", "/v1/studies", rig("sobol"), nil)
	add := func(x float64) object { return object{"request_id": "e", "params": []object{{"x": x, "n": 2}}} }
	for range 2 {
		c.must("POST", "/v1/studies/rig/enqueue", add(0.5), nil)
	}
	if p := c.refused(409, "POST", "/v1/studies/rig/enqueue", add(0.6)); p.Type != "urn:mahabo:request-id-used" || !strings.Contains(p.Detail, "other points") {
		t.Errorf("other points gave %+v", p)
	}
}
