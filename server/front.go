package server

import (
	"context"
	"github.com/mahabo/mahabo/internal/wire"
	"slices"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/internal/chart"
	"github.com/mahabo/mahabo/study"
)

// frontShape is what a study has found for several objectives, and how its limits are kept.
type frontShape struct {
	Objectives  []string            `json:"objectives" nullable:"false" doc:"Names, in their order; value where the study declares no outcomes."`
	Points      []bestShape         `json:"points" nullable:"false" doc:"Points that no other dominates and that keep all limits, by the first objective."`
	Knee        *int                `json:"knee" doc:"Number of the trial that gives most for least; null without points."`
	Reference   map[string]float64  `json:"reference" doc:"Worst values of interest, given or from the data."`
	Hypervolume float64             `json:"hypervolume" doc:"Of what the points dominate, bounded by the reference."`
	Least       orNull[bestShape]   `json:"least" doc:"While no trial keeps all limits: the point that violates them least."`
	Complete    int                 `json:"complete" doc:"Complete trials."`
	Kept        map[string]int      `json:"kept" doc:"How many of them keep the limits of an outcome."`
	Numbers     []int               `json:"numbers" nullable:"false" doc:"Of trials, increasing."`
	Volumes     []float64           `json:"volumes" nullable:"false" doc:"Hypervolume after each of them, against the present reference."`
	Chart       *chart.OutcomesData `json:"chart,omitempty" doc:"The outcomes of the trials, fit for charts; left out unless chart is true."`
}

type frontInput struct {
	wire.StudyPath
	Chart bool `query:"chart" doc:"Also return the outcomes of the trials, fit for charts."`
}

func (s *Server) front(ctx context.Context, in *frontInput) (*body[frontShape], error) {
	out := &body[frontShape]{}
	return out, s.with(ctx, in.Study, func(h *host) error {
		f, err := h.Front(ctx)
		if err != nil {
			return err
		}
		out.Body = shapeFront(f)
		if !in.Chart {
			return nil
		}
		trials, _, err := h.Select(ctx, study.Query{States: []evaluate.State{evaluate.Complete}})
		if err != nil {
			return err
		}
		trials = slices.DeleteFunc(trials, func(t study.Trial) bool { return t.Excluded })
		c := chart.NewFront(f, trials, h.Config().Space)
		out.Body.Chart = &c
		return nil
	})
}

func shapeFront(f study.Front) frontShape {
	shape := frontShape{
		Objectives: f.Objectives, Points: []bestShape{}, Reference: f.Reference, Hypervolume: f.Hypervolume,
		Complete: f.Complete, Kept: f.Kept, Numbers: f.Numbers, Volumes: f.Volumes,
	}
	for _, p := range f.Points {
		shape.Points = append(shape.Points, bestOf(p))
	}
	if f.Knee > 0 {
		shape.Knee = &f.Knee
	}
	if f.Least != nil {
		shape.Least = shapeBest(*f.Least)
	}
	return shape
}
