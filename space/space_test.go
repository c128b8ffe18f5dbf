package space

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestDecode(t *testing.T) {
	s := mustNew(t,
		Float("f", -2, 6), Log("l", 1e-4, 1), Int("i", 1, 4), LogInt("li", 1, 8), Ordinal("o", 16, 32, 1024),
		Bool("b"), Choice("two", "x", "y"), Choice("three", "p", "q", "r"), Fixed("c", 7),
	)
	if s.Dim() != 10 {
		t.Fatalf("Dim is %d, want 10", s.Dim())
	}
	for _, c := range []struct {
		x    []float64
		want string
	}{
		{
			[]float64{-1, -1, -1, -1, -1, -1, -1, -1, -1, -1},
			`{"f":-2,"l":0.0001,"i":1,"li":1,"o":16,"b":false,"two":"x","three":"p","c":7}`,
		},
		{
			[]float64{1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
			`{"f":6,"l":1,"i":4,"li":8,"o":1024,"b":true,"two":"y","three":"p","c":7}`,
		},
		{
			[]float64{0.5, 0, -0.4, 0, 0, -0.1, -0.1, -0.3, -0.2, 0.9},
			`{"f":4,"l":0.01,"i":2,"li":3,"o":32,"b":false,"two":"x","three":"r","c":7}`,
		},
	} {
		v, err := s.Decode(c.x)
		if err != nil {
			t.Fatal(err)
		}
		got, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != c.want {
			t.Errorf("Decode(%v) is\n%s, want\n%s", c.x, got, c.want)
		}
	}
}

func TestSnap(t *testing.T) {
	s := mustNew(t, Float("f", -2, 6), Int("i", 1, 4), Ordinal("o", 1, 2), Bool("b"), Choice("c", "p", "q", "r"))
	x := []float64{3, -1, 0.1, 0.2, -0.5, -0.2, -0.9}
	if err := s.Snap(x); err != nil {
		t.Fatal(err)
	}
	if want := []float64{1, -0.75, 0.5, 1, -1, 1, -1}; !slices.Equal(x, want) {
		t.Errorf("snapped to %v, want %v", x, want)
	}
}

func TestBadPoints(t *testing.T) {
	s := mustNew(t, Float("f", 0, 1), Float("g", 0, 1))
	for _, x := range [][]float64{nil, {0}, {0, 0, 0}, {0, math.NaN()}} {
		if _, err := s.Decode(x); err == nil {
			t.Errorf("Decode took %v", x)
		}
		if err := s.Snap(slices.Clone(x)); err == nil {
			t.Errorf("Snap took %v", x)
		}
		if err := s.Project(slices.Clone(x)); err == nil {
			t.Errorf("Project took %v", x)
		}
	}
	if _, err := s.Decode([]float64{0, 1.1}); err == nil || !strings.Contains(err.Error(), "coordinate 1 is 1.1") {
		t.Errorf("Decode outside the box says %v", err)
	}
	if v, err := s.Decode([]float64{0, 1 + 1e-12}); err != nil || v.values[1] != 1.0 {
		t.Errorf("Decode at the border up to rounding: %v, %v", v, err)
	}
}

// Every point stands for what it decodes to, and its snapped point for the same.
func TestEncodeDecode(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anySpace(t)
		x := anyPoint(t, s)
		v, err := s.Decode(x)
		if err != nil {
			t.Fatal(err)
		}
		back, err := s.Encode(v)
		if err != nil {
			t.Fatal(err)
		}
		snapped := slices.Clone(x)
		if err := s.Snap(snapped); err != nil {
			t.Fatal(err)
		}
		for i, p := range s.params {
			for k := s.first[i]; k < s.first[i+1]; k++ {
				tolerance := 0.0
				switch p.Kind { // rounding of a value, in units of the box
				case KindFloat:
					tolerance = 1e-15 * (4 + max(math.Abs(p.Low), math.Abs(p.High))/(p.High-p.Low))
				case KindLog:
					tolerance = 1e-15 * (4 + 4/math.Log(p.High/p.Low))
				}
				if math.Abs(back[k]-snapped[k]) > tolerance {
					t.Fatalf("%+v: x = %g is %v, encoded %.17g, snapped %.17g", p, x[k], v.values[i], back[k], snapped[k])
				}
				if snapped[k] < -1 || snapped[k] > 1 {
					t.Fatalf("%+v: snapped out of the box to %g", p, snapped[k])
				}
			}
		}
		again, err := s.Decode(snapped)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(v.values, again.values); diff != "" {
			t.Fatalf("the snapped point stands for something else:\n%s", diff)
		}
	})
}

