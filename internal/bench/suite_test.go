package bench

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mahabo/mahabo/internal/methods"
	"github.com/mahabo/mahabo/strategy"
)

// knownMethods drops the methods that the registry does not have.
func knownMethods(g Grid) Grid {
	g.Methods = slices.DeleteFunc(slices.Clone(g.Methods), func(spec string) bool {
		name, _, _ := strings.Cut(spec, ":")
		return !slices.ContainsFunc(methods.BuiltIn().Methods(), func(m strategy.Method) bool { return m.Name == name })
	})
	return g
}

func TestSuitesCanBePlanned(t *testing.T) {
	suites, err := Suites()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range suites {
		names = append(names, s.Name)
		var grids []Grid
		for _, g := range s.Grids {
			g.Trials = 1
			g.Problems = slices.DeleteFunc(slices.Clone(g.Problems), isProgram) // they need virtual environments
			if g = knownMethods(g); len(g.Methods) > 0 && len(g.Problems) > 0 {
				grids = append(grids, g)
			}
		}
		if jobs, err := plan(t.Context(), &setting{}, grids); err != nil || len(jobs) == 0 || s.Summary == "" {
			t.Errorf("suite %q: %d jobs, %v", s.Name, len(jobs), err)
		}
	}
	want := []string{"beyond", "paper-fig-branin", "paper-fig-rover", "paper-table-best", "paper-table-time", "paper", "smoke", "classic", "mixed", "field", "field-long"}
	for _, name := range want {
		if !slices.Contains(names, name) {
			t.Errorf("the suite %s is missing", name)
		}
	}
	if _, err := FindSuite("smok"); err == nil || !strings.Contains(err.Error(), "smoke") {
		t.Errorf("unknown suite: %v", err)
	}
}

// The programs of the suites are in the repository, in the folder that has their virtual environment.
func TestSuitesHaveTheirPrograms(t *testing.T) {
	suites, err := Suites()
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, s := range suites {
		for _, g := range s.Grids {
			for _, spec := range g.Problems {
				if !isProgram(spec) {
					continue
				}
				found++
				p, err := parseProgram(spec)
				if err != nil || len(p.argv) < 2 {
					t.Errorf("suite %s: %q: %v", s.Name, spec, err)
					continue
				}
				if _, err := os.Stat(filepath.Join("../..", p.argv[1])); err != nil {
					t.Errorf("suite %s: %v", s.Name, err)
				}
				if folder := filepath.Dir(p.argv[1]); p.argv[0] != folder+"/.venv/bin/python" {
					t.Errorf("suite %s: %s is not run by what make peers installs in %s", s.Name, p.argv[1], folder)
				}
			}
		}
	}
	if found < 14 {
		t.Errorf("the suites have %d programs: field, field-long and mixed should have 6, 6 and 2", found)
	}
}

// The suite `paper` holds every published number, and nothing with other settings.
func TestPaperSuiteCoversThePaper(t *testing.T) {
	s, err := FindSuite("paper")
	if err != nil {
		t.Fatal(err)
	}
	cells := map[Cell]bool{}
	for _, g := range s.Grids {
		if g.Evals != PaperEvals || g.Init != PaperInit || g.Trials != 20 {
			t.Errorf("settings of %+v", g)
		}
		for _, m := range g.Methods {
			for _, p := range g.Problems {
				for _, d := range g.Dims {
					for _, b := range g.Batches {
						cells[Cell{canonicalOr(m), p, d, b}] = true
					}
				}
			}
		}
	}
	best, minutes, err := Paper()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range append(best, minutes...) {
		if !cells[p.Cell] {
			t.Errorf("%s is in the paper, not in the suite", p.Cell)
		}
	}
	for _, dim := range []int{60, 100, 1000} {
		for _, batch := range []int{1, 5} {
			for _, method := range []string{"maha:d=1", "maha:d=2"} {
				if !cells[Cell{method, "rover", dim, batch}] {
					t.Errorf("%s on the rover, dim %d, batch %d is missing", method, dim, batch)
				}
			}
		}
	}
}

