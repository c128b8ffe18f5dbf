package cli

import (
	"context"
	"fmt"
	"strconv"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/internal/hint"
	"github.com/mahabo/mahabo/study"
)

type correctCmd struct {
	Study      string            `arg:"" help:"Name of the study."`
	Number     int               `arg:"" help:"Number of the trial."`
	Outcomes   []string          `arg:"" optional:"" name:"name=value" help:"The right outcomes, where the study declares some, as in mass=1.2 or stress=9.1±0.2."`
	Value      string            `placeholder:"V" help:"The right value; makes a failed or infeasible trial complete."`
	Std        string            `placeholder:"S" help:"Standard deviation of the value's noise."`
	State      string            `enum:",complete,failed,infeasible" default:"" placeholder:"STATE" help:"complete, failed or infeasible."`
	Reason     *string           `placeholder:"TEXT" help:"Why there is no value."`
	Param      map[string]string `mapsep:"none" placeholder:"NAME=VALUE" help:"A parameter that was really used; can be given several times."`
	Exclude    bool              `xor:"count" help:"Keep the trial, but learn nothing from it: neither the method nor best counts it."`
	Include    bool              `xor:"count" help:"Count an excluded trial again."`
	DeleteNote int               `placeholder:"K" help:"Delete the trial's note number K, the first is 1."`
	Worker     string            `placeholder:"NAME" help:"Who corrects it, for the record."`
	storeFlags
}

// Help is the long help.
func (*correctCmd) Help() string {
	return `Examples:

  mahabo correct rig 1 --value 0.82

  mahabo correct rig 2 --state failed --reason "the probe was loose"

  mahabo correct rig 3 --param rate=0.08

  mahabo correct rig 4 --exclude

  mahabo correct rig 4 --include --delete-note 1

Every later ask knows only the corrected trial. The log keeps both, with the time and the name;
mahabo trials --json lists the history of a trial.`
}

// Run corrects the trial.
func (c *correctCmd) Run(ctx context.Context, s streams) error {
	correction, err := c.correction()
	if err != nil {
		return err
	}
	return c.with(ctx, s, c.Study, func(one studied) error {
		if correction.Params, err = readParams(one.Config().Space, c.Param); err != nil {
			return err
		}
		t, changed, err := one.Correct(ctx, c.Number, correction)
		if err != nil {
			return err
		}
		what := "is so already, nothing was changed"
		if changed {
			what = t.History[len(t.History)-1].What
		}
		_, err = fmt.Fprintf(s.out, "trial %d: %s\n", c.Number, what)
		return err
	})
}

// correction reads the flags but for the parameters.
func (c *correctCmd) correction() (out study.Correction, err error) {
	out = study.Correction{State: evaluate.State(c.State), Reason: c.Reason, Note: c.DeleteNote, By: c.Worker}
	if out.Value, err = optionalNumber("--value", c.Value); err != nil {
		return out, err
	}
	if out.Std, err = optionalNumber("--std", c.Std); err != nil {
		return out, err
	}
	if len(c.Outcomes) > 0 {
		if out.Outcomes, out.Stds, err = readOutcomes(c.Outcomes); err != nil {
			return out, err
		}
	}
	if c.Exclude || c.Include {
		out.Exclude = &c.Exclude
	}
	none := len(c.Outcomes) == 0 && c.Value == "" && c.Std == "" && c.State == "" && c.Reason == nil && len(c.Param) == 0 && out.Exclude == nil
	switch {
	case c.DeleteNote < 0:
		return out, usagef("--delete-note is %d: the first note is 1", c.DeleteNote)
	case none && c.DeleteNote == 0:
		return out, usagef("nothing to correct: give --value, --std, --state, --reason, --param, --exclude, --include, --delete-note or NAME=VALUE")
	}
	return out, nil
}

// optionalNumber is nil for a flag that was not given.
func optionalNumber(flag, text string) (*float64, error) {
	if text == "" {
		return nil, nil
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil, usagef("%s: %q is not a number%s", flag, text, hint.Point(text))
	}
	return &v, nil
}
