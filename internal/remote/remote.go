// Package remote has the studies of a server for the command line: what it does to a study in
// a store it can do to one behind HTTP, by the same methods.
package remote

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/internal/table"
	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/study"
	"github.com/mahabo/mahabo/worker"
)

// Server is one that offers studies.
type Server struct {
	base   string
	token  string
	client *http.Client
}

// longest leaves time for a method that chooses and for large tables.
const longest = 10 * time.Minute

// Is says whether an address is that of a server.
func Is(address string) bool {
	return strings.HasPrefix(address, "http://") || strings.HasPrefix(address, "https://")
}

// Open names a server. The token may be empty.
func Open(address, token string) (*Server, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return nil, fmt.Errorf("%q is not the address of a server: write http://HOST:PORT or https://HOST", address)
	}
	return &Server{strings.TrimRight(address, "/"), token, &http.Client{Timeout: longest}}, nil
}

// call sends a request and reads the answer as JSON.
func (s *Server) call(ctx context.Context, method, path string, in, out any) error {
	var body io.Reader
	if in != nil {
		text, err := json.Marshal(in)
		if err != nil {
			return err
		}
		body = bytes.NewReader(text)
	}
	text, err := s.send(ctx, method, path, "application/json", body)
	if err == nil && out != nil {
		err = json.Unmarshal(text, out)
	}
	return err
}

func (s *Server) send(ctx context.Context, method, path, kind string, body io.Reader) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, method, s.base+path, body)
	if err != nil {
		return nil, err
	}
	if body != nil {
		request.Header.Set("Content-Type", kind)
	}
	if s.token != "" {
		request.Header.Set("Authorization", "Bearer "+s.token)
	}
	answer, err := s.client.Do(request)
	if err != nil {
		return nil, fmt.Errorf("the server cannot be reached: %w: is mahabo serve running there?", err)
	}
	defer func() { _ = answer.Body.Close() }() // it was read
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode < 300 {
		return text, err
	}
	return nil, problem(answer.StatusCode, text)
}

// problem makes an error of an answer, in the terms of package study.
func problem(status int, text []byte) error {
	p := &worker.Problem{}
	if json.Unmarshal(text, p) != nil || p.Title == "" {
		p = &worker.Problem{Title: http.StatusText(status), Detail: "the answer is not one of mahabo serve: check the address"}
	}
	p.Status = status
	said := errors.New(cmp.Or(p.Detail, p.Title))
	for _, e := range p.Errors {
		said = fmt.Errorf("%w: %s %s", said, e.Location, e.Message)
	}
	switch {
	case p.Type == "urn:mahabo:no-such-study":
		return study.ErrNotFound
	case p.Type == "urn:mahabo:study-exists":
		return study.ErrExists
	case p.Type == "urn:mahabo:space-exhausted":
		return evaluate.ErrExhausted
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return &study.RequestError{Err: fmt.Errorf("%w: set MAHABO_TOKEN to a token that may do it", p)}
	case status < 500:
		return &study.RequestError{Err: said}
	}
	return p
}

func studyPath(name string) string { return "/v1/studies/" + url.PathEscape(name) }

// Names lists the studies.
func (s *Server) Names(ctx context.Context) (names []string, err error) {
	var list struct {
		Studies []struct{ Name string }
	}
	err = s.call(ctx, http.MethodGet, "/v1/studies", nil, &list)
	for _, one := range list.Studies {
		names = append(names, one.Name)
	}
	return names, err
}

// Create begins a study.
func (s *Server) Create(ctx context.Context, c study.Config) error {
	type trial struct {
		Params space.Params `json:"params"`
		Value  float64      `json:"value"`
	}
	type former struct {
		Name   string  `json:"name"`
		Trials []trial `json:"trials"`
	}
	body := struct {
		study.Config
		Former []former `json:"former,omitempty"`
	}{Config: c}
	for _, name := range slices.Sorted(maps.Keys(c.Former)) {
		one := former{Name: name}
		for _, r := range c.Former[name] {
			if !r.Excluded {
				one.Trials = append(one.Trials, trial{r.Params, r.Outcome.Value})
			}
		}
		body.Former = append(body.Former, one)
	}
	return s.call(ctx, http.MethodPost, "/v1/studies", body, nil)
}

