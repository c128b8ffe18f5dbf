package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
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
				expected = "  (expected " + predictedText(*t.Predicted) + ")"
			}
			fmt.Fprintf(s.out, "%d  %s%s\n", t.Number, paramText(t.Params), expected)
		}
		return nil
	})
}

// predictedText is what a method expects, of every outcome where it says so.
func predictedText(p study.Prediction) string {
	if len(p.Outcomes) == 0 {
		return fmt.Sprintf("%.4g ± %.2g", p.Mean, p.Std)
	}
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(p.Outcomes)) {
		if len(parts) == mostOutcomes {
			parts = append(parts, "...")
			break
		}
		parts = append(parts, fmt.Sprintf("%s %.4g ± %.2g", name, p.Outcomes[name].Mean, p.Outcomes[name].Std))
	}
	return strings.Join(parts, ", ")
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
	Study  string `arg:"" help:"Name of the study."`
	Number int    `arg:"" help:"Number of the trial."`

	Outcomes []string `arg:"" optional:"" name:"name=value" help:"Outcomes that the study declares, as in mass=1.2 or, with the standard deviation of its noise, stress=9.1±0.2 or stress=9.1+-0.2. The rest can be told later."`

	Value   string  `placeholder:"V" help:"Its value; none when it failed or is infeasible."`
	Std     float64 `default:"0" placeholder:"S" help:"Standard deviation of the value's noise, if known."`
	State   string  `enum:"complete,failed,infeasible,stopped" default:"complete" help:"complete, failed, infeasible, or stopped: ended early, its last report is a bound (${default})."`
	Reason  string  `placeholder:"TEXT" help:"Why there is no value."`
	Cost    float64 `default:"0" placeholder:"C" help:"What the evaluation cost, in any unit that is the same for all trials; else the time that it took counts."`
	Seconds float64 `default:"0" placeholder:"S" help:"How long the evaluation took, if the trial had to wait for its turn; else the time since it was asked for counts."`
	Note    string  `placeholder:"TEXT" help:"Also add a note to the trial."`

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

  mahabo tell beam 1 mass=1.2 stress=9.1±0.2

A value that was told by mistake is mended by mahabo correct.`
}

// Run records the outcome.
func (c *tellCmd) Run(ctx context.Context, s streams) error {
	o := evaluate.Outcome{State: evaluate.State(c.State), Std: c.Std, Reason: c.Reason, Cost: c.Cost, Seconds: c.Seconds}
	switch {
	case len(c.Outcomes) > 0 && (o.State != evaluate.Complete || c.Value != ""):
		return usagef("outcomes by name are those of a complete trial, without --value: leave out one of the two")
	case len(c.Outcomes) > 0 && c.Std != 0:
		return usagef("--std: outcomes have their standard deviations with them: leave it out, and write NAME=VALUE±STD, as in stress=9.1±0.2")
	case o.State != evaluate.Complete && c.Std != 0:
		return usagef("--std: a trial that is %s has no value, leave it out", c.State)
	case o.State == evaluate.Complete && c.Reason != "":
		return usagef("--reason: a complete trial has none, use --note or the state failed, infeasible or stopped")
	case len(c.Outcomes) > 0:
		var err error
		if o.Outcomes, o.Stds, err = readOutcomes(c.Outcomes); err != nil {
			return err
		}
	case o.State == evaluate.Complete && c.Value == "":
		return usagef("--value is missing: give the trial's value, or --state failed, infeasible or stopped")
	case o.State != evaluate.Complete && c.Value != "":
		return usagef("--value: a trial that is %s has no value, leave out %q", c.State, c.Value)
	case c.Value != "":
		var err error
		if o.Value, err = strconv.ParseFloat(c.Value, 64); err != nil {
			return usagef("--value: %q is not a number%s", c.Value, hint.Point(c.Value))
		}
	}
	return c.with(ctx, s, c.Study, func(one studied) error {
		really, err := readParams(one.Config().Space, c.Param)
		if err != nil {
			return err
		}
		trials, err := one.Record(ctx, study.Finished{Number: c.Number, Outcome: o, Params: really})
		if conflict := (*study.ConflictError)(nil); errors.As(err, &conflict) {
			return fmt.Errorf("%w (mahabo correct %s %d --help says how)", err, c.Study, c.Number)
		}
		if err != nil {
			return err
		}
		if o.State == evaluate.Complete && trials[0].State != evaluate.Complete {
			fmt.Fprintf(s.err, "trial %d is %s: it waits for its other outcomes\n", c.Number, trials[0].State)
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

// readOutcomes reads mass=1.2 and stress=9.1±0.2.
func readOutcomes(texts []string) (values, stds map[string]float64, err error) {
	values, stds = map[string]float64{}, map[string]float64{}
	for _, text := range texts {
		name, number, ok := strings.Cut(text, "=")
		if !ok || name == "" {
			return nil, nil, usagef("%q is no outcome: write NAME=VALUE, as in mass=1.2", text)
		}
		if _, twice := values[name]; twice {
			return nil, nil, usagef("outcome %q is given twice", name)
		}
		value, std, err := readValue(number)
		if err != nil {
			return nil, nil, usagef("outcome %q: %w", name, err)
		}
		if values[name] = value; std != 0 {
			stds[name] = std
		}
	}
	return values, stds, nil
}

// readValue reads 9.1, 9.1±0.2 and 9.1 +- 0.2.
func readValue(text string) (value, std float64, err error) {
	number, noise, noisy := strings.Cut(strings.Replace(text, "+-", "±", 1), "±")
	read := func(text string, into *float64) {
		if text = strings.TrimSpace(text); err == nil {
			if *into, err = strconv.ParseFloat(text, 64); err != nil {
				err = fmt.Errorf("%q is not a number%s", text, hint.Point(text))
			}
		}
	}
	if read(number, &value); noisy {
		read(noise, &std)
	}
	return value, std, err
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
with which the values change most, as far as that is known.

Examples:

  mahabo best rig

  mahabo best rig --json | jq .params

Of values at one point the mean counts. Where the study declares limits, only trials that keep all of
them count; without one it is the trial that violates them least, and says so. Of several objectives it is
the knee of the front; mahabo front lists all.`
}

// Run prints the best point.
func (c *bestCmd) Run(ctx context.Context, s streams) error {
	return c.with(ctx, s, c.Study, func(one studied) error {
		best, ok, err := one.Best(ctx)
		if err != nil {
			return err
		}
		if !ok {
			return fmt.Errorf("study %q has no complete trial that counts yet", c.Study)
		}
		if c.JSON {
			return writeJSON(s.out, best)
		}
		repeats := ""
		if best.Count > 1 {
			repeats = fmt.Sprintf(" (mean of %d)", best.Count)
		}
		if best.Means != nil {
			fmt.Fprintf(s.out, "%s%s at trial %d\n", bestText(best, one.Config().Space), repeats, best.Number)
		} else {
			fmt.Fprintf(s.out, "%s%s at trial %d\n", tenDigits(best.Mean), repeats, best.Number)
		}
		return c.params(ctx, s, one, best)
	})
}
