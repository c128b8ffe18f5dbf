package embed_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/mahabo/mahabo/internal/linalg"
	"github.com/mahabo/mahabo/internal/method/paper/embed"
)

func Example() {
	// z = x1 + x2 forgets the third coordinate.
	B := linalg.Matrix{Rows: 1, Cols: 3, Stride: 3, Data: []float64{1, 1, 0}}
	pinv, err := embed.NewPseudoInverse(B)
	if err != nil {
		fmt.Println(err)
		return
	}
	random := embed.NewRandomised(pinv)
	ctx, r := context.Background(), rand.New(rand.NewPCG(1, 2))
	x := make([]float64, 3)
	for _, h := range []embed.Reconstruction{pinv, random} {
		if err := h.Reconstruct(ctx, x, []float64{1}, r); err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("z = %.2f at %.2f\n", x[0]+x[1], x)
	}
	// Output:
	// z = 1.00 at [0.50 0.50 0.00]
	// z = 1.00 at [0.72 0.28 0.02]
}