// Of all points that stand for a value, Snap takes the nearest.
func TestSnapIsNearest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SampledFrom([]Param{
			Int("p", -3, 4), LogInt("p", 1, 9), LogInt("p", 5, 7), Ordinal("p", 1, 2, 50), Bool("p"),
			Choice("p", "a", "b"), Choice("p", "a", "b", "c", "d"),
		}).Draw(t, "param")
		s := mustNewRapid(t, p)
		x := anyPoint(t, s)
		snapped := slices.Clone(x)
		if err := s.Snap(snapped); err != nil {
			t.Fatal(err)
		}
		for _, value := range everyValue(p) {
			y, err := s.Encode(ParamsOf(map[string]any{"p": value}))
			if err != nil {
				t.Fatal(err)
			}
			if distance(x, y) < distance(x, snapped)-1e-12 {
				t.Fatalf("%v snaps to %v, but %v at %v is nearer", x, snapped, value, y)
			}
		}
	})
}

func mustNewRapid(t *rapid.T, parts ...Part) *Space {
	s, err := New(parts...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func everyValue(p Param) (values []any) {
	switch p.Kind {
	case KindInt, KindLogInt:
		for v := p.Low; v <= p.High; v++ {
			values = append(values, int64(v))
		}
	case KindOrdinal:
		for _, v := range p.Levels {
			values = append(values, v)
		}
	case KindChoice:
		for _, v := range p.Labels {
			values = append(values, v)
		}
	case KindBool:
		values = []any{false, true}
	}
	return values
}

func distance(x, y []float64) (d float64) {
	for i := range x {
		d += (x[i] - y[i]) * (x[i] - y[i])
	}
	return math.Sqrt(d)
}

func TestCornersAreBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anySpace(t)
		for _, corner := range []float64{-1, 1} {
			x := slices.Repeat([]float64{corner}, s.Dim())
			v, err := s.Decode(x)
			if err != nil {
				t.Fatal(err)
			}
			for i, p := range s.params {
				var want any
				switch p.Kind {
				case KindFloat, KindLog:
					want = map[float64]any{-1: p.Low, 1: p.High}[corner]
				case KindInt, KindLogInt:
					want = map[float64]any{-1: int64(p.Low), 1: int64(p.High)}[corner]
				case KindOrdinal:
					want = map[float64]any{-1: p.Levels[0], 1: p.Levels[len(p.Levels)-1]}[corner]
				default:
					continue
				}
				if v.values[i] != want {
					t.Fatalf("%+v at %g is %v, want %v", p, corner, v.values[i], want)
				}
			}
		}
	})
}

func TestLogMidpoint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		low := math.Pow(10, rapid.Float64Range(-300, 290).Draw(t, "low"))
		high := low * math.Pow(10, rapid.Float64Range(0.1, 10).Draw(t, "decades"))
		v, err := mustNewRapid(t, Log("p", low, high)).Decode([]float64{0})
		if err != nil {
			t.Fatal(err)
		}
		if want := math.Sqrt(low) * math.Sqrt(high); math.Abs(v.values[0].(float64)/want-1) > 1e-12 {
			t.Fatalf("the middle of [%g, %g] is %v, want %g", low, high, v.values[0], want)
		}
	})
}

// A uniform design gives all values of int and ordinal the same weight.
func TestCellsAreEqual(t *testing.T) {
	s := mustNew(t, Int("i", 3, 7), Ordinal("o", 1, 10, 11, 12, 13))
	counts := map[any]int{}
	const n = 1000
	for k := range n {
		x := -1 + (2*float64(k)+1)/n
		v, err := s.Decode([]float64{x, x})
		if err != nil {
			t.Fatal(err)
		}
		counts[v.values[0]]++
		counts[v.values[1]]++
	}
	if len(counts) != 10 {
		t.Errorf("%d values, want 10", len(counts))
	}
	for v, count := range counts {
		if count != n/5 {
			t.Errorf("%v has %d of %d points, want %d", v, count, n, n/5)
		}
	}
}

