package mahabo_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The tests that make race picks or leaves out by name are there, at least one in each package of which it picks some.
func TestRaceNamesTests(t *testing.T) {
	text, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	value := func(name string) string {
		m := regexp.MustCompile(`(?m)^` + name + `\s*:= (.*)$`).FindStringSubmatch(string(text))
		if m == nil {
			t.Fatalf("the Makefile has no %s", name)
		}
		return m[1]
	}
	for _, c := range []struct {
		names, folders string
		picked         bool
	}{{"MEETINGS", "THREADED", true}, {"ALONE", "CONCURRENT", false}} {
		missing := map[string]bool{}
		for _, name := range strings.Split(value(c.names), "|") {
			missing[name] = true
		}
		is := regexp.MustCompile(`(?m)^func (` + value(c.names) + `)\(t \*testing\.T\)`)
		for _, folder := range strings.Fields(value(c.folders)) {
			files, err := filepath.Glob(filepath.Join(strings.TrimSuffix(folder, "/..."), "*_test.go"))
			if err != nil {
				t.Fatal(err)
			}
			found := 0
			for _, file := range files {
				tests, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				for _, m := range is.FindAllStringSubmatch(string(tests), -1) {
					delete(missing, m[1])
					found++
				}
			}
			if found == 0 && c.picked {
				t.Errorf("%s: no test of %s is picked", c.names, folder)
			}
		}
		for name := range missing {
			t.Errorf("%s: there is no test %s in %s", c.names, name, c.folders)
		}
	}
}
