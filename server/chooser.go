package server

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"runtime/debug"
	"slices"
	"time"

	"github.com/mahabo/mahabo/strategy"
	"github.com/mahabo/mahabo/study"
)

// chooser is where the asks of a study queue. One goroutine serves them: all that wait
// share one choice of the method, and one transaction. It keeps three promises:
//
//   - nobody waits longer than the patience: then points are improvised, and the
//     answer says so. The choice goes on, and its points are served to who comes
//     next;
//   - when new values have arrived and nobody waits, a method that is slow chooses
//     ahead, for as many points as were last waited for. An ask that finds the same
//     log gets what it would have got anyway; new values make the draft stale, unless
//     they are few beside the trials under way: then those who come meanwhile wait for
//     its end, where else each would begin anew what others wait for;
//   - of several servers on a store one chooses at a time.
//
// A method that needs no model chooses within the transaction.
type chooser struct {
	study    *study.Study
	instant  bool // the method needs no model
	notifier *notifier
	patience time.Duration
	metrics  *metrics
	log      *slog.Logger
	holder   string // of the study's lock

	asks    chan *waitingAsk
	closing context.Context
	cancel  context.CancelFunc
	ended   chan struct{}

	// What only the goroutine touches.
	queue  []*waitingAsk
	choice *choice       // under way
	spare  *study.Draft  // chosen, not served
	late   bool          // the spare may be served though the log has moved on
	failed *study.Draft  // a question asked ahead that the method had no answer to
	usual  int           // trials asked for last
	wave   int           // trials that were waited for when the last choice ended
	slow   time.Duration // what the last choice took
}

// waitingAsk is a request and where its answer goes.
type waitingAsk struct {
	ctx     context.Context
	request study.AskRequest
	until   time.Time // then points are improvised
	answer  chan study.Served
}

// choice is a method at work.
type choice struct {
	asks   []*waitingAsk // for whom, none when it chooses ahead
	ahead  *study.Draft  // the question when it chooses ahead
	late   bool          // they were improvised for
	others int           // trials under way when it began to choose ahead
	kept   bool          // asks that came since wait for it
	cancel context.CancelFunc
	result chan chosen
}

// chosen is what comes of a choice. Whoever receives it unlocks.
type chosen struct {
	draft  *study.Draft
	err    error
	took   time.Duration
	unlock func()
}

const (
	cheap     = 50 * time.Millisecond // a choice that is not worth a lock, nor choosing ahead
	lockLease = 5 * time.Second       // after which a server that died is forgotten
	lockPoll  = 200 * time.Millisecond
	tooLate   = "the model was not ready within %s; these points are a space-filling design"
)

func startChooser(one *study.Study, methods *strategy.Registry, b *notifier, patience time.Duration, m *metrics, log *slog.Logger) *chooser {
	method, err := methods.Find(one.Config().Method)
	d := &chooser{
		study: one, notifier: b, patience: patience, metrics: m, log: log, holder: rand.Text(),
		instant: err == nil && method.ModelFree,
		asks:    make(chan *waitingAsk), ended: make(chan struct{}), usual: max(one.Config().Batch, 1),
	}
	d.closing, d.cancel = context.WithCancel(context.Background())
	go d.run()
	return d
}

// close stops the choosing and refuses who waits.
func (d *chooser) close() {
	d.cancel()
	<-d.ended
}

// ask queues and waits.
func (d *chooser) ask(ctx context.Context, r study.AskRequest) (study.Batch, error) {
	if r.Fixed.Len() > 0 { // another process may have changed the parameters
		if _, err := d.study.Summary(ctx); err != nil {
			return study.Batch{}, err
		}
	}
	r, err := d.study.Check(r)
	if err != nil {
		return study.Batch{}, err
	}
	a := &waitingAsk{ctx: ctx, request: r, until: time.Now().Add(d.patience), answer: make(chan study.Served, 1)}
	d.metrics.waiting.Inc()
	defer d.metrics.waiting.Dec()
	select {
	case d.asks <- a:
	case <-d.ended:
		return study.Batch{}, errClosing
	case <-ctx.Done():
		return study.Batch{}, ctx.Err()
	}
	select {
	case s := <-a.answer:
		if errors.Is(s.Err, context.Canceled) && d.closing.Err() != nil {
			s.Err = errClosing // what was cancelled is the chooser, not the request
		}
		return s.Batch, s.Err
	case <-ctx.Done():
		return study.Batch{}, ctx.Err()
	}
}

// run is the goroutine.
func (d *chooser) run() {
	defer close(d.ended)
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		rung := d.notifier.rung()
		d.advance()
		timer.Reset(d.untilDeadline())
		var result chan chosen
		if d.choice != nil {
			result = d.choice.result
		}
		select {
		case a := <-d.asks:
			d.queue = append(d.queue, a)
			d.gather()
		case t := <-result:
			d.finish(t)
		case <-timer.C:
		case <-rung:
		case <-d.closing.Done():
			d.leave()
			return
		}
	}
}

// gather takes the asks that have come in the meantime.
func (d *chooser) gather() {
	for {
		select {
		case a := <-d.asks:
			d.queue = append(d.queue, a)
		default:
			return
		}
	}
}

