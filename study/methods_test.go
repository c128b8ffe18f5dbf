package study_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/internal/method"
	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/study"
)

// The units of parameters do not matter: studies that differ in their bounds alone start with
// the same points of the box, in the design and with the first two of the model.
func TestBoundsDoNotMatter(t *testing.T) {
	const dim, design, trials = 3, 6, 8
	bounds := [][2]float64{{-1, 1}, {0, 10}, {-5, 10}}
	for _, method := range []string{"adaptive", "turbo", "turbo:m=1", "vanilla", "maha:d=1"} {
		var want [][]float64
		for _, b := range bounds {
			s, _, _ := begin(t, study.Config{
				Space: newSpace(t, space.Float(fmt.Sprintf("x[0:%d]", dim-1), b[0], b[1])), Method: method, Init: design, Seed: 5,
			})
			for i := range trials {
				trial := ask(t, s, study.AskRequest{}).Trials[0]
				x, value := make([]float64, dim), 0.0
				for j := range x {
					v := trial.Params.Float(fmt.Sprintf("x%d", j))
					x[j] = 2*(v-b[0])/(b[1]-b[0]) - 1
					value += (x[j] - 0.3) * (x[j] - 0.3)
				}
				tell(t, s, trial.Number, math.Round(1e6*value)/1e6) // rounding would grow with the model
				if b == bounds[0] {
					want = append(want, x)
					continue
				}
				for j, v := range x {
					if math.Abs(v-want[i][j]) > 1e-9 {
						t.Errorf("%s: trial %d with bounds %v is at %v of the box, with %v at %v", method, i+1, b, x, bounds[0], want[i])
						break
					}
				}
			}
		}
	}
}

// A trust region of turbo shrinks on a flat function and starts again with a new design,
// whatever the first parameter is: points are moved to values that it can have on their way,
// and come back with their tags.
func TestTurboResizesWithAllKinds(t *testing.T) {
	for _, c := range []struct {
		name  string
		first space.Part
	}{
		{"float", space.Float("p", 0, 10)},
		{"int", space.Int("p", 1, 5)},
		{"log", space.Log("p", 1e-5, 1e-1)},
		{"log int", space.LogInt("p", 1, 1000)},
		{"choice", space.Choice("p", "a", "b", "c")},
		{"bool", space.Bool("p")},
	} {
		t.Run(c.name, func(t *testing.T) {
			const design = 4
			s, st, now := begin(t, study.Config{Space: newSpace(t, c.first, space.Float("x[0:1]", -1, 1)), Method: "turbo:m=1", Init: design, Seed: 2})
			patience := max(4, s.Config().Space.Dim()) // evaluations without progress that halve the side
			const halvings = 7                         // from 0.8 to less than 2^-7
			var distance []float64                     // of each trial to the first, which stays the best
			var first space.Params
			next := func() {
				t.Helper()
				trial := ask(t, s, study.AskRequest{}).Trials[0]
				if first.Len() == 0 {
					first = trial.Params
				}
				distance = append(distance, math.Hypot(trial.Params.Float("x0")-first.Float("x0"), trial.Params.Float("x1")-first.Float("x1")))
				tell(t, s, trial.Number, 1)
			}
			for range design + halvings*patience {
				next()
			}
			mean := func(d []float64) (m float64) {
				for _, v := range d {
					m += v / float64(len(d))
				}
				return m
			}
			proposed := distance[design:]
			if early, late := mean(proposed[:patience]), mean(proposed[len(proposed)-patience:]); !(late < early/16) {
				t.Errorf("points are %.3g from the best at first, %.3g in the end: the side has fallen to a 64th", early, late)
			}
			s = reopen(t, st, now)
			for range design {
				next()
			}
			if again := mean(distance[len(distance)-design+1:]); again < 0.1 {
				t.Errorf("after the restart points are %.3g from the best", again)
			}
			for k, tag := range tags(t, st)[design+halvings*patience:] {
				if want := fmt.Sprintf("region 0 life 1 point %d", k); tag != want {
					t.Errorf("point %d after the restart has the tag %q, want %q", k, tag, want)
				}
			}
			if err := study.Verify(t.Context(), events(t, st)); err != nil {
				t.Error(err)
			}
		})
	}
}

// tags are those of the trials, as methods get them back.
func tags(t *testing.T, st study.Store) []string {
	t.Helper()
	list, err := study.Tags(events(t, st))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// Logs of the time before there were tags say so to methods; points of the user never had one.
func TestTagsOfOldLogs(t *testing.T) {
	s, st, _ := begin(t, study.Config{Method: "turbo:m=1", Init: 2})
	ask(t, s, study.AskRequest{Count: 2})
	if _, err := s.Enqueue(t.Context(), study.EnqueueRequest{Params: []space.Params{values(map[string]any{"x": 3.5})}}); err != nil {
		t.Fatal(err)
	}
	log := events(t, st)
	if got := strings.Join(tags(t, st), "|"); got != "region 0 life 0 point 0|region 0 life 0 point 1|" {
		t.Errorf("the tags are %q", got)
	}
	created := *log[0].Created
	created.Format = 0
	log[0].Created = &created
	for i, e := range log {
		if e.Asked == nil {
			continue
		}
		asked := *e.Asked
		asked.New = append([]study.Placed(nil), asked.New...)
		for k := range asked.New {
			asked.New[k].Tag = ""
		}
		log[i].Asked = &asked
	}
	got, err := study.Tags(log)
	if err != nil || strings.Join(got, "|") != method.OldTag+"|"+method.OldTag+"|" {
		t.Errorf("the tags of an old log are %q, %v", got, err)
	}
}

// A failed trial keeps its tag, and comes back with it when it is tried again.
func TestTagsOfFailedTrials(t *testing.T) {
	s, st, _ := begin(t, study.Config{Method: "turbo:m=1", Init: 2})
	number := ask(t, s, study.AskRequest{}).Trials[0].Number
	if err := s.Tell(t.Context(), number, evaluate.Outcome{State: evaluate.Failed}); err != nil {
		t.Fatal(err)
	}
	if n := ask(t, s, study.AskRequest{}).Trials[0].Number; n != number+1 {
		t.Fatalf("trial %d is asked for", n)
	}
	want := "region 0 life 0 point 0|region 0 life 0 point 1"
	if got := strings.Join(tags(t, st), "|"); got != want {
		t.Errorf("the tags are %q, want %q", got, want)
	}
	tell(t, s, number, 1)
	if got := strings.Join(tags(t, st), "|"); got != want {
		t.Errorf("after the value the tags are %q, want %q", got, want)
	}
}
