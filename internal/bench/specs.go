package bench

import (
	"fmt"
	"strings"
)

// SplitMethods splits a comma separated list of method specifications, whose
// options are separated by commas too: a piece `key=value` continues the
// specification before it.
//
//	maha:d=1,fit=lbfgs,sobol  ->  maha:d=1,fit=lbfgs | sobol
func SplitMethods(list string) ([]string, error) { return splitSpecs("method", list) }

// SplitProblems does the same for problems.
//
//	branin:embed=axis,noise=0.1,rover  ->  branin:embed=axis,noise=0.1 | rover
func SplitProblems(list string) ([]string, error) { return splitSpecs("problem", list) }

func splitSpecs(kind, list string) ([]string, error) {
	var specs []string
	for piece := range strings.SplitSeq(list, ",") {
		piece = strings.TrimSpace(piece)
		head, _, isOption := strings.Cut(piece, "=")
		switch {
		case piece == "":
			return nil, fmt.Errorf("%s list %q has an empty entry", kind, list)
		case !isOption || strings.Contains(head, ":"):
			specs = append(specs, piece)
		case len(specs) == 0:
			return nil, fmt.Errorf("%s list %q starts with the option %q: write the %s's name before it, as in name:%s", kind, list, piece, kind, piece)
		case !strings.Contains(specs[len(specs)-1], ":"):
			return nil, fmt.Errorf("%s list %q: the option %q follows %q, which has no options yet: write %s:%s", kind, list, piece, specs[len(specs)-1], specs[len(specs)-1], piece)
		default:
			specs[len(specs)-1] += "," + piece
		}
	}
	return specs, nil
}
