//go:build unix

package server_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/mahabo/mahabo/internal/pgtest"
	"github.com/mahabo/mahabo/server"
	"github.com/mahabo/mahabo/store"
	"go.uber.org/goleak"
)

// postgres is the database server of this test run.
var postgres pgtest.Server

// replicaURL is the environment of a replica, which is this program started again.
const replicaURL = "MAHABO_TEST_REPLICA"

// TestMain runs a replica when a test has started one, and else the tests, which
// have to leave no goroutine behind.
func TestMain(m *testing.M) {
	if url := os.Getenv(replicaURL); url != "" {
		if err := replica(url); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	code := m.Run()
	postgres.Stop()
	http.DefaultClient.CloseIdleConnections()
	if err := goleak.Find(); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// replica serves a store until it is killed.
func replica(url string) error {
	ctx := context.Background()
	st, err := store.Open(ctx, url)
	if err != nil {
		return err
	}
	s, err := server.New(server.Config{Store: st, Patience: time.Minute})
	if err != nil {
		return err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(listener.Addr())
	return s.Serve(ctx, listener, nil)
}
