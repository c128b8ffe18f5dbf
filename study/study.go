package study

import (
	"context"
	"crypto/rand"
	"fmt"
	"math"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/internal/methods"
	"github.com/mahabo/mahabo/internal/outcome"
	"github.com/mahabo/mahabo/internal/stop"
	"github.com/mahabo/mahabo/internal/suggest"
	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/strategy"
)

// Goal says which values are better.
type Goal string

// The goals.
const (
	Minimize Goal = "minimize"
	Maximize Goal = "maximize"
)

// inner turns a value into one of which lower is better, and back.
func (g Goal) inner(value float64) float64 {
	if g == Maximize {
		return -value
	}
	return value
}

// Config is what a study optimises and how. After Create only its space can change.
type Config struct {
	Name   string       `json:"name"` // letters, digits and -_. with a letter or digit first
	Space  *space.Space `json:"space"`
	Method string       `json:"method"` // name:key=value,...
	Goal   Goal         `json:"goal"`
	Seed   uint64       `json:"seed"`
	Init   int          `json:"init"`            // size of the initial design
	Batch  int          `json:"batch,omitzero"`  // trials that an Ask without a count gets; 0 for 1
	Budget int          `json:"budget,omitzero"` // trials that are meant in all, for the method to plan; 0 when unknown

	// Stop is the rule that ends trials early, by what they report while they run: gain, asha, median or curve, with
	// options as name:key=value,... Empty for none.
	Stop string `json:"stop,omitempty"`
	// Cost is aware when points are chosen for what they are expected to bring beside what they cost: the cost
	// that trials tell, or else the time that they take. Empty: cost does not count.
	Cost string `json:"cost,omitempty"`
	// MaxCost is the cost of all trials that is meant, for Cost to cool off; 0 when unknown: then by Budget.
	MaxCost float64 `json:"max_cost,omitzero"`

	// TrueDim is how many linear combinations of the coordinates matter, for methods that
	// ask for it (d=true); 0 when unknown, as it is but for test problems.
	TrueDim int `json:"true_dim,omitzero"`

	// Former are trials of studies before this one, by name, with values in the sense of the
	// goal. They may have other bounds, other parameters beside the shared ones, and another unit or offset
	// of the values: how much they are worth is learned. The log keeps them apart.
	Former map[string][]Row `json:"-"`

	// Threads is how many an Ask of the study that Create returns keeps busy; 0 for all
	// processors. Points do not depend on it, and it is not stored.
	Threads int `json:"-"`
}

// format is that of the study's log.
func (c Config) format() int {
	switch {
	case len(c.Former) > 0:
		return format
	case c.Stop != "" || c.Cost != "":
		return formatStopped
	case len(c.Space.Outcomes()) > 0:
		return formatOutcomes
	}
	return formatOneValue
}

// WithDefaults fills the fields left zero that have a default: the goal, which is that of the
// first objective where outcomes are declared, and the size of the initial design.
func (c Config) WithDefaults() Config {
	if c.Goal == "" {
		c.Goal = Minimize
		if goal, ok := c.objective(); ok {
			c.Goal = goal
		}
	}
	if c.Init == 0 {
		c.Init = strategy.DefaultInit
	}
	return c
}

// objective is the goal of the first declared objective, if there is one.
func (c Config) objective() (Goal, bool) {
	if c.Space == nil {
		return "", false
	}
	for _, o := range c.Space.Outcomes() {
		if o.Goal != "" {
			return Goal(o.Goal), true
		}
	}
	return "", false
}

// validName says whether a study can have a name. An expression for it would take longer than to open the study.
func validName(name string) bool {
	for i, r := range name {
		if !unicode.IsLetter(r) && !unicode.IsNumber(r) && (i == 0 || !strings.ContainsRune("-_.", r)) {
			return false
		}
	}
	return name != "" && utf8.RuneCountInString(name) <= 128
}

// validate names the first field that cannot be used.
func (c Config) validate() error {
	switch {
	case !validName(c.Name):
		return requestf("name is %q: use up to 128 letters, digits and -_. and start with a letter or digit", c.Name)
	case c.Space == nil || c.Space.Dim() == 0:
		return requestf("space has no parameter that can vary: there is nothing to optimise")
	case c.Goal != Minimize && c.Goal != Maximize:
		return requestf("goal is %q: write %s or %s", c.Goal, Minimize, Maximize)
	case c.contradicts():
		return requestf("goal is %s, but the outcomes of the space have goals of their own: leave it out", c.Goal)
	case c.Init < 1:
		return requestf("init is %d: the initial design needs at least one trial", c.Init)
	case c.Batch < 0 || c.Batch > mostCount:
		return requestf("batch is %d: write 1 to %d, or 0 for 1", c.Batch, mostCount)
	case c.Budget < 0:
		return requestf("budget is %d: write the number of trials that are meant in all, or 0 when it is not known", c.Budget)
	case !(c.MaxCost >= 0) || math.IsInf(c.MaxCost, 0):
		return requestf("max_cost is %g: write the cost that is meant in all, or 0 when it is not known", c.MaxCost)
	case c.Cost != "" && c.Cost != costAware:
		return requestf("cost is %q: write %s, or leave it out", c.Cost, costAware)
	}
	return c.validateStop()
}

