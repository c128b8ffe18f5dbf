package server

import (
	"cmp"
	"context"
	"github.com/mahabo/mahabo/internal/wire"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/study"
)

// correctInput says what of a trial was recorded wrongly.
type correctInput struct {
	wire.TrialPath
	Body struct {
		State      string              `json:"state,omitempty" enum:"complete,failed,infeasible" doc:"Of a trial that has an outcome."`
		Value      *float64            `json:"value,omitempty" doc:"The right value; makes a failed or infeasible trial complete." example:"0.82"`
		Std        *float64            `json:"std,omitempty" minimum:"0" doc:"Standard deviation of the value's noise."`
		Outcomes   map[string]measured `json:"outcomes,omitempty" doc:"The right values by name, where the study declares outcomes; the others can be left out."`
		Reason     *string             `json:"reason,omitempty" maxLength:"10000" doc:"Why there is no value."`
		Params     params              `json:"params,omitempty" doc:"Parameters that were really used; the others can be left out."`
		Excluded   *bool               `json:"excluded,omitempty" doc:"true: the trial keeps its outcome, but nobody learns from it; false: it counts again."`
		DeleteNote int                 `json:"delete_note,omitempty" minimum:"1" doc:"Number of a note to delete, from 1 on."`
		Worker     string              `json:"worker,omitempty" maxLength:"200" doc:"Who corrects it; the name of the token, where it has one, is kept instead."`
	}
}

// correct answers with the trial as it is then, whether or not that is a change.
func (s *Server) correct(ctx context.Context, in *correctInput) (*body[trialShape], error) {
	b := in.Body
	c := study.Correction{
		State: evaluate.State(b.State), Value: b.Value, Std: b.Std, Reason: b.Reason, Params: b.Params.Params,
		Exclude: b.Excluded, Note: b.DeleteNote, By: cmp.Or(callerOf(ctx).token.Name, b.Worker),
	}
	c.Outcomes, c.Stds = values(b.Outcomes)
	out := &body[trialShape]{}
	return out, s.change(ctx, in.Study, func(h *host) error {
		t, _, err := h.Correct(ctx, in.Number, c)
		if err == nil {
			out.Body = shapeTrial(t)
		}
		return err
	})
}
