package study_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/store/memory"
	"github.com/mahabo/mahabo/study"
)

// An ask beside many trials without a value, which all are believed.
func BenchmarkAskBesidePending(b *testing.B) {
	for _, state := range []evaluate.State{evaluate.Failed, evaluate.Infeasible} {
		for _, pending := range []int{100, 1000} {
			b.Run(fmt.Sprintf("%s/%d", state, pending), func(b *testing.B) { askBeside(b, state, 20, 100, pending) })
		}
	}
}

func askBeside(b *testing.B, state evaluate.State, dim, complete, pending int) {
	var parts []space.Part
	for i := range dim {
		parts = append(parts, space.Float(fmt.Sprint("x", i), -1, 1))
	}
	r := rand.New(rand.NewPCG(1, 2))
	var rows []study.Row
	for i := range complete + pending {
		all, y := map[string]any{}, 0.0
		for j := range dim {
			x := 2*r.Float64() - 1
			if i >= complete && state == evaluate.Infeasible && j == 0 {
				x = 0.5 + 0.5*r.Float64()
			}
			all[fmt.Sprint("x", j)] = x
			y += (x + 0.2) * (x + 0.2)
		}
		o := evaluate.Outcome{State: state}
		if i < complete {
			o = evaluate.Value(y)
		}
		rows = append(rows, study.Row{Params: space.ParamsOf(all), Outcome: o})
	}
	for b.Loop() {
		b.StopTimer()
		s, err := study.Create(b.Context(), memory.New(), study.Config{Name: "s", Space: newSpace(b, parts...), Method: "adaptive", Seed: 1})
		if err != nil {
			b.Fatal(err)
		}
		if _, _, err := s.Import(b.Context(), "", rows...); err != nil {
			b.Fatal(err)
		}
		for range 3 { // the first is the middle
			first, err := s.Ask(b.Context(), study.AskRequest{Count: 1})
			if err != nil {
				b.Fatal(err)
			}
			if err := s.Tell(b.Context(), first.Trials[0].Number, evaluate.Value(1)); err != nil {
				b.Fatal(err)
			}
		}
		b.StartTimer()
		if _, err := s.Ask(b.Context(), study.AskRequest{Count: 1}); err != nil {
			b.Fatal(err)
		}
	}
}