func TestSuiteFile(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("parts/base.yml", "grids:\n- methods: [random]\n  problems: [rover]\n  trials: 3\n")
	path := write("my.yaml", `summary: mine
include: [parts/base.yml]
grids:
  - methods:
      - maha:d=1,fit=lbfgs
      - sobol
    problems: [branin]
    dims: [5, 10]
    batches: [2]
    evals: 7
    steps: 90
`)
	got, err := FindSuite(path)
	if err != nil {
		t.Fatal(err)
	}
	want := Suite{Name: path, Summary: "mine", Grids: []Grid{
		{Methods: []string{"random"}, Problems: []string{"rover"}, Dims: []int{0}, Batches: []int{1}, Evals: 500, Init: 10, Trials: 3},
		{Methods: []string{"maha:d=1,fit=lbfgs", "sobol"}, Problems: []string{"branin"}, Dims: []int{5, 10}, Batches: []int{2}, Evals: 7, Init: 10, Steps: 90, Trials: 20},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}

	const head = "grids:\n  - methods: [sobol]\n    problems: [branin]\n"
	for _, c := range []struct{ name, text, says string }{
		{"unknown key", head + "    evaluations: 7\n", `bad.yaml:4:5: unknown key "evaluations": the keys are batches, dims, evals`},
		{"misspelt key", head + "    eval: 7\n", `(did you mean "evals"?)`},
		{"unknown top key", "title: x\n", `bad.yaml:1:1: unknown key "title"`},
		{"twice", head + "    evals: 7\n    evals: 8\n", `bad.yaml:5:5: key "evals" is given twice`},
		{"wrong type", head + "    evals: many\n", `bad.yaml:4:12: "many" must be a whole number`},
		{"fraction", head + "    evals: 1.5\n", `bad.yaml:4:12: "1.5" must be`},
		{"wrong element", head + "    dims: [10, x]\n", `bad.yaml:4:16: "x" must be`},
		{"no list", head + "    dims: 10\n", `bad.yaml:4:11: here must be a list`},
		{"nested", head + "    evals: [1]\n", `bad.yaml:4:12: this must be`},
		{"bad value", head + "    trials: 0\n", `bad.yaml:2:5: trials is 0`},
		{"negative", head + "    steps: -1\n", `bad.yaml:2:5: steps is -1`},
		{"no problem", "grids:\n  - methods: [sobol]\n", `bad.yaml:2:5: no problem`},
		{"no grid", "summary: x\n", `bad.yaml:1:1: the suite has no grids`},
		{"text", "just words\n", `bad.yaml:1:1: here must be keys`},
		{"empty", "", `the file is empty`},
		{"not YAML", "grids: [\n", `line 1`},
		{"unknown include", "include: [smok]\n", `bad.yaml:1:11: unknown suite "smok"`},
		{"itself", "include: [bad.yaml]\n", `includes itself`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := FindSuite(write("bad.yaml", c.text))
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("error is %v, want one with %q", err, c.says)
			}
		})
	}
}

func TestNarrowedSuites(t *testing.T) {
	s, err := FindSuite("field")
	if err != nil {
		t.Fatal(err)
	}
	grids, err := s.Narrow([]string{"random", "exec:peer.py"}, []string{"rover", "hartmann6:embed=axis"})
	if err != nil || len(grids) != 2 || len(grids[0].Methods) != 2 || len(grids[0].Problems) != 1 || len(grids[1].Problems) != 1 || len(s.Grids[0].Problems) != 4 {
		t.Errorf("grids are %+v, %v", grids, err)
	}
	if grids, err = s.Narrow(nil, []string{"rover"}); err != nil || len(grids) != 1 || len(grids[0].Methods) != len(s.Grids[0].Methods) {
		t.Errorf("one problem: %+v, %v", grids, err)
	}
	if _, err := s.Narrow(nil, []string{"branin"}); err == nil || !strings.Contains(err.Error(), "suite field has no problem branin: it has ackley5:embed=axis") {
		t.Errorf("a problem of another suite: %v", err)
	}
}
