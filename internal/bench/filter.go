package bench

import (
	"fmt"
	"slices"
)

// Filter chooses trials; an empty list admits everything.
type Filter struct {
	Methods, Problems []string
	Dims, Batches     []int
}

// Apply returns the trials that pass. A name or number that none has is an error.
func (f Filter) Apply(trials []Trial) ([]Trial, error) {
	trials, err := keep(trials, "method", canonicalAll(f.Methods, canonicalMethod), func(t Trial) string { return t.Method })
	if err != nil {
		return nil, err
	}
	if trials, err = keep(trials, "problem", canonicalAll(f.Problems, canonicalProblem), func(t Trial) string { return t.Problem }); err != nil {
		return nil, err
	}
	if trials, err = keep(trials, "dim", f.Dims, func(t Trial) int { return t.Dim }); err != nil {
		return nil, err
	}
	return keep(trials, "batch", f.Batches, func(t Trial) int { return t.Batch })
}

// After returns trials as they were after so many evaluations, of those that have as many. Times stay those of the whole
// trials.
func After(trials []Trial, evals int) (cut []Trial, err error) {
	for _, t := range trials {
		if t.Evals < evals {
			continue
		}
		t.Evals, t.Curve = evals, t.Curve[:t.Init+evals]
		t.Best = t.Curve[len(t.Curve)-1]
		cut = append(cut, t)
	}
	if len(cut) == 0 {
		return nil, &InputError{fmt.Errorf("no trial has %d evaluations after its initial design", evals)}
	}
	return cut, nil
}

// canonicalAll keeps names that the registries do not have.
func canonicalAll(specs []string, canonical func(string) (string, error)) []string {
	list := slices.Clone(specs)
	for i, s := range specs {
		if c, err := canonical(s); err == nil {
			list[i] = c
		}
	}
	return list
}

func keep[T comparable](trials []Trial, what string, wanted []T, of func(Trial) T) ([]Trial, error) {
	if len(wanted) == 0 {
		return trials, nil
	}
	for _, w := range wanted {
		if !slices.ContainsFunc(trials, func(t Trial) bool { return of(t) == w }) {
			return nil, &InputError{fmt.Errorf("no trial with %s %v is among the results", what, w)}
		}
	}
	var kept []Trial
	for _, t := range trials {
		if slices.Contains(wanted, of(t)) {
			kept = append(kept, t)
		}
	}
	return kept, nil
}

// ReadAll returns the trials of several folders. A cell must not be measured
// with two settings, nor a trial be in two folders.
func ReadAll(dirs ...string) ([]Trial, error) {
	var all []Trial
	first := map[Cell]Trial{}
	place := map[Cell]string{}
	seen := map[job]string{}
	for _, dir := range dirs {
		trials, err := Read(dir)
		if err != nil {
			return nil, err
		}
		for _, t := range trials {
			if old, ok := first[t.Cell]; !ok {
				first[t.Cell], place[t.Cell] = t, dir
			} else if field, was, is := settingsDiffer(old, t.job()); field != "" {
				return nil, &InputError{fmt.Errorf("%s has %s %d in %s and %d in %s: they cannot be shown together", t.Cell, field, was, place[t.Cell], is, dir)}
			}
			key := t.job()
			if other, twice := seen[key]; twice {
				return nil, &InputError{fmt.Errorf("%s, trial %d is in %s and in %s: give one of them, or set them side by side with bench compare", t.Cell, t.Trial, other, dir)}
			}
			seen[key] = dir
			all = append(all, t)
		}
	}
	return all, nil
}
