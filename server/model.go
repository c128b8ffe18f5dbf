package server

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/mahabo/mahabo/server/token"
	"github.com/mahabo/mahabo/study"
)

// modelShape is what is known of a study's model.
type modelShape struct {
	Method       string `json:"method"`
	Parameters   int    `json:"parameters"`
	Coordinates  int    `json:"coordinates" doc:"Of the box that the method searches; a choice has several."`
	Observations int    `json:"observations" doc:"Finished trials that the method learns from."`
}

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
			Observations: sum.States[study.Complete] + sum.States[study.Infeasible],
		}
		return nil
	})
}
