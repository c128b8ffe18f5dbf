package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/internal/hint"
	"github.com/mahabo/mahabo/internal/remote"
	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/store"
	"github.com/mahabo/mahabo/study"
)

// studyCmd groups what is done to a study as a whole.
type studyCmd struct {
	Create studyCreateCmd `cmd:"" help:"Begin a study."`
	List   studyListCmd   `cmd:"" help:"List the studies of a store."`
	Show   studyShowCmd   `cmd:"" help:"Show how far a study is."`
	Change studyChangeCmd `cmd:"" help:"Change the parameters of a study: bounds, labels, new and fixed ones."`
	Delete studyDeleteCmd `cmd:"" help:"Delete a study and all its trials."`
	Export studyExportCmd `cmd:"" help:"Write the trials of a study to a file."`
	Import studyImportCmd `cmd:"" help:"Add evaluations made before or elsewhere."`
}

// storeFlags choose the store.
type storeFlags struct {
	Store string `default:"sqlite:mahabo.db" placeholder:"URL" help:"Where studies are kept: sqlite:PATH or postgres://...${served} (${default})."`
}

// open opens the store, which has to exist: a slip in a path should not leave a new
// file behind. One that cannot be written can still be shown.
func (f storeFlags) open(ctx context.Context) (study.Store, error) {
	if path, ok := strings.CutPrefix(f.Store, "sqlite:"); ok && path != "" {
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return nil, usagef("--store: there is no file %s: mahabo study create makes it", path)
		}
	}
	st, err := f.create(ctx)
	if errors.Is(err, store.ErrReadOnly) {
		return store.OpenReadOnly(ctx, f.Store)
	}
	return st, err
}

// create opens the store, a new one if need be.
func (f storeFlags) create(ctx context.Context) (study.Store, error) {
	if remote.Is(f.Store) {
		return nil, usagef("--store: this command needs the store itself, and %s is a server: mahabo worker --server %s --study NAME -- COMMAND evaluates trials of its studies", f.Store, f.Store)
	}
	s, err := store.Open(ctx, f.Store)
	var wrong *store.URLError
	if errors.As(err, &wrong) {
		err = usagef("--store: %w", err)
	}
	return s, err
}

// with runs f on a study.
func (f storeFlags) with(ctx context.Context, s streams, name string, do func(studied) error) (err error) {
	all, err := f.studies(ctx, s, false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, all.Close()) }()
	one, err := find(ctx, all, name)
	if err != nil {
		return err
	}
	return input(do(one))
}

// find opens a study, or says which name may have been meant.
func find(ctx context.Context, st studies, name string) (studied, error) {
	one, err := st.open(ctx, name)
	if !errors.Is(err, study.ErrNotFound) {
		return one, input(err)
	}
	names, listErr := st.Names(ctx)
	if listErr != nil {
		return nil, errors.Join(err, listErr)
	}
	return nil, usagef("%w%s: mahabo study list shows the names", err, hint.DidYouMean(name, names))
}

// input marks the errors that a user can mend as such.
func input(err error) error {
	var request *study.RequestError
	if errors.As(err, &request) || errors.Is(err, study.ErrNotFound) || errors.Is(err, study.ErrExists) || errors.Is(err, study.ErrUsedID) {
		return usageError{err}
	}
	return err
}

type studyCreateCmd struct {
	Name   string   `arg:"" help:"Name of the study: letters, digits and -_. only."`
	Space  string   `required:"" placeholder:"FILE" help:"File that declares the parameters, YAML or JSON."`
	Method string   `default:"${default_method}" placeholder:"M" help:"Method with its options, name:key=value,...; see mahabo methods (${default})."`
	Goal   string   `enum:",minimize,maximize" default:"" placeholder:"GOAL" help:"Which values are better: minimize or maximize (minimize, or what the outcomes of the space say)."`
	Seed   uint64   `default:"0" placeholder:"S" help:"Seed of the method (${default})."`
	Init   int      `default:"${default_init}" placeholder:"N" help:"Points of the initial design (${default})."`
	Budget int      `placeholder:"N" help:"Trials that are meant in all, if you know: the method plans for them."`
	From   []string `placeholder:"STUDY" help:"Former studies of the store, or .csv tables, to learn from, separated by commas; they may have other bounds, parameters and units."`
	longFlags
	storeFlags
}

// Help is the long help.
func (*studyCreateCmd) Help() string {
	return `Examples:

  mahabo study create rig --space space.yaml

  mahabo study create oven --space space.yaml --goal maximize --method vanilla --store postgres://localhost/lab

  mahabo study create rig2 --space space.yaml --from rig,notebook.csv`
}

