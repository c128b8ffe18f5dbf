package figure

import (
	"strings"
	"testing"

	"gonum.org/v1/plot"
)

func TestTicks(t *testing.T) {
	labels := func(ticks []plot.Tick) string {
		var s []string
		for _, tick := range ticks {
			if tick.Label != "" {
				s = append(s, tick.Label)
			}
		}
		return strings.Join(s, " ")
	}
	for _, c := range []struct {
		low, high   float64
		linear, log string
	}{
		{0, 510, "0 100 200 300 400 500", ""},
		{-0.02, 0.041, "-0.02 -0.01 0.00 0.01 0.02 0.03 0.04", ""},
		{-3.3, -0.5, "-3.0 -2.5 -2.0 -1.5 -1.0 -0.5", ""},
		{25, 1700, "200 400 600 800 1000 1200 1400 1600", "50 100 200 500 1000"},
		{1e12, 4e12, "1e+12 1.5e+12 2e+12 2.5e+12 3e+12 3.5e+12 4e+12", ""},
		{0, 4e-7, "0 1e-07 2e-07 3e-07 4e-07", ""},
		{0.01, 1e5, "20000 40000 60000 80000 100000", "0.01 0.1 1 10 100 1000 10000 100000"},
	} {
		if got := labels(LinearTicks(c.low, c.high)); got != c.linear {
			t.Errorf("%g to %g: ticks %q, want %q", c.low, c.high, got, c.linear)
		}
		if c.log == "" {
			continue
		}
		if got := labels(LogTicks(c.low, c.high)); got != c.log {
			t.Errorf("%g to %g: logarithmic ticks %q, want %q", c.low, c.high, got, c.log)
		}
	}
}
