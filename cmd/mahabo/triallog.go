package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/space"
)

// trialLine is one trial in the file of --out.
type trialLine struct {
	Number   int            `json:"number"`
	Batch    int            `json:"batch"`
	State    evaluate.State `json:"state"`
	Params   space.Values   `json:"params"`
	Value    *float64       `json:"value,omitempty"` // of a complete trial
	Std      float64        `json:"std,omitempty"`
	Reason   string         `json:"reason,omitempty"`
	Attempts int            `json:"attempts"`
	Started  time.Time      `json:"started"`
	Ended    time.Time      `json:"ended"`
}

func (t trialLine) outcome() evaluate.Outcome {
	o := evaluate.Outcome{State: t.State, Std: t.Std, Reason: t.Reason}
	if t.Value != nil {
		o.Value = *t.Value
	}
	return o
}

// trialLog is the file of --out: one synced line per trial, in the order in which they
// end.
type trialLog struct {
	file *os.File    // nil without --out
	kept []trialLine // what it held when it was opened, by number
}

// openTrialLog reads the trials of a file, which need not exist, and opens it for more.
// A torn last line, all that a crash can leave, is cut off.
func openTrialLog(name string, note func(string)) (*trialLog, error) {
	if name == "" {
		return &trialLog{}, nil
	}
	f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o644)
	if err != nil {
		return nil, err
	}
	l := &trialLog{file: f}
	if err := l.read(note); err != nil {
		_ = f.Close()
		return nil, err
	}
	return l, nil
}

// read fills kept.
func (l *trialLog) read(note func(string)) error {
	text, err := io.ReadAll(l.file)
	if err != nil {
		return err
	}
	whole := bytes.LastIndexByte(text, '\n') + 1
	if rest := text[whole:]; len(rest) > 0 {
		if _, err := parseTrialLine(rest); err == nil {
			if _, err := l.file.WriteString("\n"); err != nil {
				return err
			}
			whole = len(text)
		} else {
			note(fmt.Sprintf("%s: the last line was torn (%d bytes) and has been cut off", l.file.Name(), len(rest)))
			if err := l.file.Truncate(int64(whole)); err != nil {
				return err
			}
		}
	}
	number := 0
	for line := range bytes.Lines(text[:whole]) {
		number++
		t, err := parseTrialLine(line)
		if err != nil {
			return fmt.Errorf("%s:%d: %w", l.file.Name(), number, err)
		}
		l.kept = append(l.kept, t)
	}
	slices.SortFunc(l.kept, func(a, b trialLine) int { return cmp.Compare(a.Number, b.Number) })
	for i := 1; i < len(l.kept); i++ {
		if l.kept[i].Number == l.kept[i-1].Number {
			return fmt.Errorf("%s: trial %d is there twice: remove one", l.file.Name(), l.kept[i].Number)
		}
	}
	return nil
}

func parseTrialLine(line []byte) (trialLine, error) {
	var t trialLine
	if err := json.Unmarshal(line, &t); err != nil {
		return t, fmt.Errorf("this is not a trial: %w", err)
	}
	switch {
	case t.Number < 1:
		return t, fmt.Errorf(`"number" is %d: trials are numbered from 1`, t.Number)
	case t.State == evaluate.Complete && t.Value == nil:
		return t, fmt.Errorf(`"value" is missing: a complete trial has one`)
	}
	return t, t.outcome().Validate()
}

// add appends a trial and waits until it is on disk.
func (l *trialLog) add(r evaluate.Result) error {
	if l.file == nil {
		return nil
	}
	t := trialLine{
		Number: r.Number, Batch: r.Batch, State: r.State, Params: r.Values, Std: r.Std, Reason: r.Reason,
		Attempts: r.Attempts, Started: r.Started.UTC().Round(time.Millisecond), Ended: r.Ended.UTC().Round(time.Millisecond),
	}
	if r.State == evaluate.Complete {
		t.Value = &r.Value
	}
	line, err := json.Marshal(t)
	if err != nil {
		return err
	}
	if _, err := l.file.Write(append(line, '\n')); err != nil {
		return err
	}
	return l.file.Sync()
}

func (l *trialLog) close() {
	if l.file != nil {
		_ = l.file.Close() // every line is synced
	}
}
