package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/study"
)

type trialsCmd struct {
	Study  string           `arg:"" help:"Name of the study."`
	State  []evaluate.State `enum:"waiting,running,complete,failed,infeasible,stale,stopped" placeholder:"STATE" help:"Only trials in these states: ${enum}."`
	Search string           `placeholder:"TEXT" help:"Only trials with this text in their parameters, worker, reason or notes."`
	Best   bool             `help:"Best values first, instead of the latest trials."`
	Limit  int              `default:"20" placeholder:"N" help:"Most trials to list; 0 for all (${default})."`
	JSON   bool             `name:"json" help:"Print JSON."`
	storeFlags
}

// Help is the long help.
func (*trialsCmd) Help() string {
	return `Examples:

  mahabo trials rig

  mahabo trials rig --best --limit 5

  mahabo trials rig --state running,stale

  mahabo trials rig --state failed --limit 0 --json`
}

// Run lists trials.
func (c *trialsCmd) Run(ctx context.Context, s streams) error {
	if c.Limit < 0 {
		return usagef("--limit is %d: it cannot be negative; 0 means all", c.Limit)
	}
	return c.with(ctx, s, c.Study, func(one studied) error {
		q := study.Query{States: c.State, Text: c.Search, Limit: c.Limit, Descending: true}
		if c.Best {
			q.Sort, q.Descending = study.ByValue, one.Config().Goal == study.Maximize
		}
		trials, total, err := one.Select(ctx, q)
		if err != nil {
			return err
		}
		if c.JSON {
			return writeJSON(s.out, trials)
		}
		if len(trials) > 0 {
			w := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
			fmt.Fprintf(w, "trial\tstate\tvalue\tworker\tparameters%s\n", someOf(trials[0].Params, shownParams))
			for _, t := range trials {
				fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%s\n", t.Number, t.State, valueText(t), cmp.Or(t.Worker, "-"), remarked(t))
			}
			if err := w.Flush(); err != nil {
				return err
			}
		}
		if left := total - len(trials); left > 0 {
			fmt.Fprintf(s.err, "%d more (--limit 0 lists all)\n", left)
		}
		return nil
	})
}

// valueText is the value of a trial that has one.
func valueText(t study.Trial) string {
	switch {
	case len(t.Outcomes) > 0:
		return outcomesText(t.Outcomes)
	case t.State == evaluate.Stopped && t.Last != nil:
		return fmt.Sprintf("%s at step %d", tenDigits(t.Last.Value), t.Last.Step)
	case t.Value == nil:
		return "-"
	case t.Std > 0:
		return fmt.Sprintf("%s ± %.2g", tenDigits(*t.Value), t.Std)
	}
	return tenDigits(*t.Value)
}

// tenDigits writes a number for a table.
func tenDigits(v float64) string { return strconv.FormatFloat(v, 'g', 10, 64) }

// shownParams is the number of parameters that a line has room for.
const shownParams = 6

// remarked are the first parameters of a trial and what was said of it.
func remarked(t study.Trial) string {
	text := listParams(t.Params, shownParams)
	mended := ""
	switch {
	case t.Outside != "":
		mended = "outside: " + t.Outside
	case t.Excluded:
		mended = "excluded"
	case len(t.History) > 0:
		mended = "corrected"
		if last := t.History[len(t.History)-1].What; strings.HasPrefix(last, "was ") {
			mended = last
		}
	}
	for _, remark := range append([]string{mended, t.Reason}, t.Notes...) {
		if remark != "" {
			text += "  (" + strings.Join(strings.Fields(remark), " ") + ")"
		}
	}
	return text
}

type enqueueCmd struct {
	Study     string   `arg:"" help:"Name of the study."`
	Params    []string `arg:"" optional:"" name:"name=value" help:"One point: the values of all parameters that are not fixed."`
	File      string   `placeholder:"FILE" help:"Points instead, one JSON object per line (- for standard input)."`
	RequestID string   `placeholder:"ID" help:"Doing it again with the same ID adds nothing."`
	JSON      bool     `name:"json" help:"Print JSON."`
	storeFlags
}

// Help is the long help.
func (*enqueueCmd) Help() string {
	return `Examples:

  mahabo enqueue rig x=2.5 n=3 mode=fast

  echo '{"x": 2.5, "n": 3, "mode": "fast"}' | mahabo enqueue rig --file - --json`
}

// Run adds points to be served before any other.
func (c *enqueueCmd) Run(ctx context.Context, s streams) error {
	if (c.File == "") == (len(c.Params) == 0) {
		return usagef("give one point as name=value name=value ..., or points in --file FILE")
	}
	return c.with(ctx, s, c.Study, func(one studied) error {
		points, err := c.points(ctx, s, one.Config().Space)
		if err != nil {
			return err
		}
		trials, err := one.Enqueue(ctx, study.EnqueueRequest{RequestID: c.RequestID, Params: points})
		if err != nil {
			return err
		}
		if c.JSON {
			return writeJSON(s.out, trials)
		}
		for _, t := range trials {
			fmt.Fprintf(s.out, "%d  %s\n", t.Number, paramText(t.Params))
		}
		return nil
	})
}

