package study

import (
	"fmt"
	"testing"
)

func TestSketch(t *testing.T) {
	const keys = 20_000
	s := newSketch(keys)
	for i := range keys {
		s.add(fmt.Sprint("key", i))
	}
	wrong := 0
	for i := range keys {
		if !s.maybe(fmt.Sprint("key", i)) {
			t.Fatalf("key %d is lost", i)
		}
		if s.maybe(fmt.Sprint("other", i)) {
			wrong++
		}
	}
	if wrong > keys/1000 {
		t.Errorf("%d of %d keys are taken for known", wrong, keys)
	}
}
