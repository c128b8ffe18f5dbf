package cli

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

func TestLinesComeSlowly(t *testing.T) {
	var out bytes.Buffer
	p := &lines{out: &out, unit: "trials", every: time.Hour}
	for done := range 5 {
		p.update(done, 4, "text")
	}
	if got := out.String(); got != "0/4 trials  text\n" {
		t.Errorf("before the end: %q", got)
	}
	p.close()
	p.close()
	if got := out.String(); got != "0/4 trials  text\n4/4 trials  text\n" {
		t.Errorf("at the end: %q", got)
	}

	out.Reset()
	p = &lines{out: &out, unit: "trials"}
	for done := range 5 {
		p.update(done, 4, "text")
	}
	if n := strings.Count(out.String(), "\n"); n != 5 {
		t.Errorf("without a pause: %d lines", n)
	}
}

// A bar that is not full, full, or never started must not hang when it closes.
func TestBarCloses(t *testing.T) {
	for name, updates := range map[string]int{"never started": 0, "interrupted": 3, "full": 5} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			b := &bar{out: &out, unit: "trials"}
			for done := range updates {
				b.update(done, 4, "text")
			}
			closed := make(chan struct{})
			go func() { b.close(); close(closed) }()
			select {
			case <-closed:
			case <-time.After(10 * time.Second):
				t.Fatal("close hangs")
			}
		})
	}
}
