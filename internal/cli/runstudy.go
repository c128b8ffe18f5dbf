package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/internal/points"
	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/strategy"
	"github.com/mahabo/mahabo/study"
)

// config describes the study that the flags ask for.
func (c *minimizeCmd) config(ctx context.Context, methods *strategy.Registry) (study.Config, error) {
	config := study.Config{Name: c.Study, Method: cmp.Or(c.Method, defaultMethod), Seed: c.seed(), Init: c.initial(), Budget: c.initial() + c.Evals}
	c.apply(&config)
	if c.Maximize {
		config.Goal = study.Maximize
	}
	var err error
	if config.Space, err = c.space(ctx); err != nil {
		return config, err
	}
	config = config.WithDefaults()
	if config.Name == "" {
		base := filepath.Base(c.Space)
		config.Name = strings.TrimSuffix(base, filepath.Ext(base))
	}
	if config.Method, err = methods.Canonical(config.Method); err != nil {
		return config, usagef("--method: %w", err)
	}
	return config, input(config.Check(methods)) // before a file is made
}

// space is that of the file or of the problem, which is named in the parameters so that a
// study is not continued with another one.
func (c *minimizeCmd) space(ctx context.Context) (*space.Space, error) {
	if c.Space != "" {
		return readSpace(ctx, c.Space)
	}
	p, err := c.problem()
	if err != nil {
		return nil, err
	}
	return p.Described(fmt.Sprintf("%s, seed %d", c.Problem, c.seed()))
}

// openOrCreate opens the study that the flags name, which has to be the one they describe,
// or begins it.
func (c *minimizeCmd) openOrCreate(ctx context.Context, s streams, st study.Store, want study.Config) (*study.Study, error) {
	one, err := study.Open(ctx, st, want.Name, study.WithMethods(s.methods))
	if errors.Is(err, study.ErrNotFound) {
		if want.Former, err = readFormer(ctx, stored{st, s.methods}, c.From, want); err != nil {
			return nil, err
		}
		if one, err = study.Create(ctx, st, want, study.WithMethods(s.methods)); err == nil {
			return one, nil
		}
	}
	if errors.Is(err, study.ErrExists) { // another run was faster
		one, err = study.Open(ctx, st, want.Name, study.WithMethods(s.methods))
	}
	if err != nil {
		return nil, err
	}
	if err := c.compare(one.Config(), want); err != nil {
		return nil, err
	}
	sum, err := one.Summary(ctx)
	if err != nil {
		return nil, err
	}
	if now := commandText(c.Command); sum.Command != "" && now != "" && sum.Command != now && !c.NewCommand {
		return nil, usagef("study %s in %s was evaluated by another command: before %s, now %s: add --new-command if both find out the same value, or begin another study with --study NAME",
			want.Name, c.Store, sum.Command, now)
	}
	fmt.Fprintf(s.err, "mahabo: continuing study %s in %s: %s, %d complete (--study NAME starts another)\n",
		want.Name, c.Store, counted(sum.Trials, "trial"), sum.States[evaluate.Complete])
	return one, nil
}

