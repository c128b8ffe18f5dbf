package acquisition_test

import (
	"fmt"

	"github.com/mahabo/mahabo/internal/method/paper/acquisition"
)

func ExampleEST() {
	mean := []float64{0.2, -0.4, 0.9}
	std := []float64{0.5, 0.3, 0.8}
	beta, minimum := acquisition.EST(mean, std, -0.5)
	fmt.Printf("beta %.4f aims at %.4f\n", beta, minimum)
	// Output: beta 0.6794 aims at -0.6038
}
