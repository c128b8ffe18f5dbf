package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"github.com/mahabo/mahabo/internal/live"
)

// errStop is the cause of an evaluation's end when its trial should end.
var errStop = errors.New("stopped")

// follower is a writer that sends the reports among the lines of a program: objects with the key "step".
// The program does not wait for them; those that come while others are sent go together.
type follower struct {
	send  live.Send
	names map[string]bool // of declared outcomes
	end   context.CancelCauseFunc

	line []byte // that has not ended
	long bool   // it was cut

	mu      sync.Mutex
	pending []live.Report
	wake    chan struct{}
	ended   chan struct{}
	stop    string // why the trial should end
}

// follow starts to send. Close ends it.
func follow(ctx context.Context, send live.Send, names map[string]bool, end context.CancelCauseFunc) *follower {
	f := &follower{send: send, names: names, end: end, wake: make(chan struct{}, 1), ended: make(chan struct{})}
	go func() {
		defer close(f.ended)
		for range f.wake {
			f.flush(ctx)
		}
		f.flush(ctx)
	}()
	return f
}

// flush sends what there is.
func (f *follower) flush(ctx context.Context) {
	f.mu.Lock()
	list := f.pending
	f.pending = nil
	f.mu.Unlock()
	if len(list) == 0 {
		return
	}
	if stop := f.send(ctx, list); stop != "" {
		f.mu.Lock()
		f.stop = stop
		f.mu.Unlock()
		f.end(errStop)
	}
}

// close sends the rest and returns why the trial should end. No more is written then.
func (f *follower) close() (stop string) {
	close(f.wake)
	<-f.ended
	return f.stop
}

func (f *follower) Write(p []byte) (int, error) { return divide(p, f.extend, f.take) }

func (f *follower) extend(p []byte) {
	if f.long = f.long || len(f.line)+len(p) > maxLine; !f.long {
		f.line = append(f.line, p...)
	}
}

// take looks at a line that has ended.
func (f *follower) take() {
	line, long := bytes.TrimSpace(f.line), f.long
	f.line, f.long = f.line[:0], false
	if long {
		return
	}
	r, ok := parseReport(line, f.names)
	if !ok {
		return
	}
	f.mu.Lock()
	f.pending = append(f.pending, r)
	f.mu.Unlock()
	select {
	case f.wake <- struct{}{}:
	default: // it is awake
	}
}

// parseReport reads a line that says what a trial has reached at a step. Others are for people.
func parseReport(line []byte, names map[string]bool) (r live.Report, ok bool) {
	if len(line) == 0 || line[0] != '{' || !bytes.Contains(line, []byte(`"step"`)) {
		return r, false
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(line, &fields) != nil {
		return r, false
	}
	var step float64
	if json.Unmarshal(fields["step"], &step) != nil || step != math.Trunc(step) || step < 0 || step > 1<<53 {
		return r, false
	}
	r.Step = int64(step)
	if names == nil {
		return r, fields["value"] != nil && json.Unmarshal(fields["value"], &r.Value) == nil && string(fields["value"]) != "null"
	}
	inner := fields
	if raw, given := fields["outcomes"]; given && json.Unmarshal(raw, &inner) != nil {
		return r, false
	}
	r.Outcomes = map[string]float64{}
	for name := range names {
		var value float64
		if raw, given := inner[name]; given && string(raw) != "null" && json.Unmarshal(raw, &value) == nil {
			r.Outcomes[name] = value
		}
	}
	return r, len(r.Outcomes) > 0
}

// checkpointVariable is the environment that has the folder of a trial.
const checkpointVariable = "MAHABO_CHECKPOINT"

// folder makes the folder in which a trial keeps what it needs to go on; the next evaluation of the same
// trial finds it as it was. Folders in which nothing was kept are removed by leave.
func (c *Command) folder(number int) (dir string, leave func(), err error) {
	if c.opt.Checkpoints == "" {
		return "", func() {}, nil
	}
	if dir, err = filepath.Abs(filepath.Join(c.opt.Checkpoints, strconv.Itoa(number))); err != nil {
		return "", nil, fmt.Errorf("Checkpoints: %w", err)
	}
	for range 100 { // the folder above it may be removed meanwhile, as it was empty
		if err = os.MkdirAll(dir, 0o755); !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	if err != nil {
		return "", nil, fmt.Errorf("Checkpoints: %w", err)
	}
	return dir, func() {
		_ = os.Remove(dir) // not when something is in it
		_ = os.Remove(filepath.Dir(dir))
	}, nil
}
