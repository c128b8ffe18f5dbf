package server

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/mahabo/mahabo/internal/token"
	"github.com/mahabo/mahabo/internal/wire"
	"github.com/mahabo/mahabo/study"
)

// reportBody is what a trial that runs has reached.
type reportBody struct {
	Worker  string      `json:"worker,omitempty" maxLength:"200" doc:"Who asked for the trial; whoever reports without a name is not refused when the lease is lost."`
	Reports []stepShape `json:"reports" minItems:"1" maxItems:"10000" nullable:"false" doc:"In the order in which they were made."`
}

// stepShape is a value at a step.
type stepShape struct {
	Step     int64              `json:"step" minimum:"0" doc:"Counts up in any unit: epochs, iterations. A step that was reported before, or an earlier one, replaces what was reported from there on." example:"10"`
	Value    *float64           `json:"value,omitempty" doc:"What the trial has reached." example:"0.4"`
	Outcomes map[string]float64 `json:"outcomes,omitempty" doc:"Instead of value, where the study declares outcomes: by name, the first objective at least."`
	Time     *time.Time         `json:"time,omitempty" doc:"Now when it is left out."`
}

// verdictShape says how to go on.
type verdictShape struct {
	Stop   bool   `json:"stop" doc:"The trial should end: tell it with the state stopped."`
	Reason string `json:"reason,omitempty" doc:"Why it should."`
}

type reportInput struct {
	wire.TrialPath
	Body reportBody
}

func (s *Server) report(ctx context.Context, in *reportInput) (*body[verdictShape], error) {
	list := make([]study.Reported, len(in.Body.Reports))
	for i, r := range in.Body.Reports {
		if r.Value == nil && len(r.Outcomes) == 0 {
			return nil, invalid("body.reports["+itoa(i)+"].value", "a report has a value, or outcomes")
		}
		list[i] = study.Reported{Step: r.Step, Outcomes: r.Outcomes}
		if r.Value != nil {
			list[i].Value = *r.Value
		}
		if r.Time != nil {
			list[i].Time = *r.Time
		}
	}
	out := &body[verdictShape]{}
	return out, s.with(ctx, in.Study, func(h *host) error {
		why, err := h.Report(ctx, in.Number, in.Body.Worker, list...)
		out.Body = verdictShape{why != "", why}
		return err
	})
}

type reportsInput struct {
	wire.StudyPath
	Number []int `query:"number" minItems:"1" maxItems:"100" required:"true" doc:"Trials, separated by commas."`
	Most   int   `query:"most" minimum:"0" maximum:"10000" default:"200" doc:"Reports of a trial at most, evenly spread with the last among them; 0 for all."`
}

// reportedShape is what a trial has reported.
type reportedShape struct {
	Number  int         `json:"number"`
	Reports []stepShape `json:"reports" nullable:"false"`
}

type reportedList struct {
	Curves []reportedShape `json:"curves" nullable:"false" doc:"Of the trials that have reported something, by number."`
}

func (s *Server) listReports(ctx context.Context, in *reportsInput) (*body[reportedList], error) {
	out := &body[reportedList]{reportedList{[]reportedShape{}}}
	return out, s.with(ctx, in.Study, func(h *host) error {
		if _, err := h.Numbered(ctx, in.Number...); err != nil {
			return err
		}
		found, err := h.Reports(ctx, in.Most, in.Number...)
		if err != nil {
			return err
		}
		for _, n := range slices.Compact(slices.Sorted(slices.Values(in.Number))) {
			if list := found[n]; len(list) > 0 {
				out.Body.Curves = append(out.Body.Curves, reportedShape{n, shapeReports(list)})
			}
		}
		return nil
	})
}

func shapeReports(list []study.Reported) []stepShape {
	shapes := make([]stepShape, len(list))
	for i, r := range list {
		shapes[i] = shapeReport(r)
	}
	return shapes
}

func shapeReport(r study.Reported) stepShape {
	return stepShape{Step: r.Step, Value: &r.Value, Outcomes: r.Outcomes, Time: instant(r.Time)}
}

func (s *Server) registerReports(api huma.API) {
	huma.Register(api, operation(http.MethodGet, "/v1/studies/{study}/reports", "reports", "Show what trials have reported while they ran", token.Read, http.StatusNotFound), s.listReports)
}