// Delete forgets a study.
func (s *Server) Delete(ctx context.Context, name string) error {
	return s.call(ctx, http.MethodDelete, studyPath(name), nil, nil)
}

// Study is one of a server. Its methods are those of study.Study.
type Study struct {
	server *Server
	path   string
	config study.Config
}

// shape is a study as answers have it.
type shape struct {
	study.Config
	Created time.Time              `json:"created"`
	Trials  int                    `json:"trials"`
	States  map[evaluate.State]int `json:"states"`
	Batches int                    `json:"batches"`
	Best    *bestShape             `json:"best"`
}

// bestShape is a point as answers have it.
type bestShape struct {
	Number     int                `json:"number"`
	Params     space.Params       `json:"params"`
	Value      float64            `json:"value"`
	Count      int                `json:"count"`
	Outcomes   map[string]float64 `json:"outcomes"`
	Violations map[string]float64 `json:"violations"`
}

func (b bestShape) best(t study.Trial) study.Best {
	return study.Best{Trial: t, Mean: b.Value, Count: b.Count, Means: b.Outcomes, Violations: b.Violations}
}

// Study returns a study, which has to exist.
func (s *Server) Study(ctx context.Context, name string) (*Study, error) {
	one := &Study{server: s, path: studyPath(name)}
	read, err := one.read(ctx)
	if err != nil {
		return nil, fmt.Errorf("study %q: %w", name, err)
	}
	one.config = read.Config
	return one, nil
}

func (s *Study) read(ctx context.Context) (read shape, err error) {
	return read, s.server.call(ctx, http.MethodGet, s.path, nil, &read)
}

func (s *Study) post(ctx context.Context, path string, in, out any) error {
	return s.server.call(ctx, http.MethodPost, s.path+path, in, out)
}

// Config returns the study's configuration.
func (s *Study) Config() study.Config { return s.config }

// Summary returns how far the study is.
func (s *Study) Summary(ctx context.Context) (study.Summary, error) {
	read, err := s.read(ctx)
	return study.Summary{Config: read.Config, Trials: read.Trials, States: read.States, Batches: read.Batches, Created: read.Created}, err
}

// Best returns the best point.
func (s *Study) Best(ctx context.Context) (best study.Best, ok bool, err error) {
	read, err := s.read(ctx)
	if err != nil || read.Best == nil {
		return best, false, err
	}
	trials, err := s.Numbered(ctx, read.Best.Number)
	if err != nil {
		return best, false, err
	}
	return read.Best.best(trials[0]), true, nil
}

// Front returns the points that no other dominates.
func (s *Study) Front(ctx context.Context) (study.Front, error) {
	var read struct {
		study.Front
		Points []bestShape `json:"points"`
		Least  *bestShape  `json:"least"`
	}
	err := s.server.call(ctx, http.MethodGet, s.path+"/front", nil, &read)
	if err != nil {
		return study.Front{}, err
	}
	at := func(b bestShape) study.Best {
		return b.best(s.trial(trialShape{Trial: study.Trial{Number: b.Number, Params: b.Params}}))
	}
	f := read.Front
	f.Points = []study.Best{}
	for _, b := range read.Points {
		f.Points = append(f.Points, at(b))
	}
	if read.Least != nil {
		least := at(*read.Least)
		f.Least = &least
	}
	return f, nil
}

// trialShape is a trial as answers have it.
type trialShape struct {
	study.Trial
	BatchID int `json:"batch_id"`
}

func (s *Study) trial(t trialShape) study.Trial {
	t.Batch = t.BatchID
	if params, err := s.config.Space.Complete(t.Params); err == nil { // JSON does not tell 3.0 from 3
		t.Params = params
	}
	return t.Trial
}

func (s *Study) trials(list []trialShape) []study.Trial {
	trials := make([]study.Trial, len(list))
	for i, t := range list {
		trials[i] = s.trial(t)
	}
	return trials
}

const page = 1000 // trials of one answer

