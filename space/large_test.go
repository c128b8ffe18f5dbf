//go:build !race

package space

import (
	"testing"
	"time"
)

// 10,000 parameters load in less than a second. Of five attempts one has to be: other work
// on the machine counts too. The race detector takes ten times as long.
func TestLargeFile(t *testing.T) {
	text := large(10_000)
	best := time.Hour
	for range 5 {
		start := time.Now()
		s, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if s.Dim() != 10_000 {
			t.Fatalf("Dim is %d, want 10,000", s.Dim())
		}
		if best = min(best, time.Since(start)); best < time.Second {
			return
		}
	}
	t.Errorf("10,000 parameters took %v", best)
}
