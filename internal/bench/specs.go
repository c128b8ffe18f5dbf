package bench

import (
	"fmt"
	"iter"
	"strings"
)

// SplitMethods splits a comma separated list of method specifications, whose
// options are separated by commas too: a piece `key=value` continues the
// specification before it.
//
//	maha:d=1,fit=lbfgs,sobol  ->  maha:d=1,fit=lbfgs | sobol
//
// A program, exec:COMMAND, ends at the next comma outside of quotes.
func SplitMethods(list string) ([]string, error) { return splitSpecs("method", list) }

// SplitProblems does the same for problems.
//
//	branin:embed=axis,noise=0.1,rover  ->  branin:embed=axis,noise=0.1 | rover
func SplitProblems(list string) ([]string, error) { return splitSpecs("problem", list) }

// splitUnquoted divides a list at the commas outside of quotes.
func splitUnquoted(list string) iter.Seq[string] {
	return func(yield func(string) bool) {
		var quote rune
		from := 0
		for i, r := range list {
			switch {
			case quote != 0 && r == quote:
				quote = 0
			case quote == 0 && (r == '"' || r == '\''):
				quote = r
			case quote == 0 && r == ',':
				if !yield(list[from:i]) {
					return
				}
				from = i + 1
			}
		}
		yield(list[from:])
	}
}

func splitSpecs(kind, list string) ([]string, error) {
	var specs []string
	for piece := range splitUnquoted(list) {
		piece = strings.TrimSpace(piece)
		head, _, isOption := strings.Cut(piece, "=")
		switch {
		case piece == "":
			return nil, fmt.Errorf("%s list %q has an empty entry", kind, list)
		case isProgram(piece):
			specs = append(specs, piece)
		case len(specs) > 0 && isOption && isProgram(specs[len(specs)-1]):
			return nil, fmt.Errorf("%s list %q: %q follows a program: quote a command that has commas, exec:\"COMMAND\"", kind, list, piece)
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
