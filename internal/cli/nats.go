package cli

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"strings"

	"github.com/mahabo/mahabo/internal/queue"
	"github.com/mahabo/mahabo/internal/token"
	"github.com/mahabo/mahabo/study"
	"github.com/nats-io/nats.go"
)

// natsFlags say where a server offers trials beside HTTP.
type natsFlags struct {
	Nats      string `placeholder:"embedded|URL" help:"Also hand out trials over NATS: embedded runs a broker in this process, nats://HOST:4222 uses a NATS cluster with JetStream."`
	NatsAddr  string `default:"127.0.0.1:4222" placeholder:"HOST:PORT" help:"Where the embedded broker listens (${default})."`
	NatsDir   string `default:"mahabo.nats" placeholder:"DIR" help:"Where the embedded broker keeps what is on offer (${default})."`
	NatsCreds string `placeholder:"FILE" help:"Credentials for the NATS cluster."`
}

const embedded = "embedded"

// checkNATS names what does not fit together. Without tokens an embedded broker has to
// stay on this machine.
func (f *natsFlags) checkNATS(open bool) error {
	switch {
	case f.Nats != embedded && f.Nats != "" && !strings.Contains(f.Nats, "://"):
		return usagef("--nats is %q: write embedded, or a URL as nats://HOST:4222", f.Nats)
	case f.Nats == embedded && f.NatsCreds != "":
		return usagef("--nats-creds is for a NATS cluster: the embedded broker wants the tokens of --token-file")
	case f.Nats != embedded || !open:
		return nil
	}
	host, _, err := net.SplitHostPort(f.NatsAddr)
	if err != nil {
		return usagef("--nats-addr is %q: write HOST:PORT, as 127.0.0.1:4222", f.NatsAddr)
	}
	if !isLoopback(host) {
		return usagef("--nats-addr %s can be reached from other machines: give --token-file, or --insecure to let everyone in", f.NatsAddr)
	}
	return nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// openQueue returns the queue, nil when there is none.
func (f *natsFlags) openQueue(ctx context.Context, s streams, tokens *token.File, certificate *tls.Certificate) (study.Queue, error) {
	switch f.Nats {
	case "":
		return nil, nil
	case embedded:
		o := queue.EmbedOptions{Addr: f.NatsAddr, Dir: f.NatsDir}
		if tokens != nil {
			o.Allow = allow(tokens)
		}
		if certificate != nil {
			o.TLS = &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{*certificate}}
		}
		b, url, err := queue.Embed(ctx, o)
		if err != nil {
			return nil, usagef("--nats-addr, --nats-dir: %w", err)
		}
		fmt.Fprintf(s.err, "mahabo: workers get trials on %s\n", url)
		return b, nil
	}
	b, err := queue.Connect(ctx, f.Nats, natsOptions(f.NatsCreds)...)
	if err != nil {
		return nil, usagef("--nats: %w", err)
	}
	return b, nil
}

func natsOptions(creds string) []nats.Option {
	if creds == "" {
		return nil
	}
	return []nats.Option{nats.UserCredentials(creds)}
}

// allow lets workers in whose token permits to tell. Subjects hold hashes of names:
// prefixes of names cannot be told apart there.
func allow(tokens *token.File) func(string) (string, bool) {
	return func(text string) (string, bool) {
		t, ok, err := tokens.Find(text)
		if err != nil || !ok || !t.Role.Includes(token.Write) {
			return "", false
		}
		return t.Study, t.Study == "*" || !strings.HasSuffix(t.Study, "*")
	}
}
