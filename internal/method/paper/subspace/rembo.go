package subspace

import (
	"github.com/mahabo/mahabo/internal/method"
	"github.com/mahabo/mahabo/internal/method/paper/embed"
	"github.com/mahabo/mahabo/internal/rng"
	"github.com/mahabo/mahabo/strategy"
)

// REMBO describes rembo.
func REMBO() strategy.Method {
	return strategy.Method{
		Name:      "rembo",
		Summary:   "searches k random linear subspaces in turn (REMBO): the classic of high-dimensional optimisation, to compare with",
		Reference: "Wang, Hutter, Zoghi, Matheson & de Freitas 2016",
		Options: []strategy.Option{
			{Key: "d", Default: "", Meaning: "dimension of a subspace: a number, or true for the problem's own (default: true where known, else 4)"},
			{Key: "k", Default: "4", Meaning: "number of subspaces, used in rotation, at most 100"},
		},
		New: newREMBO,
	}
}

// newREMBO is REMBO: k independent subspaces x = clamp(Az), A with N(0,1) entries and z
// in [-sqrt(d),sqrt(d)]^d. One subspace holds the minimum only with some probability;
// several make it likelier and share the evaluations.
func newREMBO(cfg strategy.Config, s strategy.Settings) (strategy.Strategy, error) {
	d, err := method.EmbeddingDim(s, cfg, trueDim(cfg))
	if err != nil {
		return nil, err
	}
	k, err := method.Count(s, "k", 4, 100)
	if err != nil {
		return nil, err
	}
	spaces := make([]embed.Subspace, k)
	for i := range spaces {
		spaces[i] = embed.NewGaussian(d, cfg.Domain.Dim(), rng.New(cfg.Seed, uint64(i), rng.Purpose("rembo")))
	}
	return newSubspaceBO(cfg, spaces...), nil
}
