package chart

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"
)

// Chosen is how the method chose the points of the last batch.
type Chosen struct {
	Method         string
	D              int
	Fallback, Note *string
	Former         []string // what former studies were worth
	Weights        map[string]float64
	FitSeconds     float64 `json:"fit_seconds"`
	SearchSeconds  float64 `json:"search_seconds"`
	WeightShare    float64 `json:"weight_share"`
	WeightLead     float64 `json:"weight_lead"`
}

// Took says in words how long the choice took; it is empty where that is not known, or nothing.
func (c Chosen) Took() string {
	switch {
	case c.FitSeconds+c.SearchSeconds < 0.01:
		return ""
	case c.FitSeconds == 0:
		return fmt.Sprintf("The method chose these points in %.2g s.", c.SearchSeconds)
	}
	return fmt.Sprintf("The method took %.2g s to learn from the trials and %.2g s to look for these points.", c.FitSeconds, c.SearchSeconds)
}

// Figure draws the weights of the parameters, the largest first.
func (c Chosen) Figure() (template.HTML, error) {
	var rows []map[string]any
	for name, w := range c.Weights {
		rows = append(rows, map[string]any{"name": name, "value": w})
	}
	slices.SortFunc(rows, func(a, b map[string]any) int {
		return cmp.Or(cmp.Compare(b["value"].(float64), a["value"].(float64)), cmp.Compare(a["name"].(string), b["name"].(string)))
	})
	return Figure("weights", map[string]any{"rows": rows}, "How much each parameter counts in the method's own model, the largest 1: a distance along a parameter with a small weight hardly changes what the model expects.", "")
}
