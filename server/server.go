package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"github.com/mahabo/mahabo/internal/methods"
	"github.com/mahabo/mahabo/internal/token"
	"github.com/mahabo/mahabo/strategy"
	"github.com/mahabo/mahabo/study"
)

// Config is what a server needs to know. Only Store is required.
type Config struct {
	Store   study.Store        // stays the caller's to close
	Methods *strategy.Registry // nil for the built-in ones
	// TokenFile has the tokens of those who may come in, as mahabo token create makes them;
	// "": everyone may do everything, but for Token.
	TokenFile string
	// Token, when it is not empty, is the one token that may come in, and it may do everything:
	// for a server of one program.
	Token   string
	Log     *slog.Logger
	Version string
	Limits  Limits
	// Patience is how long an ask waits for its method before it is served points
	// that need no model.
	Patience time.Duration
	// Idle is after how long a study that nobody uses is dropped from memory; whoever comes
	// later waits until it is read again. 0 stands for half an hour.
	Idle time.Duration
	// Analyse says what the trials of a study show, an object in JSON, as insight.Analyse
	// does; nil: nothing.
	Analyse func(ctx context.Context, c study.Config, trials []study.Trial) (any, error)
	// Output returns the end of what a program printed for a trial, or fs.ErrNotExist; nil:
	// nothing is known of it.
	Output func(study string, number int) (stdout, stderr []byte, err error)
	// Queue offers trials to workers that wait for them; nil for none. It stays the
	// caller's to close.
	Queue study.Queue
	// Secure says that clients come by TLS, here or before a proxy.
	Secure bool
	// Hostnames are the names that requests without tokens may use beside loopback
	// addresses; nil for any.
	Hostnames []string
	// Dashboard makes what is served under /, of a handler of the API that checks
	// the cookie or header of every request that is passed to it.
	Dashboard func(api http.Handler) http.Handler
}

// Limits bound what clients can make a server do.
type Limits struct {
	Body       int64         // bytes of a request
	Import     int64         // bytes of a table
	Read       time.Duration // from the first to the last byte of a request
	Silence    time.Duration // between two parts of it
	Concurrent int           // requests under way of those who are known
	Strangers  int           // requests under way, and connections, of those who are not
	Streams    int           // streams of events among the requests
	Answer     time.Duration // from the request to the end of the answer, between two parts of an export
}

// withDefaults fills the fields left zero.
func (c Config) withDefaults() Config {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Methods == nil {
		c.Methods = methods.BuiltIn()
	}
	if c.Patience == 0 {
		c.Patience = 10 * time.Second
	}
	c.Idle = orDefault(c.Idle, 30*time.Minute)
	l := &c.Limits
	l.Body = orDefault(l.Body, 8<<20)
	l.Import = orDefault(l.Import, 64<<20)
	l.Read = orDefault(l.Read, time.Minute)
	l.Silence = orDefault(l.Silence, 10*time.Second)
	l.Concurrent = orDefault(l.Concurrent, 1024)
	l.Strangers = orDefault(l.Strangers, 128)
	l.Streams = orDefault(l.Streams, 256)
	l.Answer = orDefault(l.Answer, c.Patience+time.Minute)
	return c
}

func orDefault[T comparable](v, fallback T) T {
	var zero T
	if v == zero {
		return fallback
	}
	return v
}

// validate names the first field that cannot be used.
func (c Config) validate() error {
	switch {
	case c.Store == nil:
		return errors.New("Store is nil: open one with store.Open")
	case c.Patience < 0:
		return fmt.Errorf("Patience is %s: it cannot be negative", c.Patience)
	case c.Idle < 0:
		return fmt.Errorf("Idle is %s: it cannot be negative", c.Idle)
	case c.Limits.negative():
		return errors.New("Limits: none can be negative")
	}
	return nil
}

func (l Limits) negative() bool {
	return min(l.Body, l.Import) < 0 || min(l.Concurrent, l.Strangers, l.Streams) < 0 || min(l.Read, l.Silence, l.Answer) < 0
}

// Server offers the studies of a store. It is an http.Handler.
type Server struct {
	log       *slog.Logger
	tokens    *token.File
	limits    Limits
	secure    bool
	hostnames []string
	kept      func(study string, number int) (stdout, stderr []byte, err error)
	hosts     *hosts
	metrics   *metrics
	analyst   *analyst
	health    *health
	visitors  *visitors
	streams   chan struct{} // one token for each open stream
	closing   context.Context
	close     context.CancelFunc
	document  []byte
	handler   http.Handler
	tasks     sync.WaitGroup // what goes on beside requests
}

// tokens answers for those who may come in; nil: everyone may.
func (c Config) tokens() (*token.File, error) {
	switch {
	case c.Token != "":
		return token.Only(c.Token, time.Now())
	case c.TokenFile != "":
		return token.Open(c.TokenFile, func(err error) { c.Log.Warn("tokens", "error", err) })
	}
	return nil, nil
}

