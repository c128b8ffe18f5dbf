package web

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// mostTable is the largest table that is passed on, in bytes.
const mostTable = 64 << 20

// loaded is what became of the rows of a table.
type loaded struct {
	Study  string `json:"-"`
	DryRun bool   `json:"-"`
	Good   int
	Known  int // rows that are in the study already
	Bad    []struct {
		Line  int
		Error string
	}
	BadCount int `json:"bad_count"`
	Trials   []int
	Repeated bool
}

const badShown = 20

// Fresh is how many rows can be imported that are not in the study yet.
func (l loaded) Fresh() int { return l.Good - l.Known }

// table is what the form has: a file, or text, and how it names its columns.
type table struct {
	data  []byte
	query url.Values
}

func readTable(r *http.Request) (t table, err error) {
	if err := r.ParseMultipartForm(8 << 20); err != nil {
		return t, fmt.Errorf("the table cannot be read: %w", err)
	}
	t.query = url.Values{"format": {"csv"}}
	t.data = []byte(r.PostFormValue("table"))
	if file, header, err := r.FormFile("file"); err == nil {
		defer func() { _ = file.Close() }() // only read from
		if len(bytes.TrimSpace(t.data)) > 0 {
			return t, fmt.Errorf("there are two tables, the file %s and one that is pasted: take one of them away", header.Filename)
		}
		if t.data, err = io.ReadAll(file); err != nil {
			return t, err
		}
		if name := strings.ToLower(header.Filename); strings.HasSuffix(name, ".jsonl") || strings.HasSuffix(name, ".ndjson") {
			t.query.Set("format", "jsonl")
		}
	}
	if len(bytes.TrimSpace(t.data)) == 0 {
		return t, errors.New("there is no table: choose a file, or paste one")
	}
	if strings.HasPrefix(strings.TrimSpace(string(t.data[:min(len(t.data), 64)])), "{") {
		t.query.Set("format", "jsonl")
	}
	for line := range strings.Lines(r.PostFormValue("columns")) {
		list, ok := pairs(line)
		if !ok {
			t.query.Add("column", strings.TrimSpace(line)) // the server says what is wrong with it
		}
		for _, pair := range list {
			t.query.Add("column", pair[0]+"="+pair[1])
		}
	}
	if decimal := r.PostFormValue("decimal"); decimal != "" {
		t.query.Set("decimal", decimal)
	}
	if r.PostFormValue("repeats") != "" {
		t.query.Set("repeats", "true")
	}
	if r.PostFormValue("action") == "preview" {
		t.query.Set("dry_run", "true")
	}
	return t, nil
}

// load previews or imports a table.
func (d *dashboard) load(w http.ResponseWriter, r *http.Request) {
	t, err := readTable(r)
	if err != nil {
		d.refuse(w, r, err)
		return
	}
	defer func() { _ = r.MultipartForm.RemoveAll() }() // the system clears what is left
	l := loaded{Study: r.PathValue("study"), DryRun: t.query.Get("dry_run") == "true"}
	a, err := d.send(r, request{method: http.MethodPost, path: studyPath(r) + "/import", query: t.query, kind: "text/csv", body: bytes.NewReader(t.data)})
	if err == nil {
		err = decode(a, r.URL.Path, &l)
	}
	if err != nil {
		d.refuse(w, r, err)
		return
	}
	l.Bad = l.Bad[:min(badShown, len(l.Bad))]
	if !partial(r) {
		d.showPage(w, r, http.StatusOK, "loaded-page", "Import", l)
		return
	}
	if !l.DryRun {
		w.Header().Set("HX-Trigger", "study-changed")
	}
	d.show(w, http.StatusOK, "loaded", l)
}
