package server

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/internal/token"
	"github.com/mahabo/mahabo/study"
)

// analyse says what the trials of a study show: an object in JSON.
type analyse = func(ctx context.Context, c study.Config, trials []study.Trial) (any, error)

// modelShape is what is known of a study's model.
type modelShape struct {
	Method       string   `json:"method"`
	Parameters   int      `json:"parameters"`
	Coordinates  int      `json:"coordinates" doc:"Of the box that the method searches; a choice has several."`
	Observations int      `json:"observations" doc:"Complete and infeasible trials."`
	Analysed     int      `json:"analysed" doc:"Observations that the analysis knows."`
	Analysis     analysis `json:"analysis" doc:"Learned directions, importances and diagnostics; null while there is none."`
}

// analysis is an object of its own making.
type analysis struct{ any }

// Schema leaves it open.
func (analysis) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{OneOf: []*huma.Schema{{Type: huma.TypeObject, AdditionalProperties: true}, {Type: "null"}}}
}

// MarshalJSON writes it.
func (a analysis) MarshalJSON() ([]byte, error) { return json.Marshal(a.any) }

func (s *Server) registerModel(api huma.API) {
	huma.Register(api, operation(http.MethodGet, "/v1/studies/{study}/model", "model", "Show what the method has learned", token.Read, http.StatusNotFound), s.model)
}

func (s *Server) model(ctx context.Context, in *StudyPath) (*body[modelShape], error) {
	out := &body[modelShape]{}
	return out, s.with(ctx, in.Study, func(h *host) error {
		sum, err := h.Summary(ctx)
		if err != nil {
			return err
		}
		c := sum.Config
		out.Body = modelShape{
			Method: c.Method, Parameters: len(c.Space.Params()), Coordinates: c.Space.Dim(),
			Observations: sum.Learned,
		}
		if s.analyst.analyse != nil {
			out.Body.Analysis.any, out.Body.Analysed = s.analyst.get(ctx, h, sum)
		}
		return nil
	})
}

// analyst keeps the last analysis of every study. It works on one at a time, so that
// many who look do not take the methods' processors away.
type analyst struct {
	analyse  analyse
	patience time.Duration
	busy     chan struct{} // holds one token during an analysis

	mu   sync.Mutex
	done map[*host]analysed
}

type analysed struct {
	result       any
	observations int
	mended       int64 // place of the last correction then
}

// get returns an analysis of the present observations, or an older one when that
// takes too long or cannot be had.
func (a *analyst) get(ctx context.Context, h *host, now study.Summary) (result any, known int) {
	ctx, cancel := context.WithTimeout(ctx, a.patience)
	defer cancel()
	select {
	case a.busy <- struct{}{}:
		defer func() { <-a.busy }()
	case <-ctx.Done():
	}
	a.mu.Lock()
	last := a.done[h]
	a.mu.Unlock()
	if last.observations == now.Learned && last.mended == now.Mended || ctx.Err() != nil {
		return last.result, last.observations
	}
	trials, _, err := h.Select(ctx, study.Query{States: []evaluate.State{evaluate.Complete, evaluate.Infeasible}})
	if err != nil {
		return last.result, last.observations
	}
	trials = slices.DeleteFunc(trials, func(t study.Trial) bool { return t.Excluded })
	result, err = a.analyse(ctx, h.Config(), trials)
	if err != nil { // too few trials, or out of time
		return last.result, last.observations
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.done[h] = analysed{result, len(trials), now.Mended}
	return result, len(trials)
}

// forget drops what is known of a study that is gone.
func (a *analyst) forget(h *host) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.done, h)
}
