package problem

import (
	"fmt"
	"strings"

	"github.com/mahabo/mahabo/internal/rng"
)

// All returns every problem in its native dimension.
func All() []Problem {
	return []Problem{newBranin(), newColville(), newGoldstein(), newHartmann6(), newSixHump(), newRover()}
}

// Names returns the names that New knows.
func Names() []string {
	var names []string
	for _, p := range All() {
		names = append(names, p.Name)
	}
	return names
}

// New returns the named problem with dim parameters, or with its native number
// when dim is 0. More parameters than native embed it; the embedding depends
// on (seed, dim, native dimension) alone.
func New(name string, dim int, seed uint64) (Problem, error) {
	for _, p := range All() {
		if p.Name != name {
			continue
		}
		switch {
		case dim == 0 || dim == p.Dim:
			return p, nil
		case dim < p.Dim:
			return Problem{}, fmt.Errorf("dim is %d: problem %s has %d parameters; use dim 0 or %d for the problem itself, more to embed it", dim, name, p.Dim, p.Dim)
		}
		return Embed(p, dim, rng.New(seed, rng.Purpose("embedding"), uint64(dim), uint64(p.Dim)))
	}
	return Problem{}, fmt.Errorf("unknown problem %q: the problems are %s", name, strings.Join(Names(), ", "))
}
