package embed

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/mahabo/mahabo/internal/linalg"
)

// Map takes points of the box to a space of fewer dimensions.
type Map interface {
	// Dims returns d and D.
	Dims() (low, high int)
	// Apply computes z from x.
	Apply(z, x []float64)
	// Pullback turns a gradient in z into one in x: gradX = Jᵀ gradZ.
	Pullback(gradX, gradZ []float64)
}

// Reconstruction fills x with a point of the box for z. Only the randomised ones use rng.
type Reconstruction interface {
	Reconstruct(ctx context.Context, x, z []float64, rng *rand.Rand) error
}

// Linear is z = Bx.
type Linear struct {
	B linalg.Matrix // d x D
}

var _ Map = Linear{}

// Dims returns d and D.
func (l Linear) Dims() (low, high int) { return l.B.Rows, l.B.Cols }

// Apply computes z = Bx.
func (l Linear) Apply(z, x []float64) {
	for a := range z {
		z[a] = linalg.Dot(l.B.Row(a), x)
	}
}

// Pullback computes gradX = Bᵀ gradZ.
func (l Linear) Pullback(gradX, gradZ []float64) {
	clear(gradX)
	for a, g := range gradZ {
		linalg.Axpy(gradX, g, l.B.Row(a))
	}
}

// check refuses what no reconstruction can use.
func (l Linear) check(x, z []float64) error {
	if len(x) != l.B.Cols || len(z) != l.B.Rows {
		return fmt.Errorf("embed: x has %d entries and z %d: the embedding needs %d and %d", len(x), len(z), l.B.Cols, l.B.Rows)
	}
	for a, v := range z {
		if v-v != 0 {
			return fmt.Errorf("embed: z[%d] is %g: only finite points can be reconstructed", a, v)
		}
	}
	return nil
}

// checkMatrix refuses an empty B and entries that are not finite.
func checkMatrix(B linalg.Matrix) error {
	if B.Rows < 1 || B.Cols < B.Rows {
		return fmt.Errorf("embed: B is %d x %d: it must have at least one row and not more rows than columns", B.Rows, B.Cols)
	}
	for a := range B.Rows {
		for j, v := range B.Row(a) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("embed: B[%d,%d] is %g: an embedding needs finite entries", a, j, v)
			}
		}
	}
	return nil
}
