package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/mahabo/mahabo"
	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/internal/points"
	"github.com/mahabo/mahabo/internal/table"
	"github.com/mahabo/mahabo/internal/token"
	"github.com/mahabo/mahabo/internal/wire"
	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/study"
)

// createBody is a study to create.
type createBody struct {
	wire.StudyOptions
	Space    spaceTree    `json:"space"`
	Outcomes outcomesTree `json:"outcomes,omitempty" doc:"Also part of the space."`

	From   []string      `json:"from,omitempty" maxItems:"20" doc:"Former studies of this server to learn from. They may have other bounds, other parameters beside the shared ones, and values of another unit or offset: how much they are worth is learned."`
	Former []formerShape `json:"former,omitempty" maxItems:"20" doc:"Trials of former studies that are not on this server."`
}

// formerShape are trials to learn from.
type formerShape struct {
	Name   string        `json:"name" maxLength:"128" example:"notebook"`
	Trials []formerTrial `json:"trials,omitempty" maxItems:"100000" nullable:"false"`
	CSV    string        `json:"csv,omitempty" doc:"A table instead of trials: columns called as parameters, and one that is called value or as an objective. Other columns, and rows without a value, are left out." example:"temperature,value\n210,3.2"`
}

type formerTrial struct {
	Params params  `json:"params"`
	Value  float64 `json:"value" doc:"In the sense of the goal of the new study."`
}

// rows are the trials for a study with a space.
func (f formerShape) rows(sp *space.Space) ([]study.Row, error) {
	switch {
	case f.Trials == nil && f.CSV == "":
		return nil, errors.New("there are neither trials nor a table: give trials or csv")
	case f.Trials == nil:
		return table.ReadFormer([]byte(f.CSV), sp)
	case f.CSV != "":
		return nil, errors.New("there are trials and csv: leave one out")
	}
	rows := []study.Row{}
	for _, t := range f.Trials {
		rows = append(rows, study.Row{Params: t.Params.Params, Outcome: evaluate.Value(t.Value)})
	}
	return rows, nil
}

// former are the trials to learn from, by the name of their study.
func (s *Server) former(ctx context.Context, c createBody, sp *space.Space, goal study.Goal) (map[string][]study.Row, error) {
	if len(c.From)+len(c.Former) == 0 {
		return nil, nil
	}
	all := map[string][]study.Row{}
	for i, f := range c.Former {
		rows, err := f.rows(sp)
		if err != nil {
			return nil, invalid(fmt.Sprintf("body.former[%d]", i), fmt.Sprintf("%s: %v", f.Name, err))
		}
		all[f.Name] = rows
	}
	for _, name := range c.From {
		if !granted(ctx, name, token.Read) {
			return nil, forbidden(ctx, name, token.Read)
		}
		h, err := s.hosts.enter(ctx, name)
		if errors.Is(err, study.ErrNotFound) {
			return nil, invalid("body.from", fmt.Sprintf("there is no study %s", name))
		}
		if err != nil {
			return nil, err
		}
		trials, _, err := h.Select(ctx, study.Query{States: []evaluate.State{evaluate.Complete}})
		s.hosts.leave(h)
		if err != nil {
			return nil, err
		}
		all[name] = table.Former(trials, h.Config().Goal, goal)
	}
	return all, nil
}

// studyShape is a study and how far it is.
type studyShape struct {
	wire.StudyOptions
	Space spaceTree `json:"space"`
	wire.StudyProgress
	Best orNull[bestShape] `json:"best" doc:"Null while no trial is complete."`
}

// listedShape is a study in a list, where parameters would be too many.
type listedShape struct {
	wire.StudyOptions
	wire.StudyProgress
	Space *spaceTree         `json:"space,omitempty" doc:"Left out unless full is true."`
	Best  orNull[listedBest] `json:"best" doc:"Null while no trial is complete."`

	Objectives []string `json:"objectives,omitempty" doc:"Names of the objectives, where the study declares outcomes. The best value is that of the first, of several objectives at the knee of the front."`

	Error string `json:"error,omitempty" doc:"Why the study cannot be read. Nothing but its name is known then."`
}

type listedBest struct {
	Number int     `json:"number" doc:"Of the first complete trial at the best point."`
	Params *params `json:"params,omitempty" doc:"Left out unless full is true."`
	Value  float64 `json:"value" doc:"Mean of the values at this point."`
	Count  int     `json:"count" doc:"Complete trials at this point."`

	Violations map[string]float64 `json:"violations,omitempty" doc:"By how much limits are violated: no trial keeps all."`
}

// listed is a study without its parameters, unless they are wanted.
func (s studyShape) listed(full bool) listedShape {
	shape := listedShape{StudyOptions: s.StudyOptions, StudyProgress: s.StudyProgress}
	if full {
		shape.Space = &s.Space
	}
	for _, o := range s.Space.Outcomes() {
		if o.Goal != "" {
			shape.Objectives = append(shape.Objectives, o.Name)
		}
	}
	if b := s.Best.v; b != nil {
		best := &listedBest{Number: b.Number, Value: b.Value, Count: b.Count, Violations: b.Violations}
		if full {
			best.Params = &b.Params
		}
		shape.Best.v = best
	}
	return shape
}