// untilDeadline is when the first who waits loses patience.
func (d *chooser) untilDeadline() time.Duration {
	next := time.Now().Add(time.Hour)
	waiting := d.queue
	if d.choice != nil && !d.choice.late {
		waiting = slices.Concat(waiting, d.choice.asks)
	}
	for _, a := range waiting {
		if a.until.Before(next) {
			next = a.until
		}
	}
	return max(time.Until(next), 0)
}

// leave ends everything.
func (d *chooser) leave() {
	d.gather()
	waiting := d.queue
	if d.choice != nil {
		d.choice.cancel()
		(<-d.choice.result).unlock()
		if !d.choice.late {
			waiting = append(waiting, d.choice.asks...)
		}
	}
	for _, a := range waiting {
		a.answer <- study.Served{Err: errClosing}
	}
}

// advance does what can be done now.
func (d *chooser) advance() {
	d.dismiss()
	if t := d.choice; t != nil && len(t.asks) > 0 && !t.late && !time.Now().Before(t.asks[0].until) {
		t.late = true
		d.improvise(t.asks)
	}
	for len(d.queue) > 0 {
		if !d.serveNext() {
			return
		}
	}
	if d.choice == nil && d.slow > cheap {
		d.chooseAhead()
	}
}

// dismiss forgets who is gone.
func (d *chooser) dismiss() {
	d.queue = slices.DeleteFunc(d.queue, func(a *waitingAsk) bool { return a.ctx.Err() != nil })
}

// chooseAhead starts a choice if it would give something new. Trials that wait or are
// stale are served first; then there is no hurry.
func (d *chooser) chooseAhead() {
	others := d.underWay()
	count := max(d.usual, min(d.wave, others/2))
	r := study.AskRequest{Count: count}
	next, err := d.study.Draft(d.closing, r)
	if err != nil || next.Points() != count {
		return
	}
	for _, known := range []*study.Draft{d.spare, d.failed} {
		if known != nil && next.Matches(known) {
			return
		}
	}
	d.start(&choice{ahead: next, others: others}, next, r)
}

// underWay counts the trials that are being evaluated.
func (d *chooser) underWay() int {
	sum, err := d.study.Summary(d.closing)
	if err != nil {
		return 0
	}
	return sum.States[study.Running]
}

// awaits says whether asks for some points should wait for a choice ahead that does not know
// the last values: about as many as there are asks, as a worker tells before it asks. Few of
// them matter little beside the values that are not there yet.
func (t *choice) awaits(points int) bool { return t.kept || 2*points <= t.others }

// serveNext serves those at the head of the queue that can share a draft, or has
// them wait for a choice. It returns false when the queue has to wait.
func (d *chooser) serveNext() bool {
	if d.instant {
		d.serveAtOnce()
		return true
	}
	group := d.group(d.fits())
	requests := requestsOf(group)
	draft, err := d.study.Draft(d.closing, requests...)
	if err != nil {
		d.reply(group, err)
		return true
	}
	d.usual = requests[len(requests)-1].Count
	switch {
	case draft.Points() == 0 || d.spare != nil && d.adopt(draft):
		d.serve(draft, group)
		return true
	case d.choice == nil:
		d.start(&choice{asks: group}, draft, requests...)
		return false
	case !time.Now().Before(group[0].until):
		d.improvise(group)
		return true
	}
	if ahead := d.choice.ahead; ahead != nil && !draft.Matches(ahead) {
		if d.choice.kept = d.choice.awaits(draft.Points()); !d.choice.kept {
			d.choice.cancel() // stale; the queue is next
		}
	}
	d.queue = slices.Concat(group, d.queue)
	return false
}

// serveAtOnce serves all who have come when it is their turn to be written.
func (d *chooser) serveAtOnce() {
	var group []*waitingAsk
	served := d.study.AskTogether(d.closing, func() []study.AskRequest {
		d.gather()
		d.dismiss()
		group = d.group(math.MaxInt)
		return requestsOf(group)
	})
	d.answer(group, served)
}

// fits is how many trials can be served together: those of the spare, if it was waited for.
func (d *chooser) fits() int {
	if d.spare != nil && d.late {
		return d.spare.Points()
	}
	return math.MaxInt
}

// group takes from the queue those who hold the same parameters fixed as the first, as long as
// they want no more than most trials in all; the first is always taken.
func (d *chooser) group(most int) (group []*waitingAsk) {
	if len(d.queue) == 0 {
		return nil
	}
	fixed := d.queue[0].request.Fixed.String()
	seen := map[string]bool{}
	total := 0
	d.queue = slices.DeleteFunc(d.queue, func(a *waitingAsk) bool {
		same := a.request.Fixed.String() == fixed && (a.request.RequestID == "" || !seen[a.request.RequestID])
		if !same || len(group) > 0 && total+a.request.Count > most {
			return false
		}
		seen[a.request.RequestID] = true
		total += a.request.Count
		group = append(group, a)
		return true
	})
	return group
}

