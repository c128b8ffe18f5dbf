package table

import (
	"context"
	"hash/maphash"
	"maps"
	"slices"
	"strconv"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/study"
)

// fresh are the rows that no trial of a study is equal to. A trial stands for one row only: a file that was
// extended by a repeated measurement brings this one.
func fresh(ctx context.Context, s *study.Study, params []space.Param, rows []study.Row) ([]study.Row, error) {
	seed := maphash.MakeSeed()
	there := map[uint64]int{} // trials by what is compared of them
	err := each(ctx, s, func(t study.Trial) error {
		o := evaluate.Outcome{State: t.State, Std: t.Std, Outcomes: t.Outcomes, Stds: t.Stds}
		if t.Value != nil {
			o.Value = *t.Value
		}
		there[identity(seed, params, t.Params, o)]++
		return nil
	})
	if err != nil {
		return nil, err
	}
	var left []study.Row
	for _, row := range rows {
		id := identity(seed, params, row.Params, row.Outcome)
		if there[id] == 0 {
			left = append(left, row)
			continue
		}
		there[id]--
	}
	return left, nil
}

// sameDigits are the digits of a number that are compared: other programs write 15 of the 17 that a number may need.
const sameDigits = 12

// identity is a digest of parameters, state, values and standard deviations.
func identity(seed maphash.Seed, params []space.Param, at space.Params, o evaluate.Outcome) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	text := func(t string) {
		_, _ = h.WriteString(t)
		_ = h.WriteByte(0)
	}
	number := func(v float64) { text(strconv.FormatFloat(v+0, 'g', sameDigits, 64)) } // + 0 takes the sign from -0
	for _, p := range params {
		v, _ := at.Get(p.Name)
		if f, ok := v.(float64); ok {
			number(f)
		} else {
			t, _ := at.Text(p.Name)
			text(t)
		}
	}
	text(string(o.State))
	if o.State != evaluate.Complete {
		return h.Sum64()
	}
	number(o.Value)
	number(o.Std)
	for _, name := range slices.Sorted(maps.Keys(o.Outcomes)) {
		text(name)
		number(o.Outcomes[name])
		number(o.Stds[name])
	}
	return h.Sum64()
}