func TestEncodeErrors(t *testing.T) {
	s := mustNew(t,
		Float("speed", -2, 6), Log("rate", 1e-4, 1), Int("layers", 1, 4), Ordinal("batch", 16, 32, 64),
		Bool("damped"), Choice("solver", "euler", "rk4"), Fixed("g", 9.81),
	)
	good := map[string]any{"speed": 1, "rate": 0.1, "layers": 2.0, "batch": int32(32), "damped": true, "solver": "rk4", "g": 9.81}
	if _, err := s.Encode(ParamsOf(good)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		value any
		want  string
	}{
		{"speed", 7, `parameter "speed" is 7, expected a number in [-2, 6]: use 6 or widen the bounds`},
		{"speed", math.NaN(), `parameter "speed" is NaN, expected a number in [-2, 6]`},
		{"speed", "1,5", `parameter "speed" is "1,5", expected a number in [-2, 6]: write 1.5, with a point`},
		{"batch", "16,0", `parameter "batch" is "16,0", expected one of 16, 32, 64: write 16.0, with a point`},
		{"speed", "fast", `parameter "speed" is "fast", expected a number in [-2, 6]`},
		{"rate", 0, `parameter "rate" is 0, expected a number in [0.0001, 1]: use 0.0001 or widen the bounds`},
		{"layers", 2.5, `parameter "layers" is 2.5, expected a whole number in [1, 4]: use 3`},
		{"layers", 9, `parameter "layers" is 9, expected a whole number in [1, 4]: use 4 or widen the bounds`},
		{"batch", 30, `parameter "batch" is 30, expected one of 16, 32, 64: use 32, the nearest`},
		{"batch", -1, `parameter "batch" is -1, expected one of 16, 32, 64: use 16, the nearest`},
		{"damped", 1, `parameter "damped" is 1, expected true or false`},
		{"solver", "rk5", `parameter "solver" is "rk5", expected one of euler, rk4 (did you mean "rk4"?)`},
		{"solver", nil, `parameter "solver" is <nil>, expected one of euler, rk4`},
		{"g", 10, `parameter "g" is 10, expected the fixed value 9.81: leave it out or use that`},
		{"sped", 1, `parameter "sped" is not in the space (did you mean "speed"?): its parameters are speed, rate, layers, batch, damped, solver, g`},
	} {
		m := map[string]any{}
		for k, v := range good {
			m[k] = v
		}
		m[c.name] = c.value
		_, err := s.Encode(ParamsOf(m))
		if err == nil || err.Error() != c.want {
			t.Errorf("%s = %v says\n%v, want\n%s", c.name, c.value, err, c.want)
		}
	}
	delete(good, "g") // may be left out
	delete(good, "batch")
	if _, err := s.Encode(ParamsOf(good)); err == nil || err.Error() != `parameter "batch" has no value: add "batch":32 or the like` {
		t.Errorf("a missing value says %v", err)
	}
	var refused *valueError
	if _, err := s.Pins(ParamsOf(map[string]any{"speed": 9})); !errors.As(err, &refused) || refused.Param != "speed" {
		t.Errorf("Pins says %v", err)
	}
}

func TestLongListsAreShortened(t *testing.T) {
	s := mustNew(t, Float("w[0:199]", 0, 1))
	_, err := s.Encode(ParamsOf(map[string]any{"speed": 1}))
	if want := `parameter "speed" is not in the space: its parameters are w0, w1, w2, w3, w4, w5, w6, w7, ... (200 in all) ..., w198, w199`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestPins(t *testing.T) {
	s := mustNew(t, Float("f", 0, 4), Fixed("c", 1), Choice("solver", "a", "b", "c"), Int("i", 0, 3))
	pins, err := s.Pins(ParamsOf(map[string]any{"i": 3, "solver": "b", "c": 1}))
	if err != nil {
		t.Fatal(err)
	}
	if want := []Pin{{1, -1}, {2, 1}, {3, -1}, {4, 0.75}}; !slices.Equal(pins, want) {
		t.Errorf("pins %v, want %v", pins, want)
	}
	if first, count, ok := s.Coordinates("solver"); first != 1 || count != 3 || !ok {
		t.Errorf("solver has coordinates %d, %d, %v", first, count, ok)
	}
	if _, _, ok := s.Coordinates("solv"); ok {
		t.Error("an unknown name has coordinates")
	}
}

// The box itself, to the last digit: what a method chooses is what is evaluated.
func TestTheBoxIsItself(t *testing.T) {
	s, err := New(Float("x[0:99]", -1, 1))
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.SliceOfN(rapid.Float64Range(-1, 1), 100, 100).Draw(t, "x")
		v, err := s.Decode(x)
		if err != nil {
			t.Fatal(err)
		}
		back, err := s.Encode(v)
		if err != nil {
			t.Fatal(err)
		}
		for i, name := range s.names {
			if v.Float(name) != x[i] || back[i] != x[i] {
				t.Fatalf("coordinate %d is %v, its value %v, and that encoded %v", i, x[i], v.Float(name), back[i])
			}
		}
	})
}
