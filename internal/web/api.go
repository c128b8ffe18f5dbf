package web

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// problem is an error that the API answered with, RFC 9457.
type problem struct {
	Status int
	Title  string
	Detail string
	Errors []struct{ Message, Location string }
}

func (p *problem) Error() string {
	if len(p.Errors) == 0 {
		return p.Detail
	}
	var parts []string
	for _, e := range p.Errors {
		parts = append(parts, strings.TrimPrefix(e.Location, "body.")+": "+e.Message)
	}
	return strings.Join(parts, "; ")
}

// answer keeps what the API writes.
type answer struct {
	header http.Header
	status int
	bytes.Buffer
}

func (a *answer) Header() http.Header { return a.header }

func (a *answer) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
}

func (a *answer) Write(data []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.Buffer.Write(data)
}

// request is a call of the API.
type request struct {
	method, path string
	query        url.Values
	kind         string // content type of the body
	body         io.Reader
}

// send calls the API in the name of the browser that sent r.
func (d *dashboard) send(r *http.Request, q request) (*answer, error) {
	target := q.path
	if len(q.query) > 0 {
		target += "?" + q.query.Encode()
	}
	call, err := http.NewRequestWithContext(r.Context(), q.method, target, q.body)
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"Cookie", "Authorization"} {
		if v := r.Header.Get(name); v != "" {
			call.Header.Set(name, v)
		}
	}
	if q.kind != "" {
		call.Header.Set("Content-Type", q.kind)
	}
	call.Host, call.RemoteAddr = r.Host, r.RemoteAddr
	a := &answer{header: http.Header{}}
	d.api.ServeHTTP(a, call)
	if a.status < 300 {
		return a, nil
	}
	p := &problem{Status: a.status, Title: http.StatusText(a.status), Detail: http.StatusText(a.status)}
	_ = json.Unmarshal(a.Bytes(), p) // what is no problem keeps its status
	return nil, p
}

// get reads a resource into out.
func (d *dashboard) get(r *http.Request, path string, query url.Values, out any) error {
	a, err := d.send(r, request{method: http.MethodGet, path: path, query: query})
	if err != nil {
		return err
	}
	return decode(a, path, out)
}

// post sends in as JSON and reads the answer into out, unless that is nil.
func (d *dashboard) post(r *http.Request, path string, in, out any) error {
	data, err := json.Marshal(in)
	if err != nil {
		return err
	}
	a, err := d.send(r, request{method: http.MethodPost, path: path, kind: "application/json", body: bytes.NewReader(data)})
	if err != nil || out == nil {
		return err
	}
	return decode(a, path, out)
}

func decode(a *answer, path string, out any) error {
	if err := json.Unmarshal(a.Bytes(), out); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// studyPath is the path of the study of a request in the API.
func studyPath(r *http.Request) string { return "/v1/studies/" + url.PathEscape(r.PathValue("study")) }

// trialPath is the path of the trial of a request in the API.
func trialPath(r *http.Request) string {
	return studyPath(r) + "/trials/" + url.PathEscape(r.PathValue("number"))
}

// fail shows an error: the login when a token is missing, else a page or a line.
func (d *dashboard) fail(w http.ResponseWriter, r *http.Request, err error) {
	p := &problem{Status: http.StatusInternalServerError, Title: "Something failed", Detail: err.Error()}
	errors.As(err, &p)
	switch {
	case p.Status == http.StatusUnauthorized && partial(r):
		w.Header().Set("HX-Redirect", "/login")
		w.WriteHeader(http.StatusNoContent)
	case p.Status == http.StatusUnauthorized:
		next := "/"
		if r.Method == http.MethodGet {
			next = r.URL.RequestURI()
		}
		http.Redirect(w, r, "/login?next="+url.QueryEscape(next), http.StatusSeeOther)
	case partial(r):
		d.show(w, p.Status, "error-line", p.Error())
	default:
		s, _ := d.session(r) // an error page needs none
		d.show(w, p.Status, "error", page{p.Title, s, p.Error()})
	}
}
