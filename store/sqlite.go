package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/mahabo/mahabo/study"
)

// SQLite opens the store in a file, which it creates when there is none. Many
// processes may use the file at once, if it is on a local disk.
func SQLite(ctx context.Context, path string) (study.Store, error) {
	d, err := openSQLite(path)
	if err == nil {
		if err = d.migrate(ctx); err == nil {
			err = d.prepare(ctx)
		}
		if err != nil {
			err = errors.Join(explain(path, err), d.Close())
		}
	}
	if err == nil {
		d.written, err = stays(path)
	}
	if err != nil {
		return nil, fmt.Errorf("store sqlite:%s: %w", path, err)
	}
	return d, nil
}

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
		if now, err := os.Stat(path); err != nil || !os.SameFile(opened, now) {
			return fmt.Errorf("the file %s was removed or replaced while it was in use, and what was written is lost with it: "+
				"put it back, or start again", path)
		}
		return nil
	}, nil
}

// openSQLite prepares connections. Writers queue for one connection, and for the
// lock that other processes may hold, from the beginning of a transaction: one
// that starts to read and then wants to write can be refused at once however long
// its timeout. Readers see the last commit and wait for nobody.
func openSQLite(path string) (*database, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	source := func(more url.Values) string {
		more["_pragma"] = []string{
			"busy_timeout(60000)", "journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(ON)",
		}
		return fileURL(filepath.ToSlash(path), more)
	}
	write, err := sql.Open("sqlite", source(url.Values{"_txlock": {"immediate"}}))
	if err != nil {
		return nil, err
	}
	write.SetMaxOpenConns(1)
	read, err := sql.Open("sqlite", source(url.Values{}))
	if err != nil {
		return nil, errors.Join(err, write.Close())
	}
	read.SetMaxOpenConns(8)
	return &database{write: write, read: read, duplicate: sqliteDuplicate, orphan: sqliteOrphan, again: sqliteBusy, away: func(error) bool { return false }}, nil
}

// explain adds what a user can do about a file that cannot be opened.
func explain(path string, err error) error {
	var failure *sqlite.Error
	if !errors.As(err, &failure) {
		return err
	}
	switch failure.Code() & 0xff {
	case sqlite3.SQLITE_CANTOPEN:
		if info, statErr := os.Stat(filepath.Dir(path)); statErr != nil || !info.IsDir() {
			return fmt.Errorf("there is no folder %s: create it first (%w)", filepath.Dir(path), err)
		}
		return fmt.Errorf("the file cannot be opened for writing (%w)", err)
	case sqlite3.SQLITE_NOTADB:
		return fmt.Errorf("the file is not a SQLite database: name another (%w)", err)
	case sqlite3.SQLITE_READONLY:
		return fmt.Errorf("the file or its folder is read-only (%w)", err)
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
	var failure *sqlite.Error
	return errors.As(err, &failure) &&
		(failure.Code()&0xff == sqlite3.SQLITE_BUSY || failure.Code()&0xff == sqlite3.SQLITE_LOCKED)
}
