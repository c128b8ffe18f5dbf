package maha

import (
	"math/rand/v2"

	"github.com/mahabo/mahabo/internal/method/paper/lingp"
	"github.com/mahabo/mahabo/internal/num"
	"github.com/mahabo/mahabo/strategy"
)

// RBF describes rbf.
func RBF() strategy.Method {
	return strategy.Method{
		Name:      "rbf",
		Summary:   "maha with a plain kernel, one length-scale per parameter (EST + k-DPP): up to some twenty parameters; to compare with maha",
		Reference: "Horiguchi, Iwata, Tsuzuki & Ozawa 2022; Kathuria, Deshpande & Kohli 2016",
		Batch:     true,
		New:       newRBF,
	}
}

// newRBF is RBF-BO of the paper: the loop of maha with the kernel
// s exp(-½ sum_j (x_j-x'_j)²/l_j²), every l_j from softplus(0) = 0.69.
//
// The paper's ten restarts all begin at these values, so they are ten times the same
// run: one is made. In many dimensions (from about sixty) random points are so many
// length-scales apart that the likelihood has no slope in any l_j: K is diagonal, the
// acquisition function flat and the method a random search.
func newRBF(cfg strategy.Config, _ strategy.Settings) (strategy.Strategy, error) {
	m := newMahaLoop(cfg)
	m.fits = 1
	m.kernel = func(*rand.Rand) lingp.Kernel {
		l := make([]float64, m.Dim)
		for j := range l {
			l[j] = num.Softplus(0)
		}
		return lingp.RBFARD(l)
	}
	return m, nil
}
