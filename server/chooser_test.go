package server_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mahabo/mahabo/server"
	"github.com/mahabo/mahabo/study"
)

// TestImprovise has a server without patience: batches say that they did not wait,
// and what the model chose too late is served to the next.
func TestImprovise(t *testing.T) {
	st := open(t, "memory:")
	c := start(t, server.Config{Store: st, Patience: time.Nanosecond})
	config := rig("vanilla")
	config["init"] = 2
	c.must("POST", "/v1/studies", config, nil)
	var improvised, chosen int
	for i := range 30 {
		var b batchJSON
		c.must("POST", "/v1/studies/rig/ask", nil, &b)
		switch {
		case *b.Model.Method == "sobol" && b.Model.Fallback != nil && strings.Contains(*b.Model.Fallback, "not ready within 1ns"):
			improvised++
		case *b.Model.Method == "vanilla" && b.Model.Fallback == nil:
			chosen++
		default:
			t.Fatalf("batch %d is by %v, %v", i, b.Model.Method, b.Model.Fallback)
		}
		c.must("POST", fmt.Sprintf("/v1/studies/rig/trials/%d/tell", b.Trials[0].Number), object{"value": i}, nil)
		time.Sleep(time.Millisecond)
	}
	if improvised == 0 || chosen == 0 {
		t.Errorf("%d batches were improvised, %d chosen by the method: want both", improvised, chosen)
	}
}

// TestTogether has many ask at once.
func TestTogether(t *testing.T) {
	st := open(t, "memory:")
	c := start(t, server.Config{Store: st})
	c.must("POST", "/v1/studies", rig("sobol"), nil)
	var wait sync.WaitGroup
	for i := range 40 {
		wait.Go(func() {
			ask := object{"request_id": fmt.Sprint(i / 2), "count": 2} // every request comes twice
			if i%4 == 0 {
				ask["fixed"] = object{"n": 3}
			}
			var b batchJSON
			c.must("POST", "/v1/studies/rig/ask", ask, &b)
			if len(b.Trials) != 2 {
				t.Errorf("request %d got %+v", i, b)
			}
		})
	}
	wait.Wait()
	s, err := study.Open(t.Context(), st, "rig")
	if err != nil {
		t.Fatal(err)
	}
	if sum, err := s.Summary(t.Context()); err != nil || sum.Trials != 40 || sum.Batches != 20 {
		t.Errorf("20 requests for 2 trials each made %+v, %v", sum, err)
	}
}
