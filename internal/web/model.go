package web

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"html/template"
	"net/http"
	"net/url"

	"github.com/mahabo/mahabo/internal/chart"
	"github.com/mahabo/mahabo/internal/insight"
)

// analysis is what the data of a study show, as far as it is known.
type analysis struct {
	Study        string `json:"-"`
	Method       string
	Observations int
	Analysed     int
	Progress     *struct {
		What  string
		Share float64
	}
	Chosen     *chart.Chosen
	chart.View `json:"-"`
	Tag        string `json:"-"` // of what is shown
}

// Waits is how often a page asks whether there is news.
func (a analysis) Waits() string {
	if a.Progress != nil {
		return "every 2s"
	}
	return "every 5s"
}

// news says whether a part of a page that a browser has is not the present one. A reader's
// place in it is worth more than a bar that moves.
func (a analysis) news(r *http.Request) bool {
	return !partial(r) || a.Review == nil || r.URL.Query().Get("seen") != a.Tag
}

// analysed is a page about an analysis.
type analysed struct {
	heading
	Analysis analysis
}

// topParams is how many parameters are drawn first.
const topParams = 8

// Top are the most important parameters, for scripts.
func (a analysis) Top() (string, error) {
	names := []string{}
	if a.Review != nil {
		for _, i := range a.Importances[:min(topParams, len(a.Importances))] {
			names = append(names, i.Param)
		}
	}
	text, err := json.Marshal(names)
	return string(text), err
}

// briefBars is how many parameters the overview has.
const briefBars = 6

// Brief is a chart of the most important parameters.
func (a analysis) Brief() (template.HTML, error) {
	return chart.Figure("importance", map[string]any{"rows": a.Importances[:min(briefBars, len(a.Importances))], "good": false},
		"How much of the differences between values goes away when the parameter is held.", "")
}

// How long a page waits for an analysis, in seconds; a part of one asks again.
const (
	pageWait = "0.5"
	partWait = "1.5"
)

func (d *dashboard) readAnalysis(r *http.Request) (a analysis, err error) {
	wait := pageWait
	if partial(r) {
		wait = partWait
	}
	answer, err := d.send(r, request{method: http.MethodGet, path: studyPath(r) + "/model", query: url.Values{"wait": {wait}}})
	if err != nil {
		return a, err
	}
	known, text := struct{ Analysis *insight.Review }{}, struct{ Analysis json.RawMessage }{}
	err = errors.Join(decode(answer, r.URL.Path, &a), decode(answer, r.URL.Path, &known), decode(answer, r.URL.Path, &text))
	sum := sha256.Sum256(text.Analysis)
	a.Study, a.Tag = r.PathValue("study"), hex.EncodeToString(sum[:6])
	a.View = chart.View{Review: known.Analysis, Trials: here(r) + "/trials/"}
	return a, err
}

// analysisPage answers with a page about an analysis, or its body.
func (d *dashboard) analysisPage(tab string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		h, err := d.readHeading(r, tab)
		if err != nil {
			d.fail(w, r, err)
			return
		}
		a, err := d.readAnalysis(r)
		if err != nil {
			d.fail(w, r, err)
			return
		}
		a.Goal = h.Study.Goal
		if !a.news(r) {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		if partial(r) {
			d.show(w, http.StatusOK, tab+"-body", a)
			return
		}
		d.show(w, http.StatusOK, tab, page{h.Study.Name, h.Session, analysed{h, a}})
	}
}

// insight is the short form of an analysis on the overview.
func (d *dashboard) insight(w http.ResponseWriter, r *http.Request) {
	a, err := d.readAnalysis(r)
	if err != nil {
		d.fail(w, r, err)
		return
	}
	if !a.news(r) {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	d.show(w, http.StatusOK, "insight-body", a)
}