// bestShape is the best point of a study.
type bestShape struct {
	Number int     `json:"number" doc:"Of the first complete trial at this point."`
	Params params  `json:"params"`
	Value  float64 `json:"value" doc:"Mean of the values at this point."`
	Count  int     `json:"count" doc:"Complete trials at this point."`

	Outcomes   map[string]float64 `json:"outcomes,omitempty" doc:"Means at this point, where the study declares outcomes. Of several objectives the point is the knee of the front."`
	Violations map[string]float64 `json:"violations,omitempty" doc:"By how much limits are violated: no trial keeps all, and this point violates them least."`
}

type body[T any] struct{ Body T }

func (s *Server) registerStudies(api huma.API) {
	create := operation(http.MethodPost, "/v1/studies", "create-study", "Create a study", token.Admin, http.StatusConflict)
	create.DefaultStatus = http.StatusCreated
	create.MaxBodyBytes = s.limits.Body
	huma.Register(api, create, s.createStudy)
	huma.Register(api, operation(http.MethodGet, "/v1/studies", "list-studies", "List the studies", token.Read), s.listStudies)
	huma.Register(api, operation(http.MethodGet, "/v1/studies/{study}", "get-study", "Show how far a study is", token.Read, http.StatusNotFound), s.getStudy)
	remove := operation(http.MethodDelete, "/v1/studies/{study}", "delete-study", "Delete a study and all its trials", token.Admin, http.StatusNotFound)
	remove.DefaultStatus = http.StatusNoContent
	huma.Register(api, remove, s.deleteStudy)
	change := operation(http.MethodPost, "/v1/studies/{study}/change", "change-study", "Change the parameters of a study", token.Admin, http.StatusNotFound)
	change.MaxBodyBytes = s.limits.Body
	huma.Register(api, change, s.changeSpace)
	huma.Register(api, operation(http.MethodGet, "/v1/methods", "list-methods", "List the methods and their options", ""), s.listMethods)
}

func (s *Server) createStudy(ctx context.Context, in *struct{ Body createBody }) (*body[studyShape], error) {
	c := in.Body
	if !granted(ctx, c.Name, token.Admin) {
		return nil, forbidden(ctx, c.Name, token.Admin)
	}
	sp, err := c.Outcomes.join(c.Space.Space)
	if err != nil {
		return nil, s.explain(ctx, err)
	}
	config := study.Config{
		Name: c.Name, Space: sp, Method: cmp.Or(c.Method, mahabo.DefaultMethod), Goal: study.Goal(c.Goal), Seed: c.Seed, Init: c.Init, Batch: c.Batch, Budget: c.Budget,
		Stop: c.Stop, Cost: c.Cost, MaxCost: c.MaxCost,
	}
	if config.Former, err = s.former(ctx, c, sp, config.WithDefaults().Goal); err != nil {
		return nil, s.explain(ctx, err)
	}
	one, err := study.Create(ctx, s.hosts.store, config, study.WithMethods(s.hosts.methods))
	if errors.Is(err, study.ErrExists) {
		err = s.compare(ctx, config, c.Method != "", err)
	}
	if err != nil {
		return nil, s.explain(ctx, err)
	}
	h, err := s.hosts.add(c.Name, one)
	if err != nil {
		return nil, s.explain(ctx, err)
	}
	defer s.hosts.leave(h)
	shape, err := shapeStudy(ctx, h.Study)
	return &body[studyShape]{shape}, s.explain(ctx, err)
}

// compare says how the study that exists differs from the one that was to be created, or
// returns exists: programs that continue a study want to know whether it is theirs.
func (s *Server) compare(ctx context.Context, given study.Config, method bool, exists error) error {
	want := given.WithDefaults()
	h, err := s.hosts.enter(ctx, want.Name)
	if err != nil {
		return err
	}
	defer s.hosts.leave(h)
	had := h.Config()
	differences := points.Differences(had.Space, want.Space)
	canonical, err := s.hosts.methods.Canonical(want.Method)
	if err != nil {
		return err
	}
	var differs string
	switch {
	case len(differences) > 0:
		differs = "other parameters (" + strings.Join(differences[:min(len(differences), mostDifferences)], "; ") + ")"
	case had.Goal != want.Goal:
		differs = "the goal " + string(had.Goal)
	case want.Stop != "" && had.Stop != want.Stop:
		differs = "the rule to stop trials " + cmp.Or(had.Stop, "none")
	case want.Cost != "" && had.Cost != want.Cost:
		differs = "a cost that does not count"
	case method && had.Method != canonical:
		differs = "the method " + had.Method
	case given.Seed != 0 && had.Seed != given.Seed:
		differs = fmt.Sprintf("the seed %d", had.Seed)
	case given.Init != 0 && had.Init != given.Init:
		differs = fmt.Sprintf("an initial design of %d trials", had.Init)
	default:
		return exists
	}
	return problem(http.StatusConflict, problemDiffers, fmt.Sprintf("a study of the name %s exists and has %s: choose another name, change its parameters, or delete it", want.Name, differs))
}

