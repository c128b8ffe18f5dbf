package store_test

import (
	"database/sql"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "modernc.org/sqlite"

	"github.com/mahabo/mahabo/store"
	"github.com/mahabo/mahabo/store/storetest"
	"github.com/mahabo/mahabo/study"
)

// open opens a store or fails the test.
func open(t *testing.T, url string) study.Store {
	t.Helper()
	s, err := store.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestMemory(t *testing.T) {
	storetest.Run(t, func(t *testing.T) func() study.Store {
		s := open(t, "memory:")
		return func() study.Store { return s }
	})
}

func TestSQLite(t *testing.T) {
	storetest.Run(t, func(t *testing.T) func() study.Store {
		url := sqliteURL(t)
		return func() study.Store { return open(t, url) }
	})
}

// sqliteURL names a new file whose path needs care in a URL.
func sqliteURL(t *testing.T) string {
	return "sqlite:" + filepath.Join(t.TempDir(), "a b?c%20#d.db")
}

func TestOpenErrors(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "text")
	if err := os.WriteFile(text, []byte(strings.Repeat("not a database\n", 100)), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ url, want string }{
		{"", "no scheme"},
		{"mahabo.db", "write sqlite:PATH"},
		{"sqlite:", "names no file"},
		{"memory:x", "has no name"},
		{"mysql://host/db", `scheme "mysql" is not known`},
		{"sqlite:" + text, "not a SQLite database"},
		{"sqlite:" + filepath.Join(dir, "none", "x.db"), "create it first"},
		{"sqlite:" + dir, "is a folder: name a file in it"},
		{"postgres://user:secret@host:port/db", "not the URL of a PostgreSQL database"},
		{"sqlite:/proc/x.db", "no file can be made in the folder /proc: name a file in one that you can write to"},
	} {
		if _, err := os.Stat("/proc"); err != nil && strings.HasPrefix(c.url, "sqlite:/proc") {
			continue // only Linux has such a folder
		}
		s, err := store.Open(t.Context(), c.url)
		if err == nil {
			s.Close()
			t.Errorf("%q was opened", c.url)
			continue
		}
		if !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %q, want %q and no password", c.url, err, c.want)
		}
	}
}

func TestNewerSchema(t *testing.T) {
	url := sqliteURL(t)
	open(t, url).Close()
	raise(t, strings.TrimPrefix(url, "sqlite:"))
	if _, err := store.Open(t.Context(), url); err == nil || !strings.Contains(err.Error(), "use a newer mahabo") {
		t.Errorf("a file of a newer version gave %v", err)
	}
}

// raise gives a SQLite file a version that no program knows.
func raise(t *testing.T, path string) {
	t.Helper()
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Path: path}).String())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), "INSERT INTO mahabo_schema (version) VALUES (1000)"); err != nil {
		t.Fatal(err)
	}
}
