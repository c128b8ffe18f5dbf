package main

import (
	"errors"
	"slices"

	"github.com/mahabo/mahabo/internal/hint"
	"github.com/mahabo/mahabo/problem"
	"github.com/mahabo/mahabo/strategy"
)

// checkProblems refuses a name that no problem has.
func checkProblems(names ...string) error {
	known := problem.Names()
	for _, name := range names {
		if !slices.Contains(known, name) {
			_, err := problem.New(name, 0, 0)
			return usagef("--problem: %w%s", err, hint.DidYouMean(name, known))
		}
	}
	return nil
}

// suggestMethod names the method nearest to a misspelt one.
func suggestMethod(err error) string {
	var unknown *strategy.UnknownMethodError
	if !errors.As(err, &unknown) {
		return ""
	}
	var known []string
	for _, m := range strategy.Methods() {
		known = append(known, m.Name)
	}
	return hint.DidYouMean(unknown.Name, known)
}