// Select returns the trials that a query chooses, and how many there are in all.
func (s *Study) Select(ctx context.Context, q study.Query) (trials []study.Trial, total int, err error) {
	query := url.Values{}
	for _, state := range q.States {
		query.Add("state", string(state))
	}
	if len(q.States) > 0 {
		query.Set("state", strings.Join(query["state"], ","))
	}
	if q.Text != "" {
		query.Set("search", q.Text)
	}
	sort := string(cmp.Or(q.Sort, study.ByNumber))
	if q.Descending {
		sort = "-" + sort
	}
	query.Set("sort", sort)
	for offset := q.Offset; ; {
		limit := page
		if q.Limit > 0 {
			limit = min(limit, q.Limit-len(trials))
		}
		query.Set("offset", strconv.Itoa(offset))
		query.Set("limit", strconv.Itoa(limit))
		var got struct {
			Trials []trialShape `json:"trials"`
			Total  int          `json:"total"`
			Next   *int         `json:"next"`
		}
		if err := s.server.call(ctx, http.MethodGet, s.path+"/trials?"+query.Encode(), nil, &got); err != nil {
			return nil, 0, err
		}
		trials, total = append(trials, s.trials(got.Trials)...), got.Total
		if got.Next == nil || q.Limit > 0 && len(trials) >= q.Limit {
			return trials, total, nil
		}
		offset = *got.Next
	}
}

// Trials returns one page of the trials.
func (s *Study) Trials(ctx context.Context, p study.Page) ([]study.Trial, error) {
	trials, _, err := s.Select(ctx, study.Query{Offset: p.After, Limit: p.Limit}) // numbers have no gaps
	return trials, err
}

// Values returns the values of the complete trials that count.
func (s *Study) Values(ctx context.Context) (values []study.Value, err error) {
	trials, _, err := s.Select(ctx, study.Query{States: []evaluate.State{evaluate.Complete}})
	for _, t := range trials {
		if !t.Excluded && t.Value != nil {
			values = append(values, study.Value{Number: t.Number, Value: *t.Value})
		}
	}
	return values, err
}

// Numbered returns trials by their numbers.
func (s *Study) Numbered(ctx context.Context, numbers ...int) (trials []study.Trial, err error) {
	if len(numbers) == 1 { // what is not there is an error of the server's
		var t trialShape
		if err := s.server.call(ctx, http.MethodGet, fmt.Sprintf("%s/trials/%d", s.path, numbers[0]), nil, &t); err != nil {
			return nil, err
		}
		return []study.Trial{s.trial(t)}, nil
	}
	for part := range slices.Chunk(numbers, page/2) {
		texts := make([]string, len(part))
		for i, n := range part {
			texts[i] = strconv.Itoa(n)
		}
		var got struct {
			Trials []trialShape `json:"trials"`
		}
		query := url.Values{"number": {strings.Join(texts, ",")}, "limit": {strconv.Itoa(page)}}
		if err := s.server.call(ctx, http.MethodGet, s.path+"/trials?"+query.Encode(), nil, &got); err != nil {
			return nil, err
		}
		found := map[int]study.Trial{}
		for _, t := range s.trials(got.Trials) {
			found[t.Number] = t
		}
		for _, n := range part {
			t, ok := found[n]
			if !ok {
				return nil, &study.RequestError{Err: fmt.Errorf("trial %d: %w", n, study.ErrNoTrial)}
			}
			trials = append(trials, t)
		}
	}
	return trials, nil
}

// Ask serves trials to evaluate.
func (s *Study) Ask(ctx context.Context, r study.AskRequest) (study.Batch, error) {
	body := map[string]any{"count": r.Count}
	for name, text := range map[string]string{"worker": r.Worker, "request_id": r.RequestID} {
		if text != "" {
			body[name] = text
		}
	}
	if r.Lease > 0 {
		body["lease_seconds"] = r.Lease.Seconds()
	}
	if r.Fixed.Len() > 0 {
		body["fixed"] = r.Fixed
	}
	var got struct {
		BatchID int             `json:"batch_id"`
		Model   study.ModelInfo `json:"model"`
		Trials  []trialShape    `json:"trials"`
	}
	err := s.post(ctx, "/ask", body, &got)
	b := study.Batch{Number: got.BatchID, ModelInfo: got.Model, Trials: s.trials(got.Trials)}
	for i := range b.Trials {
		b.Trials[i].State, b.Trials[i].Worker = study.Running, r.Worker
	}
	return b, err
}

