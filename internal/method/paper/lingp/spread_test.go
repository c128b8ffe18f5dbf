package lingp

import (
	"math"
	"testing"

	"github.com/mahabo/mahabo/internal/linalg"
)

// The order does not depend on the order before, near it or far from it.
func TestSortAlongForgetsThePast(t *testing.T) {
	const n = 200
	r, z := stream(16), linalg.New(1, n)
	keys := identity(n)
	for _, moved := range []float64{1, 0, 1e-3, 1, -1} {
		for i := range z.Data {
			z.Data[i] = math.Floor(50*(z.Data[i]+moved*r.Float64())) / 50 // with ties
		}
		sortAlong(keys, []float64{1}, z)
		for k, key := range keys {
			if key.u != z.Data[key.i] {
				t.Fatalf("key %d is %g, its point has %g", k, key.u, z.Data[key.i])
			}
			if k > 0 && compareKeys(keys[k-1], key) >= 0 {
				t.Fatalf("keys %v and %v are out of order", keys[k-1], key)
			}
		}
	}
}
