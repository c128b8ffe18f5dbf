package study

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/internal/methods"
	"github.com/mahabo/mahabo/internal/suggest"
	"github.com/mahabo/mahabo/space"
)

// Draft is the answer to some requests in the making. Ask makes one for one request;
// a server makes one for all that wait, lets the method choose without holding anybody
// up, and improvises when that takes too long.
//
//	d, err := s.Draft(ctx, requests...)  // looks at the log
//	err = d.Choose(ctx)                   // if d.Points() > 0
//	served := d.Serve(ctx)
//
// Asked.Basis, Wanted and First record which of the points of which question a batch
// got, so that a replay finds them. A draft is not safe for concurrent use.
type Draft struct {
	study    *Study
	parts    []part
	batches  int // served before it
	turn     int64
	mended   int64 // place of the last correction
	basis    int64
	question *suggest.Question
	goal     Goal
	answer   answer
	at       int // batches served, its own included
}

// part is what one request gets.
type part struct {
	request AskRequest
	serve   []int // trials that exist
	from    int   // first of its points
	points  int
	batch   *Batch // what it got
	write   *write // of the batch; nil when there is nothing to write
	dropped bool
}

// Served is what became of a request.
type Served struct {
	Batch Batch
	Err   error // ErrOvertaken: draft again
}

// fallbackMethod needs no model.
const fallbackMethod = "sobol"

// Draft divides requests in trials that exist and points to choose. The requests
// went through Check and hold the same parameters fixed.
func (s *Study) Draft(ctx context.Context, requests ...AskRequest) (*Draft, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.follow(ctx); err != nil {
		return nil, err
	}
	return s.draft(ctx, s.ledger, requests)
}

// draft makes a draft of what a ledger says.
func (s *Study) draft(ctx context.Context, l *ledger, requests []AskRequest) (*Draft, error) {
	var fixed space.Params
	if len(requests) > 0 {
		fixed = requests[0].Fixed
	}
	pins, err := l.config.Space.Pins(fixed)
	if err != nil {
		return nil, requestf("the fixed parameters: %w", err)
	}
	if err := l.load(ctx); err != nil {
		return nil, err
	}
	now := s.time()
	d := &Draft{study: s, batches: l.batches, turn: l.turn, mended: l.mended, basis: l.seq, goal: l.config.Goal}
	servable := slices.DeleteFunc(l.servable(now), func(n int) bool { return !keeps(*l.trials.at(n), pins) })
	points := 0
	for _, r := range requests {
		t := part{request: r}
		if b, ok := l.asked[r.RequestID]; ok && r.RequestID != "" {
			known := l.batch(b, now)
			t.batch = &known
		} else {
			n := min(r.Count, len(servable))
			t.serve, servable = servable[:n:n], servable[n:]
			t.from, t.points = points, r.Count-n
			points += t.points
		}
		d.parts = append(d.parts, t)
	}
	if points > 0 {
		d.question = l.question(points, fixed, pins)
	}
	return d, nil
}

// Points is how many points the method has to choose.
func (d *Draft) Points() int {
	if d.question == nil {
		return 0
	}
	return d.question.Count
}

// Choose has the study's method choose the points.
func (d *Draft) Choose(ctx context.Context) error {
	select { // one model makes one choice at a time
	case d.study.choosing <- struct{}{}:
		defer func() { <-d.study.choosing }()
	case <-ctx.Done():
		return ctx.Err()
	}
	return d.choose(ctx, &d.study.model)
}

// Improvise chooses the points without a model, and records why.
func (d *Draft) Improvise(ctx context.Context, why string) error {
	d.question.Methods, d.question.Method = methods.BuiltIn(), fallbackMethod
	err := d.choose(ctx, &suggest.Model{})
	d.answer.info.Fallback = why
	return err
}

// choose fills the answer. That no point is left is for those who get none.
func (d *Draft) choose(ctx context.Context, m *suggest.Model) (err error) {
	d.answer, err = choose(ctx, m, d.question, d.goal)
	if errors.Is(err, evaluate.ErrExhausted) {
		return nil
	}
	return err
}

// Matches says whether another draft whose points are chosen answers the same question.
func (d *Draft) Matches(other *Draft) bool {
	return d.turn == other.turn && d.Points() == other.Points() && d.question.Fixed.String() == other.question.Fixed.String()
}

// Adopt takes the points of another draft, as many as it needs, whose question may
// be older. It returns false when that has too few, when one was tried since or when what
// it was told was corrected.
func (d *Draft) Adopt(other *Draft) bool {
	if d.mended != other.mended || d.question.Fixed.String() != other.question.Fixed.String() || len(other.answer.placed) < d.Points() {
		return false
	}
	for _, p := range other.answer.placed[:d.Points()] {
		if !d.Matches(other) && d.question.Tried(suggest.Key(p.Point)) {
			return false
		}
	}
	d.basis, d.answer, d.question = other.basis, other.answer, other.question
	return true
}

