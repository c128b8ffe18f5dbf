package queue

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"crypto/tls"
	"fmt"
	"net"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// EmbedOptions say how a broker is run in this process.
type EmbedOptions struct {
	Addr string      // HOST:PORT for workers; port 0 for any
	Dir  string      // where it keeps what is on offer
	TLS  *tls.Config // nil: workers come without
	// Allow says which study a token is for, * for all; nil: everyone may take trials
	// of all.
	Allow func(token string) (study string, ok bool)
}

const startup = 10 * time.Second

// Embed runs a broker in this process. It returns the URL that workers use.
func Embed(ctx context.Context, o EmbedOptions) (*Broker, string, error) {
	host, port, err := splitAddr(o.Addr)
	if err != nil {
		return nil, "", err
	}
	own := rand.Text()
	options := &server.Options{
		ServerName: "mahabo", Host: host, Port: port, JetStream: true, StoreDir: o.Dir, SyncAlways: true,
		NoLog: true, NoSigs: true, DontListen: false, MaxPayload: 1 << 20,
		CustomClientAuthentication: &gate{own: own, allow: o.Allow},
		TLSConfig:                  o.TLS, TLS: o.TLS != nil, TLSTimeout: 10,
	}
	ns, err := server.NewServer(options)
	if err != nil {
		return nil, "", fmt.Errorf("the embedded queue: %w", err)
	}
	ns.Start()
	stop := func() {
		ns.Shutdown()
		ns.WaitForShutdown()
	}
	if !ns.ReadyForConnections(startup) {
		stop()
		return nil, "", fmt.Errorf("the embedded queue did not start on %s: is the port free, and can %s be written?", o.Addr, o.Dir)
	}
	conn, err := dial("nats://embedded", nats.InProcessServer(ns), nats.Token(own))
	if err != nil {
		stop()
		return nil, "", err
	}
	b, err := newBroker(ctx, conn, stop)
	if err != nil {
		conn.Close()
		stop()
		return nil, "", err
	}
	scheme := "nats://"
	if o.TLS != nil {
		scheme = "tls://"
	}
	return b, scheme + ns.Addr().String(), nil
}

func splitAddr(addr string) (host string, port int, err error) {
	host, text, err := net.SplitHostPort(addr)
	if err == nil {
		port, err = strconv.Atoi(text)
	}
	if err != nil || port < 0 {
		return "", 0, fmt.Errorf("addr is %q: write HOST:PORT, as 127.0.0.1:4222", addr)
	}
	if port == 0 {
		port = server.RANDOM_PORT
	}
	return host, port, nil
}

// gate lets in the process itself, which may do everything, and workers, which may do
// what workers do.
type gate struct {
	own   string
	allow func(token string) (study string, ok bool)
}

// Check is called for every connection.
func (g *gate) Check(c server.ClientAuthentication) bool {
	token := c.GetOpts().Token
	if subtle.ConstantTimeCompare([]byte(token), []byte(g.own)) == 1 {
		return true
	}
	part := "*"
	if g.allow != nil {
		study, ok := g.allow(token)
		if !ok {
			return false
		}
		if study != "*" {
			part = key(study)
		}
	}
	c.RegisterUser(&server.User{Permissions: permissions(part)})
	return true
}

// permissions are those of a worker of one study, or of all: to have a consumer, to
// pull from it, to acknowledge, to say that it waits. Who may work for all studies may
// also offer tasks and do them.
func permissions(part string) *server.Permissions {
	p := &server.Permissions{
		Publish: &server.SubjectPermission{Allow: []string{
			want + part,
			"$JS.API.INFO",
			"$JS.API.CONSUMER.CREATE." + streamName + "." + part + "." + trials + part + ".*",
			"$JS.API.CONSUMER.INFO." + streamName + "." + part,
			"$JS.API.CONSUMER.MSG.NEXT." + streamName + "." + part,
			"$JS.ACK." + streamName + "." + part + ".>",
		}},
		Subscribe: &server.SubjectPermission{Allow: []string{"_INBOX.>"}},
	}
	if part == "*" {
		p.Publish.Allow = append(p.Publish.Allow, tasks+">")
		p.Subscribe.Allow = append(p.Subscribe.Allow, tasks+">")
		p.Response = &server.ResponsePermission{MaxMsgs: 1, Expires: startup}
	}
	return p
}
