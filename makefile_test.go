package mahabo_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The tests that make race picks by name are there, at least one in each of their packages.
func TestRacePicksTests(t *testing.T) {
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
	missing := map[string]bool{}
	for _, name := range strings.Split(value("MEETINGS"), "|") {
		missing[name] = true
	}
	is := regexp.MustCompile(`(?m)^func (` + value("MEETINGS") + `)\(t \*testing\.T\)`)
	for _, folder := range strings.Fields(value("THREADED")) {
		files, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		picked := 0
		for _, file := range files {
			tests, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range is.FindAllStringSubmatch(string(tests), -1) {
				delete(missing, m[1])
				picked++
			}
		}
		if picked == 0 {
			t.Errorf("no test of %s is picked", folder)
		}
	}
	for name := range missing {
		t.Errorf("there is no test %s", name)
	}
}
