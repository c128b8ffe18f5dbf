package server

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/internal/table"
	"github.com/mahabo/mahabo/internal/token"
	"github.com/mahabo/mahabo/internal/wire"
	"github.com/mahabo/mahabo/study"
)

func (s *Server) registerTrials(api huma.API) {
	get := func(path, id, summary string) huma.Operation {
		return operation(http.MethodGet, "/v1/studies/{study}"+path, id, summary, token.Read, http.StatusNotFound)
	}
	huma.Register(api, get("/trials", "list-trials", "Page through the trials"), s.listTrials)
	huma.Register(api, get("/trials/{number}", "get-trial", "Show a trial"), s.getTrial)
	huma.Register(api, get("/trials/{number}/output", "output", "Show what the program printed"), s.output)
	huma.Register(api, get("/best", "best", "Show the best point"), s.best)
	huma.Register(api, get("/front", "front", "Show the front of several objectives, and how limits are kept"), s.front)

	export := get("/export", "export", "Download all trials, one per line")
	export.Responses = map[string]*huma.Response{"200": {
		Description: "The trials.",
		Content: map[string]*huma.MediaType{
			"text/csv":             {Schema: &huma.Schema{Type: huma.TypeString}},
			"application/x-ndjson": {Schema: &huma.Schema{Type: huma.TypeString}},

			"application/vnd.apache.parquet": {Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}},
		},
	}}
	huma.Register(api, export, s.export)

	load := operation(http.MethodPost, "/v1/studies/{study}/import", "import", "Add evaluations made before or elsewhere", token.Write, http.StatusNotFound)
	load.MaxBodyBytes = s.limits.Import
	load.RequestBody = &huma.RequestBody{
		Required:    true,
		Description: "A table: CSV with a line that names the columns, divided by commas, semicolons or tabs, or one JSON object per line.",
		Content: map[string]*huma.MediaType{
			"text/csv":             {Schema: &huma.Schema{Type: huma.TypeString}},
			"application/x-ndjson": {Schema: &huma.Schema{Type: huma.TypeString}},
		},
	}
	huma.Register(api, load, s.load)
}

type listTrialsInput struct {
	wire.StudyPath
	Offset   int      `query:"offset" minimum:"0" maximum:"1000000000" doc:"Trials to leave out at the beginning."`
	Limit    int      `query:"limit" minimum:"1" maximum:"1000" default:"100" doc:"Most trials to return."`
	State    []string `query:"state" enum:"waiting,running,complete,failed,infeasible,stale,stopped" doc:"Only trials in these states, separated by commas."`
	Excluded bool     `query:"excluded" doc:"Only trials that nobody learns from: those that were excluded, or that the parameters have no place for."`
	Search   string   `query:"search" maxLength:"200" doc:"Only trials whose number, values, worker, reason or notes contain this text."`
	Number   []int    `query:"number" maxItems:"1000" doc:"Only trials with these numbers, separated by commas."`
	Sort     string   `query:"sort" enum:"number,-number,value,-value,told,-told" default:"number" doc:"Order; - for descending. Trials without a value, or not told, come last."`
}

type trialPage struct {
	Trials []trialShape `json:"trials" nullable:"false"`
	Total  int          `json:"total" doc:"Trials that match, on all pages."`
	Next   *int         `json:"next" doc:"Offset of the next page, null on the last."`
}

func (s *Server) listTrials(ctx context.Context, in *listTrialsInput) (*body[trialPage], error) {
	q := study.Query{Numbers: in.Number, Offset: in.Offset, Limit: in.Limit, Excluded: in.Excluded, Text: in.Search, Sort: study.Order(strings.TrimPrefix(in.Sort, "-")), Descending: strings.HasPrefix(in.Sort, "-")}
	for _, state := range in.State {
		q.States = append(q.States, evaluate.State(state))
	}
	out := &body[trialPage]{}
	return out, s.with(ctx, in.Study, func(h *host) error {
		trials, total, err := h.Select(ctx, q)
		out.Body = trialPage{Trials: shapeTrials(trials), Total: total}
		if next := in.Offset + len(trials); len(trials) > 0 && next < total {
			out.Body.Next = &next
		}
		return err
	})
}

func (s *Server) getTrial(ctx context.Context, in *wire.TrialPath) (*body[trialShape], error) {
	out := &body[trialShape]{}
	return out, s.with(ctx, in.Study, func(h *host) error {
		trials, err := h.Numbered(ctx, in.Number)
		if err == nil {
			out.Body = shapeTrial(trials[0])
		}
		return err
	})
}

// outputShape is what a program printed for a trial.
type outputShape struct {
	Out string `json:"out" doc:"End of its standard output."`
	Err string `json:"err" doc:"End of its standard error."`
}

func (s *Server) output(ctx context.Context, in *wire.TrialPath) (*body[outputShape], error) {
	out := &body[outputShape]{}
	return out, s.with(ctx, in.Study, func(h *host) error {
		if _, err := h.Numbered(ctx, in.Number); err != nil {
			return err
		}
		if s.kept == nil {
			return problem(http.StatusNotFound, "", "this server does not know where programs keep what they print")
		}
		stdout, stderr, err := s.kept(in.Study, in.Number)
		if errors.Is(err, fs.ErrNotExist) {
			return problem(http.StatusNotFound, "", "what the program printed for this trial is not kept on this machine")
		}
		out.Body = outputShape{printable(stdout), printable(stderr)}
		return err
	})
}