// Record records outcomes, all or none.
func (s *Study) Record(ctx context.Context, results ...study.Finished) ([]study.Trial, error) {
	var list []map[string]any
	for _, r := range results {
		one := map[string]any{"number": r.Number, "state": r.State}
		switch {
		case len(r.Outcomes) > 0:
			one["outcomes"] = measured(r.Outcomes, r.Stds)
		case r.State == evaluate.Complete:
			one["value"], one["std"] = r.Value, r.Std
		default:
			one["reason"] = r.Reason
		}
		if r.Cost > 0 {
			one["cost"] = r.Cost
		}
		if r.Seconds > 0 {
			one["seconds"] = r.Seconds
		}
		if r.Worker != "" {
			one["worker"] = r.Worker
		}
		if r.Params.Len() > 0 {
			one["params"] = r.Params
		}
		list = append(list, one)
	}
	var got struct {
		Trials []trialShape `json:"trials"`
	}
	err := s.post(ctx, "/tell", map[string]any{"results": list}, &got)
	if err != nil && strings.Contains(err.Error(), ".seconds unexpected property") { // a server of an earlier version does not know it
		for _, one := range list {
			delete(one, "seconds")
		}
		err = s.post(ctx, "/tell", map[string]any{"results": list}, &got)
	}
	return s.trials(got.Trials), err
}

// measured are outcomes by name as a server takes them.
func measured(values, stds map[string]float64) map[string]any {
	all := map[string]any{}
	for name, value := range values {
		all[name] = map[string]float64{"value": value, "std": stds[name]}
	}
	return all
}

// Enqueue adds points to be served before any other.
func (s *Study) Enqueue(ctx context.Context, r study.EnqueueRequest) ([]study.Trial, error) {
	var got struct {
		Trials []trialShape `json:"trials"`
	}
	err := s.post(ctx, "/enqueue", r, &got)
	return s.trials(got.Trials), err
}

func numbered(number int, verb string) string { return fmt.Sprintf("/trials/%d/%s", number, verb) }

// Heartbeat extends a lease.
func (s *Study) Heartbeat(ctx context.Context, number int, name string, lease time.Duration) error {
	body := map[string]any{"worker": name, "lease_seconds": lease.Seconds()}
	return s.post(ctx, numbered(number, "heartbeat"), body, nil)
}

// Report keeps what a trial that runs has reached, and says why it should end.
func (s *Study) Report(ctx context.Context, number int, name string, list ...study.Reported) (why string, err error) {
	type step struct {
		Step     int64              `json:"step"`
		Value    *float64           `json:"value,omitempty"`
		Outcomes map[string]float64 `json:"outcomes,omitempty"`
	}
	var steps []step
	for _, r := range list {
		one := step{Step: r.Step, Outcomes: r.Outcomes}
		if len(r.Outcomes) == 0 {
			one.Value = &r.Value
		}
		steps = append(steps, one)
	}
	var got struct {
		Stop   bool   `json:"stop"`
		Reason string `json:"reason"`
	}
	err = s.post(ctx, numbered(number, "report"), map[string]any{"worker": name, "reports": steps}, &got)
	return got.Reason, err
}

// Reports returns what trials have reported.
func (s *Study) Reports(ctx context.Context, most int, numbers ...int) (map[int][]study.Reported, error) {
	found := map[int][]study.Reported{}
	for part := range slices.Chunk(numbers, page/10) {
		texts := make([]string, len(part))
		for i, n := range part {
			texts[i] = strconv.Itoa(n)
		}
		var got struct {
			Curves []struct {
				Number  int              `json:"number"`
				Reports []study.Reported `json:"reports"`
			} `json:"curves"`
		}
		query := url.Values{"number": {strings.Join(texts, ",")}, "most": {strconv.Itoa(most)}}
		if err := s.server.call(ctx, http.MethodGet, s.path+"/reports?"+query.Encode(), nil, &got); err != nil {
			return nil, err
		}
		for _, c := range got.Curves {
			found[c.Number] = c.Reports
		}
	}
	return found, nil
}

