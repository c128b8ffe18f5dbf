package former

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/mahabo/mahabo/internal/rng"
	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/strategy"
)

// Source is a former study as the log of a new one keeps it.
type Source struct {
	Name   string    `json:"name"`
	Trials int       `json:"trials"` // that it had; rows are the best and some of the others
	Params []string  `json:"params"` // that it shares with the new study
	Rows   [][]any   `json:"rows"`   // their values
	Values []float64 `json:"values"` // of the rows; lower is better
}

// Trial is one of a former study.
type Trial struct {
	Params space.Params
	Value  float64 // lower is better
}

const (
	mostRows    = 200     // that are kept of a source
	mostNumbers = 100_000 // of their parameters, but for leastRows
	leastRows   = 30
)

// New chooses what to keep of a former study for one with a space: the best half and an even choice
// of the others. It refuses a study that shares no parameter.
func New(name string, sp *space.Space, trials []Trial) (Source, error) {
	s := Source{Name: name, Trials: len(trials)}
	for _, p := range sp.Params() {
		if p.Kind == space.KindFixed {
			continue
		}
		if slices.ContainsFunc(trials, func(t Trial) bool { _, has := t.Params.Get(p.Name); return has }) {
			s.Params = append(s.Params, p.Name)
		}
	}
	switch {
	case len(trials) == 0:
		return s, fmt.Errorf("%s has no complete trial: there is nothing to learn from it", name)
	case len(s.Params) == 0:
		return s, fmt.Errorf("%s has none of the parameters of the new study: there is nothing to learn from it", name)
	}
	trials = slices.Clone(trials)
	slices.SortStableFunc(trials, func(a, b Trial) int { return cmp.Compare(a.Value, b.Value) })
	most := min(mostRows, max(leastRows, mostNumbers/len(s.Params)))
	for i, t := range trials {
		rest := len(trials) - most/2
		if len(trials) > most && i >= most/2 && (i-most/2)*(most/2)/rest == (i-most/2+1)*(most/2)/rest {
			continue
		}
		row := make([]any, len(s.Params))
		for k, name := range s.Params {
			row[k], _ = t.Params.Get(name)
		}
		s.Rows, s.Values = append(s.Rows, row), append(s.Values, t.Value)
	}
	return s, nil
}

// place returns the points of the rows in a space, and their values. A parameter that the source does not have is
// anywhere, as its values say nothing of it, and in the middle for the best row. A number that is out of bounds is at the bound, and a row with a label that the space has not is left out.
func (s Source) place(sp *space.Space) (x []strategy.Point, y []float64, err error) {
	r := rng.New(uint64(len(s.Rows)), rng.Purpose("former"))
	for i, row := range s.Rows {
		rest := make(strategy.Point, sp.Dim())
		for j := range rest {
			if u := 2*r.Float64() - 1; i > 0 {
				rest[j] = u
			}
		}
		base, err := sp.Decode(rest)
		if err != nil {
			return nil, nil, err
		}
		all := maps.Collect(base.All())
		for k, name := range s.Params {
			if k < len(row) && row[k] != nil {
				all[name] = row[k]
			}
		}
		params, err := sp.Complete(space.ParamsOf(within(sp, all)))
		if err != nil {
			continue
		}
		point, err := sp.Encode(params)
		if err != nil || i >= len(s.Values) || math.IsNaN(s.Values[i]) || math.IsInf(s.Values[i], 0) {
			continue
		}
		x, y = append(x, point), append(y, s.Values[i])
	}
	return x, y, nil
}

// shared are the coordinates of the parameters that the source has.
func (s Source) shared(sp *space.Space) (list []int) {
	for _, name := range s.Params {
		first, width, ok := sp.Coordinates(name)
		for j := first; ok && j < first+width; j++ {
			list = append(list, j)
		}
	}
	return list
}

// within moves numbers to the nearest that the space has.
func within(sp *space.Space, all map[string]any) map[string]any {
	for _, p := range sp.Params() {
		f, ok := all[p.Name].(float64)
		if n, whole := all[p.Name].(int64); whole {
			f, ok = float64(n), true
		}
		if !ok {
			continue
		}
		switch p.Kind {
		case space.KindFloat, space.KindLog:
			all[p.Name] = min(p.High, max(p.Low, f))
		case space.KindInt, space.KindLogInt:
			all[p.Name] = int64(math.Round(min(p.High, max(p.Low, f))))
		case space.KindOrdinal:
			all[p.Name] = slices.MinFunc(p.Levels, func(a, b float64) int { return cmp.Compare(math.Abs(a-f), math.Abs(b-f)) })
		case space.KindFixed:
			all[p.Name] = p.Value
		}
	}
	return all
}
