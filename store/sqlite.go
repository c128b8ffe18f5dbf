package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/mahabo/mahabo/study"
)

// ErrReadOnly is a database that can be read and not written: OpenReadOnly takes it.
var ErrReadOnly = errors.New("the file or its folder is read-only")

// openFile opens the store in a file, which it creates when there is none, for its owner alone.
// Many processes may use the file at once, if it is on a local disk.
func openFile(ctx context.Context, path string) (study.Store, error) {
	d, err := writeSQLite(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("store sqlite:%s: %w", path, err)
	}
	return d, nil
}

func writeSQLite(ctx context.Context, path string) (*database, error) {
	if err := makeFile(path); err != nil {
		return nil, err
	}
	there, err := stays(path)
	if err != nil {
		return nil, err
	}
	d, err := openSQLite(path, there, url.Values{"mode": {"rw"}}, "journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(ON)")
	if err != nil {
		return nil, err
	}
	if err = d.migrate(ctx); err != nil {
		return nil, errors.Join(explain(err), d.Close())
	}
	d.prepared = &statements{parsed: map[string]*sql.Stmt{}}
	d.away = func(err error) string { return sqliteAway(err, there) }
	d.there = func() error {
		err := there()
		if errors.Is(err, fs.ErrNotExist) {
			settle(d.write)
		}
		return err
	}
	return d, nil
}

// settle writes to a file that was moved what only its log has, which stays behind. SQLite itself does not, even
// when the file is closed. While another file is at the path, the log may be that one's.
func settle(write *sql.DB) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_, _ = write.ExecContext(ctx, `PRAGMA wal_checkpoint(PASSIVE)`) // the error that follows says what to do
}

// makeFile creates a database that does not exist. Connections do not.
func makeFile(path string) error {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return fmt.Errorf("%s is a folder: name a file in it, as in sqlite:%s", path, filepath.Join(path, "mahabo.db"))
	}
	f, err := os.OpenFile(path, os.O_RDONLY|os.O_CREATE, 0o600)
	if err == nil {
		return f.Close()
	}
	dir := filepath.Dir(path)
	_, absent := os.Stat(dir)
	_, unmade := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && errors.Is(absent, fs.ErrNotExist):
		return fmt.Errorf("there is no folder %s: create it first (%w)", dir, err)
	case absent == nil && errors.Is(unmade, fs.ErrNotExist):
		return fmt.Errorf("no file can be made in the folder %s: name a file in one that you can write to (%w)", dir, err)
	}
	return fmt.Errorf("the file cannot be opened (%w)", err)
}

// errGone is the file of a database that is not at its path any more.
var errGone = errors.New("is not the file any more that was opened")

// stays returns a function that says whether the file is still the one at the path. A file
// that is removed stays open and takes what is written, to lose it in the end.
func stays(path string) (func() error, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	opened, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	return func() error {
		now, err := os.Stat(path)
		switch {
		case err != nil:
			return fmt.Errorf("%s %w (%w)", path, errGone, err)
		case !os.SameFile(opened, now):
			return fmt.Errorf("%s %w", path, errGone)
		}
		return nil
	}, nil
}

// connector makes connections to a file as long as it is there. One to another file at its
// path would share the log of the first, and on closing end it.
type connector struct {
	name  string
	there func() error
}

func (c connector) Driver() driver.Driver { return &sqlite.Driver{} }

func (c connector) Connect(context.Context) (driver.Conn, error) {
	if err := c.there(); err != nil {
		return nil, err
	}
	return c.Driver().Open(c.name)
}

// openSQLite prepares connections. Writers queue for one connection, and for the
// lock that other processes may hold, from the beginning of a transaction: one
// that starts to read and then wants to write can be refused at once however long
// its timeout. Readers see the last commit and wait for nobody.
func openSQLite(path string, there func() error, how url.Values, pragmas ...string) (*database, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	how["_pragma"] = append([]string{"busy_timeout(60000)"}, pragmas...)
	read := sql.OpenDB(connector{fileURL(filepath.ToSlash(path), how), there})
	read.SetMaxOpenConns(8)
	how["_txlock"] = []string{"immediate"}
	write := sql.OpenDB(connector{fileURL(filepath.ToSlash(path), how), there})
	write.SetMaxOpenConns(1)
	return &database{
		write: write, read: read, ownBytes: true, duplicate: sqliteDuplicate, orphan: sqliteOrphan, again: sqliteBusy,
		away: func(error) string { return "" }, // not waited for: whoever writes knows better how long
	}, nil
}

const diskFull = "the disk of the database is full"

// sqliteAway says why a file cannot be used at the moment. Once it is not at its path, all
// that SQLite says follows from that.
func sqliteAway(err error, there func() error) string {
	code := sqliteCode(err)
	if errors.Is(err, errGone) || code != 0 && there() != nil {
		return "the file of the database was moved, removed or replaced: put it back, it has all that was stored"
	}
	switch code {
	case sqlite3.SQLITE_FULL:
		return diskFull
	case sqlite3.SQLITE_IOERR:
		return "the disk of the database is full or fails"
	case sqlite3.SQLITE_CANTOPEN:
		return "the file of the database cannot be opened"
	case sqlite3.SQLITE_READONLY:
		return "the file of the database is read-only"
	}
	return ""
}

// sqliteCode is the primary code of an error, 0 for one of others.
func sqliteCode(err error) int {
	var failure *sqlite.Error
	if !errors.As(err, &failure) {
		return 0
	}
	return failure.Code() & 0xff
}

// explain adds what a user can do about a file that cannot be opened.
func explain(err error) error {
	switch sqliteCode(err) {
	case sqlite3.SQLITE_NOTADB:
		return fmt.Errorf("the file is not a SQLite database: name another (%w)", err)
	case sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY:
		return fmt.Errorf("%w (%w)", ErrReadOnly, err)
	}
	return err
}

// fileURL names a file, of which the path may begin with a drive.
func fileURL(path string, query url.Values) string {
	return (&url.URL{Scheme: "file", Path: "/" + strings.TrimPrefix(path, "/"), RawQuery: query.Encode()}).String()
}

// sqliteDuplicate recognises a UNIQUE constraint.
func sqliteDuplicate(err error) bool {
	var failure *sqlite.Error
	return errors.As(err, &failure) && failure.Code() == sqlite3.SQLITE_CONSTRAINT_UNIQUE
}

// sqliteOrphan recognises a FOREIGN KEY constraint.
func sqliteOrphan(err error) bool {
	var failure *sqlite.Error
	return errors.As(err, &failure) && failure.Code() == sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY
}

// sqliteBusy recognises the refusals for which SQLite does not wait itself, for
// instance while another process creates or recovers the file.
func sqliteBusy(err error) bool {
	code := sqliteCode(err)
	return code == sqlite3.SQLITE_BUSY || code == sqlite3.SQLITE_LOCKED
}
