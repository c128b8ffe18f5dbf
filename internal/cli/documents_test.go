package cli

import (
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the documents' tables and the results' summaries")

const rewrite = "go test ./internal/cli -run 'Documents|Summaries' -update"

// quoted is a command in a comment of a document, and what it prints, up to the comment end.
var quoted = regexp.MustCompile(`(?s)(<!-- mahabo ([^\n]*) -->\n\n).*?(\n<!-- end -->)`)

// The documents say what the commands print from the committed results.
func TestDocuments(t *testing.T) {
	for _, file := range committed(t, ".md") {
		text := readText(t, file)
		blocks := len(quoted.FindAllString(text, -1))
		if strings.Count(text, "<!-- mahabo ") != blocks || strings.Count(text, "<!-- end -->") != blocks {
			t.Errorf("%s has comments that do not enclose what a command prints", file)
			continue // rewriting could take text between them away
		}
		settle(t, file, text, quoted.ReplaceAllStringFunc(text, func(block string) string {
			m := quoted.FindStringSubmatch(block)
			return m[1] + must(t, words(m[2])...) + m[3]
		}))
	}
	for _, file := range []string{"docs/REPRODUCTION.md", "docs/METHOD.md", "docs/results/README.md"} {
		if !quoted.MatchString(readText(t, file)) {
			t.Errorf("%s quotes no command", file)
		}
	}
}

// drawn is a command in a comment of a document that draws a committed figure.
var drawn = regexp.MustCompile(`<!-- figure: mahabo ([^\n]*) --out (docs/[^\n]*\.svg) -->`)

// The committed figures are those of the committed results, and every one has a command.
func TestDocumentsFigures(t *testing.T) {
	var commands [][]string
	for _, file := range committed(t, ".md") {
		commands = append(commands, drawn.FindAllStringSubmatch(readText(t, file), -1)...)
	}
	if len(commands) == 0 {
		t.Error("no document has the command of a figure")
	}
	for _, c := range commands {
		made := filepath.Join(t.TempDir(), "figure.svg")
		must(t, append(words(c[1]), "--out", made)...)
		is, _ := os.ReadFile(c[2]) // a new one is not there
		settle(t, c[2], string(is), readText(t, made))
	}
}

// A results folder's summary is that of its trials.
func TestSummaries(t *testing.T) {
	for _, file := range committed(t, "summary.json") {
		settle(t, file, readText(t, file), must(t, "bench", "table", filepath.Dir(file), "--format", "json"))
	}
}

// pages are the committed pages and the results that they show.
var pages = map[string][]string{
	"docs/results/report.html":      {"docs/results/paper"},
	"docs/results/leaderboard.html": {"docs/results/classic", "docs/results/mixed", "docs/results/field", "--title", "mahabo beside other programs"},
}

// The committed pages are those of the committed results, up to the command and time at their end.
func TestDocumentsReport(t *testing.T) {
	for _, file := range committed(t, ".html") {
		of, known := pages[filepath.ToSlash(file)]
		if !known {
			t.Errorf("%s: no command is known that makes it", file)
			continue
		}
		report := func(out string) {
			must(t, slices.Concat([]string{"bench", "report"}, of, []string{"--out", out})...)
		}
		made := filepath.Join(t.TempDir(), "report.html")
		report(made)
		is, _, found := strings.Cut(readText(t, file), "<h3>This page</h3>")
		want, _, _ := strings.Cut(readText(t, made), "<h3>This page</h3>")
		switch {
		case found && is == want:
		case *update:
			report(file)
		default:
			t.Errorf("%s is not that of the results (%s)", file, rewrite)
		}
	}
}

// committed goes to the project's root and returns the files of docs whose names end so.
func committed(t *testing.T, suffix string) []string {
	t.Helper()
	t.Chdir(filepath.Join("..", ".."))
	var files []string
	err := filepath.WalkDir("docs", func(path string, _ fs.DirEntry, err error) error {
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

func readText(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// settle compares a file with what it should be, or rewrites it.
func settle(t *testing.T, file, is, want string) {
	t.Helper()
	if is == want {
		return
	}
	if !*update {
		t.Errorf("%s is not what the commands print (%s):\n%s", file, rewrite, cmp.Diff(is, want))
		return
	}
	if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}
