package cli

import (
	"slices"
	"strings"

	"github.com/mahabo/mahabo/internal/bench"
	"github.com/mahabo/mahabo/internal/hint"
	"github.com/mahabo/mahabo/internal/problem"
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
		return usagef("--problem: %w%s", err, hint.DidYouMean(name, known))
	}
	return nil
}

// checkBenchProblems does the same where problems may be programs.
func checkBenchProblems(specs []string) error {
	for _, spec := range specs {
		if !strings.HasPrefix(spec, "exec:") {
			if err := checkProblems(spec); err != nil {
				return err
			}
		} else if err := bench.CheckProblem(spec); err != nil {
			return usagef("--problem: %w", err)
		}
	}
	return nil
}
