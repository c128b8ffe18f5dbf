//go:build unix

package server_test

import (
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mahabo/mahabo/server"
)

// unusable checks that a server whose store cannot be written says so, and why, and nothing
// that concerns its owner alone.
func (c client) unusable(why, secret string) {
	c.t.Helper()
	for method, path := range map[string]string{"POST": "/v1/studies/rig/ask", "GET": "/healthz"} {
		for end := time.Now().Add(10 * time.Second); ; time.Sleep(50 * time.Millisecond) {
			answer, text := c.call(method, path, nil)
			if answer.StatusCode == http.StatusServiceUnavailable && strings.Contains(string(text), why) {
				if strings.Contains(string(text), secret) {
					c.t.Errorf("%s tells everybody %s", path, text)
				}
				break
			}
			if path != "/healthz" || time.Now().After(end) {
				c.t.Fatalf("%s gave %s: %s, want 503 and %q", path, answer.Status, text, why)
			}
		}
	}
}

// usable checks that all is well again.
func (c client) usable() {
	c.t.Helper()
	c.must("POST", "/v1/studies/rig/ask", nil, nil)
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		answer, text := c.call("GET", "/healthz", nil)
		if answer.StatusCode == http.StatusOK {
			return
		}
		if time.Now().After(end) {
			c.t.Fatalf("/healthz gave %s: %s", answer.Status, text)
		}
	}
}

func TestMovedDatabase(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	c := start(t, server.Config{Store: open(t, "sqlite:"+path)})
	c.must("POST", "/v1/studies", rig("sobol"), nil)
	c.usable()
	for _, meanwhile := range []func() error{
		func() error { return nil },
		func() error { return os.WriteFile(path, nil, 0o600) },
	} {
		if err := os.Rename(path, path+".old"); err != nil {
			t.Fatal(err)
		}
		if err := meanwhile(); err != nil {
			t.Fatal(err)
		}
		c.unusable("the file of the database was moved, removed or replaced", filepath.Dir(path))
		c.call("GET", "/v1/studies", nil) // on another connection
		if err := os.Rename(path+".old", path); err != nil {
			t.Fatal(err)
		}
		c.usable()
		c.must("GET", "/v1/studies", nil, nil)
	}
}

// A limit on the size of files stands for a disk that is full.
func TestFullDisk(t *testing.T) {
	signal.Ignore(syscall.SIGXFSZ)
	defer signal.Reset(syscall.SIGXFSZ)
	path := filepath.Join(t.TempDir(), "a.db")
	c := start(t, server.Config{Store: open(t, "sqlite:"+path)})
	c.must("POST", "/v1/studies", rig("sobol"), nil)
	c.usable()
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	full := limit
	full.Cur = 4096
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &full); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
			t.Error(err)
		}
	}()
	c.unusable("the disk of the database is full", filepath.Dir(path))
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	c.usable()
}