// costAware is the way in which cost can count.
const costAware = "aware"

// validateStop says what is wrong with the rule.
func (c Config) validateStop() error {
	rule, err := stop.Parse(c.Stop)
	if err != nil {
		return requestf("stop: %w", err)
	}
	several := len(outcome.Of(c.Space.Outcomes()).Objectives) > 1
	if rule != nil && several {
		return requestf("stop is %s: a rule compares one value, and the study has several objectives: leave it out", c.Stop)
	}
	if c.Cost != "" && several {
		return requestf("cost is %s: it goes with one objective, and the study has several: leave it out", c.Cost)
	}
	return nil
}

// contradicts says whether the goal is not that of the first objective.
func (c Config) contradicts() bool {
	goal, ok := c.objective()
	return ok && goal != c.Goal
}

// Check names the first field that cannot be used, and says what is wrong with the method.
func (c Config) Check(methods *strategy.Registry) error {
	if err := c.validate(); err != nil {
		return err
	}
	if _, err := c.task(methods).New(nil); err != nil {
		return requestf("method: %w", err)
	}
	return nil
}

// Study is an optimisation in a store. Its methods may be called concurrently.
type Study struct {
	store Store
	id    string
	now   func() time.Time

	methods *strategy.Registry

	mu     sync.Mutex // guards ledger, which follows the log
	ledger *ledger

	writes writes

	snapshotAt time.Time // when this process saved one

	reports reports

	asking   chan struct{} // holds one token during Ask
	choosing chan struct{} // holds one token while the model is in use
	model    suggest.Model
}

// Option changes how a study is driven.
type Option func(*Study)

// WithClock replaces time.Now.
func WithClock(now func() time.Time) Option { return func(s *Study) { s.now = now } }

// WithMethods replaces the built-in methods, to add some of one's own: see mahabo.Methods.
func WithMethods(methods *strategy.Registry) Option { return func(s *Study) { s.methods = methods } }

// idLength is how much of a random text is an id: enough never to meet twice, and short, as
// databases have it in every row.
const idLength = 13

// Create begins a study in a store.
func Create(ctx context.Context, store Store, c Config, options ...Option) (*Study, error) {
	c = c.WithDefaults()
	s := newStudy(store, rand.Text()[:idLength], options)
	if err := c.Check(s.methods); err != nil {
		return nil, err
	}
	c.Method, _ = s.methods.Canonical(c.Method)
	if rule, err := stop.Parse(c.Stop); err == nil {
		c.Stop = rule.String()
	}
	known, err := c.former()
	if err != nil {
		return nil, err
	}
	e := Event{Seq: 1, Time: s.time(), Created: &created{Format: c.format(), Config: c, Former: known}}
	e.Created.Config.Former = nil
	if err := s.ledger.apply(e); err != nil {
		return nil, err
	}
	if err := store.Create(ctx, s.id, c.Name, e); err != nil {
		return nil, fmt.Errorf("study %q: %w", c.Name, err)
	}
	return s, nil
}

// Open continues a study of a store.
func Open(ctx context.Context, store Store, name string, options ...Option) (*Study, error) {
	id, err := find(ctx, store, name)
	if err != nil {
		return nil, fmt.Errorf("study %q: %w", name, err)
	}
	s := newStudy(store, id, options)
	if err := s.follow(ctx); err != nil {
		return nil, fmt.Errorf("study %q: %w", name, err)
	}
	return s, nil
}

// find returns the id of a study. A name that no study can have, which a database may
// not even take, is not looked for.
func find(ctx context.Context, store Store, name string) (id string, err error) {
	if !validName(name) {
		return "", ErrNotFound
	}
	return store.Find(ctx, name)
}

// Delete forgets a study, its log and its trials.
func Delete(ctx context.Context, store Store, name string) error {
	id, err := find(ctx, store, name)
	if err == nil {
		err = store.Delete(ctx, id)
	}
	if err != nil {
		return fmt.Errorf("study %q: %w", name, err)
	}
	return nil
}

