package server

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/mahabo/mahabo/insight"
	"github.com/mahabo/mahabo/server/token"
	"github.com/mahabo/mahabo/study"
)

// modelShape is what the data of a study show.
type modelShape struct {
	Method       string            `json:"method"`
	Parameters   int               `json:"parameters"`
	Coordinates  int               `json:"coordinates" doc:"Of the box that the method searches; a choice has several."`
	Observations int               `json:"observations" doc:"Finished trials that the method learns from."`
	Analysed     int               `json:"analysed" doc:"Complete trials that the analysis knows: at least nine of ten."`
	Analysis     *insight.Analysis `json:"analysis"`
	Drift        []driftShape      `json:"drift" nullable:"false" doc:"What the same analysis said when there were fewer trials."`
}

// driftShape is what was known at an earlier time.
type driftShape struct {
	Trials     int      `json:"trials" doc:"Complete trials then."`
	Structure  string   `json:"structure"`
	Directions int      `json:"directions" doc:"How many were supported."`
	Share      *float64 `json:"share" doc:"Of the gradient energy that they held; null without directions."`
	Cosine     *float64 `json:"cosine" doc:"Of the first direction with today's; null when either is not supported."`
}

func (s *Server) registerModel(api huma.API) {
	huma.Register(api, operation(http.MethodGet, "/v1/studies/{study}/model", "model", "Show what the data of a study say", token.Read, http.StatusNotFound), s.model)
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
			Observations: sum.States[study.Complete] + sum.States[study.Infeasible], Drift: []driftShape{},
		}
		f, err := h.analyst.findings(ctx, h.Study, sum)
		if err != nil {
			return err
		}
		out.Body.Analysed, out.Body.Analysis = f.trials, f.analysis
		for _, earlier := range f.earlier {
			out.Body.Drift = append(out.Body.Drift, shapeDrift(earlier, f.analysis))
		}
		return nil
	})
}

func shapeDrift(then finding, today *insight.Analysis) driftShape {
	d := driftShape{Trials: then.trials, Structure: string(then.analysis.Structure), Directions: len(then.analysis.Directions)}
	if d.Directions == 0 {
		return d
	}
	var share float64
	for _, direction := range then.analysis.Directions {
		share += direction.Share
	}
	d.Share = &share
	if len(today.Directions) > 0 {
		c := cosine(then.analysis.Directions[0], today.Directions[0])
		d.Cosine = &c
	}
	return d
}