// Run creates the study.
func (c *studyCreateCmd) Run(ctx context.Context, s streams) (err error) {
	sp, err := readSpace(ctx, c.Space)
	if err != nil {
		return err
	}
	config := study.Config{Name: c.Name, Space: sp, Method: c.Method, Goal: study.Goal(c.Goal), Seed: c.Seed, Init: c.Init, Budget: c.Budget}
	c.apply(&config)
	if c.Init < 1 {
		return usagef("--init is %d: the initial design needs at least one point", c.Init)
	}
	config = config.WithDefaults()
	if err := config.Check(s.methods); err != nil { // before a file is made
		return input(err)
	}
	st, err := c.studies(ctx, s, true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	if config.Former, err = readFormer(ctx, st, c.From, config); err != nil {
		return err
	}
	switch err := st.create(ctx, config); {
	case errors.Is(err, study.ErrExists):
		return usagef("%w: choose another name, or go on with that one (mahabo study show %s)", err, c.Name)
	case err != nil:
		return input(err)
	}
	_, err = fmt.Fprintf(s.out, "created study %s in %s: %s, %s by %s%s\n", c.Name, c.Store, counted(len(sp.Params()), "parameter"), goalText(config), c.Method, formerText(c.From))
	return err
}

// mostSpace is the size of the largest file of parameters.
const mostSpace = 16 << 20

// goalText says what a study is after.
func goalText(c study.Config) string {
	outcomes := c.Space.Outcomes()
	if len(outcomes) == 0 {
		return string(c.Goal)
	}
	var parts []string
	limits := 0
	for _, o := range outcomes {
		if o.Goal != "" {
			parts = append(parts, o.Goal+" "+o.Name)
		}
		if o.AtMost != nil || o.AtLeast != nil {
			limits++
		}
	}
	text := strings.Join(parts, ", ")
	if limits > 0 {
		text += fmt.Sprintf(" within %d limits", limits)
	}
	return text
}

// readSpace reads the parameters of a study.
func readSpace(ctx context.Context, path string) (*space.Space, error) {
	data, err := readFile(ctx, path, mostSpace)
	if err != nil {
		return nil, inFlag("--space", err)
	}
	sp, err := space.Parse(data)
	if err != nil {
		return nil, usagef("--space: %s: %w", path, err)
	}
	return sp, nil
}

type studyListCmd struct {
	JSON bool `name:"json" help:"Print JSON."`
	storeFlags
}

// Help is the long help.
func (*studyListCmd) Help() string {
	return `Examples:

  mahabo study list

  mahabo study list --store postgres://localhost/lab --json | jq -r '.[].config.name'`
}

// Run lists the studies.
func (c *studyListCmd) Run(ctx context.Context, s streams) (err error) {
	st, err := c.studies(ctx, s, false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	names, err := st.Names(ctx)
	if err != nil {
		return err
	}
	shown := []studyInfo{}
	for _, name := range names {
		one, err := st.open(ctx, name)
		if errors.Is(err, study.ErrNotFound) {
			continue // deleted meanwhile
		}
		var info studyInfo
		if err == nil {
			info, err = inspect(ctx, one)
		}
		if ctx.Err() != nil || errors.Is(err, study.ErrUnavailable) {
			return err
		}
		if err != nil {
			info = studyInfo{Error: err.Error()}
			info.Config.Name = name
		}
		shown = append(shown, info)
	}
	if c.JSON {
		return writeJSON(s.out, shown)
	}
	w := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "study\tmethod\tgoal\ttrials\tcomplete\tbest")
	for _, i := range shown {
		if i.Error != "" {
			fmt.Fprintf(w, "%s\t-\t-\t-\t-\tcannot be read: %s\n", i.Config.Name, i.Error)
			continue
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%d\t%s\n", i.Config.Name, i.Config.Method, i.Config.Goal, i.Trials, i.States[evaluate.Complete], i.bestText())
	}
	return w.Flush()
}

// studyInfo is a study in JSON.
type studyInfo struct {
	study.Summary
	Best  *study.Best `json:"best"`
	Error string      `json:"error,omitempty"` // why it cannot be read
}

func inspect(ctx context.Context, s studied) (info studyInfo, err error) {
	if info.Summary, err = s.Summary(ctx); err != nil {
		return info, err
	}
	best, ok, err := s.Best(ctx)
	if ok {
		info.Best = &best
	}
	return info, err
}

func (i studyInfo) bestText() string {
	if i.Best == nil {
		return "-"
	}
	return bestText(*i.Best, i.Config.Space)
}

// bestText is the value of the best point, or what it has of several outcomes.
func bestText(b study.Best, sp *space.Space) string {
	if b.Means == nil {
		return tenDigits(b.Mean)
	}
	text := outcomesText(b.Means, objectives(sp)...)
	if b.Violations != nil {
		text += " (no trial keeps all limits; this one violates " + outcomesText(b.Violations) + ")"
	}
	return text
}

// mostOutcomes fit into a line.
const mostOutcomes = 8

// objectives are the names of those that a space declares.
func objectives(sp *space.Space) (names []string) {
	for _, o := range sp.Outcomes() {
		if o.Goal != "" {
			names = append(names, o.Name)
		}
	}
	return names
}

// outcomesText writes numbers by name, some of them first.
func outcomesText(values map[string]float64, first ...string) string {
	names := slices.Clone(first)
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if !slices.Contains(first, name) {
			names = append(names, name)
		}
	}
	var parts []string
	for _, name := range names {
		if len(parts) == mostOutcomes {
			return strings.Join(parts, " ") + fmt.Sprintf(" and %d more", len(values)-mostOutcomes)
		}
		parts = append(parts, name+"="+tenDigits(values[name]))
	}
	return strings.Join(parts, " ")
}

type studyShowCmd struct {
	Name string `arg:"" help:"Name of the study."`
	JSON bool   `name:"json" help:"Print JSON."`
	storeFlags
}

// Help is the long help.
func (*studyShowCmd) Help() string {
	return `Examples:

  mahabo study show rig

  mahabo study show rig --json | jq .states`
}

// Run shows the study.
func (c *studyShowCmd) Run(ctx context.Context, s streams) error {
	return c.with(ctx, s, c.Name, func(one studied) error {
		info, err := inspect(ctx, one)
		if err != nil {
			return err
		}
		if c.JSON {
			return writeJSON(s.out, info)
		}
		var states []string
		for _, state := range []evaluate.State{evaluate.Complete, study.Running, study.Waiting, study.Stale, evaluate.Stopped, evaluate.Failed, evaluate.Infeasible} {
			if n := info.States[state]; n > 0 {
				states = append(states, fmt.Sprintf("%d %s", n, state))
			}
		}
		if info.Excluded > 0 {
			states = append(states, fmt.Sprintf("%d of them excluded or outside of the parameters", info.Excluded))
		}
		w := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
		fmt.Fprintf(w, "study\t%s, created %s\n", info.Config.Name, info.Created.Format(time.RFC3339))
		fmt.Fprintf(w, "method\t%s, seed %d, %s\n", info.Config.Method, info.Config.Seed, counted(info.Config.Init, "initial point"))
		fmt.Fprintf(w, "goal\t%s over %s\n", goalText(info.Config), counted(len(info.Config.Space.Params()), "parameter"))
		if text := longText(info.Config); text != "" {
			fmt.Fprintf(w, "trials end\t%s\n", text)
		}
		fmt.Fprintf(w, "trials\t%s\n", strings.Join(append([]string{fmt.Sprintf("%d in %s", info.Trials, batches(info.Batches))}, states...), ", "))
		fmt.Fprintf(w, "best\t%s\n", info.bestText())
		if info.Best != nil {
			fmt.Fprintf(w, "at\ttrial %d: %s\n", info.Best.Number, firstParams(info.Best.Params, 8))
		}
		for _, line := range info.Model.Former {
			fmt.Fprintf(w, "former\t%s\n", line)
		}
		return w.Flush()
	})
}

// paramText writes parameters on one line.
func paramText(v space.Params) string {
	var parts []string
	for name := range v.All() {
		value, _ := v.Get(name)
		parts = append(parts, name+"="+shortValue(value))
	}
	return strings.Join(parts, " ")
}

type studyDeleteCmd struct {
	Name string `arg:"" help:"Name of the study."`
	Yes  bool   `help:"Really delete it."`
	storeFlags
}

// Help is the long help.
func (*studyDeleteCmd) Help() string {
	return `Examples:

  mahabo study export rig --out rig.csv

  mahabo study delete rig --yes`
}

// Run deletes the study.
func (c *studyDeleteCmd) Run(ctx context.Context, s streams) (err error) {
	st, err := c.studies(ctx, s, false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	one, err := find(ctx, st, c.Name)
	if errors.Is(err, study.ErrNotFound) {
		return err
	}
	var sum study.Summary
	if err == nil {
		sum, err = one.Summary(ctx)
	}
	has := counted(sum.Trials, "trial")
	if err != nil {
		has = "trials that cannot be read"
	}
	if !c.Yes {
		return errors.Join(err, usagef("study %q has %s, which cannot be brought back: add --yes to delete the study", c.Name, has))
	}
	if err := st.remove(ctx, c.Name); err != nil {
		return input(err)
	}
	_, err = fmt.Fprintf(s.out, "deleted study %s and its %s\n", c.Name, has)
	return err
}