func newStudy(store Store, id string, options []Option) *Study {
	s := &Study{store: store, id: id, now: time.Now, asking: make(chan struct{}, 1), choosing: make(chan struct{}, 1)}
	s.writes.leading = make(chan struct{}, 1)
	for _, o := range options {
		o(s)
	}
	if s.methods == nil {
		s.methods = methods.BuiltIn()
	}
	s.ledger = newLedger(s.methods)
	if a, ok := store.(archive); ok {
		s.ledger.store = &shelf{a, id}
	}
	return s
}

// time is the clock as the log keeps it, without the reading of a monotonic one.
func (s *Study) time() time.Time { return s.now().UTC().Round(0) }

// Is says whether other is the same study, and not one of its name made before or after.
func (s *Study) Is(other *Study) bool { return s.id == other.id }

// Config returns the study's configuration.
func (s *Study) Config() Config {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ledger.config
}

// space is the one of the study as it is now: another process may have changed it.
func (s *Study) space(ctx context.Context) (*space.Space, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.follow(ctx); err != nil {
		return nil, err
	}
	return s.ledger.config.Space, nil
}

// follow reads what the log has more than the ledger. The caller holds mu, or is
// alone.
func (s *Study) follow(ctx context.Context) error {
	fresh := s.ledger.seq == 0
	if fresh {
		if err := s.restoreSnapshot(ctx); err != nil {
			return err
		}
	}
	events, err := s.events(ctx, s.ledger.seq)
	if err != nil {
		return err
	}
	l := s.ledger
	lean := fresh || l.lean
	if l.stored, err = l.complete(ctx, events, lean); err != nil {
		return err
	}
	defer func() { l.stored = nil }()
	for _, e := range events {
		if err := l.ready(ctx, e); err != nil {
			return err
		}
		if err := l.apply(e); err != nil {
			return err
		}
		if l.store != nil && lean && len(e.Placed()) > 0 {
			l.lean = true
		}
	}
	if len(events) > 0 {
		l.shed()
		s.saveSnapshot(ctx)
	}
	return nil
}

// Trials returns one page of the trials.
func (s *Study) Trials(ctx context.Context, page Page) ([]Trial, error) {
	s.mu.Lock()
	lean := s.ledger.store
	s.mu.Unlock()
	read := s.store.Trials
	if lean != nil {
		read = lean.LeanTrials
	}
	trials, err := read(ctx, s.id, page)
	if err != nil {
		return nil, err
	}
	sp, err := s.space(ctx) // behind the trials, so that it knows all of them
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	for i, t := range trials { // an older version may have written them with less
		e := s.ledger.trials.at(t.Number)
		trials[i].Batch, trials[i].History = e.Batch, e.History
	}
	s.mu.Unlock()
	now := s.time()
	for i, t := range trials {
		trials[i] = t.seen(now)
		if t.Params.Len() == 0 {
			continue
		}
		complete, err := sp.Complete(t.Params) // JSON does not tell 3.0 from 3
		switch {
		case err == nil:
			trials[i].Params = complete
		case t.Outside == "":
			return nil, fmt.Errorf("trial %d: %w", t.Number, err)
		}
	}
	return trials, s.fill(ctx, trials)
}

// Summary counts a study's trials.
type Summary struct {
	Config   Config                 `json:"config"`
	Trials   int                    `json:"trials"`
	States   map[evaluate.State]int `json:"states"`            // without those that no trial is in
	Excluded int                    `json:"excluded,omitzero"` // trials that do not count, whatever their state
	Cost     float64                `json:"cost,omitzero"`     // of all trials: what they told, or the seconds that they took
	Learned  int                    `json:"-"`                 // complete and infeasible trials that count
	Length   int64                  `json:"-"`                 // events of the log
	Mended   int64                  `json:"-"`                 // place in the log of the last correction that methods learn of, 0 when there is none
	Batches  int                    `json:"batches"`
	Command  string                 `json:"command,omitempty"` // that evaluated trials last, if it is known
	Created  time.Time              `json:"created"`
	Model    ModelInfo              `json:"-"` // how the points of the last batch were chosen
}

// Summary returns how far a study is.
func (s *Study) Summary(ctx context.Context) (Summary, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.follow(ctx); err != nil {
		return Summary{}, err
	}
	l := s.ledger
	sum := Summary{
		Config: l.config, Trials: l.trials.len(), Length: l.seq, Batches: l.batches, Command: l.command, Created: l.created,
		Mended: l.mended, Model: l.last.info, States: l.states(s.time()), Excluded: l.tally.Excluded, Learned: l.tally.Learned, Cost: l.tally.Cost,
	}
	return sum, nil
}