// New makes a server. Close ends its work.
func New(c Config) (*Server, error) {
	c = c.withDefaults()
	if err := c.validate(); err != nil {
		return nil, err
	}
	tokens, err := c.tokens()
	if err != nil {
		return nil, err
	}
	s := &Server{
		log: c.Log, tokens: tokens, limits: c.Limits, secure: c.Secure, hostnames: c.Hostnames, kept: c.Output,
		visitors: newVisitors(min(c.Limits.Strangers, descriptors()/4)),
		streams:  make(chan struct{}, c.Limits.Streams),
		analyst:  &analyst{analyse: c.Analyse, patience: c.Patience, busy: make(chan struct{}, 1), known: map[*host]*review{}},
	}
	s.closing, s.close = context.WithCancel(context.Background())
	s.hosts = &hosts{store: c.Store, methods: c.Methods, open: map[string]*host{}, opening: map[string]chan struct{}{}, forget: s.analyst.forget}
	s.analyst.spawn = func(h *host, work func(context.Context)) {
		s.hosts.stay(h)
		s.tasks.Go(func() {
			defer s.hosts.leave(h)
			work(s.closing)
		})
	}
	s.health = &health{store: c.Store}
	s.metrics = newMetrics(s.hosts.count)
	s.hosts.start = func(one *study.Study, b *notifier) *chooser {
		return startChooser(one, c.Methods, b, c.Patience, s.metrics, c.Log)
	}

	mux := http.NewServeMux()
	api := s.register(mux, c.Version)
	permitNull(api.OpenAPI())
	if tokens == nil {
		needNoToken(api.OpenAPI())
	}
	document, err := json.Marshal(api.OpenAPI())
	if err != nil {
		return nil, err
	}
	s.document = document
	s.serveFixed(mux)
	s.handler = s.protect(mux)
	if c.Dashboard != nil {
		mux.Handle("/", c.Dashboard(mux))
	} else {
		mux.Handle("GET /{$}", http.RedirectHandler("/docs", http.StatusFound))
	}
	s.tasks.Go(func() { s.hosts.sweepUntil(s.closing.Done(), c.Idle) })
	if c.Queue != nil {
		s.tasks.Go(func() { (&dispatcher{server: s, queue: c.Queue, open: map[string]*inDemand{}}).run(s.closing) })
	}
	return s, nil
}

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// EndStreams ends the streams of events, which otherwise never end.
func (s *Server) EndStreams() { s.close() }

// Close stops all choosing. Requests that still come are refused.
func (s *Server) Close() {
	s.close()
	s.tasks.Wait()
	s.hosts.close()
}

// A field in another case than the described one would be taken for it, and count unchecked beside it.
func init() { huma.ValidateStrictCasing = true }

// register adds the operations of the API to the routes.
func (s *Server) register(mux *http.ServeMux, version string) huma.API {
	c := huma.DefaultConfig("mahabo", orDefault(version, "dev"))
	c.Info.Description = "Optimise expensive functions of tens to thousands of parameters: ask for trials, evaluate them, tell their values."
	c.Components.Schemas = huma.NewMapRegistry("#/components/schemas/", schemaName)
	c.CreateHooks = nil // no links to schemas in answers
	c.OpenAPIPath, c.DocsPath, c.SchemasPath = "", "", ""
	c.RejectUnknownQueryParameters = true
	format := huma.Format{Marshal: huma.DefaultJSONFormat.Marshal, Unmarshal: readJSON}
	c.Formats = map[string]huma.Format{"application/json": format, "json": format, "application/x-www-form-urlencoded": format} // the last is what curl -d calls JSON
	c.Transformers = []huma.Transformer{suggest(c.Components.Schemas), shorten}
	c.Components.SecuritySchemes = map[string]*huma.SecurityScheme{
		"token": {Type: "http", Scheme: "bearer", Description: "A token that mahabo token create made."},
	}
	api := humago.New(mux, c)
	api.UseMiddleware(s.authorise(api))
	s.registerStudies(api)
	s.registerAskTell(api)
	s.registerTrials(api)
	s.registerReports(api)
	s.registerCharts(api)
	s.registerBatches(api)
	s.registerModel(api)
	s.registerEvents(api)
	s.registerSession(api)
	return api
}

// permitNull describes what the library does: a field of a request that may be left out may
// be null as well.
func permitNull(d *huma.OpenAPI) {
	for _, path := range d.Paths {
		if path.Post == nil || path.Post.RequestBody == nil {
			continue
		}
		if media := path.Post.RequestBody.Content["application/json"]; media != nil {
			permitNullIn(d.Components.Schemas, media.Schema)
		}
	}
}

func permitNullIn(known huma.Registry, s *huma.Schema) {
	if s.Ref != "" {
		s = known.SchemaFromRef(s.Ref)
	}
	for name, property := range s.Properties {
		if property.Items != nil {
			permitNullIn(known, property.Items)
		}
		if slices.Contains(s.Required, name) || property.Nullable {
			continue
		}
		property.Nullable = true
		if property.Enum != nil {
			property.Enum = append(property.Enum, nil)
		}
	}
}

// needNoToken leaves tokens out of the description of a server that wants none.
func needNoToken(d *huma.OpenAPI) {
	d.Components.SecuritySchemes = nil
	for _, path := range d.Paths {
		for _, op := range []*huma.Operation{path.Get, path.Post, path.Delete} {
			if op != nil {
				op.Security = nil
			}
		}
	}
}

// schemaName is the name of a type in the OpenAPI document.
func schemaName(t reflect.Type, hint string) string {
	return strings.TrimSuffix(huma.DefaultSchemaNamer(t, hint), "Shape")
}
