//go:build unix

// Package pgtest runs a PostgreSQL server for tests.
package pgtest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver pgx
)

// Server is a PostgreSQL server in a temporary folder, started on first use.
type Server struct {
	mu        sync.Mutex
	running   *cluster
	err       error
	databases int
}

// URL creates an empty database.
func (s *Server) URL(t testing.TB) string {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running == nil {
		s.running, s.err = start()
	}
	if s.err != nil {
		t.Fatalf("the tests need a PostgreSQL server (make deps installs Debian's): %v", s.err)
	}
	s.databases++
	name := fmt.Sprintf("test%d", s.databases)
	db, err := sql.Open("pgx", s.running.url("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if _, err := db.ExecContext(context.Background(), "CREATE DATABASE "+name); err != nil {
		t.Fatal(err)
	}
	return s.running.url(name)
}

// Stop ends the server, if it was started, and removes its files.
func (s *Server) Stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running != nil {
		s.running.stop()
	}
}

// Crash kills the server, which has to run, as a power cut would, and starts it again.
func (s *Server) Crash(t testing.TB) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = s.running.process.Process.Kill()
	<-s.running.exited
	if err := s.running.restart(); err != nil {
		t.Fatal(err)
	}
}

// cluster is a running server.
type cluster struct {
	dir     string
	program string // postgres
	as      *syscall.SysProcAttr
	process *exec.Cmd
	exited  chan error
}

// url is the address of a database behind the server's socket.
func (c *cluster) url(database string) string {
	return "postgres:///" + database + "?user=postgres&host=" + url.QueryEscape(c.dir)
}

// start makes a database cluster in a temporary folder and serves it on a socket
// there. The server refuses to run as root, who therefore becomes the user postgres.
func start() (*cluster, error) {
	initdb, err := find("initdb")
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "pg")
	if err != nil {
		return nil, err
	}
	as := &syscall.SysProcAttr{}
	c := &cluster{dir: dir, program: filepath.Join(filepath.Dir(initdb), "postgres"), as: as, exited: make(chan error, 1)}
	if os.Geteuid() == 0 {
		if as.Credential, err = credential("postgres"); err != nil {
			return c, err
		}
		if err := os.Chown(dir, int(as.Credential.Uid), int(as.Credential.Gid)); err != nil {
			return c, err
		}
	}
	data := filepath.Join(dir, "data")
	setup := exec.Command(initdb, "--pgdata", data, "--username", "postgres", "--auth", "trust", "--encoding", "UTF8", "--locale", "C", "--no-sync")
	setup.SysProcAttr, setup.Dir = as, dir
	if out, err := setup.CombinedOutput(); err != nil {
		return c, fmt.Errorf("%s: %w\n%s", initdb, err, out)
	}
	return c, c.launch()
}

// launch runs the server. The machine outlives every process that the tests kill, hence
// fsync=off.
func (c *cluster) launch() error {
	c.process = exec.Command(c.program, "-D", filepath.Join(c.dir, "data"), "-k", c.dir,
		"-c", "listen_addresses=", "-c", "fsync=off", "-c", "max_connections=100")
	c.process.SysProcAttr, c.process.Dir = c.as, c.dir
	if err := c.process.Start(); err != nil {
		return err
	}
	go func() { c.exited <- c.process.Wait() }()
	return c.ready()
}

// restart launches a server that was killed, as soon as what it left behind has ended.
func (c *cluster) restart() error {
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		err := c.launch()
		if err == nil || time.Now().After(deadline) {
			return err
		}
		_ = c.process.Process.Kill()
		<-c.exited
	}
}

// ready waits until the server answers.
func (c *cluster) ready() error {
	db, err := sql.Open("pgx", c.url("postgres"))
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		if err = db.Ping(); err == nil {
			return nil
		}
		select {
		case exit := <-c.exited:
			c.exited <- exit
			return fmt.Errorf("the server ended: %w", exit)
		default:
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("the server does not answer: %w", err)
		}
	}
}

func (c *cluster) stop() {
	if c.process != nil && c.process.Process != nil {
		_ = c.process.Process.Signal(syscall.SIGINT) // fast shutdown
		<-c.exited
	}
	_ = os.RemoveAll(c.dir)
}

// find looks for a program of PostgreSQL, also where Debian keeps it.
func find(program string) (string, error) {
	if path, err := exec.LookPath(program); err == nil {
		return path, nil
	}
	paths, err := filepath.Glob("/usr/lib/postgresql/*/bin/" + program)
	if err != nil || len(paths) == 0 {
		return "", errors.Join(err, fmt.Errorf("%s is neither in PATH nor in /usr/lib/postgresql", program))
	}
	return slices.Max(paths), nil
}

func credential(name string) (*syscall.Credential, error) {
	u, err := user.Lookup(name)
	if err != nil {
		return nil, err
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	if err != nil {
		return nil, err
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
}
