package subspace

import (
	"github.com/mahabo/mahabo/internal/method"
	"github.com/mahabo/mahabo/internal/method/paper/embed"
	"github.com/mahabo/mahabo/internal/rng"
	"github.com/mahabo/mahabo/strategy"
)

// HeSBO describes hesbo.
func HeSBO() strategy.Method {
	return strategy.Method{
		Name:      "hesbo",
		Summary:   "ties the parameters to a few random groups that move together (HeSBO): few parameters that matter, among many",
		Reference: "Nayebi, Munteanu & Poloczek 2019",
		Options: []strategy.Option{
			{Key: "d", Default: "", Meaning: "number of groups, or true for the problem's own dimension (default: twice that where known, else 8)"},
		},
		New: newHeSBO,
	}
}

// newHeSBO is HeSBO: one subspace x_j = s_j z_h(j) with random groups h and signs s, which
// needs no clamping. Twice the problem's dimension makes it likelier that the parameters
// that matter fall into different groups.
func newHeSBO(cfg strategy.Config, s strategy.Settings) (strategy.Strategy, error) {
	d, err := method.EmbeddingDim(s, cfg, 2*trueDim(cfg))
	if err != nil {
		return nil, err
	}
	return newSubspaceBO(cfg, embed.NewHashing(d, cfg.Domain.Dim(), rng.New(cfg.Seed, rng.Purpose("hesbo")))), nil
}
