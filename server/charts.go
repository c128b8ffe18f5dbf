package server

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/internal/chart"
	"github.com/mahabo/mahabo/internal/outcome"
	"github.com/mahabo/mahabo/internal/token"
	"github.com/mahabo/mahabo/internal/wire"
	"github.com/mahabo/mahabo/study"
)

type curveInput struct {
	wire.StudyPath
	Points int `query:"points" minimum:"4" maximum:"10000" default:"1000" doc:"Most points to return: of more trials, the highest and the lowest of every stretch are kept."`
}

type pointsInput struct {
	wire.StudyPath
	Limit  int      `query:"limit" minimum:"1" maximum:"5000" default:"400" doc:"Most points: of more trials, the best tenth and an even choice of the others."`
	Params []string `query:"param,explode" maxItems:"200" doc:"Names of parameters; the first 12 that vary when it is left out."`
}

type timelineInput struct {
	wire.StudyPath
	Limit int `query:"limit" minimum:"1" maximum:"5000" default:"500" doc:"Most trials to return, the latest ones."`
}

// timelineShape is who evaluated what, and when.
type timelineShape struct {
	Total int         `json:"total" doc:"Trials that were served."`
	Spans []spanShape `json:"spans" nullable:"false" doc:"Of the latest trials, the latest first."`
}

// spanShape is the evaluation of one trial.
type spanShape struct {
	Number int        `json:"number"`
	State  string     `json:"state" enum:"waiting,running,complete,failed,infeasible,stale,stopped"`
	Worker string     `json:"worker,omitempty"`
	Asked  time.Time  `json:"asked"`
	Began  time.Time  `json:"began" doc:"When its evaluation began: its seconds before it was told, or asked where they are not known."`
	Told   *time.Time `json:"told" doc:"Null while it runs."`
}

func shapeSpan(t study.Trial) spanShape {
	return spanShape{t.Number, string(t.State), t.Worker, t.Asked, chart.Began(t), instant(t.Told)}
}

func (s *Server) registerCharts(api huma.API) {
	get := func(path, id, summary string) huma.Operation {
		return operation(http.MethodGet, "/v1/studies/{study}"+path, id, summary, token.Read, http.StatusNotFound)
	}
	huma.Register(api, get("/curve", "curve", "Show how the values went"), s.curve)
	huma.Register(api, get("/points", "points", "Show where the values are"), s.points)
	huma.Register(api, get("/learning", "learning", "Show how trials went while they ran, and what they cost"), s.learning)
	huma.Register(api, get("/timeline", "timeline", "Show who evaluated what, and when"), s.timeline)
}

type learningInput struct {
	wire.StudyPath
	Limit int `query:"limit" minimum:"1" maximum:"200" default:"60" doc:"Latest trials to look at."`
}

// coursesShape is how trials went while they ran, and what they cost.
type coursesShape struct {
	Learning chart.Learning `json:"learning"`
	Spending chart.Spending `json:"spending"`
}

// mostSpent is how many of the latest trials have their cost added up one by one.
const mostSpent = 2000

func (s *Server) learning(ctx context.Context, in *learningInput) (*body[coursesShape], error) {
	out := &body[coursesShape]{}
	return out, s.with(ctx, in.Study, func(h *host) error {
		sum, err := h.Summary(ctx)
		if err != nil {
			return err
		}
		best, _, err := h.Best(ctx)
		if err != nil {
			return err
		}
		latest, _, err := h.Select(ctx, study.Query{Descending: true, Limit: in.Limit})
		if err != nil {
			return err
		}
		var numbers []int
		for _, t := range latest {
			numbers = append(numbers, t.Number)
		}
		if best.Number > 0 && !slices.Contains(numbers, best.Number) {
			numbers, latest = append(numbers, best.Number), append(latest, best.Trial)
		}
		reports, err := h.Reports(ctx, chart.CurvePoints, numbers...)
		if err != nil {
			return err
		}
		out.Body.Learning = chart.NewLearning(latest, reports, best.Number)
		scheme := outcome.Of(sum.Config.Space.Outcomes())
		ended, _, err := h.Select(ctx, study.Query{Sort: study.ByTold, Descending: true, Limit: mostSpent})
		shown := chart.NewSpending(ended, sum.Config.Goal, 0, func(t study.Trial) bool { return scheme.Keeps(t.Outcomes) })
		if n := len(shown.Spent); n > 0 && len(ended) == mostSpent {
			shown = chart.NewSpending(ended, sum.Config.Goal, max(0, sum.Cost-shown.Spent[n-1]), func(t study.Trial) bool { return scheme.Keeps(t.Outcomes) })
		}
		out.Body.Spending = shown
		return err
	})
}

func (s *Server) curve(ctx context.Context, in *curveInput) (*body[chart.Curve], error) {
	out := &body[chart.Curve]{}
	return out, s.with(ctx, in.Study, func(h *host) error {
		sum, err := h.Summary(ctx)
		if err != nil {
			return err
		}
		values, err := h.Values(ctx)
		out.Body = chart.NewCurve(values, sum.Config.Goal, in.Points)
		return err
	})
}

func (s *Server) points(ctx context.Context, in *pointsInput) (*body[chart.Points], error) {
	out := &body[chart.Points]{}
	return out, s.with(ctx, in.Study, func(h *host) error {
		sum, err := h.Summary(ctx)
		if err != nil {
			return err
		}
		axes, err := chart.Axes(sum.Config.Space, in.Params)
		if err != nil {
			return invalid("query.param", err.Error())
		}
		values, err := h.Values(ctx)
		if err != nil {
			return err
		}
		total := len(values)
		trials, err := h.Numbered(ctx, chart.BestAndOthers(values, sum.Config.Goal, in.Limit)...)
		out.Body = chart.NewPoints(trials, axes)
		out.Body.Total = total
		return err
	})
}

func (s *Server) timeline(ctx context.Context, in *timelineInput) (*body[timelineShape], error) {
	out := &body[timelineShape]{}
	return out, s.with(ctx, in.Study, func(h *host) error {
		open, _, err := h.Select(ctx, study.Query{States: []evaluate.State{study.Running, study.Stale}, Descending: true, Limit: in.Limit})
		if err != nil {
			return err
		}
		ended, total, err := h.Select(ctx, study.Query{
			States: []evaluate.State{evaluate.Complete, evaluate.Failed, evaluate.Infeasible, evaluate.Stopped}, Sort: study.ByTold, Descending: true, Limit: in.Limit,
		})
		out.Body = timelineShape{Total: total + len(open), Spans: []spanShape{}}
		for _, t := range append(open, ended...) {
			if !t.Asked.IsZero() && len(out.Body.Spans) < in.Limit {
				out.Body.Spans = append(out.Body.Spans, shapeSpan(t))
			}
		}
		return err
	})
}