func requestsOf(asks []*waitingAsk) []study.AskRequest {
	requests := make([]study.AskRequest, len(asks))
	for i, a := range asks {
		requests[i] = a.request
	}
	return requests
}

// adopt uses the spare points, once, if they are not stale: chosen for the same log, too late
// for those who waited for them, or waited for.
func (d *chooser) adopt(draft *study.Draft) bool {
	spare := d.spare
	d.spare = nil
	same := draft.Matches(spare)
	fate := "stale"
	used := (same || d.late) && draft.Adopt(spare)
	if used {
		fate = "used"
		if !same {
			fate = "late"
		}
	}
	d.metrics.drafts.WithLabelValues(fate).Inc()
	return used
}

// start has the method choose about a draft, or one that is made anew once it is our
// turn.
func (d *chooser) start(t *choice, draft *study.Draft, requests ...study.AskRequest) {
	ctx, cancel := context.WithCancel(d.closing)
	t.cancel, t.result = cancel, make(chan chosen, 1)
	d.choice = t
	locked := d.slow > cheap
	go func() {
		unlock, err := func() {}, error(nil)
		if locked {
			unlock = d.lock(ctx)
			draft, err = d.study.Draft(ctx, requests...)
		}
		start := time.Now()
		if err == nil && draft.Points() > 0 {
			err = choose(ctx, draft)
		}
		t.result <- chosen{draft, err, time.Since(start), unlock}
	}()
}

// choose lets the method choose. One that panics costs its asks, not the server.
func choose(ctx context.Context, draft *study.Draft) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the method panicked: %v\n%s", p, debug.Stack())
		}
	}()
	return draft.Choose(ctx)
}

// finish serves those for whom the method chose, or keeps what it chose.
func (d *chooser) finish(r chosen) {
	defer r.unlock()
	t := d.choice
	d.choice = nil
	t.cancel()
	d.wave = d.waitedFor(t)
	if !errors.Is(r.err, context.Canceled) {
		if r.err != nil {
			d.failed = t.ahead
		}
		d.slow = r.took
		d.metrics.choosing.Observe(r.took.Seconds())
	}
	switch {
	case r.err != nil && !t.late && t.ahead == nil:
		d.reply(t.asks, r.err)
	case errors.Is(r.err, context.Canceled):
	case r.err != nil:
		d.log.Warn("a choice that nobody waits for failed", "study", d.study.Config().Name, "error", r.err)
	case t.late || t.ahead != nil:
		if r.draft.Points() > 0 {
			d.spare, d.late = r.draft, t.late || t.kept
		}
	default:
		d.serve(r.draft, t.asks)
	}
}

// waitedFor is how many trials those want who wait for a choice, or came meanwhile.
func (d *chooser) waitedFor(t *choice) (trials int) {
	for _, a := range slices.Concat(t.asks, d.queue) {
		trials += a.request.Count
	}
	return trials
}

// serve writes the batches of a draft.
func (d *chooser) serve(draft *study.Draft, group []*waitingAsk) {
	for i, a := range group {
		if a.ctx.Err() != nil {
			draft.Drop(i)
		}
	}
	d.answer(group, draft.Serve(d.closing))
}

// answer gives all what they were served. Those whom another process has overtaken queue
// again, at the head.
func (d *chooser) answer(group []*waitingAsk, served []study.Served) {
	var again []*waitingAsk
	for i, s := range served {
		if errors.Is(s.Err, study.ErrOvertaken) {
			again = append(again, group[i])
			continue
		}
		group[i].answer <- s
	}
	d.queue = slices.Concat(again, d.queue)
	d.notifier.ring()
}

// improvise serves points that need no model.
func (d *chooser) improvise(group []*waitingAsk) {
	draft, err := d.study.Draft(d.closing, requestsOf(group)...)
	if err == nil && draft.Points() > 0 {
		d.metrics.fallbacks.Add(float64(len(group)))
		err = draft.Improvise(d.closing, fmt.Sprintf(tooLate, d.patience))
	}
	if err != nil {
		d.reply(group, err)
		return
	}
	d.serve(draft, group)
}

// reply gives all the same error.
func (d *chooser) reply(group []*waitingAsk, err error) {
	for _, a := range group {
		a.answer <- study.Served{Err: err}
	}
}

// lock waits until no other server chooses for the study, and keeps the lock until
// it is given back. A lock that cannot be had because the store fails is done
// without: it saves work, the log keeps order.
func (d *chooser) lock(ctx context.Context) (unlock func()) {
	for {
		ok, err := d.study.Lock(ctx, d.holder, lockLease)
		if err != nil {
			return func() {}
		}
		if ok {
			break
		}
		select {
		case <-ctx.Done():
			return func() {}
		case <-time.After(lockPoll):
		}
	}
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		renew := time.NewTicker(lockLease / 3)
		defer renew.Stop()
		for {
			select {
			case <-stop:
				return
			case <-renew.C:
				_, _ = d.study.Lock(context.WithoutCancel(ctx), d.holder, lockLease) // the next one may work
			}
		}
	}()
	return func() {
		close(stop)
		<-stopped
		_ = d.study.Unlock(context.WithoutCancel(ctx), d.holder) // it runs out anyway
	}
}
