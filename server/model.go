package server

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/internal/progress"
	"github.com/mahabo/mahabo/internal/token"
	"github.com/mahabo/mahabo/internal/wire"
	"github.com/mahabo/mahabo/study"
)

// analyse says what the trials of a study show: an object in JSON.
type analyse = func(ctx context.Context, c study.Config, trials []study.Trial) (any, error)

// modelShape is what is known of a study's model.
type modelShape struct {
	Method       string   `json:"method"`
	Parameters   int      `json:"parameters"`
	Coordinates  int      `json:"coordinates" doc:"Of the box that the method searches; a choice has several."`
	Observations int      `json:"observations" doc:"Complete and infeasible trials."`
	Analysed     int      `json:"analysed" doc:"Observations that the analysis knows."`
	Analysis     analysis `json:"analysis" doc:"Importances, learned directions and diagnostics; null while there is none."`

	Chosen   orNull[modelUsed]     `json:"chosen" doc:"How the points of the last batch were chosen; null when it had no new ones."`
	Progress orNull[progressShape] `json:"progress" doc:"How far an analysis of the present observations is; null when the one above is of them, or none is under way."`
}

// progressShape is how far an analysis is.
type progressShape struct {
	What  string  `json:"what" doc:"What it looks at."`
	Share float64 `json:"share" doc:"Of the work, from 0 to 1."`
}

type modelInput struct {
	wire.StudyPath
	Wait float64 `query:"wait" minimum:"-1" maximum:"600" default:"-1" doc:"Seconds to wait for an analysis of the present observations; as long as an ask waits for its method when it is negative."`
}

// analysis is an object of its own making.
type analysis struct{ any }

// Schema leaves it open.
func (analysis) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{OneOf: []*huma.Schema{{Type: huma.TypeObject, AdditionalProperties: true}, {Type: "null"}}}
}

// MarshalJSON writes it.
func (a analysis) MarshalJSON() ([]byte, error) { return json.Marshal(a.any) }

func (s *Server) registerModel(api huma.API) {
	get := func(path, id, summary string) huma.Operation {
		return operation(http.MethodGet, "/v1/studies/{study}/model"+path, id, summary, token.Read, http.StatusNotFound)
	}
	huma.Register(api, get("", "model", "Show what the data show"), s.model)
	huma.Register(api, get("/slice", "slice", "Show the model when one parameter of the best point changes"), s.slice)
	huma.Register(api, get("/contour", "contour", "Show the model when two parameters of the best point change"), s.contour)
}

func (s *Server) model(ctx context.Context, in *modelInput) (*body[modelShape], error) {
	out := &body[modelShape]{}
	return out, s.with(ctx, in.Study, func(h *host) error {
		sum, err := h.Summary(ctx)
		if err != nil {
			return err
		}
		c := sum.Config
		out.Body = modelShape{
			Method: c.Method, Parameters: len(c.Space.Params()), Coordinates: c.Space.Dim(),
			Observations: sum.Learned,
		}
		if sum.Model.Method != "" {
			used := shapeModelUsed(sum.Model)
			out.Body.Chosen.v = &used
		}
		if s.analyst.analyse == nil {
			return nil
		}
		wait := s.analyst.patience
		if in.Wait >= 0 {
			wait = time.Duration(in.Wait * float64(time.Second))
		}
		last, busy := s.analyst.get(ctx, h, sum, wait)
		out.Body.Analysis.any, out.Body.Analysed, out.Body.Progress.v = last.result, last.observations, busy
		return nil
	})
}

// explorer is an analysis that can be asked for the model along one or two parameters.
type explorer interface {
	Explore(params ...string) (any, error)
}

type sliceInput struct {
	wire.StudyPath
	Param string `query:"param" required:"true" maxLength:"500" doc:"Name of a parameter that varies."`
}

type contourInput struct {
	wire.StudyPath
	X string `query:"x" required:"true" maxLength:"500" doc:"Name of a parameter that varies."`
	Y string `query:"y" required:"true" maxLength:"500" doc:"Name of another one."`
}

func (s *Server) slice(ctx context.Context, in *sliceInput) (*body[analysis], error) {
	return s.explore(ctx, in.Study, in.Param)
}

func (s *Server) contour(ctx context.Context, in *contourInput) (*body[analysis], error) {
	return s.explore(ctx, in.Study, in.X, in.Y)
}

