package bench

import (
	"fmt"
	"testing"
)

// guardTrials is how many trials of a cell are averaged.
const guardTrials = 6

// guarded is a cell whose mean best value must not be above a bar. The bars lie between what
// the methods reach, with room for other rounding and small changes, and what random points
// reach with the same budget.
type guarded struct {
	Cell
	evals int
	bar   float64
}

// guardedCells cover embeddings, few of many axes, few parameters, noise, bools, labels and a
// trajectory. They take seconds.
var guardedCells = []guarded{
	{Cell{"adaptive", "branin", 50, 5}, 100, 0.8},
	{Cell{"adaptive", "hartmann6", 50, 5}, 100, -2.6},
	{Cell{"adaptive", "hartmann6:embed=axis", 30, 5}, 100, -2.7},
	{Cell{"adaptive", "rover", 60, 5}, 100, 9.5},
	{Cell{"adaptive", "goldstein", 2, 1}, 50, 6},
	{Cell{"adaptive", "hartmann6:noise=0.1", 6, 1}, 50, -2.3},
	{Cell{"adaptive", "levy8", 8, 1}, 50, 4},
	{Cell{"adaptive", "ackley53", 53, 1}, 60, 1.2},
	{Cell{"adaptive", "pest", 25, 1}, 60, 15},
	{Cell{"adaptive", "contamination", 25, 1}, 60, 22},
	{Cell{"adaptive", "maxsat60", 60, 1}, 60, 170},
	{Cell{"adaptive", "oven", 4, 2}, 30, 0.45},
	{Cell{"vanilla", "branin", 20, 5}, 60, 1.5},
	{Cell{"maha:d=1", "branin", 20, 5}, 60, 6.3},
	{Cell{"turbo", "branin", 20, 5}, 60, 6.8},
	{Cell{"cmaes", "branin", 20, 5}, 60, 5.5},
}

// TestMethodsAreAsGoodAsTheyWere fails when a change makes suggestions worse. That its bars
// mean something is shown by what must fail them: the initial designs alone, and random points.
func TestMethodsAreAsGoodAsTheyWere(t *testing.T) {
	if testing.Short() {
		t.Skip("trials of sixteen problems take twelve seconds; make test runs them")
	}
	for _, c := range guardedCells {
		t.Run(c.String(), func(t *testing.T) {
			t.Parallel()
			design, best := c.means(t)
			c.Method = "random"
			_, random := c.means(t)
			t.Logf("initial design %.4g, random points %.4g, bar %.4g, mean of the best %.4g", design, random, c.bar, best)
			if !(best <= c.bar) {
				t.Errorf("the mean of the best values is %.4g, above the bar of %.4g", best, c.bar)
			}
			if !(design > c.bar) {
				t.Errorf("the initial design alone passes: %.4g, the bar is %.4g", design, c.bar)
			}
			if !(random > c.bar) {
				t.Errorf("random points pass: %.4g, the bar is %.4g", random, c.bar)
			}
		})
	}
}

// means are those of the best values of the initial design, and of all evaluations.
func (c guarded) means(t *testing.T) (design, best float64) {
	t.Helper()
	for n := range guardTrials {
		trial, err := c.run(t, n)
		if err != nil {
			t.Fatal(fmt.Errorf("trial %d: %w", n, err))
		}
		design += trial.Curve[trial.Init-1] / guardTrials
		best += trial.Best / guardTrials
	}
	return design, best
}

// run makes a trial as a benchmark does.
func (c guarded) run(t *testing.T, n int) (Trial, error) {
	j := job{Cell: c.Cell, evals: c.evals, init: 10, trial: n}
	if c.Problem == "oven" {
		return playOn(t, j, oven(t))
	}
	return j.run(t.Context(), setting{version: "test", threads: 1}, j.evals)
}
