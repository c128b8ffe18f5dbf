package strategy

import (
	"context"
	"fmt"
	"testing"

	"github.com/mahabo/mahabo/internal/rng"
)

func BenchmarkRBFAsk(b *testing.B) {
	for _, dim := range []int{10, 100, 1000} {
		b.Run(fmt.Sprintf("n=300/D=%d", dim), func(b *testing.B) {
			s, err := New("rbf", Config{Dim: dim})
			if err != nil {
				b.Fatal(err)
			}
			for i := range 300 {
				x := make(Point, dim)
				rng.NewFiller(rng.New(uint64(i))).Uniform(x)
				if err := s.Tell(Observation{x, ridge(x)}); err != nil {
					b.Fatal(err)
				}
			}
			for b.Loop() {
				if _, err := s.Ask(context.Background(), 1, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
