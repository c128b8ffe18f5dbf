package bench

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSignedRank(t *testing.T) {
	for _, c := range []struct {
		name      string
		d         []float64
		effect, p float64
	}{
		{"nothing", nil, 0, 1},
		{"all equal", []float64{0, 0}, 0, 1},
		{"one", []float64{-3}, 1, 1},
		{"five of one sign", []float64{-1, -2, -3, -4, -5}, 1, 2. / 32},
		{"zeros do not count", []float64{-1, 0, -2, -3, 0, -4, -5}, 1, 2. / 32},
		{"balanced", []float64{1, -2, -3, 4}, 0, 1},
		// Hollander and Wolfe (1973), page 29: depression scores of nine
		// patients, V = 40; 10 of the 512 signs give a sum of 5 or less.
		{"depression", []float64{0.952, -0.147, 1.022, 0.43, 0.62, 0.59, 0.49, -0.08, 0.01}, -35. / 45, 20. / 512},
	} {
		effect, p := signedRank(c.d)
		if math.Abs(effect-c.effect) > 1e-14 || math.Abs(p-c.p) > 1e-14 {
			t.Errorf("%s: effect %g, p %.15g, want %g and %.15g", c.name, effect, p, c.effect, c.p)
		}
	}
}

// The distribution equals the enumeration of all signs, ties included.
func TestSignedRankEqualsEnumeration(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		d := make([]float64, 1+r.IntN(9))
		for i := range d {
			d[i] = float64(r.IntN(11) - 5) // many ties, some zeros
		}
		effect, p := signedRank(d)
		distance := func(d []float64) float64 { e, _ := signedRank(d); return math.Abs(e) }
		var as, all float64
		for signs := range 1 << len(d) {
			flipped := make([]float64, len(d))
			for i, v := range d {
				flipped[i] = math.Abs(v) * float64(2*(signs>>i&1)-1)
			}
			all++
			if distance(flipped) >= math.Abs(effect)-1e-12 {
				as++
			}
		}
		if want := as / all; math.Abs(p-want) > 1e-12 {
			t.Fatalf("%v: p is %.15g, enumeration gives %.15g", d, p, want)
		}
	}
}

func TestNormalTailIsClose(t *testing.T) {
	ranks := make([]int, exactPairs)
	var mean, variance float64
	for i := range ranks {
		ranks[i] = 2 * (i + 1)
		mean += float64(i + 1)
		variance += float64(i+1) * float64(i+1)
	}
	for _, deviations := range []float64{0.5, 1, 2, 3} {
		w := int(mean-deviations*math.Sqrt(variance)) / 2 * 2
		if got, want := normalTail(ranks, w), exactTail(ranks, w); math.Abs(got/want-1) > 0.06 {
			t.Errorf("%g deviations: the approximation gives %g, the distribution %g", deviations, got, want)
		}
	}
}

func TestHolm(t *testing.T) {
	got := holm([]float64{0.04, 0.01, 0.03, 0.5})
	want := []float64{0.09, 0.04, 0.09, 0.5}
	if diff := cmp.Diff(want, got, cmp.Comparer(closeOrNaN)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// with returns the trials of a method whose best values are given.
func with(method string, best ...float64) []Trial {
	var trials []Trial
	for i, b := range best {
		tr := sample(method, i)
		tr.Best = b
		tr.Curve = []float64{b + 2, b + 1, b, b, b}
		trials = append(trials, tr)
	}
	return trials
}

func TestPairs(t *testing.T) {
	a := with("sobol", 1, 2, 3, 4, 5, 6)
	b := with("random", 2, 4, 6, 8, 10, 6, 99)
	list, err := PairMethods(append(a, b...), "sobol", "random")
	if err != nil || len(list) != 1 {
		t.Fatalf("%d rows, %v", len(list), err)
	}
	se := math.Sqrt(17.5 / 5 / 6) // differences 0 .. -5: mean -2.5, squared deviations 17.5
	want := Paired{
		Cell: Cell{"", "branin", 5, 2}, Pairs: 6, First: 3.5, Second: 6, Difference: -2.5, SE: &se,
		Lower: 5, Effect: 1, P: 2. / 32, Adjusted: 2. / 32,
	}
	if diff := cmp.Diff(want, list[0], cmp.Comparer(closeOrNaN)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if list[0].Verdict() != "no difference shown" {
		t.Errorf("verdict %q at p = 0.06", list[0].Verdict())
	}

	few, err := PairMethods(append(with("sobol", 1, 2, 3), with("random", 2, 4, 6)...), "sobol", "random")
	if err != nil || few[0].Verdict() != "3 pairs cannot show one, 6 can" {
		t.Errorf("the verdict of three pairs is %q, %v", few[0].Verdict(), err)
	}

	better := with("sobol", 0, 1, 2, 3, 4, 5)
	list, err = PairFolders(a, append(better, b...))
	if err != nil || len(list) != 1 || list[0].Verdict() != "second lower" || list[0].Method != "sobol" {
		t.Fatalf("%+v, %v", list, err)
	}
	text := render(t, func(w *strings.Builder) error { return ComparePaired(w, list, "before", "after", Text) })
	for _, part := range []string{"first: before, second: after", "sobol", "0/0/6", "-1.00", "0.031", "second lower"} {
		if !strings.Contains(text, part) {
			t.Errorf("the table lacks %q:\n%s", part, text)
		}
	}

	short := with("sobol", 1)
	short[0].Evals = 2
	for name, second := range map[string][]Trial{"no common cell": b, "no trial": nil, "evals 3": short} {
		if _, err := PairFolders(a, second); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := PairMethods(a, "sobol", "turbo"); err == nil {
		t.Error("a method that was not measured was compared")
	}
}
