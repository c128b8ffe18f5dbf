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
func SplitMethods(list string) ([]string, error) {
	var specs []string
	for piece := range strings.SplitSeq(list, ",") {
		piece = strings.TrimSpace(piece)
		head, _, isOption := strings.Cut(piece, "=")
		switch {
		case piece == "":
			return nil, fmt.Errorf("method list %q has an empty entry", list)
		case !isOption || strings.Contains(head, ":"):
			specs = append(specs, piece)
		case len(specs) == 0:
			return nil, fmt.Errorf("method list %q starts with the option %q: write the method's name before it, as in name:%s", list, piece, piece)
		case !strings.Contains(specs[len(specs)-1], ":"):
			return nil, fmt.Errorf("method list %q: the option %q follows %q, which has no options yet: write %s:%s", list, piece, specs[len(specs)-1], specs[len(specs)-1], piece)
		default:
			specs[len(specs)-1] += "," + piece
		}
	}
	return specs, nil
}
