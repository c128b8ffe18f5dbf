package study

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/mahabo/mahabo/internal/outcome"
	"github.com/mahabo/mahabo/internal/points"
	"github.com/mahabo/mahabo/internal/suggest"
	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/strategy"
)

// Change is another space for a study that has trials. The first three fields say what is
// wanted, the others, which Study.Change fills in, what becomes of it.
type Change struct {
	Space *space.Space
	Added space.Params // values that the trials so far had for parameters that are new
	By    string       // who changes it, if known

	Differences []string       // what is other than before, for people
	Trials      int            // how many there are
	Outside     map[int]string // trials that the new space has no place for, by number, and why: they keep their outcomes but do not count
	Inside      []int          // trials that were outside of the space before, and count again
}

// changed is a change of the space.
type changed struct {
	By    string       `json:"by,omitempty"`
	Space *space.Space `json:"space"`
	Added space.Params `json:"added,omitzero"`

	// Constraints says that trials that break one of the space are outside. Before it was written they were not: so
	// such a log still leads to the same.
	Constraints bool `json:"constraints,omitzero"`
}

var errSpaceChanged = requestf("the parameters of the study were changed at this moment: try again")

// Change gives the study another space: other bounds, more parameters or labels, or parameters
// that are fixed. Trials stay as they are; those that the new space has no place for are excluded
// until it has. With preview nothing is written. The log keeps both spaces, and points that were
// suggested before stay.
func (s *Study) Change(ctx context.Context, c Change, preview bool) (Change, error) {
	if c.Space == nil {
		return c, requestf("space is missing: give the whole space as it is to be")
	}
	err := s.write(ctx, func(l *ledger) (*Event, error) {
		if !reflect.DeepEqual(l.config.Space.Outcomes(), c.Space.Outcomes()) {
			return nil, requestf("the outcomes of a study do not change: leave the section as it is, or begin another study and import the trials")
		}
		e := &Event{Changed: &changed{By: c.By, Space: c.Space, Added: c.Added, Constraints: true}}
		if c.Differences = points.Differences(l.config.Space, c.Space); len(c.Differences) == 0 {
			c.Trials = l.trials.len()
			return nil, nil
		}
		added, err := l.added(c)
		if err != nil {
			return nil, &RequestError{err}
		}
		e.Changed.Added = added
		if err := l.ready(ctx, *e); err != nil {
			return nil, err
		}
		c.describe(l)
		if preview {
			l.moved = nil
			return nil, nil
		}
		return e, nil
	}, nil)
	return c, err
}

// added returns the values of new parameters that trials so far had, or what is wrong with the change.
func (l *ledger) added(c Change) (space.Params, error) {
	config := l.config
	config.Space = c.Space
	if err := config.Check(l.methods); err != nil {
		return space.Params{}, err
	}
	known := map[string]bool{}
	for _, p := range l.config.Space.Params() {
		known[p.Name] = true
		if _, _, still := c.Space.Coordinates(p.Name); !still {
			return space.Params{}, fmt.Errorf("parameter %q is not in the new space, but trials have it: fix it instead, as in %s: {fixed: VALUE}", p.Name, p.Name)
		}
	}
	values := map[string]any{}
	for _, p := range c.Space.Params() {
		value, given := c.Added.Get(p.Name)
		switch {
		case known[p.Name] && given:
			return space.Params{}, fmt.Errorf("parameter %q is not new: leave out its value", p.Name)
		case known[p.Name]:
			continue
		case p.Kind == space.KindFixed:
			value, given = p.Value, true
		case !given && l.trials.len() > 0:
			had := "the trial so far"
			if n := l.trials.len(); n > 1 {
				had = fmt.Sprintf("the %d trials so far", n)
			}
			return space.Params{}, fmt.Errorf("parameter %q is new: say which value %s had", p.Name, had)
		}
		if given {
			values[p.Name] = value
		}
	}
	for name := range c.Added.All() {
		if _, known := values[name]; !known {
			return space.Params{}, fmt.Errorf("parameter %q has a value, but it is not in the new space", name)
		}
	}
	if len(values) == 0 {
		return space.Params{}, nil
	}
	added := space.ParamsOf(values)
	_, err := c.Space.Pins(added)
	return added, err
}

