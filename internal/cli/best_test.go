package cli

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/study"
)

// A sample has about as many trials as it may, the first and the last among them.
func TestSampled(t *testing.T) {
	for trials, want := range map[int][2]int{1: {1, 1}, 60: {60, 60}, 65: {33, 65}, 70: {38, 70}, 96: {64, 64}, 1000: {40, 64}, 100_000: {64, 64}} {
		got := sampled(trials, 60)
		if len(got) < want[0] || len(got) > want[1] || got[0] != 1 || got[len(got)-1] != trials || !slices.IsSorted(got) {
			t.Errorf("of %d trials %v are taken", trials, got)
		}
	}
}

func TestEqualValuesShareTheirPlace(t *testing.T) {
	if got, want := ranked([]float64{3, 1, 3, 3, 2}), []float64{3, 0, 3, 3, 1}; !slices.Equal(got, want) {
		t.Errorf("the places are %v, want %v", got, want)
	}
}

// Where values get better with time and a parameter comes to rest at a bound it does not seem to matter; one that
// does is found.
func TestTimeIsNoImportance(t *testing.T) {
	s, err := space.New(space.Float("w[0:49]", -1, 1), space.Float("rest", -1, 1), space.Float("heat", -1, 1), space.Fixed("still", 1))
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 1))
	var trials []study.Trial
	var values []float64
	for i := range 60 {
		x := make([]float64, s.Dim())
		for j := range x {
			x[j] = 2*r.Float64() - 1
			if j < 51 && i >= 10 {
				x[j] = 1
			}
		}
		v, err := s.Decode(x)
		if err != nil {
			t.Fatal(err)
		}
		y := 10/float64(1+i) + v.Float("heat")
		trials, values = append(trials, study.Trial{Number: i + 1, Params: v, Value: &y}), append(values, y)
	}
	ranks := detrended(ranked(values))
	for _, p := range s.Params() {
		if got, known := share(p, trials, ranks, 53); known != (p.Name == "heat") {
			t.Errorf("%s is said to have %g: %v", p.Name, got, known)
		}
	}
	if got, known := share(s.Params()[51], trials[:5], ranks[:5], 53); got != 0 || known {
		t.Errorf("five trials are said to show %g", got)
	}
}

// What is not known is not said.
func TestLineOfParams(t *testing.T) {
	var list rankedParams
	for i := range 10 {
		list = append(list, rankedParam{Param: space.Float(fmt.Sprintf("x%d", i), 0, 1), value: 0.5})
	}
	if got := list.line(2); got != "x0=0.5 x1=0.5 (the first 2 of 10; mahabo best lists more)" {
		t.Error(got)
	}
	for i := range list {
		list[i].share = 0.01 * float64(i)
	}
	if list.sort(); list[0].Name != "x0" {
		t.Errorf("%s comes first", list[0].Name)
	}
	list[4].known = true
	if list.sort(); list[0].Name != "x4" || list[1].Name != "x9" {
		t.Errorf("%s and %s come first", list[0].Name, list[1].Name)
	}
	if got := list.line(2); !strings.HasSuffix(got, "(2 of 10, the most important first; mahabo best lists more)") {
		t.Error(got)
	}
}

// A front of one objective is its best point.
func TestFrontOfOneObjective(t *testing.T) {
	dir := t.TempDir()
	store := "sqlite:" + filepath.Join(dir, "a.db")
	must(t, "study", "create", "s", "--space", writeIn(t, dir, "s.yaml", "parameters:\n  x: {float: [0, 9]}\n"), "--store", store)
	must(t, "study", "import", "s", writeIn(t, dir, "s.csv", "x,value\n5,3\n6,1\n"), "--store", store)
	if _, stderr, code := call(t, "front", "s", "--store", store); code == 0 || !strings.Contains(stderr, "has one objective, so that its front is a single point: mahabo best s shows it") {
		t.Errorf("front says %q", stderr)
	}
}
