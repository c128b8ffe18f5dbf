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
	MaxCost float64 `placeholder:"C" help:"Cost of all trials that is meant: the sum of what they tell, or of their seconds. Towards it cost counts less and less, and minimize begins no trial when it is used up."`
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
type errSpent struct{ hours, cost float64 } // one of them, as it was meant

func (e errSpent) Error() string {
	if e.hours > 0 {
		return fmt.Sprintf("the %g hours are over", e.hours)
	}
	return fmt.Sprintf("the cost of %g that was meant is used up", e.cost)
}

// text says so at the end of a run, when trials that ran then have ended too.
func (e errSpent) text(sum study.Summary) string {
	text := e.Error()
	if e.cost > 0 {
		text = fmt.Sprintf("the cost of all trials is %.6g, and %.6g were meant", sum.Cost, e.cost)
	}
	text += ": no other trial was begun"
	if n := sum.States[study.Waiting]; n > 0 {
		text += fmt.Sprintf("; %d that %s chosen wait", n, map[bool]string{true: "was", false: "were"}[n == 1])
	}
	return text
}

// spent says whether the run has used up its hours or the study its cost.
func (r *optimisation) spent(sum study.Summary) error {
	meant := cmp.Or(r.c.MaxCost, sum.Config.MaxCost)
	switch {
	case r.c.Hours > 0 && time.Since(r.began) >= hours(r.c.Hours):
		return errSpent{hours: r.c.Hours}
	case meant > 0 && sum.Cost >= meant:
		return errSpent{cost: meant}
	}
	return nil
}

// mayStart says why no other trial is begun, of those either that are chosen already.
func (r *optimisation) mayStart() error {
	sum := study.Summary{Config: r.had.Config}
	if cmp.Or(r.c.MaxCost, sum.Config.MaxCost) > 0 {
		var err error
		if sum, err = r.summary(context.Background()); err != nil {
			return err
		}
	}
	return r.spent(sum)
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
