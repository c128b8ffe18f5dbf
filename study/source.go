package study

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/mahabo/mahabo/evaluate"
)

// Source hands the trials of a study to evaluate.Run in the name of one worker. It keeps
// their leases alive until Close.
type Source struct {
	// OnAway is called when the store is away for long, and says whether to go on trying:
	// an outcome may have taken days. Nil does not.
	OnAway func(error) bool
	// Command is the one that evaluates the trials, which the log then names.
	Command string
	// OnReport is for evaluate.Options: it keeps what trials report and says why one should end. That a
	// report cannot be kept ends nothing.
	OnReport func(ctx context.Context, number int, steps []int64, reached []evaluate.Outcome) (stop string)

	study  *Study
	worker string
	lease  time.Duration
	stop   context.CancelFunc
	ended  chan struct{} // closed when no more heartbeats are sent

	mu     sync.Mutex
	open   []int // trials that were served and have no outcome yet
	report Report
}

var _ evaluate.Source = (*Source)(nil)

// Report says how the choosing went.
type Report struct {
	Time      time.Duration // in Ask
	Fallbacks int           // batches that the method could not choose, which are uniform
	Fallback  error         // why, the last time
	Jitter    float64       // largest value added to the diagonal of a kernel matrix
	Note      string        // why the last points may look odd
}

// beats is how many heartbeats a lease has time for.
const beats = 3

// Source returns a source of trials. Their leases are as long as given, 0 for ever.
func (s *Study) Source(worker string, lease time.Duration) *Source {
	ctx, stop := context.WithCancel(context.Background())
	source := &Source{study: s, worker: worker, lease: lease, stop: stop, ended: make(chan struct{})}
	source.OnReport = source.takeReports
	go source.beat(ctx)
	return source
}

func (s *Source) takeReports(ctx context.Context, number int, steps []int64, reached []evaluate.Outcome) string {
	list := make([]Reported, len(steps))
	for i, o := range reached {
		list[i] = Reported{Step: steps[i], Value: o.Value, Outcomes: o.Outcomes}
	}
	why, err := s.study.Report(ctx, number, s.worker, list...)
	if err != nil {
		return "" // the value that the trial comes to is told all the same
	}
	return why
}

// beat sends heartbeats. A trial whose lease is lost goes on: its value is still one.
func (s *Source) beat(ctx context.Context) {
	defer close(s.ended)
	if s.lease == 0 {
		return
	}
	ticker := time.NewTicker(s.lease / beats)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		for _, n := range s.unfinished() {
			_ = s.study.Heartbeat(ctx, n, s.worker, s.lease) // the next one may work, and Tell says what is wrong
		}
	}
}

func (s *Source) unfinished() []int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.open)
}

// Again says whether to repeat what ended so: the store is away, and OnAway goes on trying.
func (s *Source) Again(ctx context.Context, err error) bool {
	return errors.Is(err, ErrUnavailable) && ctx.Err() == nil && s.OnAway != nil && s.OnAway(err)
}

// Ask serves n trials, fewer when there are no more.
func (s *Source) Ask(ctx context.Context, n int) ([]evaluate.Trial, error) {
	start := time.Now()
	r := AskRequest{Count: n, Worker: s.worker, Lease: s.lease, Command: s.Command}
	if s.OnAway != nil {
		r.RequestID = rand.Text() // repeated, it serves what the store was about to
	}
	b, err := s.study.Ask(ctx, r)
	for s.Again(ctx, err) {
		b, err = s.study.Ask(ctx, r)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.report.Time += time.Since(start)
	if err != nil {
		return nil, err
	}
	s.report.Jitter, s.report.Note = max(s.report.Jitter, b.Jitter), b.Note
	if b.Fallback != "" {
		s.report.Fallbacks++
		s.report.Fallback = errors.New(b.Fallback)
	}
	trials := make([]evaluate.Trial, len(b.Trials))
	for i, t := range b.Trials {
		trials[i] = evaluate.Trial{Number: t.Number, Batch: t.Batch, Params: t.Params}
		s.open = append(s.open, t.Number)
	}
	return trials, nil
}

// Tell records an outcome. Where another worker was faster, its outcome stays.
func (s *Source) Tell(ctx context.Context, number int, o evaluate.Outcome) error {
	err := s.study.Tell(ctx, number, o)
	for s.Again(ctx, err) {
		err = s.study.Tell(ctx, number, o)
	}
	var conflict *ConflictError
	if errors.As(err, &conflict) {
		err = nil
	}
	if err == nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.open = slices.DeleteFunc(s.open, func(n int) bool { return n == number })
	}
	return err
}

// Report says how the choosing went so far.
func (s *Source) Report() Report {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.report
}

// Close ends the heartbeats and gives back the trials without an outcome, so that the next
// Ask serves them.
func (s *Source) Close(ctx context.Context) error {
	s.stop()
	<-s.ended
	open := s.unfinished()
	if len(open) == 0 {
		return nil
	}
	return s.study.Release(ctx, s.worker, open...)
}
