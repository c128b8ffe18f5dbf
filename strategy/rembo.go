package strategy

import (
	"github.com/mahabo/mahabo/internal/embed"
	"github.com/mahabo/mahabo/internal/rng"
)

func remboMethod() Method {
	return Method{
		Name:      "rembo",
		Summary:   "searches k random linear subspaces in turn (REMBO): the classic of high-dimensional optimisation, to compare with",
		Reference: "Wang, Hutter, Zoghi, Matheson & de Freitas 2016",
		Options: []Option{
			{"d", "", "dimension of a subspace: a number, or true for the problem's own (default: true where known, else 4)"},
			{"k", "4", "number of subspaces, used in rotation, at most 100"},
		},
		build: newREMBO,
	}
}

// newREMBO is REMBO: k independent subspaces x = clamp(Az), A with N(0,1) entries and z
// in [-sqrt(d),sqrt(d)]^d. One subspace holds the minimum only with some probability;
// several make it likelier and share the evaluations.
func newREMBO(cfg Config, s settings) (Strategy, error) {
	d, err := s.embeddingDim(cfg, trueDim(cfg))
	if err != nil {
		return nil, err
	}
	k, err := s.count("k", 4, 100)
	if err != nil {
		return nil, err
	}
	spaces := make([]embed.Subspace, k)
	for i := range spaces {
		spaces[i] = embed.NewGaussian(d, cfg.Dim, rng.New(cfg.Seed, uint64(i), rng.Purpose("rembo")))
	}
	return newSubspaceBO(cfg, spaces...), nil
}