// commandText is a command as a shell would take it.
func commandText(argv []string) string {
	parts := make([]string, len(argv))
	for i, a := range argv {
		parts[i] = a
		if a == "" || strings.ContainsAny(a, " \t\n'\"\\$`*?()[]<>|&;#~!") {
			parts[i] = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
	}
	return strings.Join(parts, " ")
}

// compare refuses to continue a study as something that it is not. A method, seed or design
// that is not given is that of the study.
func (c *minimizeCmd) compare(had, want study.Config) error {
	differences := points.Differences(had.Space, want.Space)
	if len(differences) > 0 {
		if len(differences) > mostShown {
			differences = append(differences[:mostShown], "...")
		}
		return usagef("study %s in %s has other parameters than %s: %s: undo the change of the file, have the study changed (mahabo study change %s --space %s shows what that does), or begin another with --study NAME",
			want.Name, c.Store, cmp.Or(c.Space, "the problem"), strings.Join(differences, "; "), want.Name, cmp.Or(c.Space, "FILE"))
	}
	for _, d := range []struct {
		differs        bool
		what, had, fix string
	}{
		{had.Goal != want.Goal, "the goal", string(had.Goal), map[study.Goal]string{study.Maximize: "add --maximize", study.Minimize: "leave out --maximize"}[had.Goal]},
		{c.Method != "" && had.Method != want.Method, "the method", had.Method, "leave out --method"},
		{c.Seed != nil && had.Seed != want.Seed, "the seed", fmt.Sprint(had.Seed), "leave out --seed"},
		{c.Stop != "" && had.Stop != want.Stop, "the rule to stop trials", cmp.Or(had.Stop, "none"), "leave out --stop"},
		{c.Cost != "" && had.Cost != want.Cost, "a cost that", "does not count", "leave out --cost"},
		{c.Init != nil && had.Init != want.Init, "an initial design of", fmt.Sprint(had.Init), "leave out --init"},
	} {
		if d.differs {
			return usagef("study %s in %s has %s: %s to continue it, or begin another with --study NAME",
				want.Name, c.Store, strings.TrimSpace(d.what+" "+d.had), d.fix)
		}
	}
	return nil
}

// optimiseResult is the JSON output of a run of a study.
type optimiseResult struct {
	Study      string     `json:"study"`
	Store      string     `json:"store"`
	Method     string     `json:"method"`
	Goal       study.Goal `json:"goal"`
	Batch      int        `json:"batch"`
	Evals      int        `json:"evals"`
	Init       int        `json:"init"`
	Seed       uint64     `json:"seed"`
	Trials     int        `json:"trials"` // with an outcome, in all runs
	Failed     int        `json:"failed"`
	Infeasible int        `json:"infeasible"`
	Stopped    int        `json:"stopped,omitempty"` // early
	Trial      int        `json:"trial"`             // number of the best one
	Best       float64    `json:"best"`
	Std        float64    `json:"std,omitempty"`

	Outcomes    map[string]float64 `json:"outcomes,omitempty"`   // of the best point, where the space declares outcomes
	Violations  map[string]float64 `json:"violations,omitempty"` // of limits: no trial keeps all
	objectives  []string
	Hypervolume *float64 `json:"hypervolume,omitempty"`
	Front       []int    `json:"front,omitempty"` // numbers of the trials on it, with several objectives

	Params         *space.Params `json:"params"`
	Seconds        float64       `json:"seconds"` // in the method, this run
	FallbackRounds int           `json:"fallback_rounds"`
	Jitter         float64       `json:"jitter"`
	Version        string        `json:"version"`

	place string // the most telling of its parameters
}

// conclude reports how a run ended.
func (r *optimisation) conclude(ctx context.Context, err error) error {
	sum, sumErr := r.study.Summary(ctx)
	if sumErr != nil {
		return cmp.Or(err, sumErr)
	}
	done, quit := finished(sum), errors.Is(err, errQuit)
	var over errSpent
	switch {
	case errors.Is(err, evaluate.ErrExhausted):
		fmt.Fprintf(r.err, "note: %v: the space has no other values\n", evaluate.ErrExhausted)
		err = nil
	case errors.As(err, &over):
		fmt.Fprintf(r.err, "note: %s\n", over.text(sum))
		err = nil
	case quit, errors.Is(err, errOthers):
		err = nil
	case errors.Is(err, evaluate.ErrNoneWorked):
		err = fmt.Errorf("%w\nmahabo retry %s NUMBER... has failed trials evaluated again when the cause is mended", err, sum.Config.Name)
	case errors.Is(err, evaluate.ErrStopped), errors.Is(err, context.Canceled):
		err = interrupted(fmt.Sprintf("stopped after %d of %s; the same command continues", done, counted(r.total, "trial")))
	}
	report := r.Report()
	if report.Fallbacks > 0 {
		fmt.Fprintf(r.err, "note: in %s the model could not be used (%v), the points are uniform\n", counted(report.Fallbacks, "round"), report.Fallback)
	}
	if report.Note != "" {
		fmt.Fprintf(r.err, "note: %s\n", report.Note)
	}
	best, ok, bestErr := r.study.Best(ctx)
	if !ok && err == nil && !quit {
		err = fmt.Errorf("no trial of study %s has a value: %d failed, %d are infeasible", sum.Config.Name, sum.States[evaluate.Failed], sum.States[evaluate.Infeasible])
		if last, _, lastErr := r.study.Select(ctx, study.Query{States: []evaluate.State{evaluate.Failed}, Sort: study.ByTold, Descending: true, Limit: 1}); lastErr == nil && len(last) > 0 {
			err = fmt.Errorf("%w; the last one that failed: %s", err, last[0].Reason)
		}
	}
	if !ok {
		return errors.Join(err, bestErr)
	}
	config := sum.Config
	result := optimiseResult{
		Study: config.Name, Store: r.c.Store, Method: config.Method, Goal: config.Goal, Batch: r.c.Batch, Evals: r.c.Evals,
		Init: config.Init, Seed: config.Seed, Trials: done, Failed: sum.States[evaluate.Failed], Infeasible: sum.States[evaluate.Infeasible], Stopped: sum.States[evaluate.Stopped],
		Trial: best.Number, Best: best.Mean, Std: best.Std, Params: &best.Params,
		Seconds: report.Time.Seconds(), FallbackRounds: report.Fallbacks, Jitter: report.Jitter, Version: version(),
	}
	ranked, rankErr := rankParams(ctx, r.study, best)
	result.place = ranked.line(8)
	result.Outcomes, result.Violations = best.Means, best.Violations
	if r.several {
		front, frontErr := r.study.Front(ctx)
		if frontErr != nil {
			return errors.Join(err, frontErr)
		}
		result.setFront(front)
	}
	return errors.Join(err, rankErr, result.write(r.out, r.c.JSON), r.file.commit(result))
}

// write prints the result for people or for programs.
func (r *optimiseResult) write(w io.Writer, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(w).Encode(r)
	}
	var others string
	if r.Failed > 0 {
		others += fmt.Sprintf(", %d failed", r.Failed)
	}
	if r.Infeasible > 0 {
		others += fmt.Sprintf(", %d infeasible", r.Infeasible)
	}
	if r.Outcomes != nil {
		return r.writeOutcomes(w, others)
	}
	_, err := fmt.Fprintf(w, "best value  %.6g in trial %d of %d%s (%s, %s)\nat          %s\ntime        %s in the method\nstudy       %s in %s\n",
		r.Best, r.Trial, r.Trials, others, r.Method, counted(r.Params.Len(), "parameter"), r.place, seconds(r.Seconds), r.Study, r.Store)
	return err
}

