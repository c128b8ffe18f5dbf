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
	Count     int           `json:"count"`                // trials to serve; 0 for 1
	Worker    string        `json:"worker,omitempty"`     // who will evaluate them
	RequestID string        `json:"request_id,omitempty"` // repeating it returns the same batch
	Lease     time.Duration `json:"-"`                    // time to tell or to send a heartbeat; 0 for ever
	Fixed     space.Values  `json:"fixed"`                // parameters to hold at values
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
}

// mostCount bounds one batch, so that a slip of the keyboard does not fill a
// store.
const mostCount = 10000

// errOvertaken makes Ask think again: another process was served meanwhile.
var errOvertaken = errors.New("another ask came first")

// Ask serves trials to evaluate: waiting ones first, then stale ones, then new
// points of the method, which sees all others that have no value as pending. In a space
// of finitely many points there can be fewer, and ErrExhausted when all were tried.
func (s *Study) Ask(ctx context.Context, r AskRequest) (Batch, error) {
	if r.Count == 0 {
		r.Count = 1
	}
	if r.Count < 1 || r.Count > mostCount {
		return Batch{}, requestf("Count is %d: ask for 1 to %d trials", r.Count, mostCount)
	}
	if r.Lease < 0 {
		return Batch{}, requestf("Lease is %s: it cannot be negative; 0 means for ever", r.Lease)
	}
	pins, err := s.Config().Space.Pins(r.Fixed)
	if err != nil {
		return Batch{}, requestf("the fixed parameters: %w", err)
	}
	select { // one model, one thought at a time
	case s.thinking <- struct{}{}:
		defer func() { <-s.thinking }()
	case <-ctx.Done():
		return Batch{}, ctx.Err()
	}
	for range mostAppends {
		b, err := s.ask(ctx, r, pins)
		if !errors.Is(err, errOvertaken) {
			return b, err
		}
	}
	return Batch{}, ErrContention
}

// ask looks at the log, thinks without holding it up, and writes what it chose
// unless another Ask came first.
func (s *Study) ask(ctx context.Context, r AskRequest, pins []space.Pin) (b Batch, err error) {
	plan, known, err := s.plan(ctx, r, pins)
	if err != nil || known {
		return plan.batch, err
	}
	var a answer
	if plan.question.count > 0 {
		a, err = s.model.choose(ctx, plan.question)
		if errors.Is(err, ErrExhausted) && len(plan.serve) > 0 {
			err = nil
		}
		if err != nil {
			return b, err
		}
	}
	decide := func(l *ledger) (*Event, error) {
		if _, served := l.asked[r.RequestID]; served && r.RequestID != "" || l.batches != plan.batches {
			return nil, errOvertaken
		}
		servable := l.servable(s.time())
		for _, n := range plan.serve {
			if !slices.Contains(servable, n) {
				return nil, errOvertaken
			}
		}
		return &Event{Asked: plan.asked(r, a, len(l.trials), s.time())}, nil
	}
	err = s.write(ctx, decide, func(l *ledger) { b = l.batch(l.last, s.time()) })
	return b, err
}

// plan is what an Ask knows before it thinks.
type plan struct {
	batch    Batch // of an earlier request under the same id
	batches  int
	basis    int64
	serve    []int // trials that exist
	question *question
}

// plan divides a request in trials that exist and points to choose. known is true
// when the request was met before.
func (s *Study) plan(ctx context.Context, r AskRequest, pins []space.Pin) (p plan, known bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.follow(ctx); err != nil {
		return p, false, err
	}
	l := s.ledger
	if b, ok := l.asked[r.RequestID]; ok && r.RequestID != "" {
		p.batch = l.batch(b, s.time())
		return p, true, nil
	}
	p.batches, p.basis = l.batches, l.seq
	for _, n := range l.servable(s.time()) {
		if len(p.serve) < r.Count && keeps(l.trials[n-1], pins) {
			p.serve = append(p.serve, n)
		}
	}
	p.question = l.question(r.Count-len(p.serve), r.Fixed, pins)
	return p, false, nil
}

// keeps says whether a trial has the values that a request holds fixed.
func keeps(t entry, pins []space.Pin) bool {
	return !slices.ContainsFunc(pins, func(p space.Pin) bool { return t.point[p.Coordinate] != p.Value })
}

// asked is the event of a served batch; trials is how many there are before it.
func (p *plan) asked(r AskRequest, a answer, trials int, now time.Time) *Asked {
	e := &Asked{RequestID: r.RequestID, Batch: p.batches + 1, Worker: r.Worker, Served: p.serve}
	if r.Lease > 0 {
		e.Expires = now.Add(r.Lease)
	}
	if len(a.placed) > 0 {
		e.ModelInfo, e.Basis = a.info, p.basis
		if len(a.placed) < p.question.count {
			e.Wanted = p.question.count
		}
		if r.Fixed.Len() > 0 {
			e.Fixed = &r.Fixed
		}
	}
	number(a.placed, trials+1)
	e.New = a.placed
	return e
}
