package cli

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"syscall"
	"time"

	"github.com/mahabo/mahabo/internal/insight"
	"github.com/mahabo/mahabo/internal/token"
	"github.com/mahabo/mahabo/internal/web"
	"github.com/mahabo/mahabo/server"
	"github.com/mahabo/mahabo/study"
)

type serveCmd struct {
	Addr      string        `default:"127.0.0.1:8080" placeholder:"HOST:PORT" help:"Where to listen (${default}). Any but a loopback address needs --token-file or --insecure."`
	TokenFile string        `placeholder:"FILE" help:"Let in only those who have a token of FILE; see mahabo token."`
	Insecure  bool          `help:"Let everyone in who can reach the address."`
	TLSCert   string        `name:"tls-cert" placeholder:"FILE" help:"Certificate and its chain, PEM."`
	TLSKey    string        `name:"tls-key" placeholder:"FILE" help:"Key of the certificate, PEM."`
	Patience  time.Duration `default:"10s" placeholder:"T" help:"How long an ask waits for its method before it gets points that need no model (${default})."`
	Output    string        `default:"." placeholder:"DIR" help:"Where minimize and worker keep what programs print, in STUDY.output; the pages of trials show it (${default})."`
	LogLevel  string        `enum:"debug,info,warn,error" default:"info" help:"What to log on standard error: debug, info, warn or error (${default})."`
	LogFormat string        `enum:"text,json" default:"text" help:"text or json (${default})."`
	// WithParent is for programs that keep a server of their own, as the Python package does.
	WithParent bool `help:"Serve the program that started it: print the address and a token as one line of JSON, and end when standard input closes."`
	natsFlags
	storeFlags
}

// Help is the long help.
func (*serveCmd) Help() string {
	return `Examples:

  mahabo serve

  mahabo token create --token-file tokens --study rig --role write --name alice
  mahabo serve --addr 0.0.0.0:8443 --token-file tokens --tls-cert cert.pem --tls-key key.pem

  mahabo serve --addr 0.0.0.0:8080 --token-file tokens --store postgres://mahabo@db/mahabo

  mahabo serve --nats embedded            # for mahabo worker --nats nats://localhost:4222

Then, on any machine:

  curl -X POST http://localhost:8080/v1/studies -d '{"name": "rig", "space": {"parameters": {"x": {"float": [0, 1]}}}}'
  curl -X POST http://localhost:8080/v1/studies/rig/ask -d '{"count": 2}'
  curl -X POST http://localhost:8080/v1/studies/rig/trials/1/tell -d '{"value": 0.5}'

Open the address in a browser for the dashboard. /docs describes the API, /openapi.json does so for programs. Several servers can share one PostgreSQL store. Ctrl-C finishes the requests under way and stops.`
}

// Run serves until it is interrupted.
func (c *serveCmd) Run(ctx context.Context, s streams) (err error) {
	loopback, err := c.check()
	if err != nil {
		return err
	}
	config := server.Config{
		Methods: s.methods, Log: c.logger(s), Version: version(), Patience: c.Patience, Secure: c.TLSCert != "", Dashboard: web.Handler,
		Analyse: func(ctx context.Context, c study.Config, trials []study.Trial) (any, error) {
			return insight.ReviewTrials(ctx, c, trials)
		},
	}
	config.Output = printed(c.Output)
	var secret string
	var tokens *token.File // of the broker
	switch {
	case c.WithParent:
		var stop context.CancelFunc
		ctx, stop = untilParentEnds(ctx, s.in)
		defer stop()
		secret = token.Private(time.Now())
		config.Token = secret
	case c.TokenFile != "":
		config.TokenFile = c.TokenFile
		if tokens, err = token.Open(c.TokenFile, nil); err != nil {
			return usagef("--token-file: %w", err)
		}
	case loopback:
		config.Hostnames = []string{"localhost"}
	}
	var certificate *tls.Certificate
	if c.TLSCert != "" {
		pair, err := tls.LoadX509KeyPair(c.TLSCert, c.TLSKey)
		if err != nil {
			return usagef("--tls-cert and --tls-key: %w", err)
		}
		certificate = &pair
	}
	if config.Store, err = c.create(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, config.Store.Close()) }()
	if config.Queue, err = c.openQueue(ctx, s, tokens, certificate); err != nil {
		return err
	}
	if config.Queue != nil {
		defer func() { err = errors.Join(err, config.Queue.Close()) }()
	}
	return c.serve(ctx, s, config, certificate, secret)
}

// serve listens; secret is the parent's token, if there is one.
func (c *serveCmd) serve(ctx context.Context, s streams, config server.Config, certificate *tls.Certificate, secret string) error {
	front, err := server.New(config)
	if err != nil {
		return err
	}
	defer front.Close()
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", c.Addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return usagef("--addr: another program listens on %s: end it, or name another port, as in --addr 127.0.0.1:8081; port 0 takes a free one", c.Addr)
	}
	if err != nil {
		return usagef("--addr: %w", err)
	}
	scheme := "http"
	if certificate != nil {
		scheme = "https"
	}
	url := fmt.Sprintf("%s://%s", scheme, listener.Addr())
	if c.WithParent {
		err = json.NewEncoder(s.out).Encode(parentInfo{url, secret})
	} else {
		_, err = fmt.Fprintln(s.out, "listening on", url)
	}
	if err != nil {
		return err
	}
	return front.Serve(ctx, listener, certificate)
}

// check refuses addresses that would let in anyone by accident.
func (c *serveCmd) check() (loopback bool, err error) {
	host, _, err := net.SplitHostPort(c.Addr)
	if err != nil {
		return false, usagef("--addr is %q: write HOST:PORT, as 127.0.0.1:8080", c.Addr)
	}
	loopback = isLoopback(host)
	switch {
	case c.WithParent && (!loopback || c.TokenFile != "" || c.Insecure):
		return loopback, usagef("--with-parent serves one program on a loopback address with a token of its own: leave out --token-file and --insecure, and use --addr 127.0.0.1:0")
	case (c.TLSCert == "") != (c.TLSKey == ""):
		return loopback, usagef("--tls-cert and --tls-key belong together: give both")
	case c.TokenFile != "" && c.Insecure:
		return loopback, usagef("--token-file and --insecure contradict each other: drop one")
	case !loopback && c.TokenFile == "" && !c.Insecure:
		return loopback, usagef("--addr %s can be reached from other machines: give --token-file (mahabo token create makes one), or --insecure to let everyone in", c.Addr)
	case c.Patience <= 0:
		return loopback, usagef("--patience is %s: it has to be positive", c.Patience)
	}
	return loopback, c.checkNATS(c.TokenFile == "" && !c.Insecure)
}

func (c *serveCmd) logger(s streams) *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(c.LogLevel)) // kong has checked it
	options := &slog.HandlerOptions{Level: level}
	if c.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(s.err, options))
	}
	return slog.New(slog.NewTextHandler(s.err, options))
}
