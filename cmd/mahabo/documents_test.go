package main

import (
	"bytes"
	"flag"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the documents' tables and the results' summaries")

// quoted is a command in a comment of a document, and what it prints, up to the comment end.
var quoted = regexp.MustCompile(`(?s)<!-- mahabo ([^\n]*) -->\n\n(.*?)\n<!-- end -->`)

// The documents say what the commands print from the committed results.
func TestDocuments(t *testing.T) {
	var count int
	for _, file := range committed(t, ".md") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		now := quoted.ReplaceAllFunc(text, func(block []byte) []byte {
			count++
			command := string(quoted.FindSubmatch(block)[1])
			return []byte("<!-- mahabo " + command + " -->\n\n" + fromRoot(t, command) + "\n<!-- end -->")
		})
		settle(t, file, text, now)
	}
	if count == 0 {
		t.Error("no document quotes a command")
	}
}

// A results folder's summary is that of its trials.
func TestSummaries(t *testing.T) {
	for _, file := range committed(t, "summary.json") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		dir := strings.TrimPrefix(filepath.Dir(file), filepath.Join("..", "..")+string(filepath.Separator))
		settle(t, file, text, []byte(fromRoot(t, "bench table "+filepath.ToSlash(dir)+" --format json")))
	}
}

// committed returns the documents and results whose names end so.
func committed(t *testing.T, suffix string) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(filepath.Join("..", "..", "docs"), func(path string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(path, suffix) {
			files = append(files, path)
		}
		return err
	})
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files *%s (%v)", len(files), suffix, err)
	}
	return files
}

// fromRoot returns what a command prints in the project's root.
func fromRoot(t *testing.T, command string) string {
	t.Helper()
	c := exec.CommandContext(t.Context(), binary, words(command)...)
	c.Dir = filepath.Join("..", "..")
	out, err := c.Output()
	if err != nil {
		t.Fatalf("mahabo %s: %v\n%s", command, err, out)
	}
	return string(out)
}

// settle compares a file with what it should be, or rewrites it.
func settle(t *testing.T, file string, is, want []byte) {
	t.Helper()
	switch {
	case bytes.Equal(is, want):
	case *update:
		if err := os.WriteFile(file, want, 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s is not what the commands print (go test ./cmd/mahabo -run 'Documents|Summaries' -update):\n%s", file, cmp.Diff(string(is), string(want)))
	}
}
