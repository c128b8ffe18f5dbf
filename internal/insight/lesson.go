package insight

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/mahabo/mahabo/internal/gp"
	"github.com/mahabo/mahabo/internal/num"
)

const (
	splits  = 5 // of the data into halves
	refined = 3 // directions of the model that makes better ones
)

// lesson is what a sample teaches about directions.
type lesson struct {
	sample    *sample
	isotropic gp.Hyper
	slope     float64 // variance of the slope that the isotropic model expects
	spectrum
	agreement []float64 // of the first 1, 2, ... directions of two halves
}

// study learns directions: those of an isotropic model, then those of a model in which
// the function may change faster along the first few of them.
func (s *sample) study(ctx context.Context, isotropic gp.Hyper, r *rand.Rand) (*lesson, error) {
	m, err := s.condition(isotropic)
	if err != nil {
		return nil, err
	}
	l := &lesson{sample: s, isotropic: isotropic, slope: s.slopeVariance(m), spectrum: newSpectrum(s.gradients(m))}
	if err := l.halve(r); err != nil || l.directions.Rows == 0 {
		return l, err
	}
	if m, err = l.model(ctx, refined); err != nil {
		return nil, err
	}
	l.spectrum = newSpectrum(s.gradients(m))
	return l, nil
}

// halve measures how well directions that are learned from two halves agree.
func (l *lesson) halve(r *rand.Rand) error {
	n := l.sample.len()
	all := make([][]float64, mostDirections)
	for range splits {
		order := r.Perm(n)
		var halves [2]spectrum
		for k := range halves {
			half := l.sample.subset(order[k*n/2 : (k+1)*n/2])
			m, err := half.condition(l.isotropic)
			if err != nil {
				return err
			}
			halves[k] = newSpectrum(half.gradients(m))
		}
		for d := range all {
			all[d] = append(all[d], agreement(halves[0], halves[1], d+1))
		}
	}
	for _, a := range all {
		l.agreement = append(l.agreement, num.Median(a))
	}
	return nil
}

// model learns a model with the first d directions. Its output scale comes from
// residuals that learned directions leave too small: across the directions, the slope has
// at least the part of its variance that they miss.
func (l *lesson) model(ctx context.Context, d int) (*gp.Posterior, error) {
	V := l.first(d)
	if V.Rows == 0 {
		return l.sample.condition(l.isotropic)
	}
	h, _, err := l.sample.fit(ctx, V, l.floors(V.Rows))
	if err != nil {
		return nil, err
	}
	m, err := l.sample.condition(h)
	if err != nil {
		return nil, err
	}
	c := accuracy(l.agreement[V.Rows-1])
	m.Widen(max(1, (1-c*c)*l.slope/l.sample.slopeVariance(m)))
	return m, nil
}

// mostFloor keeps the floor of a direction finite that does not agree at all.
const mostFloor = 1

// floors are those of gp.Spiked.
func (l *lesson) floors(d int) []float64 {
	floors := make([]float64, d)
	for k := range floors {
		c := accuracy(l.agreement[k])
		floors[k] = min(mostFloor, (1/(c*c)-1)/float64(l.sample.dim()))
	}
	return floors
}

// accuracy estimates the cosine between a direction learned from all points and the one
// that unlimited data would give, from the cosine c between two halves: by Spearman and
// Brown, sqrt(2c/(1+c)).
func accuracy(c float64) float64 { return math.Sqrt(2 * c / (1 + c)) }
