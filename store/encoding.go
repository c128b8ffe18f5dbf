package store

import (
	"encoding/json"
	"fmt"

	"github.com/mahabo/mahabo/study"
)

// encode writes an event and trials as they are kept.
func encode(e study.Event, changed []study.Trial) (event []byte, trials [][]byte, err error) {
	if event, err = json.Marshal(e); err != nil {
		return nil, nil, fmt.Errorf("event %d: %w", e.Seq, err)
	}
	for _, t := range changed {
		data, err := json.Marshal(t)
		if err != nil {
			return nil, nil, fmt.Errorf("trial %d: %w", t.Number, err)
		}
		trials = append(trials, data)
	}
	return event, trials, nil
}

func decodeEvent(seq int64, data []byte) (e study.Event, err error) {
	if err = json.Unmarshal(data, &e); err != nil {
		return e, fmt.Errorf("event %d of the log cannot be read: %w", seq, err)
	}
	e.Seq = seq
	return e, nil
}

func decodeTrial(number int, data []byte) (t study.Trial, err error) {
	if err = json.Unmarshal(data, &t); err != nil {
		return t, fmt.Errorf("trial %d cannot be read: %w", number, err)
	}
	return t, nil
}
