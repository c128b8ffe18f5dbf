package queue

import (
	"context"
	"crypto/rand"
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
	g := &gate{own: rand.Text(), allow: o.Allow, guests: map[uint64]string{}}
	options := &server.Options{
		ServerName: "mahabo", Host: host, Port: port, JetStream: true, StoreDir: o.Dir, SyncAlways: true,
		NoLog: true, NoSigs: true, DontListen: false, MaxPayload: 1 << 20,
		CustomClientAuthentication: g,
		TLSConfig:                  o.TLS, TLS: o.TLS != nil, TLSTimeout: 10,
	}
	ns, err := server.NewServer(options)
	if err != nil {
		return nil, "", fmt.Errorf("the embedded queue: %w", err)
	}
	ns.Start()
	stopWatching := g.watch(ns)
	stop := func() {
		stopWatching()
		ns.Shutdown()
		ns.WaitForShutdown()
	}
	if !ns.ReadyForConnections(startup) {
		stop()
		return nil, "", fmt.Errorf("the embedded queue did not start on %s: is the port free, and can %s be written?", o.Addr, o.Dir)
	}
	conn, err := dial("nats://embedded", nats.InProcessServer(ns), nats.Token(g.own))
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
