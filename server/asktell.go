package server

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/internal/token"
	"github.com/mahabo/mahabo/internal/wire"
	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/study"
)

// seconds is a lease; the longest that an operation takes is 100 years, and 0 is for ever.
func seconds(s float64) time.Duration {
	if s > 0 {
		s = max(s, 1e-3)
	}
	return time.Duration(s * float64(time.Second))
}

// askBody says what to serve.
type askBody struct {
	Count        int     `json:"count,omitempty" minimum:"1" maximum:"1000" doc:"Trials to serve; the study's batch when it is left out."`
	Worker       string  `json:"worker,omitempty" maxLength:"200" doc:"Who will evaluate them." example:"bench-1"`
	RequestID    string  `json:"request_id,omitempty" maxLength:"200" doc:"A word of the caller's choice: repeating it returns the same batch."`
	LeaseSeconds float64 `json:"lease_seconds,omitempty" minimum:"0" maximum:"3153600000" doc:"Time to tell or to send a heartbeat before the trials may be served to others; 0 for ever."`
	Fixed        params  `json:"fixed,omitempty" doc:"Parameters to hold at values."`
}

// batchShape is what an ask served.
type batchShape struct {
	BatchID int          `json:"batch_id"`
	Model   modelUsed    `json:"model"`
	Trials  []askedTrial `json:"trials" nullable:"false"`
}

// modelUsed says who chose the points of a batch.
type modelUsed struct {
	Method   *string `json:"method" doc:"Who chose the new points; null when all trials were waiting or stale."`
	D        *int    `json:"d" doc:"Dimension of the learned subspace; null when the method has none."`
	Fallback *string `json:"fallback" doc:"Why the points are not the study's method's own; null when they are."`
	Note     *string `json:"note" doc:"Why the points may look odd; null when they do not."`

	Former []string `json:"former,omitempty" doc:"What the studies that this one learns from were worth, a sentence for each."`

	Weights       map[string]float64 `json:"weights,omitempty" doc:"The parameters that matter most to models that have learned how much each one does; the largest weight is 1."`
	FitSeconds    float64            `json:"fit_seconds,omitempty" doc:"What the method took to learn from the trials, where it says so. Points that were chosen ahead took it before anybody asked."`
	SearchSeconds float64            `json:"search_seconds,omitempty" doc:"What the rest of the choice took."`
	WaitSeconds   float64            `json:"wait_seconds,omitempty" doc:"How long the request waited until its points were there."`

	WeightShare float64 `json:"weight_share,omitempty" doc:"Share of the queries that these models make."`
	WeightLead  float64 `json:"weight_lead,omitempty" doc:"How much better they predicted new values than a model where all parameters count alike, as a sum of differences of log densities."`
}

// askedTrial is a trial to evaluate.
type askedTrial struct {
	Number       int               `json:"number"`
	Params       params            `json:"params"`
	Predicted    orNull[predicted] `json:"predicted" doc:"What the model expects, null when it has no model."`
	LeaseExpires *time.Time        `json:"lease_expires" doc:"Null for ever."`
}

// OutcomeBody is what came of a trial.
type OutcomeBody struct {
	State  string   `json:"state,omitempty" enum:"complete,failed,infeasible,stopped" doc:"complete when it is left out; failed: may be tried again; infeasible: has no value, never suggested again; stopped: ended early, its last report is a bound."`
	Value  *float64 `json:"value,omitempty" doc:"Of a complete trial." example:"0.25"`
	Std    float64  `json:"std,omitempty" minimum:"0" doc:"Standard deviation of the value's noise."`
	Reason string   `json:"reason,omitempty" maxLength:"10000" doc:"Why there is no value."`
	Cost   float64  `json:"cost,omitempty" minimum:"0" doc:"What the evaluation cost, in any unit that is the same for all trials; the time that it took counts when it is left out."`

	Seconds float64 `json:"seconds,omitempty" minimum:"0" doc:"What the evaluation took, by the clock of who evaluated it, without the time that the trial waited for its turn. The time since it was asked for counts when it is left out."`

	Outcomes map[string]measured `json:"outcomes,omitempty" doc:"Instead of value and std, where the study declares outcomes: by name a number, or an object with value and std. The rest can be told later; the trial is complete when all objectives and limits are there."`

	Worker string `json:"worker,omitempty" maxLength:"200" doc:"Who evaluated the trial, if another than it was served to, as with a queue."`
	Params params `json:"params,omitempty" doc:"Parameters that were really used, if they differ from those suggested; the others can be left out."`
}