// points reads the arguments or the file.
func (c *enqueueCmd) points(ctx context.Context, s streams, sp *space.Space) (points []space.Params, err error) {
	if c.File == "" {
		texts := map[string]string{}
		for _, arg := range c.Params {
			name, value, ok := strings.Cut(arg, "=")
			if !ok {
				return nil, usagef("%q is not of the form name=value", arg)
			}
			if _, twice := texts[name]; twice {
				return nil, usagef("parameter %q is given twice: leave out one of them", name)
			}
			texts[name] = value
		}
		v, err := readParams(sp, texts)
		return []space.Params{v}, err
	}
	data, err := readInput(ctx, s, c.File)
	if err != nil {
		return nil, err
	}
	line := 0
	for text := range bytes.Lines(data) {
		line++
		if len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		var v space.Params
		if err := json.Unmarshal(text, &v); err != nil {
			return nil, usagef("--file: %s:%d: %w", c.File, line, err)
		}
		points = append(points, v)
	}
	return points, nil
}

// readInput reads a file, or standard input under the name -.
func readInput(ctx context.Context, s streams, name string) (data []byte, err error) {
	if name == "-" {
		data, err = readAll(ctx, "standard input", mostInput, func() (io.ReadCloser, error) { return io.NopCloser(s.in), nil })
	} else {
		data, err = readFile(ctx, name, mostInput)
	}
	return data, inFlag("--file", err)
}

// trialArgs name trials of a study.
type trialArgs struct {
	Study   string `arg:"" help:"Name of the study."`
	Numbers []int  `arg:"" name:"number" help:"Numbers of the trials."`
	storeFlags
}

// each does something to every trial.
func (a trialArgs) each(ctx context.Context, s streams, do func(studied, int) error) error {
	return a.with(ctx, s, a.Study, func(one studied) error {
		for _, n := range a.Numbers {
			if err := do(one, n); err != nil {
				return err
			}
		}
		return nil
	})
}

type retryCmd struct{ trialArgs }

// Help is the long help.
func (*retryCmd) Help() string {
	return `Examples:

  mahabo retry rig 7 9`
}

// Run sends failed and stopped trials back to the queue.
func (c *retryCmd) Run(ctx context.Context, s streams) error {
	return c.each(ctx, s, func(one studied, n int) error {
		if err := one.Retry(ctx, n); err != nil {
			return err
		}
		_, err := fmt.Fprintf(s.out, "trial %d of %s waits to be evaluated again\n", n, c.Study)
		return err
	})
}

type heartbeatCmd struct {
	trialArgs
	Worker string        `placeholder:"NAME" help:"The name under which they were asked for."`
	Lease  time.Duration `default:"1h" placeholder:"TIME" help:"Time from now on, as in 90s or 2h; 0s for ever (${default}). A long trial gets a tenth of its time at least."`
}

// Help is the long help.
func (*heartbeatCmd) Help() string {
	return `Examples:

  mahabo heartbeat rig 3 --lease 2h

  mahabo heartbeat rig 3 4 --worker bench-1 --lease 90s`
}

// Run extends the leases.
func (c *heartbeatCmd) Run(ctx context.Context, s streams) error {
	return c.each(ctx, s, func(one studied, n int) error {
		if err := one.Heartbeat(ctx, n, c.Worker, c.Lease); err != nil {
			return err
		}
		until := "for ever"
		if trials, err := one.Numbered(ctx, n); err == nil && !trials[0].Expires.IsZero() {
			until = "until " + trials[0].Expires.Local().Format(time.DateTime)
		}
		_, err := fmt.Fprintf(s.out, "the lease of trial %d runs %s\n", n, until)
		return err
	})
}

type releaseCmd struct {
	trialArgs
	Worker string `placeholder:"NAME" help:"The name under which they were asked for."`
}

// Help is the long help.
func (*releaseCmd) Help() string {
	return `Examples:

  mahabo release rig 3

  mahabo release rig 3 4 --worker bench-1`
}

// Run gives trials back that will not be evaluated.
func (c *releaseCmd) Run(ctx context.Context, s streams) error {
	return c.each(ctx, s, func(one studied, n int) error {
		if err := c.held(ctx, one, n); err != nil {
			return err
		}
		if err := one.Release(ctx, c.Worker, n); err != nil {
			return err
		}
		_, err := fmt.Fprintf(s.out, "released trial %d\n", n)
		return err
	})
}

// held says why the worker cannot give a trial back.
func (c *releaseCmd) held(ctx context.Context, one studied, n int) error {
	trials, err := one.Numbered(ctx, n)
	if err != nil {
		return input(err)
	}
	switch t := trials[0]; {
	case t.State != study.Running && t.State != study.Stale:
		return usagef("trial %d is %s: only a running one can be released", n, t.State)
	case t.Worker != c.Worker && t.Worker == "":
		return usagef("trial %d was asked for without a name: leave out --worker", n)
	case t.Worker != c.Worker:
		return usagef("trial %d was asked for by %s: add --worker %s", n, t.Worker, t.Worker)
	}
	return nil
}

type noteCmd struct {
	Study  string   `arg:"" help:"Name of the study."`
	Number int      `arg:"" help:"Number of the trial."`
	Text   []string `arg:"" help:"The remark."`
	storeFlags
}

// Help is the long help.
func (*noteCmd) Help() string {
	return `Examples:

  mahabo note rig 7 the door was open`
}

// Run adds a remark to a trial.
func (c *noteCmd) Run(ctx context.Context, s streams) error {
	return c.with(ctx, s, c.Study, func(one studied) error {
		if err := one.Note(ctx, c.Number, strings.Join(c.Text, " ")); err != nil {
			return err
		}
		_, err := fmt.Fprintf(s.out, "noted on trial %d of %s\n", c.Number, c.Study)
		return err
	})
}
