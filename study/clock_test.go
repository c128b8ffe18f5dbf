package study_test

import (
	"testing"
	"time"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/study"
)

// A clock that jumps by an hour, either way, loses no trial: what a dead worker has is served
// again after its lease, what a living one has stays its own, and each value counts once.
func TestClockJumps(t *testing.T) {
	const lease = time.Minute
	for _, jump := range []time.Duration{time.Hour, -time.Hour} {
		s, st, now := begin(t, study.Config{})
		ask := func(worker string) study.Trial {
			t.Helper()
			b, err := s.Ask(t.Context(), study.AskRequest{Count: 1, Worker: worker, Lease: lease})
			if err != nil {
				t.Fatal(err)
			}
			return b.Trials[0]
		}
		now.advance(time.Minute)
		dead, alive := ask("dead"), ask("alive")
		now.advance(lease / 2)
		now.advance(jump)
		if err := s.Heartbeat(t.Context(), alive.Number, "alive", lease); err != nil {
			t.Fatal(err)
		}
		now.advance(lease * 3 / 4)
		if err := s.Heartbeat(t.Context(), alive.Number, "alive", lease); err != nil {
			t.Fatal(err)
		}
		s = reopen(t, st, now) // after the jump another process may be asked
		if again := ask("third"); again.Number != dead.Number {
			t.Errorf("clock moved by %s: the third worker gets trial %d, not %d of the dead one", jump, again.Number, dead.Number)
		}
		if next := ask("fourth"); next.Number == alive.Number || next.Number == dead.Number {
			t.Errorf("clock moved by %s: trial %d of a living worker was given to another", jump, next.Number)
		}
		for number, value := range map[int]float64{dead.Number: 1, alive.Number: 2} {
			for range 2 { // the dead one was only slow
				if err := s.Tell(t.Context(), number, evaluate.Outcome{Value: value}); err != nil {
					t.Errorf("clock moved by %s: %v", jump, err)
				}
			}
		}
		sum, err := s.Summary(t.Context())
		if err != nil || sum.Trials != 3 || sum.States[evaluate.Complete] != 2 || sum.States[study.Running] != 1 {
			t.Errorf("clock moved by %s: %+v, %v", jump, sum.States, err)
		}
	}
}
