package worker

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/internal/live"
	"github.com/mahabo/mahabo/space"
)

// Problem is what a server answers to a request that it cannot meet (RFC 9457).
type Problem struct {
	Status int    `json:"status"`
	Type   string `json:"type"`
	Title  string `json:"title"`
	Detail string `json:"detail"`
	Errors []struct {
		Location string `json:"location"`
		Message  string `json:"message"`
	} `json:"errors"`
}

func (p *Problem) Error() string {
	text := fmt.Sprintf("the server says %d %s", p.Status, p.Title)
	if p.Detail != "" {
		text += ": " + p.Detail
	}
	for _, e := range p.Errors {
		text += fmt.Sprintf("; %s: %s", e.Location, e.Message)
	}
	return text
}

// The types of problems that a worker tells apart.
const (
	noTrial   = "urn:mahabo:no-such-trial"
	conflict  = "urn:mahabo:outcome-conflict"
	exhausted = "urn:mahabo:space-exhausted"
)

func isProblem(err error, kind string) bool {
	var p *Problem
	return errors.As(err, &p) && p.Type == kind
}

// refuses says whether the server found a field wrong.
func refuses(err error, field string) bool {
	var p *Problem
	if !errors.As(err, &p) {
		return false
	}
	for _, e := range p.Errors {
		if e.Location == field {
			return true
		}
	}
	return false
}

const (
	firstPause   = 100 * time.Millisecond
	longestPause = 10 * time.Second
	mostAnswer   = 64 << 20 // bytes of an answer
	// longestCall leaves time for a method that chooses.
	longestCall = 2 * time.Minute
)

// remote is a study on a server.
type remote struct {
	base   string // of the study's paths
	token  string
	client *http.Client
	log    *slog.Logger
}

func checkServer(server string) error {
	u, err := url.Parse(server)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return fmt.Errorf("server is %q: write it as http://HOST:PORT or https://HOST", server)
	}
	return nil
}

func newRemote(server, token, study string, log *slog.Logger) *remote {
	client := &http.Client{
		Timeout:       longestCall,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	base := strings.TrimRight(server, "/") + "/v1/studies/" + url.PathEscape(study)
	return &remote{base: base, token: token, client: client, log: log}
}

// call sends a request until it is answered or ctx ends, with growing pauses.
func (r *remote) call(ctx context.Context, method, path string, in, out any) error {
	pause := firstPause
	for {
		err := r.once(ctx, method, path, in, out)
		if err == nil || !passing(err) {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		r.log.Warn("the server cannot be reached, trying again", "error", err, "pause", pause)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Duration((0.5 + 0.5*rand.Float64()) * float64(pause))): // so that workers do not come together
		}
		pause = min(2*pause, longestPause)
	}
}

// passing says whether a request may succeed later as it is.
func passing(err error) bool {
	var p *Problem
	var certificate *tls.CertificateVerificationError
	if errors.As(err, &certificate) {
		return false
	}
	return !errors.As(err, &p) || p.Status >= 500 || p.Status == http.StatusTooManyRequests || p.Status == http.StatusRequestTimeout
}

// once sends a request.
func (r *remote) once(ctx context.Context, method, path string, in, out any) error {
	var data io.Reader
	if in != nil {
		text, err := json.Marshal(in)
		if err != nil {
			return err
		}
		data = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, method, r.base+path, data)
	if err != nil {
		return err
	}
	if in != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if r.token != "" {
		request.Header.Set("Authorization", "Bearer "+r.token)
	}
	answer, err := r.client.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }() // it was read
	text, err := io.ReadAll(io.LimitReader(answer.Body, mostAnswer))
	if err != nil {
		return err
	}
	if answer.StatusCode >= 300 {
		return readProblem(answer.StatusCode, text)
	}
	if out != nil && json.Unmarshal(text, out) != nil {
		return readProblem(answer.StatusCode, nil)
	}
	return nil
}

// readProblem makes an error of an answer, which need not come from mahabo.
func readProblem(status int, text []byte) *Problem {
	p := &Problem{}
	if json.Unmarshal(text, p) != nil || p.Title == "" {
		p = &Problem{Title: http.StatusText(status), Detail: "the answer is not one of mahabo serve: check the server's URL"}
	}
	p.Status = status
	return p
}

