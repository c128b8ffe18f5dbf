package problem

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"sync"
)

// All returns every problem in its native dimension; of families of functions, which have any
// number of parameters (levy8), two each.
func All() []Problem { return slices.Clone(all()) }

// all makes the problems once: benchmarks look for thousands by name.
var all = sync.OnceValue(func() []Problem {
	list := []Problem{
		newBranin(), newColville(), newGoldstein(), newHartmann6(), newSixHump(), newRover(),
		newAckley(5), newAckley(10), newLevy(5), newLevy(10), newRosenbrock(5), newRosenbrock(10),
		newLasso("lasso", smallLasso),
	}
	list = append(list, largeLassos()...)
	list = append(list, newAckley53(), newContamination(), newPest(), newMaxSAT(), newLABS())
	return slices.Concat(list, withLimits(), withObjectives(), learners())
})

// families are functions of any number of parameters, which is the end of their names.
var families = map[string]func(int) Problem{"ackley": newAckley, "levy": newLevy, "rosenbrock": newRosenbrock}

var member = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([a-z]+)([1-9][0-9]{0,3})$`) })

// find returns the problem of a name in its native dimension.
func find(name string) (p Problem, ok bool) {
	for _, p := range all() {
		if p.Name == name {
			return p, true
		}
	}
	if m := member().FindStringSubmatch(name); m != nil {
		d, _ := strconv.Atoi(m[2]) // digits
		if f, known := families[m[1]]; known && d > 1 {
			return f(d), true
		}
	}
	return p, false
}

// Names returns the names of All.
func Names() []string {
	var names []string
	for _, p := range all() {
		names = append(names, p.Name)
	}
	return names
}

// mostDim is how many parameters a space can have.
const mostDim = 100_000

// New returns the problem of a specification `name` or `name:key=value,...`
// (Options) with dim parameters, or with its native number when dim is 0. More
// parameters than native embed it; the embedding depends on (seed, dim, native
// dimension) and its kind alone.
func New(text string, dim int, seed uint64) (Problem, error) {
	s, err := parse(text)
	if err != nil {
		return Problem{}, err
	}
	p, _ := find(s.name)
	native := p
	switch {
	case dim == 0 || dim == p.Dim:
	case dim > mostDim:
		return Problem{}, fmt.Errorf("dim is %d: at most %d parameters are possible", dim, mostDim)
	case dim < p.Dim:
		return Problem{}, fmt.Errorf("dim is %d: problem %s has %d parameters; use dim 0 or %d for the problem itself, more to embed it", dim, s.name, p.Dim, p.Dim)
	case p.Space != nil:
		return Problem{}, fmt.Errorf("dim is %d: problem %s has %d parameters, not all of them real, and cannot be embedded; use dim 0 or %d", dim, s.name, p.Dim, p.Dim)
	default:
		if p, err = s.hide(p, dim, seed); err != nil {
			return Problem{}, err
		}
	}
	if p.Named != nil && (s.noise > 0 || s.designNoise > 0) {
		return Problem{}, fmt.Errorf("problem %s has several outcomes, and noise is added to one value only: leave it out", s.name)
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
