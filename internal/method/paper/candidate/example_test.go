package candidate_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/mahabo/mahabo/internal/method/paper/candidate"
)

// tilted is a bowl whose centre (0.5, 2) lies outside the box.
type tilted struct{}

func (tilted) Value(x []float64) float64 {
	return (x[0]-0.5)*(x[0]-0.5) + (x[1]-2)*(x[1]-2)
}

func (t tilted) ValueGrad(grad, x []float64) float64 {
	grad[0], grad[1] = 2*(x[0]-0.5), 2*(x[1]-2)
	return t.Value(x)
}

func ExampleMinimize() {
	r := rand.New(rand.NewPCG(1, 2))
	x, value, err := candidate.Minimize(context.Background(), tilted{}, 2, candidate.Options{}, r)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.3f at (%.3f, %.3f)\n", value, x[0], x[1])
	// Output: 1.000 at (0.500, 1.000)
}
