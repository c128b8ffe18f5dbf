//go:build unix

package command

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/internal/live"
)

// following is a context that keeps reports and stops at a step.
func following(t *testing.T, at int64) (context.Context, func() []int64) {
	var mu sync.Mutex
	var steps []int64
	return live.With(t.Context(), func(_ context.Context, list []live.Report) string {
			mu.Lock()
			defer mu.Unlock()
			for _, r := range list {
				steps = append(steps, r.Step)
				if r.Step == at {
					return "enough"
				}
			}
			return ""
		}), func() []int64 {
			mu.Lock()
			defer mu.Unlock()
			return slices.Clone(steps)
		}
}

func TestReportsAmongLines(t *testing.T) {
	ctx, steps := following(t, -1)
	c := shell(t, Options{}, `echo '{"step": 1, "value": 9}'; echo hello; echo '{"step": 2, "value": null}'; echo '{"step": -1, "value": 2}'; echo '{"step": 2.5, "value": 2}'
		echo '{"step": "x", "value": 2}'; echo '{"step": 3, "value": 8, "lr": 1}'; echo '{"step": 4, "value": 7, "cost": 2.5}'`)
	o, err := c.Evaluate(ctx, 1, values)
	if err != nil || o.State != evaluate.Complete || o.Value != 7 || o.Cost != 2.5 {
		t.Errorf("the outcome is %+v, %v", o, err)
	}
	if got := steps(); !slices.Equal(got, []int64{1, 3, 4}) {
		t.Errorf("the reports are of steps %v", got)
	}
	if o, err := c.Evaluate(t.Context(), 1, values); err != nil || o.Value != 7 { // nobody follows
		t.Errorf("the outcome is %+v, %v", o, err)
	}
}

// What programs printed before there was a cost does not matter now.
func TestOtherCosts(t *testing.T) {
	for _, text := range []string{`"high"`, `-3`, `null`, `{"a": 1}`} {
		o, err := shell(t, Options{}, `echo '{"value": 1, "cost": `+text+`}'`).Evaluate(t.Context(), 1, values)
		if err != nil || o.State != evaluate.Complete || o.Cost != 0 {
			t.Errorf("cost %s gave %+v, %v", text, o, err)
		}
	}
}

func TestStop(t *testing.T) {
	for name, c := range map[string]struct {
		script string
		least  time.Duration
	}{
		"at SIGTERM":      {`echo '{"step": 1, "value": 9}'; sleep 60 & wait`, 0},
		"it ends well":    {`trap 'echo 3; exit 0' TERM; echo '{"step": 1, "value": 9}'; while :; do sleep 0.05; done`, 0},
		"only at SIGKILL": {`trap '' TERM; echo '{"step": 1, "value": 9}'; while :; do sleep 0.05; done`, 300 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, _ := following(t, 1)
			start := time.Now()
			o, err := shell(t, Options{Grace: 300 * time.Millisecond}, c.script).Evaluate(ctx, 1, values)
			if err != nil || o.State != evaluate.Stopped || o.Reason != "enough" {
				t.Errorf("the outcome is %+v, %v", o, err)
			}
			if took := time.Since(start); took < c.least || took > 10*time.Second {
				t.Errorf("it took %v", took)
			}
		})
	}
}

func TestCheckpoints(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "points")
	c := shell(t, Options{Checkpoints: dir}, `f=$MAHABO_CHECKPOINT/n; n=$(cat "$f" 2>/dev/null || echo 0); n=$((n+1)); echo $n > "$f"; [ $n = 3 ] && echo 7`)
	for want := range 3 {
		o, err := c.Evaluate(t.Context(), 4, values)
		if err != nil || (o.State == evaluate.Complete) != (want == 2) {
			t.Errorf("evaluation %d gave %+v, %v", want+1, o, err)
		}
	}
	if text, err := os.ReadFile(filepath.Join(dir, "4", "n")); err != nil || strings.TrimSpace(string(text)) != "3" {
		t.Errorf("the folder has %q, %v", text, err)
	}
	none := filepath.Join(t.TempDir(), "none")
	if o, err := shell(t, Options{Checkpoints: none}, `[ -d "$MAHABO_CHECKPOINT" ] && echo 1`).Evaluate(t.Context(), 1, values); err != nil || o.State != evaluate.Complete {
		t.Errorf("%+v, %v", o, err)
	}
	if _, err := os.Stat(none); !os.IsNotExist(err) {
		t.Errorf("a folder in which nothing was kept is left: %v", err)
	}
}

// Trials that end remove the folder above theirs when it is empty, while others begin.
func TestCheckpointsOfManyTrials(t *testing.T) {
	c := &Command{opt: Options{Checkpoints: filepath.Join(t.TempDir(), "points")}}
	var all sync.WaitGroup
	for first := range 8 {
		all.Go(func() {
			for i := range 200 {
				_, leave, err := c.folder(8*i + first)
				if err != nil {
					t.Error(err)
					return
				}
				leave()
			}
		})
	}
	all.Wait()
}
