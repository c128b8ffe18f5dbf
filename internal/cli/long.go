package cli

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/study"
)

// longFlags are those of studies whose trials take long.
type longFlags struct {
	Stop    string  `placeholder:"RULE" help:"Rule that ends trials early, by what they report while they run: gain, asha, median or curve, with options as gain:keep=0.5 (docs/guides/long.md). Without it none is ended."`
	Cost    string  `enum:",aware" default:"" placeholder:"aware" help:"aware: choose points for what they are expected to bring beside what they cost, which trials tell, or else their time."`
	MaxCost float64 `placeholder:"C" help:"Cost of all trials that is meant: the sum of what they tell, or of their seconds. Towards it cost counts less and less."`
}

func (f longFlags) apply(c *study.Config) { c.Stop, c.Cost, c.MaxCost = f.Stop, f.Cost, f.MaxCost }

// longText says how trials of a study may end, and what their cost does.
func longText(c study.Config) string {
	var parts []string
	if c.Stop != "" {
		parts = append(parts, "early by "+c.Stop)
	}
	if c.Cost != "" {
		parts = append(parts, "cost counts")
	}
	return strings.Join(parts, ", ")
}

// programFlags say how a program is run.
type programFlags struct {
	Checkpoints string        `placeholder:"DIR" help:"With a command: folder in which every trial N has one of its own, DIR/N, named by MAHABO_CHECKPOINT; a trial that is evaluated again finds it as it was (STUDY.checkpoints; none for none)."`
	Grace       time.Duration `default:"5s" placeholder:"T" help:"With a command: time between SIGTERM and SIGKILL when an evaluation has to end (${default})."`
}

// checkpoints is the folder for those of a study.
func (f programFlags) checkpoints(name string) string {
	switch f.Checkpoints {
	case "":
		return name + ".checkpoints"
	case "none":
		return ""
	}
	return f.Checkpoints
}

// errSpent says that the time or the cost that was meant is used up.
type errSpent struct{ text string }

func (e errSpent) Error() string { return e.text }

// spent says whether the run has used up its hours or the study its cost.
func (r *optimisation) spent(sum study.Summary) error {
	meant := cmp.Or(r.c.MaxCost, sum.Config.MaxCost)
	switch {
	case r.c.Hours > 0 && time.Since(r.began) >= hours(r.c.Hours):
		return errSpent{fmt.Sprintf("the %g hours are over", r.c.Hours)}
	case meant > 0 && sum.Cost >= meant:
		return errSpent{fmt.Sprintf("the cost of all trials is %.6g, and %.6g were meant", sum.Cost, meant)}
	}
	return nil
}

func hours(h float64) time.Duration { return time.Duration(h * float64(time.Hour)) }

// keepReport shows what a trial has reached, and has the study keep it.
func (r *optimisation) keepReport(show *watched) func(ctx context.Context, number int, steps []int64, reached []evaluate.Outcome) string {
	return func(ctx context.Context, number int, steps []int64, reached []evaluate.Outcome) string {
		last := len(steps) - 1
		show.reached(number, steps[last], reached[last].Value)
		return r.OnReport(ctx, number, steps, reached)
	}
}
