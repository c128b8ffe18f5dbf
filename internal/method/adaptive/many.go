package adaptive

import "github.com/mahabo/mahabo/internal/gp"

// growers keep the factors of models with weights between calls of Ask.
type growers struct{ slots []growerSlot }

type growerSlot struct {
	model  int // its number
	inUse  bool
	grower *gp.Grower
}

// of returns the one of model k, with the memory of another one that is not in use where it has none.
func (g *growers) of(k, threads int) *gp.Grower {
	free := -1
	for i := range g.slots {
		if s := &g.slots[i]; s.model == k {
			s.inUse = true
			return s.grower
		} else if !s.inUse {
			free = i
		}
	}
	if free < 0 {
		free = len(g.slots)
		g.slots = append(g.slots, growerSlot{grower: &gp.Grower{Threads: threads}})
	}
	g.slots[free].model, g.slots[free].inUse = k, true
	return g.slots[free].grower
}

// thin ends the use of all, and keeps the first only: each has 8n² bytes.
func (g *growers) thin() {
	if len(g.slots) > 1 {
		clear(g.slots[1:])
		g.slots = g.slots[:1]
	}
	if len(g.slots) > 0 {
		g.slots[0].inUse = false
	}
}
