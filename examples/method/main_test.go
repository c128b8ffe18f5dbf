package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mahabo/mahabo"
	"github.com/mahabo/mahabo/cli"
	"github.com/mahabo/mahabo/server"
	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/store/memory"
	"github.com/mahabo/mahabo/strategy"
	"github.com/mahabo/mahabo/strategy/strategytest"
	"github.com/mahabo/mahabo/study"
)

func TestConformance(t *testing.T) {
	strategytest.Run(t, func(t testing.TB, cfg strategy.Config) strategy.Strategy {
		s, err := newClimber(cfg.WithDefaults(), nil)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}, strategytest.Options{Method: "climb", Batch: true, Cost: strategytest.Cheap})
}

func parameters(t *testing.T) *space.Space {
	t.Helper()
	s, err := space.New(space.Float("x", -5, 5), space.Float("y", -5, 5))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func registry(t *testing.T) *strategy.Registry {
	t.Helper()
	r, err := mahabo.Methods(climb())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestMinimize(t *testing.T) {
	f := func(_ context.Context, v space.Params) (float64, error) {
		return (v.Float("x")-1)*(v.Float("x")-1) + v.Float("y")*v.Float("y"), nil
	}
	result, err := mahabo.Minimize(t.Context(), f, parameters(t), mahabo.Options{Method: "climb:step=0.3", Methods: registry(t), Evals: 80})
	if err != nil || result.Best.Value > 0.2 {
		t.Errorf("the best value is %g (%v)", result.Best.Value, err)
	}
}

func TestStudyAndServer(t *testing.T) {
	st := memory.New()
	one, err := study.Create(t.Context(), st, study.Config{Name: "hill", Space: parameters(t), Method: "climb"}, study.WithMethods(registry(t)))
	if err != nil {
		t.Fatal(err)
	}
	if b, err := one.Ask(t.Context(), study.AskRequest{Count: 2}); err != nil || b.Method != "climb" {
		t.Errorf("asked %s (%v)", b.Method, err)
	}
	s, err := server.New(server.Config{Store: st, Methods: registry(t)})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	answer := httptest.NewRecorder()
	request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://localhost/v1/studies/hill/ask", strings.NewReader(`{"count": 1}`))
	request.Header.Set("Content-Type", "application/json")
	s.ServeHTTP(answer, request)
	if answer.Code != http.StatusOK || !strings.Contains(answer.Body.String(), `"climb"`) {
		t.Errorf("the server answers %d: %s", answer.Code, answer.Body)
	}
}

func TestBench(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "results")
	args := strings.Fields("bench run --quiet --problem branin --dim 2 --method climb,sobol --batch 1 --evals 20 --trials 2 --jobs 1 --out " + dir)
	if code := cli.Main(args, climb()); code != 0 {
		t.Errorf("exit code %d", code)
	}
}
