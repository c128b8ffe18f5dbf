package former

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/strategy"
)

func newSpace(t *testing.T, params ...space.Part) *space.Space {
	t.Helper()
	sp, err := space.New(params...)
	if err != nil {
		t.Fatal(err)
	}
	return sp
}

func bowl(a, b float64) float64 { return (a-3)*(a-3) + 4*(b-1)*(b-1) }

// bowlTrials are of a study with the parameters a in [0, 10] and b in [-3, 3].
func bowlTrials(n int) (trials []Trial) {
	r := rand.New(rand.NewPCG(1, 2))
	for range n {
		a, b := 10*r.Float64(), 6*r.Float64()-3
		trials = append(trials, Trial{space.ParamsOf(map[string]any{"a": a, "b": b, "gone": "x"}), bowl(a, b)})
	}
	return trials
}

func fitOne(t *testing.T, sp *space.Space, trials []Trial) *Model {
	t.Helper()
	s, err := New("old", sp, trials)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal([]Source{s}) // as a log keeps it
	if err != nil {
		t.Fatal(err)
	}
	var sources []Source
	if err := json.Unmarshal(text, &sources); err != nil {
		t.Fatal(err)
	}
	m, err := Fit(t.Context(), sp, sources)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// observe evaluates f at points of a space.
func observe(t *testing.T, sp *space.Space, n int, f func(v space.Params) float64) (obs []strategy.Observation) {
	t.Helper()
	r := rand.New(rand.NewPCG(3, 4))
	for range n {
		x := make(strategy.Point, sp.Dim())
		for j := range x {
			x[j] = 2*r.Float64() - 1
		}
		v, err := sp.Decode(x)
		if err != nil {
			t.Fatal(err)
		}
		obs = append(obs, strategy.Observation{X: x, Y: []float64{f(v)}})
	}
	return obs
}

// The unit and the offset of a former study are found, with other bounds and another parameter.
func TestAnotherUnitIsLearned(t *testing.T) {
	sp := newSpace(t, space.Float("a", 1, 9), space.Float("b", -2, 2.5), space.Float("c", 0, 1))
	m := fitOne(t, sp, bowlTrials(40))
	own := observe(t, sp, 12, func(v space.Params) float64 { return 100 - 7*4 + 7*bowl(v.Float("a"), v.Float("b")) })
	obs, found := m.Observations(own)
	if f := found[0]; !f.Used || math.Abs(f.Scale-7) > 1.2 || math.Abs(f.Offset-72) > 30 || f.Gain < 0.8 {
		t.Errorf("it found %+v: %s", found[0], found[0])
	}
	if len(obs) != 40 {
		t.Errorf("there are %d observations", len(obs))
	}
	for _, o := range obs {
		if len(o.X) != 3 || o.Std[0] <= 0 || math.IsNaN(o.Y[0]) {
			t.Fatalf("an observation is %+v", o)
		}
	}
	again, _ := m.Observations(own)
	if len(again) != len(obs) || again[0].Y[0] != obs[0].Y[0] {
		t.Error("the same new values give other observations")
	}
}

// A study that has nothing to do with the new one, and one that says the opposite, are not used.
func TestUnrelatedIsDropped(t *testing.T) {
	sp := newSpace(t, space.Float("a", 0, 10), space.Float("b", -3, 3))
	m := fitOne(t, sp, bowlTrials(40))
	for name, f := range map[string]func(v space.Params) float64{
		"waves":    func(v space.Params) float64 { return math.Sin(7*v.Float("a")) + math.Cos(9*v.Float("b")) },
		"opposite": func(v space.Params) float64 { return -bowl(v.Float("a"), v.Float("b")) },
	} {
		obs, found := m.Observations(observe(t, sp, 20, f))
		if len(obs) > 0 || found[0].Used || !strings.Contains(found[0].String(), "not used") {
			t.Errorf("%s: %s", name, found[0])
		}
	}
	if obs, found := m.Observations(nil); len(obs) > 0 || !strings.Contains(found[0].String(), "too few") {
		t.Errorf("without new values: %s", found[0])
	}
}

func TestProbesAreApart(t *testing.T) {
	sp := newSpace(t, space.Float("a", 0, 10), space.Float("b", -3, 3))
	probes := fitOne(t, sp, bowlTrials(60)).Probes()
	if len(probes) != 2 {
		t.Fatalf("there are %d probes", len(probes))
	}
	v, err := sp.Decode(probes[0])
	if err != nil {
		t.Fatal(err)
	}
	if bowl(v.Float("a"), v.Float("b")) > 2 {
		t.Errorf("the first probe is %s", v)
	}
	for i, p := range probes {
		if !apart(p, probes[:i]) {
			t.Errorf("probe %d is near another", i)
		}
	}
}

// Of many trials the best and some of the others are kept; values beyond bounds move to them, and
// labels that the space does not have leave a row out.
func TestSource(t *testing.T) {
	sp := newSpace(t, space.Float("a", 2, 4), space.Int("n", 1, 5), space.Choice("k", "p", "q"), space.Ordinal("o", 1, 10))
	var trials []Trial
	for i := range 1000 {
		label := "p"
		if i%10 == 0 {
			label = "unknown"
		}
		trials = append(trials, Trial{space.ParamsOf(map[string]any{"a": float64(i) / 100, "n": i, "k": label, "o": 7.0}), float64((i * 7) % 1000)})
	}
	s, err := New("old", sp, trials)
	if err != nil || len(s.Rows) < mostRows/2 || len(s.Rows) > mostRows+1 || s.Trials != 1000 || s.Values[0] != 0 {
		t.Fatalf("%d rows of %d are kept: %v", len(s.Rows), s.Trials, err)
	}
	x, y, err := s.place(sp)
	if err != nil || len(x) != len(y) || len(x) == 0 || len(x) >= len(s.Rows) {
		t.Errorf("%d of %d rows have a place: %v", len(x), len(s.Rows), err)
	}
	if _, err := New("old", newSpace(t, space.Float("z", 0, 1)), trials); err == nil || !strings.Contains(err.Error(), "none of the parameters") {
		t.Errorf("a study that shares no parameter gave %v", err)
	}
	if _, err := New("old", sp, nil); err == nil || !strings.Contains(err.Error(), "no complete trial") {
		t.Errorf("an empty study gave %v", err)
	}
}
