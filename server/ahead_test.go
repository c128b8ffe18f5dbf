package server

import (
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/store"
	"github.com/mahabo/mahabo/study"
)

// A method that has no answer is asked ahead once, and again when something new is known.
func TestThinkAheadOnceAfterAFailure(t *testing.T) {
	st, err := store.Open(t.Context(), "memory:")
	if err != nil {
		t.Fatal(err)
	}
	line, err := space.New(space.Float("x", 0, 1))
	if err != nil {
		t.Fatal(err)
	}
	one, err := study.Create(t.Context(), st, study.Config{Name: "rig", Space: line, Method: "sobol"})
	if err != nil {
		t.Fatal(err)
	}
	d := &desk{study: one, bell: newBell(), metrics: newMetrics(func() float64 { return 0 }), log: slog.New(slog.DiscardHandler), usual: 1, slow: time.Hour, closing: t.Context()}
	think := func(failure error) bool {
		d.thinkAhead()
		if d.thought == nil {
			return false
		}
		r := <-d.thought.result
		r.err = failure
		d.finish(r)
		return true
	}
	if !think(errors.New("no idea")) {
		t.Fatal("the desk did not think ahead")
	}
	if think(nil) {
		t.Error("the desk asked the same question again")
	}
	if _, err := one.Ask(t.Context(), study.AskRequest{}); err != nil {
		t.Fatal(err)
	}
	if !think(nil) || d.spare == nil {
		t.Error("the desk did not think about what is new")
	}
	if think(nil) {
		t.Error("the desk thought again with a spare answer")
	}
}
