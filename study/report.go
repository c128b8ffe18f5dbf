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
	batch   int  // that served the trial that reported it
	settled bool // the trial has ended and all of it was read
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
	goal, states := config.Goal, s.reporters(t.Number)
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
	if !known || own.batch != t.Batch { // what it had before, perhaps elsewhere
		had, err := store.ReportsOf(ctx, s.id, []int{t.Number}, math.MinInt64)
		if err != nil {
			return "", err
		}
		delete(r.stops, t.Number)
		own = &curve{Curve: stop.Curve{Number: t.Number}, batch: t.Batch}
		own.addAll(had[t.Number], goal)
		r.curves[t.Number] = own
	}
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
	batch  int
	ended  bool
	final  *float64
}

// reporters are the trials but one whose curves count.
func (s *Study) reporters(except int) []reporter {
	s.mu.Lock()
	defer s.mu.Unlock()
	states := make([]reporter, 0, s.ledger.trials.len())
	for t := range s.ledger.trials.all() {
		if t.Number == except || t.Excluded || t.Origin == FromImport {
			continue
		}
		ended := t.State != Running && t.State != Waiting
		if t.State == Waiting && t.Asked.IsZero() {
			continue
		}
		states = append(states, reporter{number: t.Number, batch: t.Batch, ended: ended, final: t.Value})
	}
	return states
}

// others are the curves of the other trials that count. The caller holds the mutex of the reports.
func (s *Study) others(ctx context.Context, store reporting, states []reporter, goal Goal) ([]stop.Curve, error) {
	r := &s.reports
	reread := s.now().Sub(r.read).Abs() >= rereadAfter
	var missing []int
	for _, t := range states {
		c, known := r.curves[t.number]
		if known && c.batch != t.batch {
			delete(r.curves, t.number) // it may have begun again
		}
		if !known || c.batch != t.batch || !c.settled && (t.ended || reread) {
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
		c.batch, c.settled = t.batch, t.ended
		one := c.Curve
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
	like [][2]float64 // of complete trials, as lower is better: the value at the same step, and the outcome
}

// mostLike is how many complete trials, the latest, a stopped one is compared with.
const mostLike = 100

// lastReports are those of the trials that are told to be stopped.
func (s *Study) lastReports(ctx context.Context, results []Finished) (map[int]lastReport, error) {
	last := map[int]lastReport{}
	for _, r := range results {
		if r.State != evaluate.Stopped {
			continue
		}
		found, err := s.Reports(ctx, 1, r.Number)
		if err != nil {
			return nil, err
		}
		if list := found[r.Number]; len(list) > 0 {
			like, err := s.alike(ctx, list[0].Step)
			if err != nil {
				return nil, err
			}
			last[r.Number] = lastReport{&list[0], like}
		}
	}
	return last, nil
}

// alike returns of complete trials what they had reported at a step, and their outcomes.
func (s *Study) alike(ctx context.Context, step int64) (pairs [][2]float64, err error) {
	goal, finals := s.Config().Goal, map[int]float64{}
	var numbers []int
	s.mu.Lock()
	for _, f := range slices.Backward(s.ledger.finished) {
		if t := s.ledger.trials.at(f.number); t.State == evaluate.Complete && !t.Excluded && len(numbers) < mostLike {
			numbers = append(numbers, f.number)
			finals[f.number] = goal.inner(*t.Value)
		}
	}
	s.mu.Unlock()
	found, err := s.Reports(ctx, mostCurve, numbers...)
	for _, n := range numbers {
		if i, _ := slices.BinarySearchFunc(found[n], step, compareSteps); i < len(found[n]) {
			pairs = append(pairs, [2]float64{goal.inner(found[n][i].Value), finals[n]})
		}
	}
	return pairs, err
}

func compareSteps(r Reported, step int64) int { return cmp.Compare(r.Step, step) }

// halts divides results in those of stopped trials, of which the new ones are returned, and the rest.
func (l *ledger) halts(results []Finished, last map[int]lastReport) (ended *stopped, rest []Finished, err error) {
	ended = &stopped{}
	for _, r := range results {
		if r.State != evaluate.Stopped {
			rest = append(rest, r)
			continue
		}
		t, err := l.trial(r.Number)
		if err != nil {
			return nil, nil, &RequestError{err}
		}
		h := halted{Number: r.Number, Reason: r.Reason, Cost: r.Cost, Last: last[r.Number].Reported}
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
		if !again {
			ended.Results = append(ended.Results, h)
		}
	}
	return ended, rest, nil
}

// leastLike is how many complete trials say what a stopped one would have come to.
const leastLike = 3

// estimate is what methods take for the value of a trial that was stopped: what complete trials came to that had such a value at
// the same step, but no worse than its last report, which is a bound: a trial that goes on mostly gets better. With few such
// trials it is the last report, but no worse than the worst outcome: values of first steps, far above all outcomes, would bend a model of
// these. It is nil with several objectives, and when a limit was not reported: nothing is known then. std is how far off such estimates are
// for complete trials.
func (l *ledger) estimate(last lastReport) (value *float64, std float64) {
	if l.scheme.Declared() && (len(l.scheme.Objectives) > 1 || len(l.scheme.Missing(last.Outcomes)) > 0) {
		return nil, 0
	}
	v := l.lower(last.Value)
	switch {
	case len(last.like) >= leastLike:
		v, std = math.Min(v, stop.Expected(last.like, v)), stop.Doubt(last.like)
	default:
		worst := math.Inf(-1)
		for t := range l.trials.all() {
			if t.State == evaluate.Complete && !t.Excluded {
				worst = math.Max(worst, l.lower(*t.Value))
			}
		}
		if !math.IsInf(worst, 0) {
			v = math.Min(v, worst)
		}
	}
	v = l.lower(v)
	return &v, std
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
	t.State, t.Reason, t.Told, t.Expires = evaluate.Stopped, h.Reason, now, time.Time{}
	t.Value, t.Std, t.Outcomes, t.Stds = nil, 0, nil, nil
	t.Last, t.CountsAs, t.CountsStd, t.Cost = h.Last, h.CountsAs, h.Std, h.Cost
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

// cost is what a trial cost: what was told, or the seconds that it took.
func (t *Trial) cost() float64 {
	switch {
	case t.Cost > 0:
		return t.Cost
	case t.Told.IsZero() || t.Asked.IsZero():
		return 0
	}
	return max(0, t.Told.Sub(t.Asked).Seconds())
}
