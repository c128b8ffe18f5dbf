package problem

import "fmt"

// All returns every problem in its native dimension.
func All() []Problem {
	return []Problem{
		newBranin(), newColville(), newGoldstein(), newHartmann6(), newSixHump(), newRover(),
		newAckley(5), newAckley(10), newLevy(5), newLevy(10), newRosenbrock(5), newRosenbrock(10), newLasso(),
	}
}

// Names returns the names that New knows.
func Names() []string {
	var names []string
	for _, p := range All() {
		names = append(names, p.Name)
	}
	return names
}

// New returns the problem of a specification `name` or `name:key=value,...`
// (Options) with dim parameters, or with its native number when dim is 0. More
// parameters than native embed it; the embedding depends on (seed, dim, native
// dimension) and its kind alone.
func New(text string, dim int, seed uint64) (Problem, error) {
	s, err := parse(text)
	if err != nil {
		return Problem{}, err
	}
	p := named(s.name)
	native := p
	switch {
	case dim == 0 || dim == p.Dim:
	case dim < p.Dim:
		return Problem{}, fmt.Errorf("dim is %d: problem %s has %d parameters; use dim 0 or %d for the problem itself, more to embed it", dim, s.name, p.Dim, p.Dim)
	case p.Space != nil:
		return Problem{}, fmt.Errorf("dim is %d: problem %s has %d parameters, not all of them real, and cannot be embedded; use dim 0 or %d", dim, s.name, p.Dim, p.Dim)
	default:
		if p, err = s.hide(p, dim, seed); err != nil {
			return Problem{}, err
		}
	}
	var stdDev float64
	switch {
	case s.noise > 0:
		stdDev = s.noise * valueRange(native)
	case s.designNoise > 0:
		stdDev = s.designNoise * designRange(p)
	}
	if stdDev > 0 {
		if p, err = Noisy(p, stdDev, seed); err != nil {
			return Problem{}, err
		}
	}
	p.Name = s.String()
	return p, nil
}

// named returns a problem that is among All.
func named(name string) Problem {
	for _, p := range All() {
		if p.Name == name {
			return p
		}
	}
	panic("problem: parse admitted " + name)
}
