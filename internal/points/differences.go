package points

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/mahabo/mahabo/space"
)

// Differences says for people in what two spaces differ; nothing when they declare the same.
func Differences(had, want *space.Space) (list []string) {
	if same, err := space.Equal(had, want); err == nil && same {
		return nil
	}
	before := map[string]space.Param{}
	for _, p := range had.Params() {
		before[p.Name] = p
	}
	now := map[string]bool{}
	for _, p := range want.Params() {
		now[p.Name] = true
		switch old, known := before[p.Name]; {
		case !known:
			list = append(list, fmt.Sprintf("%s is new: %s", p.Name, describe(p)))
		case describe(old) != describe(p):
			list = append(list, fmt.Sprintf("%s: %s -> %s", p.Name, describe(old), describe(p)))
		case old.Description != p.Description:
			list = append(list, fmt.Sprintf("%s: described as %q -> %q", p.Name, old.Description, p.Description))
		}
	}
	for _, p := range had.Params() {
		if !now[p.Name] {
			list = append(list, fmt.Sprintf("%s is gone: it was %s", p.Name, describe(p)))
		}
	}
	if !reflect.DeepEqual(had.Outcomes(), want.Outcomes()) {
		list = append(list, "other outcomes")
	}
	old, wanted := constraints(had), constraints(want)
	for _, c := range wanted {
		if !slices.Contains(old, c) {
			list = append(list, "the constraint "+c+" is new")
		}
	}
	for _, c := range old {
		if !slices.Contains(wanted, c) {
			list = append(list, "the constraint "+c+" is gone")
		}
	}
	if len(list) == 0 {
		list = append(list, "the order of the parameters, or how they are declared together")
	}
	return list
}

// describe is a parameter as people read it: float [0, 1] in steps of 0.1.
func describe(p space.Param) string {
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', 10, 64) }
	text := string(p.Kind)
	switch p.Kind {
	case space.KindFixed:
		text += fmt.Sprintf(" at %v", p.Value)
	case space.KindChoice:
		text += " [" + strings.Join(p.Labels, ", ") + "]"
	case space.KindOrdinal:
		var levels []string
		for _, v := range p.Levels {
			levels = append(levels, number(v))
		}
		text += " [" + strings.Join(levels, ", ") + "]"
	case space.KindBool:
	default:
		text += " [" + number(p.Low) + ", " + number(p.High) + "]"
	}
	if p.Step > 0 {
		text += " in steps of " + number(p.Step)
	}
	if p.Digits > 0 {
		text += fmt.Sprintf(" with %d digits", p.Digits)
		if p.Digits == 1 {
			text = strings.TrimSuffix(text, "s")
		}
	}
	if p.Unit != "" {
		text += " " + p.Unit
	}
	return text
}

// constraints are those of a space, as they were written.
func constraints(sp *space.Space) []string {
	var tree struct {
		Constraints []string `json:"constraints"`
	}
	text, err := sp.MarshalJSON()
	if err != nil || json.Unmarshal(text, &tree) != nil {
		return nil
	}
	return tree.Constraints
}
