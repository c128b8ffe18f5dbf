package insight

import (
	"cmp"
	"slices"

	"github.com/mahabo/mahabo/internal/linalg"
	"github.com/mahabo/mahabo/space"
)

// coordinate is what a coordinate of the box stands for.
type coordinate struct {
	param int    // among those that vary
	name  string // of the parameter
	label string // of a choice with one coordinate per label
	ends  [2]string
}

// coordinates lists those of a space. ends are the two values of a bool or a choice
// between two labels.
func coordinates(s *space.Space) []coordinate {
	var list []coordinate
	param := 0
	for _, p := range s.Params() {
		_, count, _ := s.Coordinates(p.Name)
		for k := range count {
			c := coordinate{param: param, name: p.Name}
			switch {
			case count > 1:
				c.label = p.Labels[k]
			case p.Kind == space.KindBool:
				c.ends = [2]string{"false", "true"}
			case p.Kind == space.KindChoice:
				c.ends = [2]string(p.Labels)
			}
			list = append(list, c)
		}
		if count > 0 {
			param++
		}
	}
	return list
}

// shares returns the mean squared slope along each parameter, of all parameters' sum 1.
func (a *analyst) shares(gradients linalg.Matrix) []float64 {
	shares := make([]float64, a.out.Parameters)
	var sum float64
	for i := range gradients.Rows {
		for j, v := range gradients.Row(i) {
			shares[a.coords[j].param] += v * v
			sum += v * v
		}
	}
	if sum > 0 {
		scale(shares, 1/sum)
	}
	return shares
}

// importances ranks the parameters.
func (a *analyst) importances() error {
	var without [][]float64
	for k := range a.contest.folds {
		f := &a.contest.folds[k]
		m, err := f.model(a.d)
		if err != nil {
			return err
		}
		without = append(without, a.shares(f.lesson.sample.gradients(m)))
	}
	shares := a.shares(a.sample.gradients(a.model))
	deviations := deviations(without)
	for _, c := range a.coords {
		if len(a.out.Importances) == c.param {
			a.out.Importances = append(a.out.Importances, Importance{Param: c.name, Share: shares[c.param], StdDev: deviations[c.param]})
		}
	}
	slices.SortStableFunc(a.out.Importances, func(p, q Importance) int { return cmp.Compare(q.Share, p.Share) })
	return nil
}
