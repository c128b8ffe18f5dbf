package store

import (
	"encoding/json"
	"fmt"

	"github.com/mahabo/mahabo/study"
)

// row is an event or a trial as it is kept.
type row struct {
	number int64  // place in the log, or number of the trial
	key    []byte // of a point; nil for others
	data   []byte
}

// encode writes events and trials as they are kept.
func encode(events []study.Event, changed []study.Trial) (log, trials []row, err error) {
	for _, e := range events {
		data, err := json.Marshal(e)
		if err != nil {
			return nil, nil, fmt.Errorf("event %d: %w", e.Seq, err)
		}
		log = append(log, row{e.Seq, nil, data})
	}
	trials = make([]row, 0, len(changed))
	for _, t := range changed {
		data, err := json.Marshal(t)
		if err != nil {
			return nil, nil, fmt.Errorf("trial %d: %w", t.Number, err)
		}
		trials = append(trials, row{int64(t.Number), nil, data})
	}
	return log, trials, nil
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
