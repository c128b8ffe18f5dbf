package server_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/mahabo/mahabo/server"
)

// JSON has no infinity: sums and differences of the largest numbers that can be told are answers
// all the same, and the list of studies does not break for others.
func TestHugeNumbers(t *testing.T) {
	c := start(t, server.Config{})
	const huge = math.MaxFloat64
	c.must("POST", "/v1/studies", rig("sobol"), nil)
	several := beam("sobol")
	several["outcomes"] = object{"mass": "minimize", "range": "maximize", "temp": "minimize", "stress": object{"at_most": huge / 2}}
	c.must("POST", "/v1/studies", several, nil)
	for i, v := range []float64{huge, -huge, 0, huge / 2, -huge / 2} {
		number := i + 1
		c.must("POST", "/v1/studies/rig/ask", object{}, nil)
		c.must("POST", fmt.Sprintf("/v1/studies/rig/trials/%d/tell", number), object{"value": v, "cost": huge}, nil)
		c.must("POST", "/v1/studies/beam/ask", object{}, nil)
		c.must("POST", fmt.Sprintf("/v1/studies/beam/trials/%d/tell", number), object{"outcomes": object{"mass": v, "range": v, "temp": -v, "stress": -huge}}, nil)
	}
	c.must("GET", "/v1/studies?full=true", nil, &struct{}{})
	for _, name := range []string{"rig", "beam"} {
		for _, what := range []string{"", "/trials", "/best", "/front", "/curve", "/points", "/learning", "/timeline", "/batches"} {
			c.must("GET", "/v1/studies/"+name+what, nil, &struct{}{})
		}
	}
}
