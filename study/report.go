package study

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/internal/stop"
	"github.com/mahabo/mahabo/strategy"
)

// Reported is what a trial has reached at a step while it runs.
type Reported struct {
	Step  int64   `json:"step"`
	Value float64 `json:"value"` // of the first objective

	Outcomes map[string]float64 `json:"outcomes,omitempty"` // by name, where the space declares outcomes
	Time     time.Time          `json:"time,omitzero"`
}

// reporting is a Store with a table for reports. They are no events: what a trial of 10,000 steps has
// reported is not read to open a study. The stores of package store have one.
type reporting interface {
	// AppendReports adds reports of a trial, with increasing steps. Those that it has at the first
	// of these steps and behind it are removed: the trial has begun again from there.
	AppendReports(ctx context.Context, id string, number int, reports []Reported) error
	// ReportsOf returns the reports of some trials, of all for nil, behind a step, in the order of their
	// steps, or ErrNotFound.
	ReportsOf(ctx context.Context, id string, numbers []int, behind int64) (map[int][]Reported, error)
}

// errNoReports is a store of somebody else that has no table for reports.
var errNoReports = &RequestError{errors.New("the store of this study keeps no reports of running trials")}

// reports is what a process knows of the reports of a study: enough for the rule that stops trials.
// A report that another process takes is read after a while.
type reports struct {
	mu     sync.Mutex
	rule   *stop.Rule
	parsed bool
	curves map[int]*curve // by number
	read   time.Time      // when running trials were last read
	stops  map[int]string // why trials should end
}

// curve is what a trial has reported, thinned.
type curve struct {
	stop.Curve
	served  time.Time // when the trial that reported it was
	settled bool      // the trial has ended and all of it was read
}

const (
	mostCurve   = 2048        // reports of a trial that are kept in memory
	rereadAfter = time.Second // for what other processes were told
)

