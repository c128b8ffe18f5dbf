package server_test

import (
	"context"
	"errors"
	"testing"

	"github.com/mahabo/mahabo/internal/progress"
	"github.com/mahabo/mahabo/server"
	"github.com/mahabo/mahabo/study"
)

func TestModel(t *testing.T) {
	calls := 0
	c := start(t, server.Config{Store: open(t, "memory:"), Analyse: func(_ context.Context, c study.Config, trials []study.Trial) (any, error) {
		calls++
		if len(trials) < 2 {
			return nil, errors.New("too few")
		}
		return map[string]any{"verdict": c.Name}, nil
	}})
	c.must("POST", "/v1/studies", rig("sobol"), nil)
	var m struct {
		Method                             string
		Parameters, Observations, Analysed int
		Analysis                           *struct{ Verdict string }
	}
	if c.must("GET", "/v1/studies/rig/model", nil, &m); m.Method != "sobol" || m.Parameters != 2 || m.Analysis != nil || calls != 0 {
		t.Errorf("a new study's model is %+v after %d analyses", m, calls)
	}
	c.must("POST", "/v1/studies/rig/ask", object{"count": 3}, nil)
	for n, path := range []string{"/v1/studies/rig/trials/1/tell", "/v1/studies/rig/trials/2/tell"} {
		c.must("POST", path, object{"value": n}, nil)
		c.must("GET", "/v1/studies/rig/model", nil, &m)
		if m.Observations != n+1 || (m.Analysis != nil) != (n == 1) || n == 1 && (m.Analysed != 2 || m.Analysis.Verdict != "rig") {
			t.Errorf("after %d values the model is %+v", n+1, m)
		}
	}
	c.must("GET", "/v1/studies/rig/model", nil, &m)
	if calls != 2 {
		t.Errorf("the same trials were analysed again: %d times", calls)
	}
	c.must("POST", "/v1/studies/rig/trials/1/correct", object{"value": 7}, nil)
	c.must("GET", "/v1/studies/rig/model", nil, &m)
	if calls != 3 || m.Analysed != 2 {
		t.Errorf("after a correction there were %d analyses, the last of %d trials", calls, m.Analysed)
	}
}

// An analysis that takes longer than a caller waits goes on, says how far it is, and can be asked
// for more when it is done.
func TestModelGoesOn(t *testing.T) {
	finish := make(chan struct{})
	c := start(t, server.Config{Store: open(t, "memory:"), Analyse: func(ctx context.Context, _ study.Config, _ []study.Trial) (any, error) {
		progress.Report(ctx, "the first half", 0.5)
		select {
		case <-finish:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		return explored{}, nil
	}})
	c.must("POST", "/v1/studies", rig("sobol"), nil)
	c.must("POST", "/v1/studies/rig/ask", object{"count": 1}, nil)
	c.must("POST", "/v1/studies/rig/trials/1/tell", object{"value": 1}, nil)
	var m struct {
		Analysed int
		Progress *struct {
			What  string
			Share float64
		}
	}
	for range 2 {
		if c.must("GET", "/v1/studies/rig/model?wait=0.2", nil, &m); m.Analysed != 0 || m.Progress == nil || m.Progress.What != "the first half" || m.Progress.Share != 0.5 {
			t.Fatalf("the model under way is %+v", m)
		}
	}
	close(finish)
	if c.must("GET", "/v1/studies/rig/model", nil, &m); m.Analysed != 1 || m.Progress != nil {
		t.Errorf("the model is %+v", m)
	}
	var of struct{ Params []string }
	if c.must("GET", "/v1/studies/rig/model/contour?x=a&y=b", nil, &of); len(of.Params) != 2 || of.Params[1] != "b" {
		t.Errorf("the contour is of %v", of)
	}
}