// progress is how far the study is.
type progress struct {
	Space  *space.Space   `json:"space"`
	States map[string]int `json:"states"`
}

func (r *remote) progress(ctx context.Context) (p progress, err error) {
	return p, r.call(ctx, http.MethodGet, "", nil, &p)
}

// trial is one as answers have it.
type trial struct {
	Number int          `json:"number"`
	State  string       `json:"state"`
	Worker string       `json:"worker"`
	Params space.Params `json:"params"`
}

func (r *remote) trial(ctx context.Context, number int) (t trial, err error) {
	return t, r.call(ctx, http.MethodGet, fmt.Sprintf("/trials/%d", number), nil, &t)
}

// ask gets trials; repeating an id returns the same.
func (r *remote) ask(ctx context.Context, worker, id string, lease time.Duration) ([]trial, error) {
	var batch struct {
		Trials []trial `json:"trials"`
	}
	err := r.call(ctx, http.MethodPost, "/ask", map[string]any{
		"count": 1, "worker": worker, "request_id": id, "lease_seconds": lease.Seconds(),
	}, &batch)
	return batch.Trials, err
}

// mostReason is the longest reason that a server takes, in characters.
const mostReason = 10000

// tell records an outcome; told says that another one had come first, which stays.
func (r *remote) tell(ctx context.Context, number int, worker string, o evaluate.Outcome) (told bool, err error) {
	body := map[string]any{"state": o.State, "worker": worker}
	if o.State == evaluate.Complete {
		body["value"], body["std"] = o.Value, o.Std
		if len(o.Outcomes) > 0 {
			outcomes := map[string]any{}
			for name, v := range o.Outcomes {
				outcomes[name] = map[string]float64{"value": v, "std": o.Stds[name]}
			}
			body = map[string]any{"state": o.State, "worker": worker, "outcomes": outcomes}
		}
	} else {
		body["reason"] = shorten(o.Reason, mostReason)
	}
	if o.Cost > 0 {
		body["cost"] = o.Cost
	}
	if o.Seconds > 0 {
		body["seconds"] = o.Seconds
	}
	path := fmt.Sprintf("/trials/%d/tell", number)
	if err = r.call(ctx, http.MethodPost, path, body, nil); refuses(err, "body.seconds") {
		delete(body, "seconds") // a server of an earlier version does not know it
		err = r.call(ctx, http.MethodPost, path, body, nil)
	}
	if isProblem(err, conflict) {
		return true, nil
	}
	return false, err
}

func shorten(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most])
	}
	return text
}

// mostReports is how many go into one request.
const mostReports = 10000

// report sends what a trial has reached, once: the next one comes soon. A server of an earlier version
// does not know the request.
func (r *remote) report(ctx context.Context, number int, worker string, list []live.Report) (stop string, err error) {
	for part := range slices.Chunk(list, mostReports) {
		reports := make([]map[string]any, len(part))
		for i, one := range part {
			reports[i] = map[string]any{"step": one.Step, "value": one.Value}
			if len(one.Outcomes) > 0 {
				reports[i] = map[string]any{"step": one.Step, "outcomes": one.Outcomes}
			}
		}
		var answer struct {
			Stop   bool   `json:"stop"`
			Reason string `json:"reason"`
		}
		if err := r.once(ctx, http.MethodPost, fmt.Sprintf("/trials/%d/report", number), map[string]any{"worker": worker, "reports": reports}, &answer); err != nil {
			return "", err
		}
		if answer.Stop {
			return cmp.Or(answer.Reason, "the server says so"), nil
		}
	}
	return "", nil
}

// heartbeat extends a lease. It is sent once: the next one comes soon.
func (r *remote) heartbeat(ctx context.Context, number int, worker string, lease time.Duration) error {
	body := map[string]any{"worker": worker, "lease_seconds": lease.Seconds()}
	return r.once(ctx, http.MethodPost, fmt.Sprintf("/trials/%d/heartbeat", number), body, nil)
}

// release gives back all trials of a worker.
func (r *remote) release(ctx context.Context, worker string) error {
	return r.call(ctx, http.MethodPost, "/release", map[string]any{"worker": worker}, nil)
}
