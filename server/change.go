package server

import (
	"cmp"
	"context"
	"github.com/mahabo/mahabo/internal/wire"
	"maps"
	"slices"

	"github.com/mahabo/mahabo/study"
)

// changeInput is another space for a study.
type changeInput struct {
	wire.StudyPath
	Body struct {
		Space   spaceTree `json:"space"`
		Values  params    `json:"values,omitempty" doc:"Values that the trials so far had for parameters that are new."`
		Preview bool      `json:"preview,omitempty" doc:"Only say what would happen."`
		Worker  string    `json:"worker,omitempty" maxLength:"200" doc:"Who changes it; the name of the token, where it has one, is kept instead."`
	}
}

// spaceChange is what becomes of a study whose space is changed.
type spaceChange struct {
	Changed     bool           `json:"changed" doc:"false for a preview, and when nothing is other than before."`
	Differences []string       `json:"differences" nullable:"false" example:"rate: float [0, 1] -> float [0, 0.5]"`
	Trials      int            `json:"trials" doc:"How many the study has."`
	Outside     []outsideTrial `json:"outside" nullable:"false" doc:"Trials that the new space has no place for: they keep their outcomes but do not count."`
	Inside      []int          `json:"inside" nullable:"false" doc:"Trials that did not count before for that reason, and do so again."`
}

type outsideTrial struct {
	Number int    `json:"number"`
	Reason string `json:"reason" example:"parameter \"rate\" is 0.9, expected a number in [0, 0.5]"`
}

func (s *Server) changeSpace(ctx context.Context, in *changeInput) (*body[spaceChange], error) {
	out := &body[spaceChange]{}
	return out, s.change(ctx, in.Study, func(h *host) error {
		want := study.Change{Space: in.Body.Space.Space, Added: in.Body.Values.Params, By: cmp.Or(callerOf(ctx).token.Name, in.Body.Worker)}
		c, err := h.Change(ctx, want, in.Body.Preview)
		if err != nil {
			return err
		}
		out.Body = spaceChange{
			Changed: !in.Body.Preview && len(c.Differences) > 0, Trials: c.Trials, Outside: []outsideTrial{},
			Differences: append([]string{}, c.Differences...), Inside: append([]int{}, c.Inside...),
		}
		for _, n := range slices.Sorted(maps.Keys(c.Outside)) {
			out.Body.Outside = append(out.Body.Outside, outsideTrial{n, c.Outside[n]})
		}
		return nil
	})
}
