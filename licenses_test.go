package mahabo_test

import (
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const licences = "docs/LICENSES.md"

// permitted are the licences that ask for no more than that their notices are kept.
var permitted = []string{"0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC-BY-4.0", "FTL or GPL-2.0-or-later", "ISC", "MIT", "public domain"}

// TestLicences compares the list of licences with the modules that the binary consists of, on
// all platforms.
func TestLicences(t *testing.T) {
	text, err := os.ReadFile(licences)
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]string{}
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, "|")
		if len(cells) != 5 || !strings.Contains(cells[1], ".") || !strings.HasPrefix(strings.TrimSpace(cells[2]), "v") {
			continue
		}
		listed[strings.TrimSpace(cells[1])] = strings.TrimSpace(cells[2])
		licence, _, _ := strings.Cut(strings.TrimSpace(cells[3]), ";")
		if !slices.Contains(permitted, licence) {
			t.Errorf("%s: %s has the licence %q, which nobody has looked at", licences, cells[1], licence)
		}
	}
	used := map[string]string{}
	for _, system := range []string{"linux", "darwin", "windows"} {
		maps.Copy(used, modules(t, system))
	}
	for path, version := range used {
		if listed[path] != version {
			t.Errorf("%s has %s %q, the binary %q", licences, path, listed[path], version)
		}
	}
	for path := range listed {
		if used[path] == "" {
			t.Errorf("%s has %s, the binary has not", licences, path)
		}
	}
}

// modules asks the go command for the modules of the binary and their versions.
func modules(t *testing.T, system string) map[string]string {
	t.Helper()
	list := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", "{{with .Module}}{{.Path}} {{.Version}}{{end}}", "./cmd/mahabo")
	list.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH=amd64")
	out, err := list.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	used := map[string]string{}
	for line := range strings.Lines(string(out)) {
		if fields := strings.Fields(line); len(fields) == 2 { // this module has no version
			used[fields[0]] = fields[1]
		}
	}
	return used
}
