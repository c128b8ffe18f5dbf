package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/internal/hint"
	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/study"
)

type askCmd struct {
	Study     string            `arg:"" help:"Name of the study."`
	Count     int               `default:"1" placeholder:"N" help:"Trials to evaluate (${default})."`
	Worker    string            `placeholder:"NAME" help:"Who will evaluate them."`
	RequestID string            `placeholder:"ID" help:"Asking again with the same ID returns the same trials."`
	Lease     time.Duration     `default:"0s" placeholder:"TIME" help:"After this time without a value, as in 90s or 2h, a trial is served again (0s: never)."`
	Fixed     map[string]string `mapsep:"none" placeholder:"NAME=VALUE" help:"Hold a parameter at a value; can be given several times."`
	JSON      bool              `name:"json" help:"Print JSON."`
	storeFlags
}

// Help is the long help.
func (*askCmd) Help() string {
	return `Examples:

  mahabo study create rig --space space.yaml --method maha

  mahabo ask rig --count 2 --lease 2h --json

  mahabo ask rig --fixed mode=fast --fixed n=3

  mahabo tell rig 1 --value 0.83`
}

// Run serves trials.
func (c *askCmd) Run(ctx context.Context, s streams) error {
	if c.Count < 1 {
		return usagef("--count is %d: ask for at least one trial", c.Count)
	}
	return c.with(ctx, s, c.Study, func(one studied) error {
		fixed, err := readParams(one.Config().Space, c.Fixed)
		if err != nil {
			return err
		}
		b, err := one.Ask(ctx, study.AskRequest{Count: c.Count, Worker: c.Worker, RequestID: c.RequestID, Lease: c.Lease, Fixed: fixed})
		if err != nil {
			return err
		}
		if c.JSON {
			return writeJSON(s.out, b)
		}
		if b.Fallback != "" {
			fmt.Fprintf(s.err, "note: the model could not be used (%s); the points are uniform\n", b.Fallback)
		}
		if b.Note != "" {
			fmt.Fprintf(s.err, "note: %s\n", b.Note)
		}
		for _, t := range b.Trials {
			expected := ""
			if t.Predicted != nil {
				expected = fmt.Sprintf("  (expected %.4g ± %.2g)", t.Predicted.Mean, t.Predicted.Std)
			}
			fmt.Fprintf(s.out, "%d  %s%s\n", t.Number, paramText(t.Params), expected)
		}
		return nil
	})
}

// readParams reads values as they stand on a command line.
func readParams(sp *space.Space, texts map[string]string) (space.Params, error) {
	params := sp.Params()
	values := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		i := slices.IndexFunc(params, func(p space.Param) bool { return p.Name == name })
		if i < 0 {
			var known []string
			for _, p := range params {
				known = append(known, p.Name)
			}
			return space.Params{}, usagef("the study has no parameter %q%s: mahabo study show --json lists them", name, hint.DidYouMean(name, known))
		}
		values[name] = params[i].ReadText(texts[name])
	}
	return space.ParamsOf(values), nil
}

type tellCmd struct {
	Study  string  `arg:"" help:"Name of the study."`
	Number int     `arg:"" help:"Number of the trial."`
	Value  string  `placeholder:"V" help:"Its value; none when it failed or is infeasible."`
	Std    float64 `default:"0" placeholder:"S" help:"Standard deviation of the value's noise, if known."`
	State  string  `enum:"complete,failed,infeasible" default:"complete" help:"complete, failed or infeasible (${default})."`
	Reason string  `placeholder:"TEXT" help:"Why there is no value."`
	Note   string  `placeholder:"TEXT" help:"Also add a note to the trial."`

	Param map[string]string `mapsep:"none" placeholder:"NAME=VALUE" help:"A parameter that was really used, if another than suggested; can be given several times."`
	storeFlags
}

// Help is the long help.
func (*tellCmd) Help() string {
	return `Examples:

  mahabo tell rig 1 --value 0.83 --std 0.02

  mahabo tell rig 2 --state failed --reason "power cut"

  mahabo tell rig 3 --state infeasible --reason "it would burst"

  mahabo tell rig 4 --value 0.8 --param rate=0.08

A value that was told by mistake is mended by mahabo correct.`
}

// Run records the outcome.
func (c *tellCmd) Run(ctx context.Context, s streams) error {
	o := evaluate.Outcome{State: evaluate.State(c.State), Std: c.Std, Reason: c.Reason}
	switch {
	case o.State == evaluate.Complete && c.Value == "":
		return usagef("--value is missing: give the trial's value, or --state failed or infeasible")
	case o.State != evaluate.Complete && c.Value != "":
		return usagef("--value: a trial that is %s has no value, leave out %q", c.State, c.Value)
	case c.Value != "":
		var err error
		if o.Value, err = strconv.ParseFloat(c.Value, 64); err != nil {
			return usagef("--value: %q is not a number", c.Value)
		}
	}
	return c.with(ctx, s, c.Study, func(one studied) error {
		really, err := readParams(one.Config().Space, c.Param)
		if err != nil {
			return err
		}
		trials, err := one.Record(ctx, study.Finished{Number: c.Number, Outcome: o, Params: really})
		if err != nil {
			return err
		}
		noted := ""
		if c.Note != "" {
			if err := one.Note(ctx, c.Number, c.Note); err != nil {
				return err
			}
			noted = ", with the note"
		}
		_, err = fmt.Fprintf(s.out, "trial %d of %s is %s%s\n", c.Number, c.Study, outcomeText(trials[0]), noted)
		return err
	})
}

type bestCmd struct {
	Study string `arg:"" help:"Name of the study."`
	All   bool   `help:"List all parameters, however many there are."`
	JSON  bool   `name:"json" help:"Print JSON."`
	storeFlags
}

// Help is the long help.
func (*bestCmd) Help() string {
	return `One parameter a line: first those that differ from the first point of your own, if there is one, then those
with which the values change most.

Examples:

  mahabo best rig

  mahabo best rig --json | jq .params

Of values at one point the mean counts.`
}

// Run prints the best point.
func (c *bestCmd) Run(ctx context.Context, s streams) error {
	return c.with(ctx, s, c.Study, func(one studied) error {
		best, ok, err := one.Best(ctx)
		if err != nil {
			return err
		}
		if !ok {
			return fmt.Errorf("study %q has no complete trial yet", c.Study)
		}
		if c.JSON {
			return writeJSON(s.out, best)
		}
		repeats := ""
		if best.Count > 1 {
			repeats = fmt.Sprintf(" (mean of %d)", best.Count)
		}
		fmt.Fprintf(s.out, "%.10g%s at trial %d\n", best.Mean, repeats, best.Number)
		return c.params(ctx, s, one, best)
	})
}
