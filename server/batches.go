package server

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/mahabo/mahabo/internal/chart"
	"github.com/mahabo/mahabo/internal/outcome"
	"github.com/mahabo/mahabo/internal/token"
	"github.com/mahabo/mahabo/internal/wire"
	"github.com/mahabo/mahabo/study"
)

// servedShape is a batch and what became of its trials.
type servedShape struct {
	BatchID int            `json:"batch_id"`
	Worker  string         `json:"worker,omitempty"`
	Asked   time.Time      `json:"asked"`
	Trials  []int          `json:"trials" nullable:"false" doc:"Without those that a later batch served again."`
	States  map[string]int `json:"states"`
	Best    *float64       `json:"best" doc:"Best value of the batch, null while no trial is complete, or keeps all limits."`
}

type batchesInput struct {
	wire.StudyPath
	Limit int `query:"limit" minimum:"1" maximum:"1000" default:"20" doc:"Most batches to return, the latest first."`
}

type batchList struct {
	Batches []servedShape `json:"batches" nullable:"false"`
}

func (s *Server) registerBatches(api huma.API) {
	huma.Register(api, operation(http.MethodGet, "/v1/studies/{study}/batches", "batches", "Show the latest batches", token.Read, http.StatusNotFound), s.batches)
}

func (s *Server) batches(ctx context.Context, in *batchesInput) (*body[batchList], error) {
	out := &body[batchList]{}
	return out, s.with(ctx, in.Study, func(h *host) error {
		sum, err := h.Summary(ctx)
		if err != nil {
			return err
		}
		out.Body.Batches = []servedShape{}
		if sum.Batches == 0 {
			return nil
		}
		after := sum.Batches - in.Limit
		if after <= 0 {
			after = -1 // not the trials that no batch served
		}
		trials, _, err := h.Select(ctx, study.Query{AfterBatch: after})
		out.Body.Batches = shapeBatches(trials, sum.Config.Goal, outcome.Of(sum.Config.Space.Outcomes()))
		return err
	})
}

// shapeBatches groups trials by their batch.
func shapeBatches(trials []study.Trial, goal study.Goal, scheme outcome.Scheme) []servedShape {
	batches := map[int]*servedShape{}
	for _, t := range trials {
		if t.Batch == 0 {
			continue
		}
		b := batches[t.Batch]
		if b == nil {
			b = &servedShape{BatchID: t.Batch, Worker: t.Worker, Asked: t.Asked, States: map[string]int{}}
			batches[t.Batch] = b
		}
		b.Worker = cmp.Or(b.Worker, t.Worker) // trials that were given back have none
		b.Trials = append(b.Trials, t.Number)
		b.States[string(t.State)]++
		if t.Value != nil && !t.Excluded && scheme.Keeps(t.Outcomes) && (b.Best == nil || chart.Better(goal, *t.Value, *b.Best)) {
			b.Best = t.Value
		}
	}
	list := []servedShape{}
	for _, b := range batches {
		list = append(list, *b)
	}
	slices.SortFunc(list, func(a, b servedShape) int { return b.BatchID - a.BatchID })
	return list
}