// Drop leaves out a request whose caller is gone.
func (d *Draft) Drop(i int) { d.parts[i].dropped = true }

// Serve writes the batches, together. A request that another process has overtaken
// gets ErrOvertaken: its points did not count that process's.
func (d *Draft) Serve(ctx context.Context) []Served {
	d.study.writeAll(d.writes(ctx)...)
	return d.served(ctx)
}

// writes are those of the batches.
func (d *Draft) writes(ctx context.Context) (ws []*write) {
	for i := range d.parts {
		t := &d.parts[i]
		if t.dropped || t.batch != nil {
			continue
		}
		w := &write{ctx: ctx, decide: func(l *ledger) (*Event, error) { return d.decide(l, t) }}
		w.done = func(l *ledger) {
			b := l.batch(l.last, d.study.time())
			t.batch = &b
		}
		if len(ws) == 0 {
			decide := w.decide
			w.decide = func(l *ledger) (*Event, error) { // whenever the group starts anew
				d.at = d.batches
				return decide(l)
			}
		}
		t.write = w
		ws = append(ws, w)
	}
	return ws
}

// served is what became of the requests when their writes have ended.
func (d *Draft) served(ctx context.Context) []Served {
	served := make([]Served, len(d.parts))
	for i, t := range d.parts {
		if t.write != nil {
			served[i].Err = t.write.err
		}
		if served[i].Err == nil && t.batch != nil {
			served[i].Batch = *t.batch
			served[i].Err = d.study.fill(ctx, served[i].Batch.Trials)
		}
	}
	return served
}

// AskTogether answers requests in the transaction that is written next, whatever else goes
// into it, and lets the log wait while the method chooses. That is for methods that choose
// at once. gather returns the requests, fit for Draft, when their turn has come.
func (s *Study) AskTogether(ctx context.Context, gather func() []AskRequest) []Served {
	var d *Draft
	requests := sync.OnceValue(gather)
	w := &write{ctx: ctx, parts: func(l *ledger) (ws []*write, err error) {
		if d, err = s.draft(ctx, l, requests()); err == nil && d.Points() > 0 {
			err = d.Choose(ctx)
		}
		if err != nil {
			return nil, err
		}
		return d.writes(ctx), nil
	}}
	s.writeAll(w)
	if w.err == nil {
		return d.served(ctx)
	}
	served := make([]Served, len(requests()))
	for i := range served {
		served[i].Err = w.err
	}
	return served
}

// decide makes the event of a part, unless the log has moved on in a way that
// matters.
func (d *Draft) decide(l *ledger, t *part) (*Event, error) {
	if _, known := l.asked[t.request.RequestID]; known && t.request.RequestID != "" {
		return nil, ErrOvertaken
	}
	if l.batches != d.at || t.points > 0 && l.mended > d.basis {
		return nil, ErrOvertaken
	}
	now := d.study.time()
	if len(t.serve) > 0 {
		servable := l.servable(now)
		for _, n := range t.serve {
			if !slices.Contains(servable, n) {
				return nil, ErrOvertaken
			}
		}
	}
	e := d.asked(t, l.trials.len(), now)
	if len(e.Served)+len(e.New) == 0 {
		return nil, evaluate.ErrExhausted
	}
	d.at++
	if t.request.Command != l.command {
		e.Command = t.request.Command
	}
	return &Event{Asked: e}, nil
}

// asked is the event of a part; trials is how many there are before it.
func (d *Draft) asked(t *part, trials int, now time.Time) *asked {
	e := &asked{RequestID: t.request.RequestID, Batch: d.at + 1, Worker: t.request.Worker, Served: t.serve}
	if t.request.Lease > 0 {
		e.Expires = now.Add(t.request.Lease)
	}
	all := d.answer.placed
	e.New = slices.Clone(all[min(t.from, len(all)):min(t.from+t.points, len(all))])
	if len(e.New) == 0 {
		e.New = nil
		return e
	}
	number(e.New, trials+1)
	e.ModelInfo, e.Basis, e.First = d.answer.info, d.basis, t.from
	if !t.request.began.IsZero() {
		e.WaitSeconds = milliseconds(time.Since(t.request.began))
	}
	if d.question.Count != len(e.New) {
		e.Wanted = d.question.Count
	}
	if d.question.Fixed.Len() > 0 {
		fixed := d.question.Fixed
		e.Fixed = &fixed
	}
	return e
}
