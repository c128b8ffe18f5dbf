//go:build unix

package store_test

import (
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
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"

	"github.com/mahabo/mahabo/store/storetest"
	"github.com/mahabo/mahabo/study"
)

func TestPostgres(t *testing.T) {
	storetest.Run(t, func(t *testing.T) func() study.Store {
		address := postgresURL(t)
		return func() study.Store { return open(t, address) }
	})
}

// server is a PostgreSQL server of this test run.
type server struct {
	dir     string
	process *exec.Cmd
	exited  chan error
}

// postgres starts the server on first use.
var postgres = sync.OnceValues(startPostgres)

var (
	started   *server // for TestMain to stop
	databases atomic.Int64
)

// postgresURL creates an empty database.
func postgresURL(t *testing.T) string {
	t.Helper()
	s, err := postgres()
	if err != nil {
		t.Fatalf("the tests need a PostgreSQL server (make deps installs Debian's): %v", err)
	}
	name := fmt.Sprintf("test%d", databases.Add(1))
	db, err := sql.Open("pgx", s.url("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), "CREATE DATABASE "+name); err != nil {
		t.Fatal(err)
	}
	return s.url(name)
}

// url is the address of a database behind the server's socket.
func (s *server) url(database string) string {
	return "postgres:///" + database + "?user=postgres&host=" + url.QueryEscape(s.dir)
}

// startPostgres makes a database cluster in a temporary folder and serves it on a
// socket there. The server refuses to run as root, who therefore becomes the user
// postgres.
func startPostgres() (*server, error) {
	initdb, err := find("initdb")
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "pg")
	if err != nil {
		return nil, err
	}
	s := &server{dir: dir, exited: make(chan error, 1)}
	started = s
	as := &syscall.SysProcAttr{}
	if os.Geteuid() == 0 {
		if as.Credential, err = credential("postgres"); err != nil {
			return s, err
		}
		if err := os.Chown(dir, int(as.Credential.Uid), int(as.Credential.Gid)); err != nil {
			return s, err
		}
	}
	data := filepath.Join(dir, "data")
	setup := exec.Command(initdb, "--pgdata", data, "--username", "postgres", "--auth", "trust", "--encoding", "UTF8", "--locale", "C", "--no-sync")
	setup.SysProcAttr, setup.Dir = as, dir
	if out, err := setup.CombinedOutput(); err != nil {
		return s, fmt.Errorf("%s: %w\n%s", initdb, err, out)
	}
	// The server outlives every process that the tests kill, hence fsync=off.
	s.process = exec.Command(filepath.Join(filepath.Dir(initdb), "postgres"),
		"-D", data, "-k", dir, "-c", "listen_addresses=", "-c", "fsync=off", "-c", "max_connections=100")
	s.process.SysProcAttr, s.process.Dir = as, dir
	if err := s.process.Start(); err != nil {
		return s, err
	}
	go func() { s.exited <- s.process.Wait() }()
	return s, s.ready()
}

// ready waits until the server answers.
func (s *server) ready() error {
	db, err := sql.Open("pgx", s.url("postgres"))
	if err != nil {
		return err
	}
	defer db.Close()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		if err = db.Ping(); err == nil {
			return nil
		}
		select {
		case exit := <-s.exited:
			s.exited <- exit
			return fmt.Errorf("the server ended: %w", exit)
		default:
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("the server does not answer: %w", err)
		}
	}
}

// stop ends the server and removes its files.
func (s *server) stop() {
	if s.process != nil && s.process.Process != nil {
		_ = s.process.Process.Signal(syscall.SIGINT) // fast shutdown
		<-s.exited
	}
	_ = os.RemoveAll(s.dir)
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
