package cli

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// TestLicenses compares what mahabo licenses prints with the modules that a binary of any
// platform contains.
func TestLicenses(t *testing.T) {
	want := collectLicenses(t)
	if *update {
		if err := os.WriteFile("licenses.txt", []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want != licenseTexts {
		t.Error("licenses.txt is not that of the present modules: run go test ./internal/cli -run TestLicenses -update")
	}
}

func TestLicensesCommand(t *testing.T) {
	if out := must(t, "licenses"); !strings.Contains(out, "modernc.org/sqlite") || !strings.Contains(out, "Apache License") {
		t.Errorf("mahabo licenses prints %.200s", out)
	}
}

// licensed is something that a binary contains.
type licensed struct{ name, dir string }

// legal matches the files whose texts have to go along.
var legal = regexp.MustCompile(`(?i)^(\w+\.)?(licen[cs]e|copying|notice|unlicense|patents|ftl\.txt)`)

// collectLicenses returns every text once, under the names of all that it belongs to.
func collectLicenses(t *testing.T) string {
	t.Helper()
	users := map[string][]string{} // by text
	for _, l := range modules(t) {
		found := false
		for _, dir := range []string{l.dir, filepath.Join(l.dir, "licenses")} {
			files, _ := os.ReadDir(dir) // most have no such folder
			for _, f := range files {
				if f.IsDir() || !legal.MatchString(f.Name()) {
					continue
				}
				text := strings.TrimSpace(strings.ReplaceAll(readText(t, filepath.Join(dir, f.Name())), "\r\n", "\n"))
				if !slices.Contains(users[text], l.name) {
					users[text] = append(users[text], l.name)
				}
				found = true
			}
		}
		if !found {
			t.Errorf("%s has no licence file", l.name)
		}
	}
	type entry struct{ names, text string }
	var entries []entry
	for text, names := range users {
		entries = append(entries, entry{strings.Join(names, "\n"), text})
	}
	slices.SortFunc(entries, func(a, b entry) int { return cmp.Or(cmp.Compare(a.names, b.names), cmp.Compare(a.text, b.text)) })
	var out strings.Builder
	out.WriteString("mahabo is licensed under the Apache License, Version 2.0, which is below. The binary contains, besides, what\n" +
		"follows, with the texts that go along.\n")
	for _, e := range entries {
		fmt.Fprintf(&out, "\n%s\n%s\n\n%s\n", strings.Repeat("=", 80), e.names, e.text)
	}
	return out.String()
}

func modules(t *testing.T) []licensed {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	all := []licensed{
		{"mahabo", root},
		{"Go's standard library", runtime.GOROOT()}, //nolint:staticcheck // the toolchain that builds the test is at hand
		{"scripts of the dashboard", filepath.Join(root, "internal", "web", "static", "vendor")},
		{"scripts of charts", filepath.Join(root, "internal", "chart", "assets")},
	}
	for _, system := range []string{"linux", "darwin", "windows"} {
		c := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", `{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}|{{.Dir}}{{end}}{{end}}`, ".")
		c.Env = append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0")
		out, err := c.Output()
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(out)) {
			name, dir, ok := strings.Cut(strings.TrimSpace(line), "|")
			if m := (licensed{name, dir}); ok && !slices.Contains(all, m) {
				all = append(all, m)
			}
		}
	}
	return all
}
