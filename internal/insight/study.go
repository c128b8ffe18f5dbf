package insight

import (
	"fmt"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/study"
)

// FromTrials returns the data of a study: its complete trials that count, by their numbers.
func FromTrials(c study.Config, trials []study.Trial) (Data, error) {
	d := Data{Space: c.Space, Maximize: c.Goal == study.Maximize, Seed: c.Seed}
	for _, t := range trials {
		if t.State != evaluate.Complete || t.Value == nil || t.Excluded {
			continue
		}
		x, err := c.Space.Encode(t.Params)
		if err != nil {
			return d, fmt.Errorf("trial %d: %w", t.Number, err)
		}
		d.Observations = append(d.Observations, Observation{ID: t.Number, Params: t.Params, X: x, Value: *t.Value, StdDev: t.Std})
	}
	return d, nil
}