// outcome checks what a schema cannot say.
func (o OutcomeBody) outcome(where string) (evaluate.Outcome, error) {
	out := evaluate.Outcome{State: evaluate.State(o.State), Std: o.Std, Reason: o.Reason, Cost: o.Cost, Seconds: o.Seconds}
	if out.State == "" {
		out.State = evaluate.Complete
	}
	out.Outcomes, out.Stds = values(o.Outcomes)
	complete := out.State == evaluate.Complete
	none := "a trial that is " + string(out.State) + " has no value: leave it out, or send the state complete"
	switch {
	case complete && o.Value == nil && out.Outcomes == nil:
		return out, invalid(where+".value", "a complete trial has a value: send it, or the state failed or infeasible")
	case complete && o.Reason != "":
		return out, invalid(where+".reason", "a complete trial has no reason: leave it out, or add a note")
	case !complete && o.Value != nil:
		return out, invalid(where+".value", none)
	case !complete && o.Std != 0:
		return out, invalid(where+".std", none)
	case !complete && out.Outcomes != nil:
		return out, invalid(where+".outcomes", none)
	case out.Outcomes != nil && o.Value != nil:
		return out, invalid(where+".value", "outcomes have their values by name: leave out value, or outcomes")
	case out.Outcomes != nil && o.Std != 0:
		return out, invalid(where+".std", `outcomes have their stds by name: leave out std, and send {"value": 9.1, "std": 0.2} as the outcome that it is of`)
	}
	if o.Value != nil {
		out.Value = *o.Value
	}
	return out, nil
}

// invalid is the problem of one field.
func invalid(location, message string) error {
	p := problem(http.StatusUnprocessableEntity, "", "validation failed")
	p.Errors = []*huma.ErrorDetail{{Message: message, Location: location}}
	return p
}

func (s *Server) registerAskTell(api huma.API) {
	post := func(path, id, summary string, errors ...int) huma.Operation {
		op := operation(http.MethodPost, "/v1/studies/{study}"+path, id, summary, token.Write, append(errors, http.StatusNotFound)...)
		op.MaxBodyBytes = s.limits.Body
		return op
	}
	huma.Register(api, post("/ask", "ask", "Get trials to evaluate", http.StatusConflict), s.ask)
	huma.Register(api, post("/tell", "tell-many", "Record outcomes, all or none", http.StatusConflict), s.tellMany)
	huma.Register(api, post("/enqueue", "enqueue", "Add points to be served before any other", http.StatusConflict), s.enqueue)
	huma.Register(api, post("/trials/{number}/tell", "tell", "Record what came of a trial", http.StatusConflict), s.tell)
	huma.Register(api, post("/trials/{number}/heartbeat", "heartbeat", "Extend the lease of a running trial", http.StatusConflict), s.heartbeat)
	huma.Register(api, post("/trials/{number}/report", "report", "Report values of a trial that runs, and hear whether it should end", http.StatusConflict), s.report)
	huma.Register(api, post("/trials/{number}/retry", "retry", "Send a failed or stopped trial back to the queue"), s.retry)
	huma.Register(api, post("/release", "release", "Give back running trials that will not be told"), s.release)
	huma.Register(api, post("/trials/{number}/notes", "note", "Add a remark to a trial"), s.note)
	huma.Register(api, post("/trials/{number}/correct", "correct", "Mend what was recorded of a trial"), s.correct)
}

type askInput struct {
	wire.StudyPath
	Body *askBody
}

func (s *Server) ask(ctx context.Context, in *askInput) (*body[batchShape], error) {
	r := study.AskRequest{}
	if b := in.Body; b != nil {
		r = study.AskRequest{Count: b.Count, Worker: b.Worker, RequestID: b.RequestID, Lease: seconds(b.LeaseSeconds), Fixed: b.Fixed.Params}
	}
	out := &body[batchShape]{}
	return out, s.change(ctx, in.Study, func(h *host) error {
		b, err := h.chooser.ask(ctx, r)
		out.Body = shapeBatch(b)
		return err
	})
}

func shapeBatch(b study.Batch) batchShape {
	shape := batchShape{BatchID: b.Number, Model: shapeModelUsed(b.ModelInfo), Trials: []askedTrial{}}
	for _, t := range b.Trials {
		shape.Trials = append(shape.Trials, askedTrial{Number: t.Number, Params: params{t.Params}, Predicted: shapePredicted(t.Predicted), LeaseExpires: instant(t.Expires)})
	}
	return shape
}

func shapeModelUsed(m study.ModelInfo) modelUsed {
	used := modelUsed{
		Method: optional(m.Method), Fallback: optional(m.Fallback), Note: optional(m.Note), Former: m.Former,
		FitSeconds: m.FitSeconds, SearchSeconds: m.SearchSeconds, WaitSeconds: m.WaitSeconds,
		Weights: m.Weights, WeightShare: m.WeightShare, WeightLead: m.WeightLead,
	}
	if m.D > 0 {
		used.D = &m.D
	}
	return used
}

