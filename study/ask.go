package study

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/mahabo/mahabo/space"
)

// AskRequest says what to serve.
type AskRequest struct {
	Count     int           `json:"count"`                // trials to serve; 0 for the study's batch
	Worker    string        `json:"worker,omitempty"`     // who will evaluate them
	RequestID string        `json:"request_id,omitempty"` // repeating it returns the same batch
	Lease     time.Duration `json:"-"`                    // time to tell or to send a heartbeat; 0 for ever
	Fixed     space.Params  `json:"fixed"`                // parameters to hold at values
	Command   string        `json:"-"`                    // that will evaluate them, for Summary; empty when nobody knows

	began time.Time // when it was checked
}

// Batch is what one Ask served.
type Batch struct {
	Number    int            `json:"batch_id"`
	ModelInfo `json:"model"` // zero when no point is new
	Trials    []Trial        `json:"trials"`
}

// ModelInfo says how the new points of a batch were chosen.
type ModelInfo struct {
	Method   string  `json:"method,omitempty"`
	D        int     `json:"d,omitzero"`         // dimension of the subspace that the method works in, if it has one
	Fallback string  `json:"fallback,omitempty"` // why the points are random instead of the method's own
	Jitter   float64 `json:"jitter,omitzero"`    // largest value added to the diagonal of a kernel matrix
	Note     string  `json:"note,omitempty"`     // why the points may look odd

	Former []string `json:"former,omitempty"` // what former studies were worth, a sentence for each

	// Seconds that the points took, to the millisecond: learning from the trials, where the method says so,
	// and all the rest of the choice. Points that were chosen ahead took them before anybody asked.
	FitSeconds    float64 `json:"fit_seconds,omitzero"`
	SearchSeconds float64 `json:"search_seconds,omitzero"`
	WaitSeconds   float64 `json:"wait_seconds,omitzero"` // from the request until its points were there

	// The parameters that matter most to models that have learned how much each one does, the
	// largest weight 1. They are there while such models make queries.
	Weights     map[string]float64 `json:"weights,omitempty"`
	WeightShare float64            `json:"weight_share,omitzero"` // of the queries that these models make
	WeightLead  float64            `json:"weight_lead,omitzero"`  // log density of new values under them, less that of the model where all parameters count alike
}

// mostCount bounds one batch, so that a slip of the keyboard does not fill a
// store.
const mostCount = 10000

// Ask serves trials to evaluate: waiting ones first, then stale ones, then new
// points of the method, which sees all others that have no value as pending. In a space
// of finitely many points there can be fewer, and evaluate.ErrExhausted when all were tried.
func (s *Study) Ask(ctx context.Context, r AskRequest) (Batch, error) {
	if r.Fixed.Len() > 0 { // Check wants the parameters as they are now
		if _, err := s.space(ctx); err != nil {
			return Batch{}, err
		}
	}
	r, err := s.Check(r)
	if err != nil {
		return Batch{}, err
	}
	select { // one at a time: they would overtake each other
	case s.asking <- struct{}{}:
		defer func() { <-s.asking }()
	case <-ctx.Done():
		return Batch{}, ctx.Err()
	}
	for range mostAppends {
		d, err := s.Draft(ctx, r)
		if err == nil && d.Points() > 0 {
			err = d.Choose(ctx)
		}
		if err != nil {
			return Batch{}, err
		}
		served := d.Serve(ctx)[0]
		if !errors.Is(served.Err, ErrOvertaken) {
			return served.Batch, served.Err
		}
	}
	return Batch{}, ErrContention
}

// milliseconds are seconds with three decimals.
func milliseconds(d time.Duration) float64 { return float64(d.Milliseconds()) / 1e3 }

// Check fills what a request leaves open and names what is wrong with it.
func (s *Study) Check(r AskRequest) (AskRequest, error) {
	c := s.Config()
	r.began = time.Now()
	if r.Count == 0 {
		r.Count = max(c.Batch, 1)
	}
	if r.Count < 1 || r.Count > mostCount {
		return r, requestf("count is %d: ask for 1 to %d trials", r.Count, mostCount)
	}
	if r.Lease < 0 {
		return r, requestf("lease is %s: it cannot be negative; 0 means for ever", r.Lease)
	}
	if _, err := c.Space.Pins(r.Fixed); err != nil {
		return r, requestf("the fixed parameters: %w", err)
	}
	return r, nil
}

// keeps says whether a trial has the values that a request holds fixed.
func keeps(t entry, pins []space.Pin) bool {
	return !slices.ContainsFunc(pins, func(p space.Pin) bool { return t.point[p.Coordinate] != p.Value })
}
