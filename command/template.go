package command

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mahabo/mahabo/internal/hint"
	"github.com/mahabo/mahabo/space"
)

// trialWord is the placeholder of the trial's number. A parameter of that name wins.
const trialWord = "trial"

// template is an argument: literal text and placeholders in turn.
type template []piece

type piece struct {
	text  string // literal, or a parameter's name
	param bool
	trial bool
}

// parseTemplate reads an argument. {name} must be a parameter or {trial}; {{ and }}
// stand for braces.
func parseTemplate(arg string, names []string) (template, error) {
	var t template
	var literal strings.Builder
	for rest := arg; rest != ""; {
		i := strings.IndexAny(rest, "{}")
		if i < 0 {
			literal.WriteString(rest)
			break
		}
		literal.WriteString(rest[:i])
		brace := rest[i]
		rest = rest[i+1:]
		if rest != "" && rest[0] == brace {
			literal.WriteByte(brace)
			rest = rest[1:]
			continue
		}
		name, after, closed := strings.Cut(rest, "}")
		if brace == '}' || !closed || strings.Contains(name, "{") {
			return nil, fmt.Errorf("%q has a single %c: write %c%c for a brace, {name} for the value of a parameter", arg, brace, brace, brace)
		}
		p := piece{text: name, param: slices.Contains(names, name), trial: name == trialWord}
		if !p.param && !p.trial {
			return nil, fmt.Errorf("%q: %w", arg, unknownName(name, names))
		}
		t = append(t, piece{text: literal.String()}, p)
		literal.Reset()
		rest = after
	}
	return append(t, piece{text: literal.String()}), nil
}

func unknownName(name string, names []string) error {
	known := strings.Join(names[:min(len(names), 8)], ", ")
	if len(names) > 8 {
		known += fmt.Sprintf(", ... (%d in all)", len(names))
	}
	return fmt.Errorf("no parameter is named %q%s: the parameters are %s; write {{ and }} for braces",
		name, hint.DidYouMean(name, append([]string{trialWord}, names...)), known)
}

// fill puts the values in.
func (t template) fill(number int, v space.Params) (string, error) {
	var b strings.Builder
	for _, p := range t {
		switch {
		case p.param:
			value, ok := v.Text(p.text)
			if !ok {
				return "", fmt.Errorf("trial %d has no value for parameter %q", number, p.text)
			}
			b.WriteString(value)
		case p.trial:
			b.WriteString(strconv.Itoa(number))
		default:
			b.WriteString(p.text)
		}
	}
	return b.String(), nil
}
