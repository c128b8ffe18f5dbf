// Package methods is the list of the methods that come with mahabo.
package methods

import (
	"github.com/mahabo/mahabo/internal/method/adaptive"
	"github.com/mahabo/mahabo/internal/method/paper/alebo"
	"github.com/mahabo/mahabo/internal/method/paper/maha"
	"github.com/mahabo/mahabo/internal/method/paper/silbo"
	"github.com/mahabo/mahabo/internal/method/paper/subspace"
	"github.com/mahabo/mahabo/internal/method/paper/turbo"
	"github.com/mahabo/mahabo/internal/method/simple"
	"github.com/mahabo/mahabo/internal/method/vanilla"
	"github.com/mahabo/mahabo/strategy"
)

// BuiltIn returns the registry of these methods.
func BuiltIn() *strategy.Registry {
	r, err := strategy.NewRegistry(
		adaptive.Method(),
		maha.Method(), maha.Pinv(), maha.Random(),
		maha.RBF(), subspace.REMBO(), subspace.HeSBO(), alebo.Method(), silbo.Method(),
		turbo.Method(), vanilla.Method(),
		simple.CMAES(), simple.Sobol(), simple.Random(),
	)
	if err != nil {
		panic(err) // two built-in methods of one name: a test sees it
	}
	return r
}