// Retry sends a failed or stopped trial back to the queue.
func (s *Study) Retry(ctx context.Context, number int) error {
	return s.post(ctx, numbered(number, "retry"), nil, nil)
}

// Release gives trials back.
func (s *Study) Release(ctx context.Context, name string, numbers ...int) error {
	return s.post(ctx, "/release", map[string]any{"worker": name, "numbers": numbers}, nil)
}

// Note adds a remark to a trial.
func (s *Study) Note(ctx context.Context, number int, text string) error {
	return s.post(ctx, numbered(number, "notes"), map[string]any{"text": text}, nil)
}

// Correct mends what was recorded of a trial.
func (s *Study) Correct(ctx context.Context, number int, c study.Correction) (t study.Trial, changed bool, err error) {
	had, err := s.Numbered(ctx, number)
	if err != nil {
		return t, false, err
	}
	body := map[string]any{}
	if c.State != "" {
		body["state"] = c.State
	}
	if c.Value != nil {
		body["value"] = *c.Value
	}
	if c.Std != nil {
		body["std"] = *c.Std
	}
	if c.Reason != nil {
		body["reason"] = *c.Reason
	}
	if len(c.Outcomes) > 0 {
		body["outcomes"] = measured(c.Outcomes, c.Stds)
	}
	if c.Params.Len() > 0 {
		body["params"] = c.Params
	}
	if c.Exclude != nil {
		body["excluded"] = *c.Exclude
	}
	if c.Note != 0 {
		body["delete_note"] = c.Note
	}
	if c.By != "" {
		body["worker"] = c.By
	}
	var got trialShape
	if err := s.post(ctx, numbered(number, "correct"), body, &got); err != nil {
		return t, false, err
	}
	t = s.trial(got)
	return t, len(t.History) > len(had[0].History), nil
}

// Change gives the study another space.
func (s *Study) Change(ctx context.Context, c study.Change, preview bool) (study.Change, error) {
	body := map[string]any{"space": c.Space, "preview": preview}
	if c.Added.Len() > 0 {
		body["values"] = c.Added
	}
	if c.By != "" {
		body["worker"] = c.By
	}
	var got struct {
		Differences []string `json:"differences"`
		Trials      int      `json:"trials"`
		Outside     []struct {
			Number int    `json:"number"`
			Reason string `json:"reason"`
		} `json:"outside"`
		Inside []int `json:"inside"`
	}
	if err := s.post(ctx, "/change", body, &got); err != nil {
		return c, err
	}
	c.Differences, c.Trials, c.Inside, c.Outside = got.Differences, got.Trials, got.Inside, map[int]string{}
	for _, o := range got.Outside {
		c.Outside[o.Number] = o.Reason
	}
	return c, nil
}

// Import adds the evaluations of a table.
func (s *Study) Import(ctx context.Context, data []byte, o table.Options) (r table.Report, err error) {
	query := url.Values{"format": {string(o.Format)}}
	for name, column := range o.Columns {
		query.Add("column", name+"="+column)
	}
	if o.Decimal != "" {
		query.Set("decimal", string(o.Decimal))
	}
	for name, given := range map[string]bool{"dry_run": o.DryRun, "strict": o.Strict, "repeats": o.Repeats} {
		if given {
			query.Set(name, "true")
		}
	}
	text, err := s.server.send(ctx, http.MethodPost, s.path+"/import?"+query.Encode(), "text/csv", bytes.NewReader(data))
	if err != nil {
		return r, err
	}
	var got struct {
		Good  int `json:"good"`
		Known int `json:"known"`
		Bad   []struct {
			Line  int    `json:"line"`
			Error string `json:"error"`
		} `json:"bad"`
		Trials   []int `json:"trials"`
		Repeated bool  `json:"repeated"`
	}
	if err := json.Unmarshal(text, &got); err != nil {
		return r, err
	}
	r = table.Report{Good: got.Good, Known: got.Known, Bad: []table.RowError{}, Trials: got.Trials, Repeated: got.Repeated}
	for _, bad := range got.Bad {
		r.Bad = append(r.Bad, table.RowError{Line: bad.Line, Err: errors.New(bad.Error)})
	}
	return r, nil
}
