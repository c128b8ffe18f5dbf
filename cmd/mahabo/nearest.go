package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mahabo/mahabo/problem"
	"github.com/mahabo/mahabo/strategy"
)

// checkProblems refuses a specification that no problem has.
func checkProblems(specs ...string) error {
	known := problem.Names()
	for _, spec := range specs {
		_, err := problem.Canonical(spec)
		if err == nil {
			continue
		}
		name, _, _ := strings.Cut(spec, ":")
		if slices.Contains(known, name) {
			return usagef("--problem: %w", err)
		}
		return usagef("--problem: %w%s", err, didYouMean(name, known))
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
	return didYouMean(unknown.Name, known)
}

// didYouMean names the known word with the smallest edit distance, if at most a
// third of its letters differ.
func didYouMean(word string, known []string) string {
	best, bestDistance := "", 0
	for _, k := range known {
		d := distance(word, k)
		if d <= max(1, len(k)/3) && (best == "" || d < bestDistance) {
			best, bestDistance = k, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(" (did you mean %q?)", best)
}

// distance is the Levenshtein distance of two words in bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}
