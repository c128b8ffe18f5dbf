package web

import (
	"encoding/json"
	"net/http"
	"slices"
)

// comparison is the page of several studies.
type comparison struct {
	Studies []candidate
	Chosen  []string
	Goal    string // "" where it is not the same for all
	Mixed   bool   // goals
	Value   string // what the axis is called
}

// candidate is a study that can be chosen.
type candidate struct {
	study
	Chosen bool
}

// Names are the chosen studies for scripts.
func (c comparison) Names() (string, error) {
	text, err := json.Marshal(c.Chosen)
	return string(text), err
}

// mostCompared is how many studies are drawn.
const mostCompared = 20

func (d *dashboard) compare(w http.ResponseWriter, r *http.Request) {
	var all struct{ Studies []study }
	if err := d.get(r, "/v1/studies", nil, &all); err != nil {
		d.fail(w, r, err)
		return
	}
	asked := r.URL.Query()["study"]
	c := comparison{Chosen: []string{}, Goal: "minimize", Value: "value"}
	slices.SortStableFunc(all.Studies, func(a, b study) int { return b.Created.Compare(a.Created) })
	for _, s := range all.Studies {
		if s.Error != "" {
			continue
		}
		chosen := slices.Contains(asked, s.Name) && len(c.Chosen) < mostCompared
		if chosen {
			c.Mixed = c.Mixed || len(c.Chosen) > 0 && s.Goal != c.Goal
			first := "value"
			if len(s.Objectives) > 0 {
				first = s.Objectives[0]
			}
			if len(c.Chosen) == 0 {
				c.Value = first
			} else if c.Value != first {
				c.Value = "value"
			}
			c.Chosen, c.Goal = append(c.Chosen, s.Name), s.Goal
		}
		c.Studies = append(c.Studies, candidate{s, chosen})
	}
	if c.Mixed {
		c.Goal = ""
	}
	d.showPage(w, r, http.StatusOK, "compare", "Compare studies", c)
}
