package space

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// anyParam draws a valid parameter of any kind.
func anyParam(t *rapid.T, name string) Param {
	var p Param
	switch kind := rapid.SampledFrom(kinds()).Draw(t, "kind"); kind {
	case KindFloat:
		low := rapid.Float64Range(-1e6, 1e6).Draw(t, "low")
		p = Float(name, low, low+rapid.Float64Range(1e-3, 1e6).Draw(t, "range"))
	case KindLog:
		low := math.Pow(10, rapid.Float64Range(-300, 290).Draw(t, "low"))
		p = Log(name, low, low*math.Pow(10, rapid.Float64Range(0.01, 10).Draw(t, "range")))
	case KindInt:
		low := rapid.Int64Range(-maxInt, maxInt-1).Draw(t, "low")
		p = Int(name, low, rapid.Int64Range(low+1, min(maxInt, low+rapid.SampledFrom([]int64{1, 7, 1000, 2 * maxInt}).Draw(t, "width"))).Draw(t, "high"))
	case KindLogInt:
		low := rapid.Int64Range(1, maxLogInt-1).Draw(t, "low")
		p = LogInt(name, low, rapid.Int64Range(low+1, maxLogInt).Draw(t, "high"))
	case KindOrdinal:
		levels := rapid.SliceOfNDistinct(rapid.Float64Range(-1e9, 1e9), 2, 6, rapid.ID[float64]).Draw(t, "levels")
		for i := range levels {
			levels[i] += 0 // -0 equals 0, but is another key
		}
		slices.Sort(levels)
		p = Ordinal(name, slices.Compact(levels)...)
		if len(p.Levels) < 2 {
			p = Ordinal(name, 0, 1)
		}
	case KindChoice:
		p = Choice(name, rapid.SliceOfNDistinct(rapid.StringMatching(`[ -~äλ世]{1,8}`), 2, 6, rapid.ID[string]).Draw(t, "labels")...)
	case KindBool:
		p = Bool(name)
	case KindFixed:
		p = Fixed(name, rapid.OneOf(
			rapid.Just[any](true), rapid.Just[any](int64(-3)), rapid.Just[any](3.0), rapid.Just[any]("12"),
			rapid.Map(rapid.Float64Range(-math.MaxFloat64, math.MaxFloat64), func(v float64) any { return v }),
			rapid.Map(rapid.StringMatching(`[ -~\n\tλ]*`), func(v string) any { return v }),
		).Draw(t, "value"))
	}
	if rapid.Bool().Draw(t, "described") {
		p = p.WithUnit(rapid.StringMatching(`[ -~µ]{0,5}`).Draw(t, "unit")).WithDescription(rapid.String().Draw(t, "description"))
	}
	return p
}

// anySpace draws a space of up to eight declarations, ranges among them, and constraints
// that the middle of the box keeps.
func anySpace(t *rapid.T) *Space {
	parts := []Part{Float("first", -1, 1), Int("second", 0, 9)}
	for i := range rapid.IntRange(0, 6).Draw(t, "parameters") {
		name := fmt.Sprintf("p%d_", i)
		if rapid.Bool().Draw(t, "ranged") {
			from := rapid.IntRange(0, 20).Draw(t, "from")
			name += fmt.Sprintf("[%d:%d]", from, from+rapid.IntRange(0, 3).Draw(t, "more"))
		}
		parts = append(parts, anyParam(t, name))
	}
	if rapid.Bool().Draw(t, "constrained") {
		parts = append(parts, Constraint("first + second/5 <= 1.5"), Constraint("2*(second - 1) >= -first + 1"))
	}
	s, err := New(parts...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func anyPoint(t *rapid.T, s *Space) []float64 {
	coordinate := rapid.OneOf(rapid.Float64Range(-1, 1), rapid.SampledFrom([]float64{-1, 0, 1}))
	return rapid.SliceOfN(coordinate, s.Dim(), s.Dim()).Draw(t, "x")
}

// mustNew makes a space or ends the test.
func mustNew(t testing.TB, parts ...Part) *Space {
	t.Helper()
	s, err := New(parts...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
