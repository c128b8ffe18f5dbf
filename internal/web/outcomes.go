package web

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/mahabo/mahabo/space"
)

// readOutcomes reads outcomes as people write them, mass=1.2 stress=9.1±0.2, for the API.
func readOutcomes(text string) (map[string]any, error) {
	outcomes := map[string]any{}
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' || r == ';' || r == '\n' || r == '\t' || r == '\r' }) {
		name, value, ok := strings.Cut(word, "=")
		if !ok || name == "" {
			return nil, fmt.Errorf("%q is no outcome: write NAME=VALUE, as in mass=1.2", word)
		}
		value, std, noisy := strings.Cut(strings.Replace(value, "+-", "±", 1), "±")
		numbers := map[string]float64{}
		for key, text := range map[string]string{"value": value, "std": std} {
			if key == "std" && !noisy {
				continue
			}
			v, err := strconv.ParseFloat(text, 64)
			if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("outcome %s is %q: write a number such as 0.25, or tell that the trial failed", name, text)
			}
			numbers[key] = v
		}
		outcomes[name] = numbers
	}
	return outcomes, nil
}

// outcomesText writes outcomes so that readOutcomes reads them.
func (t trial) outcomesText() string {
	var words []string
	for _, name := range slices.Sorted(maps.Keys(t.Outcomes)) {
		word := name + "=" + strconv.FormatFloat(t.Outcomes[name], 'g', -1, 64)
		if std := t.Stds[name]; std > 0 {
			word += "±" + strconv.FormatFloat(std, 'g', -1, 64)
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

// ExampleOutcomes is what a form for the study's outcomes begins with.
func (h heading) ExampleOutcomes() string { return exampleOutcomes(h.space.Outcomes()) }

// Outcomes are those that the study of a trial declares.
func (v trialView) Outcomes() ([]space.Outcome, error) {
	var s space.Space
	err := s.UnmarshalJSON(v.Space)
	return s.Outcomes(), err
}

// ExampleOutcomes is what a form for them begins with.
func (v trialView) ExampleOutcomes() (string, error) {
	outcomes, err := v.Outcomes()
	return exampleOutcomes(outcomes), err
}

func exampleOutcomes(outcomes []space.Outcome) string {
	var words []string
	for _, o := range outcomes {
		if o.Goal != "" || o.AtMost != nil || o.AtLeast != nil {
			words = append(words, o.Name+"=")
		}
	}
	return strings.Join(words[:min(len(words), 8)], " ")
}
