package study

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/internal/former"
	"github.com/mahabo/mahabo/internal/outcome"
)

// formerStudies are those that a study knows from its beginning. They are read when a method
// asks for them: whoever lists a study does not need them.
type formerStudies struct {
	text    string
	sources []former.Source
}

// newFormer returns nil for a study that knows none.
func newFormer(text string) *formerStudies {
	if text == "" {
		return nil
	}
	return &formerStudies{text: text}
}

func (f *formerStudies) raw() string {
	if f == nil {
		return ""
	}
	return f.text
}

// known returns the sources; what cannot be read is none.
func (f *formerStudies) known() []former.Source {
	if f == nil {
		return nil
	}
	if f.sources == nil {
		f.sources = []former.Source{}
		_ = json.Unmarshal([]byte(f.text), &f.sources) // Create wrote it
	}
	return f.sources
}

// former is what the log keeps of former studies, nil when there are none.
func (c Config) former() (json.RawMessage, error) {
	if len(c.Former) == 0 {
		return nil, nil
	}
	if scheme := outcome.Of(c.Space.Outcomes()); len(scheme.Objectives) > 1 || len(scheme.Limits) > 0 {
		return nil, requestf("former studies: a study with limits or several objectives cannot learn from others: leave them out")
	}
	var sources []former.Source
	for _, name := range slices.Sorted(maps.Keys(c.Former)) {
		var trials []former.Trial
		for _, r := range c.Former[name] {
			if (r.Outcome.State == evaluate.Complete || r.Outcome.State == "") && !r.Excluded {
				trials = append(trials, former.Trial{Params: r.Params, Value: c.Goal.inner(r.Outcome.Value)})
			}
		}
		s, err := former.New(name, c.Space, trials)
		if err != nil {
			return nil, requestf("former study %w", err)
		}
		sources = append(sources, s)
	}
	return json.Marshal(sources)
}