// optional is a text, nil when it is empty.
func optional(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

type tellInput struct {
	wire.TrialPath
	Body OutcomeBody
}

func (s *Server) tell(ctx context.Context, in *tellInput) (*body[trialShape], error) {
	o, err := in.Body.outcome("body")
	if err != nil {
		return nil, err
	}
	out := &body[trialShape]{}
	return out, s.change(ctx, in.Study, func(h *host) error {
		trials, err := h.Record(ctx, study.Finished{Number: in.Number, Outcome: o, Worker: in.Body.Worker, Params: in.Body.Params.Params})
		if err == nil {
			out.Body = shapeTrial(trials[0])
		}
		return err
	})
}

// onTrial changes a trial and returns it as it is then.
func (s *Server) onTrial(ctx context.Context, at wire.TrialPath, f func(*host) error) (*body[trialShape], error) {
	out := &body[trialShape]{}
	return out, s.change(ctx, at.Study, func(h *host) error {
		if err := f(h); err != nil {
			return err
		}
		trials, err := h.Numbered(ctx, at.Number)
		if err == nil {
			out.Body = shapeTrial(trials[0])
		}
		return err
	})
}

type numberedOutcome struct {
	Number int `json:"number" minimum:"1"`
	OutcomeBody
}

type tellManyInput struct {
	wire.StudyPath
	Body struct {
		Results []numberedOutcome `json:"results" minItems:"1" maxItems:"10000" nullable:"false"`
	}
}

type trialList struct {
	Trials []trialShape `json:"trials" nullable:"false"`
}

func (s *Server) tellMany(ctx context.Context, in *tellManyInput) (*body[trialList], error) {
	finished := make([]study.Finished, len(in.Body.Results))
	for i, r := range in.Body.Results {
		o, err := r.outcome("body.results[" + itoa(i) + "]")
		if err != nil {
			return nil, err
		}
		finished[i] = study.Finished{Number: r.Number, Outcome: o, Worker: r.Worker, Params: r.Params.Params}
	}
	return s.listed(ctx, in.Study, func(h *host) ([]study.Trial, error) { return h.Record(ctx, finished...) })
}

// listed changes a study and returns the trials concerned.
func (s *Server) listed(ctx context.Context, name string, f func(*host) ([]study.Trial, error)) (*body[trialList], error) {
	out := &body[trialList]{}
	return out, s.change(ctx, name, func(h *host) error {
		trials, err := f(h)
		out.Body.Trials = shapeTrials(trials)
		return err
	})
}

type heartbeatInput struct {
	wire.TrialPath
	Body struct {
		Worker       string  `json:"worker,omitempty" maxLength:"200" doc:"Who asked for the trial."`
		LeaseSeconds float64 `json:"lease_seconds" minimum:"0" maximum:"3153600000" doc:"From now on; 0 for ever. A trial that has run for long gets a tenth of that time at least."`
	}
}

func (s *Server) heartbeat(ctx context.Context, in *heartbeatInput) (*body[trialShape], error) {
	return s.onTrial(ctx, in.TrialPath, func(h *host) error {
		return h.Heartbeat(ctx, in.Number, in.Body.Worker, seconds(in.Body.LeaseSeconds))
	})
}

type enqueueInput struct {
	wire.StudyPath
	Body struct {
		RequestID string   `json:"request_id,omitempty" maxLength:"200" doc:"Repeating it with the same points returns the same trials; with others it is a conflict."`
		Params    []params `json:"params" minItems:"1" maxItems:"10000" nullable:"false" doc:"The points."`
	}
}

func (s *Server) enqueue(ctx context.Context, in *enqueueInput) (*body[trialList], error) {
	r := study.EnqueueRequest{RequestID: in.Body.RequestID, Params: make([]space.Params, len(in.Body.Params))}
	for i, p := range in.Body.Params {
		r.Params[i] = p.Params
	}
	return s.listed(ctx, in.Study, func(h *host) ([]study.Trial, error) { return h.Enqueue(ctx, r) })
}

func (s *Server) retry(ctx context.Context, in *wire.TrialPath) (*body[trialShape], error) {
	return s.onTrial(ctx, *in, func(h *host) error { return h.Retry(ctx, in.Number) })
}

type releaseInput struct {
	wire.StudyPath
	Body struct {
		Worker  string `json:"worker,omitempty" maxLength:"200" doc:"Who asked for the trials."`
		Numbers []int  `json:"numbers,omitempty" maxItems:"10000" nullable:"false" doc:"The trials; all of the worker's when it is left out."`
	}
}

// release lets the next ask serve the trials before their leases run out.
func (s *Server) release(ctx context.Context, in *releaseInput) (*body[releaseAnswer], error) {
	return &body[releaseAnswer]{}, s.change(ctx, in.Study, func(h *host) error {
		return h.Release(ctx, in.Body.Worker, in.Body.Numbers...)
	})
}

type releaseAnswer struct{}

type noteInput struct {
	wire.TrialPath
	Body struct {
		Text string `json:"text" minLength:"1" maxLength:"10000"`
	}
}

func (s *Server) note(ctx context.Context, in *noteInput) (*body[trialShape], error) {
	return s.onTrial(ctx, in.TrialPath, func(h *host) error { return h.Note(ctx, in.Number, in.Body.Text) })
}
