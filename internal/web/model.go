package web

import (
	"encoding/json"
	"errors"
	"net/http"
)

// modelView is what the data of a study show.
type modelView struct {
	Observations int
	Analysed     int
	Analysis     *analysis
	// Charts is what scripts draw.
	Charts charts `json:"-"`
}

type drift struct {
	Trials     int
	Structure  string
	Directions int
	Share      float64
	Cosine     *float64
}

type analysis struct {
	Points      int
	Used        int
	Verdict     string
	Scale       string
	Directions  []direction
	Importances []importance
	Calibration *calibration
	Drift       []drift
}

type direction struct {
	Sentence string
	Share    float64
	Accuracy float64
	Active   float64
	Loadings []loading
}

type loading struct {
	Param, Label string
	Value        float64
	StdDev       float64 `json:"std_dev"`
}

type importance struct {
	Param  string
	Share  float64
	StdDev float64 `json:"std_dev"`
}

type calibration struct {
	Method     string
	Verdict    string
	R2         float64
	Coverage50 float64
	Coverage90 float64
}

// charts are the parts of an analysis that are drawn, as the API has them.
type charts struct {
	Slices      json.RawMessage `json:"slices"`
	Calibration json.RawMessage `json:"calibration"`
	Directions  []struct {
		Response json.RawMessage `json:"response"`
	} `json:"directions"`
}

// barsShown is how many importances and loadings are drawn.
const barsShown = 12

func (d *dashboard) model(w http.ResponseWriter, r *http.Request) {
	m := modelView{}
	a, err := d.send(r, request{method: http.MethodGet, path: studyPath(r) + "/model"})
	drawn := struct{ Analysis *charts }{&m.Charts}
	if err == nil {
		err = errors.Join(decode(a, r.URL.Path, &m), decode(a, r.URL.Path, &drawn))
	}
	if err != nil {
		d.fail(w, r, err)
		return
	}
	if m.Analysis != nil {
		m.Analysis.shorten()
	}
	d.show(w, http.StatusOK, "model", m)
}

// shorten keeps what is drawn.
func (a *analysis) shorten() {
	a.Importances = a.Importances[:min(barsShown, len(a.Importances))]
	for i := range a.Directions {
		l := &a.Directions[i].Loadings
		*l = (*l)[:min(barsShown, len(*l))]
	}
}