// verdict says why a running trial should end.
func (r *reports) verdict(t *Trial) string {
	if t.State != Running && t.State != Stale {
		return ""
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stops[t.Number]
}

// Report keeps what a trial has reached, and says why it should end, "" to go on. The rule of the
// study decides; a trial that has an outcome already should end too. A worker whose lease is lost
// gets ErrLeaseLost; without a name it is not asked for. Reporting a step again, or an earlier one, replaces what
// was reported from there on.
func (s *Study) Report(ctx context.Context, number int, worker string, list ...Reported) (why string, err error) {
	store, ok := s.store.(reporting)
	if !ok {
		return "", errNoReports
	}
	list, err = s.checkReports(list)
	if err != nil {
		return "", requestf("trial %d: %w", number, err)
	}
	trials, err := s.numbered(ctx, []int{number})
	if err != nil {
		return "", err
	}
	t := trials[0]
	switch {
	case t.State != Running && t.State != Stale && t.State != Waiting:
		return fmt.Sprintf("trial %d is %s already", number, t.State), nil
	case worker != "" && t.Worker != worker && t.Worker != QueueWorker && t.Worker != "":
		return "", requestf("trial %d was served to worker %q: %w", number, t.Worker, ErrLeaseLost)
	}
	if len(list) > 0 {
		if err := store.AppendReports(ctx, s.id, number, list); err != nil {
			return "", err
		}
	}
	return s.judge(ctx, store, t, list)
}

// checkReports puts reports in the order of their steps and names the first that cannot be kept. Of one
// that goes back, those before it from its step on are dropped.
func (s *Study) checkReports(list []Reported) (ordered []Reported, err error) {
	scheme, now := s.scheme(), s.time()
	for _, r := range list {
		o, err := declared(evaluate.Outcome{State: evaluate.Complete, Value: r.Value, Outcomes: r.Outcomes}, scheme)
		if err == nil {
			err = o.Validate()
		}
		if scheme.Declared() && err == nil {
			if _, known := o.Outcomes[scheme.Objectives[0].Name]; !known {
				err = fmt.Errorf("it has no %q: report the first objective at least", scheme.Objectives[0].Name)
			}
		}
		if err == nil && r.Step < 0 {
			err = fmt.Errorf("step is %d: steps count from 0 or 1 on", r.Step)
		}
		if err != nil {
			return nil, fmt.Errorf("the report of step %d: %w", r.Step, err)
		}
		r.Value, r.Outcomes = o.Value, maps.Clone(o.Outcomes)
		if r.Time.IsZero() {
			r.Time = now
		}
		r.Time = r.Time.UTC().Truncate(time.Millisecond)
		if y := r.Time.Year(); y < 0 || y > 9999 {
			return nil, fmt.Errorf("the report of step %d: time is of the year %d: give one from 0 to 9999, or leave it out", r.Step, y)
		}
		at, _ := slices.BinarySearchFunc(ordered, r.Step, compareSteps)
		ordered = append(ordered[:at], r)
	}
	return ordered, nil
}

// judge follows a trial's curve and asks the rule.
func (s *Study) judge(ctx context.Context, store reporting, t Trial, list []Reported) (string, error) {
	config := s.Config()
	if config.Stop == "" {
		return "", nil
	}
	goal := config.Goal
	at, states, err := s.reporters(ctx, t.Number)
	if err != nil {
		return "", err
	}
	r := &s.reports
	r.mu.Lock() // never before s.mu: see verdict
	defer r.mu.Unlock()
	if !r.parsed {
		r.rule, _ = stop.Parse(config.Stop) // Create has checked it
		r.parsed, r.curves, r.stops = true, map[int]*curve{}, map[int]string{}
	}
	if r.rule == nil {
		return "", nil
	}
	others, err := s.others(ctx, store, states, goal)
	if err != nil {
		return "", err
	}
	own, known := r.curves[t.Number]
	if !known || !own.served.Equal(t.Asked) { // what it had before, perhaps elsewhere
		had, err := store.ReportsOf(ctx, s.id, []int{t.Number}, math.MinInt64)
		if err != nil {
			return "", err
		}
		delete(r.stops, t.Number)
		own = &curve{Curve: stop.Curve{Number: t.Number}, served: t.Asked}
		own.addAll(had[t.Number], goal)
		r.curves[t.Number] = own
	}
	own.At = at
	if len(list) == 0 {
		return r.stops[t.Number], nil
	}
	fresh := own.add(list[0].Step, goal.inner(list[0].Value))
	for _, one := range list[1:] {
		fresh = min(fresh, own.add(one.Step, goal.inner(one.Value)))
	}
	if r.stops[t.Number] == "" {
		if why := r.rule.Decide(own.Curve, fresh, others); why != "" {
			r.stops[t.Number] = why
		}
	}
	return r.stops[t.Number], nil
}

// add puts a value behind those of earlier steps and returns its place. Of many, every second is
// dropped.
func (c *curve) add(step int64, value float64) int {
	i, _ := slices.BinarySearch(c.Steps, step)
	c.Steps, c.Values = append(c.Steps[:i], step), append(c.Values[:i], value)
	if len(c.Steps) <= mostCurve {
		return i
	}
	kept := 0
	for k := (len(c.Steps) - 1) % 2; k < len(c.Steps); k += 2 { // the last stays
		c.Steps[kept], c.Values[kept] = c.Steps[k], c.Values[k]
		kept++
	}
	c.Steps, c.Values = c.Steps[:kept], c.Values[:kept]
	return kept - 1
}

func (c *curve) addAll(list []Reported, goal Goal) {
	for _, one := range list {
		c.add(one.Step, goal.inner(one.Value))
	}
}

func (c *curve) last() int64 { return c.Steps[len(c.Steps)-1] }

// reporter is a trial whose curve counts.
type reporter struct {
	number int
	served time.Time
	ended  bool
	final  *float64
	at     strategy.Point
}

// reporters are the trials but one whose curves count, and the point of that one.
func (s *Study) reporters(ctx context.Context, except int) (at strategy.Point, states []reporter, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.ledger.load(ctx); err != nil {
		return nil, nil, err
	}
	states = make([]reporter, 0, s.ledger.trials.len())
	for t := range s.ledger.trials.all() {
		if t.Number == except {
			at = t.point
		}
		if t.Number == except || t.Excluded || t.Origin == FromImport {
			continue
		}
		ended := t.State != Running && t.State != Waiting
		if t.State == Waiting && t.Asked.IsZero() {
			continue
		}
		states = append(states, reporter{number: t.Number, served: t.Asked, ended: ended, final: t.Value, at: t.point})
	}
	return at, states, nil
}

// others are the curves of the other trials that count. The caller holds the mutex of the reports.
func (s *Study) others(ctx context.Context, store reporting, states []reporter, goal Goal) ([]stop.Curve, error) {
	r := &s.reports
	reread := s.now().Sub(r.read).Abs() >= rereadAfter
	var missing []int
	for _, t := range states {
		c, known := r.curves[t.number]
		if known && !c.served.Equal(t.served) {
			delete(r.curves, t.number) // it may have begun again
		}
		if !known || !c.served.Equal(t.served) || !c.settled && (t.ended || reread) {
			missing = append(missing, t.number)
		}
	}
	if len(missing) > 0 {
		if err := r.load(ctx, s.id, store, missing, goal); err != nil {
			return nil, err
		}
		r.read = s.now()
	}
	var all []stop.Curve
	for _, t := range states {
		c := r.curves[t.number]
		c.served, c.settled = t.served, t.ended
		one := c.Curve
		one.At = t.at
		if t.final != nil {
			one.Done, one.Final = true, goal.inner(*t.final)
		}
		all = append(all, one)
	}
	return all, nil
}

// load reads the reports of trials behind those that are known. One that was served again may have begun
// again: it is read from its beginning.
func (r *reports) load(ctx context.Context, id string, store reporting, numbers []int, goal Goal) error {
	var unknown []int
	for _, n := range numbers {
		c, known := r.curves[n]
		if !known || len(c.Steps) == 0 {
			unknown = append(unknown, n)
			r.curves[n] = &curve{Curve: stop.Curve{Number: n}}
			continue
		}
		found, err := store.ReportsOf(ctx, id, []int{n}, c.last())
		if err != nil {
			return err
		}
		c.addAll(found[n], goal)
	}
	if len(unknown) == 0 {
		return nil
	}
	found, err := store.ReportsOf(ctx, id, unknown, math.MinInt64)
	for n, list := range found {
		r.curves[n].addAll(list, goal)
	}
	return err
}

// Reports returns what trials have reported, by number, at most so many of each, evenly spread with
// the last among them; 0 for all. A trial without reports is left out.
func (s *Study) Reports(ctx context.Context, most int, numbers ...int) (map[int][]Reported, error) {
	store, ok := s.store.(reporting)
	if !ok || len(numbers) == 0 {
		return map[int][]Reported{}, nil
	}
	found, err := store.ReportsOf(ctx, s.id, numbers, math.MinInt64)
	if err != nil {
		return nil, err
	}
	for n, list := range found {
		if most > 0 && len(list) > most {
			thin := make([]Reported, most)
			for i := range thin {
				thin[i] = list[(i+1)*len(list)/most-1]
			}
			found[n] = thin
		}
	}
	return found, nil
}

// lastReport is that of a trial that is told to be stopped, and what complete trials say of it.
type lastReport struct {
	*Reported
	outcome, std float64 // that the trial would have come to, as lower is better
	known        bool    // complete trials say so
}

// lastReports are those of the trials that are told to be stopped.
func (s *Study) lastReports(ctx context.Context, results []Finished) (map[int]lastReport, error) {
	last := map[int]lastReport{}
	for _, r := range results {
		if r.State != evaluate.Stopped {
			continue
		}
		if err := s.estimateOutcome(ctx, r.Number, last); err != nil {
			return nil, err
		}
	}
	return last, nil
}

// estimateOutcome adds the last report of a trial, if it has any, and what the trial would have come to.
func (s *Study) estimateOutcome(ctx context.Context, number int, last map[int]lastReport) error {
	goal := s.Config().Goal
	own, complete, err := s.completeBeside(ctx, number)
	if err != nil {
		return err
	}
	numbers := []int{number}
	for _, c := range complete {
		numbers = append(numbers, c.Number)
	}
	found, err := s.Reports(ctx, mostCurve, numbers...)
	if err != nil || len(found[number]) == 0 {
		return err
	}
	fill := func(c *stop.Curve) {
		for _, r := range found[c.Number] {
			c.Steps, c.Values = append(c.Steps, r.Step), append(c.Values, goal.inner(r.Value))
		}
	}
	fill(&own)
	for i := range complete {
		fill(&complete[i])
	}
	one := lastReport{Reported: &found[number][len(found[number])-1]}
	one.outcome, one.std, one.known = stop.Estimate(own, complete)
	last[number] = one
	return nil
}

// completeBeside returns a trial and the latest complete ones, without their reports.
func (s *Study) completeBeside(ctx context.Context, number int) (one stop.Curve, complete []stop.Curve, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.follow(ctx); err != nil { // another process may have served it
		return one, nil, err
	}
	l := s.ledger
	if err := l.load(ctx); err != nil {
		return one, nil, err
	}
	one.Number = number
	if t, err := l.trial(number); err == nil { // who is told of it says that there is none
		one.At = t.point
	}
	for _, f := range slices.Backward(l.finished) {
		if t := l.trials.at(f.number); t.State == evaluate.Complete && !t.Excluded && len(complete) < stop.MostComplete {
			complete = append(complete, stop.Curve{Number: f.number, At: t.point, Done: true, Final: l.lower(*t.Value)})
		}
	}
	slices.Reverse(complete)
	return one, complete, nil
}

func compareSteps(r Reported, step int64) int { return cmp.Compare(r.Step, step) }

// halts divides results in those of stopped trials, of which the new ones are returned, and the rest.
func (l *ledger) halts(results []Finished, last map[int]lastReport) (ended *stopped, rest []Finished, err error) {
	ended = &stopped{}
	seen := map[int]bool{}
	for _, r := range results {
		if r.State != evaluate.Stopped {
			rest = append(rest, r)
			continue
		}
		t, err := l.trial(r.Number)
		if err != nil {
			return nil, nil, &RequestError{err}
		}
		h := halted{Number: r.Number, Reason: r.Reason, Cost: r.Cost, Seconds: r.Seconds, Last: last[r.Number].Reported}
		if r.Worker != t.Worker {
			h.Worker = r.Worker
		}
		if h.Last != nil {
			h.CountsAs, h.Std = l.estimate(last[r.Number])
		}
		_, again, err := t.Trial.halted(h, time.Time{})
		if err != nil {
			return nil, nil, &RequestError{err}
		}
		if !again && !seen[r.Number] {
			ended.Results = append(ended.Results, h)
		}
		seen[r.Number] = true
	}
	return ended, rest, nil
}

// estimate is what methods take for the value of a trial that was stopped: what it would have come to by what complete trials came
// to, but no worse than its last report, which is a bound: a trial that goes on mostly gets better. With few complete
// trials it is the last report, but no worse than the worst outcome: values of first steps, far above all outcomes, would bend a model of
// these. It is nil with several objectives, and when a limit was not reported: nothing is known then. std is how far off such estimates are.
func (l *ledger) estimate(last lastReport) (value *float64, std float64) {
	if l.scheme.Declared() && (len(l.scheme.Objectives) > 1 || len(l.scheme.Missing(last.Outcomes)) > 0) {
		return nil, 0
	}
	v, bound := l.lower(last.Value), math.Inf(1)
	if last.known {
		bound, std = last.outcome, last.std
	} else if worst, ok := l.worst(); ok {
		bound = worst
	}
	v = l.lower(math.Min(v, bound))
	return &v, std
}

// worst is the highest outcome of complete trials, as lower is better.
func (l *ledger) worst() (worst float64, ok bool) {
	for t := range l.trials.all() {
		if t.State == evaluate.Complete && !t.Excluded {
			if v := l.lower(*t.Value); !ok || v > worst {
				worst, ok = v, true
			}
		}
	}
	return worst, ok
}

// lower turns a value of the first objective into one of which lower is better, and back.
func (l *ledger) lower(value float64) float64 { return l.config.Goal.inner(value) }

// bounds are the numbers that methods take for the outcomes of a stopped trial.
func (l *ledger) bounds(t Trial) (values, stds []float64) {
	if !l.scheme.Declared() {
		return []float64{l.lower(*t.CountsAs)}, []float64{t.CountsStd}
	}
	all := maps.Clone(t.Last.Outcomes)
	first := l.scheme.Objectives[0].Name
	all[first] = *t.CountsAs
	return l.scheme.Inner(all), l.scheme.Stds(map[string]float64{first: t.CountsStd})
}

// halted returns the trial as it is when it was stopped; again is true when it is so already.
func (t Trial) halted(h halted, now time.Time) (_ Trial, again bool, err error) {
	switch t.State {
	case evaluate.Stopped:
		return t, true, nil
	case evaluate.Complete, evaluate.Infeasible:
		return t, false, &ConflictError{Number: t.Number, Had: t.outcome(), Told: evaluate.Outcome{State: evaluate.Stopped}}
	}
	t = t.remembered()
	t.State, t.Reason, t.Told, t.Expires = evaluate.Stopped, h.Reason, now, time.Time{}
	t.Value, t.Std, t.Outcomes, t.Stds = nil, 0, nil, nil
	t.Last, t.CountsAs, t.CountsStd, t.Cost, t.Seconds = h.Last, h.CountsAs, h.Std, h.Cost, h.Seconds
	if h.Worker != "" {
		t.Worker = h.Worker
	}
	return t, false, nil
}

// resume keeps what follows from the trials when a stopped one goes on or gets an outcome after all: methods
// were told an estimate that does not hold any more.
func (l *ledger) resume(e Event, was, is entry) {
	if !unfinished(&was.Trial) {
		l.mended = e.Seq
		l.memo = newMemo()
		if unfinished(&is.Trial) {
			l.unfinish(is.Number)
		}
	}
	l.retrack()
}

// cost is what a trial cost: what was told, or the seconds that it took. Where nobody measured them they are those
// since it was served, in which it may have waited for its turn.
func (t *Trial) cost() float64 {
	switch {
	case t.Cost > 0:
		return t.Cost
	case t.Told.IsZero():
		return 0
	case t.Seconds > 0:
		return t.Seconds
	case t.Asked.IsZero():
		return 0
	}
	return max(0, t.Told.Sub(t.Asked).Seconds())
}