// describe fills in what becomes of the trials.
func (c *Change) describe(l *ledger) {
	c.Trials, c.Outside, c.Inside = l.trials.len(), map[int]string{}, nil
	for i, p := range l.moved {
		switch was := l.trials.at(i+1).Outside != ""; {
		case p.outside != "":
			c.Outside[i+1] = p.outside
		case was:
			c.Inside = append(c.Inside, i+1)
		}
	}
}

// moved is where a trial is in a new space.
type moved struct {
	params  space.Params // empty for a trial that is packed
	point   strategy.Point
	outside string // why there is no point
}

// ready brings to memory what an event needs to be applied.
func (l *ledger) ready(ctx context.Context, e Event) error {
	l.moved = nil
	if e.Corrected != nil && e.Corrected.Used != nil {
		return l.fetch(ctx, e.Corrected.Number)
	}
	if e.Changed == nil {
		return nil
	}
	codec := l.codec.With(e.Changed.Space, e.Changed.Added)
	list := l.lifted(codec, e.Changed)
	if l.store != nil {
		err := l.store.EachPacked(ctx, l.store.id, 0, func(number int, data []byte) (err error) {
			if number > l.trials.len() || !l.trials.at(number).packed {
				return nil
			}
			p := &list[number-1]
			var params space.Params
			if params, p.point, err = codec.Present(data); err == nil {
				p.explain(e.Changed, params)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	l.moved = list
	return nil
}

// lifted is where the trials are whose parameters are in memory.
func (l *ledger) lifted(codec points.Codec, c *changed) []moved {
	list := make([]moved, l.trials.len())
	for t := range l.trials.all() {
		if p := &list[t.Number-1]; !t.packed {
			p.params, p.point = codec.Lift(t.Params)
			p.explain(c, p.params)
		}
	}
	return list
}

// explain says why a space has no place for parameters, if so.
func (p *moved) explain(c *changed, params space.Params) {
	if p.point != nil {
		if c.Constraints {
			if err := keepsConstraints(c.Space, params); err != nil {
				p.point, p.outside = nil, err.Error()
			}
		}
		return
	}
	p.outside = "the space has no place for it"
	_, err := c.Space.Encode(params)
	if fact := interface{ Fact() string }(nil); errors.As(err, &fact) { // how to mend the value helps no trial that is over
		p.outside = fact.Fact()
	} else if err != nil {
		p.outside = err.Error()
	}
}

func (l *ledger) effectChanged(x *effect, c *changed) error {
	if l.moved == nil && l.store == nil {
		l.moved = l.lifted(l.codec.With(c.Space, c.Added), c)
	}
	if len(l.moved) != l.trials.len() {
		return fmt.Errorf("the change of the space was not prepared")
	}
	for i, p := range l.moved {
		t := *l.trials.at(i + 1)
		t.point, t.key, t.Outside = p.point, "", p.outside
		if p.point != nil {
			t.key = suggest.Key(p.point)
		}
		t.Excluded = t.dropped || p.outside != ""
		t.Params = p.params // of one that is packed the store has them
		x.changed = append(x.changed, t)
	}
	return nil
}

// installChanged takes over a change when its trials are in their new places.
func (l *ledger) installChanged(e Event) {
	l.codec = l.codec.With(e.Changed.Space, e.Changed.Added)
	l.config.Space = e.Changed.Space
	l.scheme = outcome.Of(l.config.Space.Outcomes())
	l.mended, l.memo, l.moved = e.Seq, newMemo(), nil
	l.keys = &keys{}
	l.index()
	l.retrack()
	l.bare = l.trials.len()
	for t := range l.trials.all() {
		l.lean = l.lean || t.missing()
	}
}
