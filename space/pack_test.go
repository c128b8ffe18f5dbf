package space

import (
	"maps"
	"math"
	"testing"

	"pgregory.net/rapid"
)

// What is packed comes back to the last digit.
func TestPack(t *testing.T) {
	s := mustNew(t, Float("x", -1, 3), Log("l", 1e-5, 1), Int("n", -4, 900), LogInt("m", 1, 1<<39), Ordinal("o", 0.1, 0.7, 9),
		Bool("b"), Choice("c", "one", "two", "three"), Fixed("f", "word"), Fixed("g", 2.5))
	rapid.Check(t, func(t *rapid.T) {
		x := make([]float64, s.Dim())
		for i := range x {
			x[i] = rapid.Float64Range(-1, 1).Draw(t, "x")
		}
		v, err := s.Decode(x)
		if digits := rapid.IntRange(0, 12).Draw(t, "digits"); digits < 10 { // as people write numbers
			all := maps.Collect(v.All())
			power := math.Pow(10, float64(digits))
			all["x"] = math.Round(all["x"].(float64)*power) / power
			v, err = s.Complete(ParamsOf(all))
		}
		if err != nil {
			t.Fatal(err)
		}
		data, err := s.Pack(v)
		if err != nil {
			t.Fatal(err)
		}
		back, err := s.Unpack(data)
		if err != nil || back.String() != v.String() {
			t.Fatalf("%s became %s, %v", v, back, err)
		}
		for cut := range data {
			if _, err := s.Unpack(data[:cut]); err == nil {
				t.Fatalf("%d of %d bytes were taken", cut, len(data))
			}
		}
		if _, err := s.Unpack(append(data, 0)); err == nil {
			t.Fatal("a byte too many was taken")
		}
	})
	if _, err := s.Pack(ParamsOf(map[string]any{"x": "a"})); err == nil {
		t.Error("a word was packed as a number")
	}
}