// setFront keeps the front of several objectives.
func (r *optimiseResult) setFront(front study.Front) {
	r.objectives = front.Objectives
	if len(front.Objectives) < 2 {
		return
	}
	r.Hypervolume = &front.Hypervolume
	for _, p := range front.Points {
		r.Front = append(r.Front, p.Number)
	}
}

// writeOutcomes prints a result that has several.
func (r *optimiseResult) writeOutcomes(w io.Writer, others string) error {
	what := "best"
	switch {
	case r.Violations != nil:
		what = "no trial keeps all limits, the least violation is that of"
	case len(r.Front) > 1:
		what = fmt.Sprintf("front of %d points with the hypervolume %.6g, its knee", len(r.Front), *r.Hypervolume)
	}
	_, err := fmt.Fprintf(w, "%s: trial %d of %d%s (%s, %s)\noutcomes    %s\n", what, r.Trial, r.Trials, others, r.Method, counted(r.Params.Len(), "parameter"), outcomesText(r.Outcomes, r.objectives...))
	if err == nil && r.Violations != nil {
		_, err = fmt.Fprintf(w, "violations  %s\n", outcomesText(r.Violations))
	}
	if err == nil {
		_, err = fmt.Fprintf(w, "at          %s\ntime        %s in the method\nstudy       %s in %s\n", firstParams(*r.Params, 8), seconds(r.Seconds), r.Study, r.Store)
	}
	return err
}

// firstParams writes the first n parameters and says how many there are.
func firstParams(v space.Params, n int) string {
	return listParams(v, n) + someOf(v, n)
}

// listParams writes the first n parameters.
func listParams(v space.Params, n int) string {
	var parts []string
	for name, value := range v.All() {
		if len(parts) == n {
			break
		}
		parts = append(parts, name+"="+shortValue(value))
	}
	return strings.Join(parts, " ")
}

// someOf says that only the first n parameters are shown, when there are more.
func someOf(v space.Params, n int) string {
	if v.Len() <= n {
		return ""
	}
	return fmt.Sprintf(" (the first %d of %d; --json has all)", n, v.Len())
}

// shortValue writes a value for people.
func shortValue(value any) string {
	if f, ok := value.(float64); ok {
		return fmt.Sprintf("%.6g", f)
	}
	return fmt.Sprint(value)
}