// printable is a text without bytes that no text has.
func printable(data []byte) string { return strings.ToValidUTF8(string(data), "\ufffd") }

type bestAnswer struct {
	Best orNull[bestShape] `json:"best" doc:"Null while no trial is complete."`
}

func (s *Server) best(ctx context.Context, in *wire.StudyPath) (*body[bestAnswer], error) {
	out := &body[bestAnswer]{}
	return out, s.with(ctx, in.Study, func(h *host) error {
		best, ok, err := h.Best(ctx)
		if ok {
			out.Body.Best = shapeBest(best)
		}
		return err
	})
}

type exportInput struct {
	wire.StudyPath
	Format string `query:"format" enum:"csv,jsonl,parquet" default:"csv"`
}

// contentTypes are those of the formats.
var contentTypes = map[table.Format]string{
	table.CSV: "text/csv; charset=utf-8", table.JSONL: "application/x-ndjson", table.Parquet: "application/vnd.apache.parquet",
}

// export streams. When it fails half-way, the connection is cut so that nobody
// takes the part for the whole.
func (s *Server) export(ctx context.Context, in *exportInput) (*huma.StreamResponse, error) {
	format := table.Format(in.Format)
	out := &huma.StreamResponse{}
	return out, s.with(ctx, in.Study, func(h *host) error {
		if _, err := h.Summary(ctx); err != nil { // the study may be gone
			return err
		}
		out.Body = func(c huma.Context) {
			c.SetHeader("Content-Type", contentTypes[format])
			c.SetHeader("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": in.Study + "." + in.Format}))
			c.SetStatus(http.StatusOK)
			_, w := unwrap(c)
			if err := table.Export(ctx, h.Study, steadyWriter{w, http.NewResponseController(w), s.limits.Answer}, format); err != nil {
				s.log.WarnContext(ctx, "export was cut", "study", in.Study, "error", err)
				panic(http.ErrAbortHandler)
			}
		}
		return nil
	})
}

// steadyWriter gives a long answer more time with everything that is written of it.
type steadyWriter struct {
	io.Writer
	control *http.ResponseController
	limit   time.Duration
}

func (s steadyWriter) Write(data []byte) (int, error) {
	_ = s.control.SetWriteDeadline(time.Now().Add(s.limit)) // a recorder has none
	return s.Writer.Write(data)
}

type importInput struct {
	wire.StudyPath
	Format  string   `query:"format" enum:"csv,jsonl" doc:"Goes by the content type when it is left out, and is csv when that does not tell."`
	DryRun  bool     `query:"dry_run" doc:"Only report."`
	Strict  bool     `query:"strict" doc:"Refuse a table with a row that cannot be used, instead of leaving the row out."`
	Repeats bool     `query:"repeats" doc:"Take also the rows that are in the study already: real repetitions."`
	Decimal string   `query:"decimal" enum:"point,comma" doc:"Sign before the decimals of the numbers in CSV; goes by the numbers when it is left out."`
	Columns []string `query:"column,explode" maxItems:"500" doc:"NAME=COLUMN: how the table calls a parameter, or value, state, std, reason, notes, excluded, cost or seconds; or an outcome, and NAME.std for its std." example:"rate=lr"`
	Type    string   `header:"Content-Type" hidden:"true"`
	RawBody []byte
}

// importReport says what became of the rows.
type importReport struct {
	Good     int        `json:"good" doc:"Rows that can be used."`
	Known    int        `json:"known" doc:"Those of them that are in the study already, with the same parameters and outcome, and are not taken again."`
	Bad      []rowShape `json:"bad" nullable:"false" doc:"Rows that cannot; at most 1000 are listed."`
	BadCount int        `json:"bad_count" doc:"Rows that cannot be used."`
	Trials   []int      `json:"trials" nullable:"false" doc:"Numbers of the new trials, none after a dry run."`
	Repeated bool       `json:"repeated" doc:"The same table was imported before; trials are of then."`
}

type rowShape struct {
	Line  int    `json:"line"`
	Error string `json:"error"`
}

const mostBadRows = 1000

func (s *Server) load(ctx context.Context, in *importInput) (*body[importReport], error) {
	o := table.Options{
		Format: table.Format(in.Format), Columns: map[string]string{}, Decimal: table.Decimal(in.Decimal), DryRun: in.DryRun, Strict: in.Strict, Repeats: in.Repeats,
	}
	if o.Format == "" {
		o.Format = table.CSV
		if strings.Contains(in.Type, "json") {
			o.Format = table.JSONL
		}
	}
	for _, c := range in.Columns {
		name, column, ok := strings.Cut(c, "=")
		if !ok || name == "" || column == "" {
			return nil, invalid("query.column", "write NAME=COLUMN")
		}
		o.Columns[name] = column
	}
	out := &body[importReport]{}
	return out, s.change(ctx, in.Study, func(h *host) error {
		r, err := table.Import(ctx, h.Study, bytes.NewBuffer(in.RawBody), o)
		out.Body = importReport{Good: r.Good, Known: r.Known, Bad: []rowShape{}, BadCount: len(r.Bad), Trials: r.Trials, Repeated: r.Repeated}
		for _, bad := range r.Bad[:min(len(r.Bad), mostBadRows)] {
			out.Body.Bad = append(out.Body.Bad, rowShape{bad.Line, bad.Err.Error()})
		}
		return err
	})
}