// explore asks the last analysis of a study.
func (s *Server) explore(ctx context.Context, name string, params ...string) (*body[analysis], error) {
	out := &body[analysis]{}
	return out, s.with(ctx, name, func(h *host) error {
		if _, err := h.Summary(ctx); err != nil { // the study may be gone
			return err
		}
		last, ok := s.analyst.last(h).result.(explorer)
		if !ok {
			return problem(http.StatusNotFound, "", "there is no analysis yet: GET .../model makes one")
		}
		answer, err := last.Explore(params...)
		if err != nil {
			return problem(http.StatusNotFound, "", err.Error())
		}
		out.Body.any = answer
		return nil
	})
}

// analyst keeps the last analysis of every study. It works on one at a time, so that
// many who look do not take the methods' processors away. An analysis goes on when
// nobody waits for it any more: the next one who looks finds it done.
type analyst struct {
	analyse  analyse
	patience time.Duration
	spawn    func(h *host, work func(context.Context)) // runs beside requests until the server closes
	busy     chan struct{}                             // holds one token during an analysis

	mu    sync.Mutex
	known map[*host]*review
}

// review is what is known of a study, and of the analysis that is under way.
type review struct {
	done    analysed
	working chan struct{} // closed when the analysis under way ends; nil when there is none
	now     progressShape
	rest    time.Time // when the next may begin
}

type analysed struct {
	result       any
	observations int
	mended       int64 // place of the last correction then
}

// Long analyses are not repeated at once while values keep coming.
const (
	longAnalysis = 10 * time.Second
	restTimes    = 1 // the time that it took
)

// last returns the analysis that there is.
func (a *analyst) last(h *host) analysed {
	a.mu.Lock()
	defer a.mu.Unlock()
	if r := a.known[h]; r != nil {
		return r.done
	}
	return analysed{}
}

// get returns an analysis of the present observations, or an older one and how far the
// present one is when that takes longer than the caller waits.
func (a *analyst) get(ctx context.Context, h *host, now study.Summary, wait time.Duration) (analysed, *progressShape) {
	if working := a.begin(h, now); working != nil {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		select {
		case <-working:
		case <-timer.C:
		case <-ctx.Done():
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	r := a.known[h]
	if r == nil {
		return analysed{}, nil
	}
	if r.working == nil {
		return r.done, nil
	}
	share := r.now
	return r.done, &share
}

// begin starts an analysis unless there is one of the present observations, and returns what
// closes when it ends.
func (a *analyst) begin(h *host, now study.Summary) <-chan struct{} {
	a.mu.Lock()
	defer a.mu.Unlock()
	r := a.known[h]
	if r == nil {
		r = &review{}
		a.known[h] = r
	}
	fresh := r.done.observations == now.Learned && r.done.mended == now.Mended
	if r.working != nil || fresh || time.Now().Before(r.rest) {
		return r.working
	}
	working := make(chan struct{})
	r.working, r.now = working, progressShape{What: "waiting for another analysis to end"}
	a.spawn(h, func(ctx context.Context) {
		defer close(working)
		began, done, err := time.Now(), analysed{}, errors.New("the server ends")
		select {
		case a.busy <- struct{}{}:
			done, err = a.run(ctx, h, r, now)
			<-a.busy
		case <-ctx.Done():
		}
		a.mu.Lock()
		defer a.mu.Unlock()
		r.working = nil
		if err == nil {
			r.done = done
		}
		if took := time.Since(began); took > longAnalysis {
			r.rest = time.Now().Add(restTimes * took)
		}
	})
	return working
}

// run analyses the present observations.
func (a *analyst) run(ctx context.Context, h *host, r *review, now study.Summary) (done analysed, err error) {
	ctx = progress.With(ctx, func(what string, share float64) {
		a.mu.Lock()
		defer a.mu.Unlock()
		r.now = progressShape{what, share}
	})
	progress.Report(ctx, "reading the trials", 0)
	trials, _, err := h.Select(ctx, study.Query{States: []evaluate.State{evaluate.Complete, evaluate.Infeasible}})
	if err != nil {
		return done, err
	}
	trials = slices.DeleteFunc(trials, func(t study.Trial) bool { return t.Excluded })
	result, err := a.analyse(ctx, h.Config(), trials)
	if err != nil { // too few trials, or the server ends
		return done, err
	}
	return analysed{result, len(trials), now.Mended}, nil
}

// forget drops what is known of a study that is gone.
func (a *analyst) forget(h *host) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.known, h)
}