// mostDifferences bounds those that a problem lists.
const mostDifferences = 10

func shapeStudy(ctx context.Context, one *study.Study) (studyShape, error) {
	sum, err := one.Summary(ctx)
	if err != nil {
		return studyShape{}, err
	}
	c := sum.Config
	shape := studyShape{
		StudyOptions: wire.StudyOptions{
			Name: c.Name, Method: c.Method, Goal: string(c.Goal), Seed: c.Seed, Init: c.Init, Batch: c.Batch, Budget: c.Budget, Stop: c.Stop, Cost: c.Cost, MaxCost: c.MaxCost,
		},
		Space:         spaceTree{c.Space},
		StudyProgress: wire.StudyProgress{Created: sum.Created, Trials: sum.Trials, States: map[string]int{}, Batches: sum.Batches, Spent: sum.Cost},
	}
	for state, n := range sum.States {
		shape.States[string(state)] = n
	}
	best, ok, err := one.Best(ctx)
	if ok {
		shape.Best = shapeBest(best)
	}
	return shape, err
}

func shapeBest(b study.Best) orNull[bestShape] {
	shape := bestOf(b)
	return orNull[bestShape]{&shape}
}

func bestOf(b study.Best) bestShape {
	return bestShape{Number: b.Number, Params: params{b.Params}, Value: b.Mean, Count: b.Count, Outcomes: outcomesOf(b), Violations: b.Violations}
}

// outcomesOf are the means of a point, and what is only recorded of its first trial.
func outcomesOf(b study.Best) map[string]float64 {
	if b.Means == nil {
		return nil
	}
	all := maps.Clone(b.Outcomes)
	maps.Copy(all, b.Means)
	return all
}

type studyList struct {
	Studies []listedShape `json:"studies" nullable:"false"`
}

type listStudiesInput struct {
	Full bool `query:"full" doc:"Also return the spaces and the best points, which can have thousands of parameters."`
}

// listStudies leaves out the studies that the caller may not see.
func (s *Server) listStudies(ctx context.Context, in *listStudiesInput) (*body[studyList], error) {
	names, err := s.hosts.store.Names(ctx)
	if err != nil {
		return nil, s.explain(ctx, err)
	}
	list := studyList{Studies: []listedShape{}}
	for _, name := range names {
		if !granted(ctx, name, token.Read) {
			continue
		}
		err := s.with(ctx, name, func(h *host) error {
			shape, err := shapeStudy(ctx, h.Study)
			if err == nil {
				list.Studies = append(list.Studies, shape.listed(in.Full))
			}
			return err
		})
		var p *huma.ErrorModel
		switch {
		case err == nil, errors.As(err, &p) && p.Type == problemNoStudy: // deleted meanwhile
		case p != nil && p.Status != http.StatusServiceUnavailable:
			broken := listedShape{StudyOptions: wire.StudyOptions{Name: name}, Error: p.Detail}
			broken.States = map[string]int{}
			list.Studies = append(list.Studies, broken)
		default:
			return nil, err
		}
	}
	return &body[studyList]{list}, nil
}

func (s *Server) getStudy(ctx context.Context, in *wire.StudyPath) (*body[studyShape], error) {
	out := &body[studyShape]{}
	return out, s.with(ctx, in.Study, func(h *host) (err error) {
		out.Body, err = shapeStudy(ctx, h.Study)
		return err
	})
}

func (s *Server) deleteStudy(ctx context.Context, in *wire.StudyPath) (*struct{}, error) {
	h, err := s.once(ctx, in.Study, func(*host) error { return study.Delete(ctx, s.hosts.store, in.Study) })
	if h != nil {
		s.hosts.drop(h)
	} else if err != nil && !errors.Is(err, errClosing) { // also one that cannot be read
		err = study.Delete(ctx, s.hosts.store, in.Study)
	}
	return nil, s.explain(ctx, err)
}

// methodShape is a method that a study can be made with.
type methodShape struct {
	Name      string        `json:"name"`
	Summary   string        `json:"summary"`
	Reference string        `json:"reference"`
	Options   []optionShape `json:"options" nullable:"false"`
}

type optionShape struct {
	Key     string `json:"key"`
	Default string `json:"default" doc:"Empty when the method decides."`
	Meaning string `json:"meaning"`
}

type methodList struct {
	Methods []methodShape `json:"methods" nullable:"false"`
}

func (s *Server) listMethods(context.Context, *struct{}) (*body[methodList], error) {
	list := methodList{}
	for _, m := range s.hosts.methods.Methods() {
		shape := methodShape{Name: m.Name, Summary: m.Summary, Reference: m.Reference, Options: []optionShape{}}
		for _, o := range m.Options {
			shape.Options = append(shape.Options, optionShape{o.Key, o.Default, o.Meaning})
		}
		list.Methods = append(list.Methods, shape)
	}
	return &body[methodList]{list}, nil
}
