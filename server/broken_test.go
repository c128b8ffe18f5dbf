package server_test

import (
	"strings"
	"testing"

	"github.com/mahabo/mahabo/internal/studytest"
	"github.com/mahabo/mahabo/server"
)

// A study that cannot be read does not hide the others, and can be deleted.
func TestBrokenStudy(t *testing.T) {
	for _, c := range []struct{ event, want string }{
		{studytest.Misfit, "event 3 of the log does not fit"},
		{`{}`, "something failed in the server"}, // the rest is for its log
	} {
		t.Run(c.want, func(t *testing.T) { breakStudy(t, c.event, c.want) })
	}
}

func breakStudy(t *testing.T, event, want string) {
	st := open(t, "memory:")
	c := start(t, server.Config{Store: st})
	for _, name := range []string{"a", "broken", "c"} {
		one := rig("sobol")
		one["name"] = name
		c.must("POST", "/v1/studies", one, nil)
		c.must("POST", "/v1/studies/"+name+"/ask", nil, nil)
	}
	studytest.Damage(t, st, "broken", event)
	var list struct {
		Studies []struct {
			Name, Error string
			Trials      int
			Space       map[string]any
			States      map[string]int
		}
	}
	for _, query := range []string{"", "?full=true"} {
		c.must("GET", "/v1/studies"+query, nil, &list)
		if len(list.Studies) != 3 {
			t.Fatalf("the list is %+v", list)
		}
		for _, s := range list.Studies {
			if broken := s.Name == "broken"; broken != strings.Contains(s.Error, want) || broken == (s.Trials == 1) || s.States == nil {
				t.Errorf("%+v", s)
			}
		}
	}
	c.must("DELETE", "/v1/studies/broken", nil, nil)
	c.must("GET", "/v1/studies", nil, &list)
	if len(list.Studies) != 2 {
		t.Errorf("the list is %+v", list)
	}
	c.refused(404, "DELETE", "/v1/studies/broken", nil)
}
