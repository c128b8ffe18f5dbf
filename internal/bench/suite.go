package bench

import (
	"embed"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Suite is a named set of grids. Its file is YAML:
//
//	summary: what it measures, one line
//	include: [smoke, ./other.yaml]   # suites whose grids come first
//	grids:
//	  - methods: [maha:d=1, sobol]   # "maha:d=1,fit=lbfgs" needs quotes: its comma
//	    problems: [branin, rover]
//	    dims: [1000]                 # [0], the problem's own number, when left out
//	    batches: [1, 5]              # [1]
//	    evals: 500                   # 500
//	    init: 10                     # 10
//	    steps: 2025                  # that evaluations of a trial may report; no limit
//	    trials: 20                   # 20
//
// Methods and problems are looked up when the suite is run.
type Suite struct {
	Name    string `json:"name"`
	Summary string `json:"summary"`
	Grids   []Grid `json:"grids"`
}

// Narrow returns the grids with other methods and with some of the problems alone. An empty
// list changes nothing.
func (s Suite) Narrow(methods, problems []string) ([]Grid, error) {
	wanted := map[string]bool{}
	for _, spec := range problems {
		name, err := canonicalProblem(spec)
		if err != nil {
			return nil, err
		}
		wanted[name] = true
	}
	found := map[string]bool{}
	var grids []Grid
	for _, g := range s.Grids {
		if len(methods) > 0 {
			g.Methods = methods
		}
		if len(problems) > 0 {
			g.Problems = slices.DeleteFunc(slices.Clone(g.Problems), func(spec string) bool {
				name, err := canonicalProblem(spec)
				found[name] = err == nil
				return !wanted[name]
			})
		}
		if len(g.Problems) > 0 {
			grids = append(grids, g)
		}
	}
	for name := range wanted {
		if !found[name] {
			return nil, fmt.Errorf("suite %s has no problem %s: it has %s", s.Name, name, strings.Join(slices.Sorted(maps.Keys(found)), ", "))
		}
	}
	return grids, nil
}

// The methods and problems of a suite may be those of a later version: only a
// run looks them up.
//
//go:embed suites/*.yaml
var suiteFiles embed.FS

// Suites lists the built-in suites by name.
func Suites() ([]Suite, error) {
	var suites []Suite
	for _, name := range builtinSuites() {
		s, err := FindSuite(name)
		if err != nil {
			return nil, err
		}
		suites = append(suites, s)
	}
	return suites, nil
}

func builtinSuites() []string {
	files, _ := fs.Glob(suiteFiles, "suites/*.yaml") // the pattern is well formed
	names := make([]string, len(files))
	for i, f := range files {
		names[i] = strings.TrimSuffix(filepath.Base(f), ".yaml")
	}
	return names
}

// FindSuite returns the built-in suite of that name, or reads the file when the
// name ends in .yaml or .yml.
func FindSuite(name string) (Suite, error) { return findSuite(name, nil) }

// findSuite keeps the names of the suites that include this one.
func findSuite(name string, above []string) (Suite, error) {
	if slices.Contains(above, name) {
		return Suite{}, fmt.Errorf("suite %s includes itself: %s", name, strings.Join(slices.Concat(above, []string{name}), " -> "))
	}
	above = slices.Concat(above, []string{name})
	if extension := filepath.Ext(name); extension == ".yaml" || extension == ".yml" {
		data, err := os.ReadFile(name)
		if err != nil {
			return Suite{}, err
		}
		return parseSuite(name, data, above)
	}
	data, err := suiteFiles.ReadFile("suites/" + name + ".yaml")
	if err != nil {
		return Suite{}, fmt.Errorf("unknown suite %q: choose one of %s, or a file whose name ends in .yaml", name, strings.Join(builtinSuites(), ", "))
	}
	s, err := parseSuite(name+".yaml", data, above)
	s.Name = name
	return s, err
}

// parseSuite reads the text of a suite file.
func parseSuite(path string, data []byte, above []string) (Suite, error) {
	var document yaml.Node
	if err := yaml.Unmarshal(data, &document); err != nil {
		return Suite{}, fmt.Errorf("%s: %s", path, strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if len(document.Content) == 0 {
		return Suite{}, fmt.Errorf("%s: the file is empty", path)
	}
	s := Suite{Name: path}
	var included, grids []Grid
	top := reader{path}
	err := top.mapping(document.Content[0], map[string]func(*yaml.Node) error{
		"summary": func(n *yaml.Node) error { return top.scalar(n, &s.Summary, "a text") },
		"include": func(n *yaml.Node) error {
			return top.sequence(n, func(n *yaml.Node) (err error) {
				included, err = top.include(included, n, above)
				return err
			})
		},
		"grids": func(n *yaml.Node) error {
			return top.sequence(n, func(n *yaml.Node) error {
				g, err := top.grid(n)
				grids = append(grids, g)
				return err
			})
		},
	})
	if err != nil {
		return Suite{}, err
	}
	if s.Grids = slices.Concat(included, grids); len(s.Grids) == 0 {
		return Suite{}, top.errorf(document.Content[0], "the suite has no grids: give grids, or include other suites")
	}
	return s, nil
}

// include appends the grids of another suite; files are named from the folder
// of the including one.
func (r reader) include(grids []Grid, n *yaml.Node, above []string) ([]Grid, error) {
	var name string
	if err := r.scalar(n, &name, "the name of a suite"); err != nil {
		return nil, err
	}
	if filepath.Ext(name) != "" && !filepath.IsAbs(name) {
		name = filepath.Join(filepath.Dir(r.path), name)
	}
	s, err := findSuite(name, above)
	if err != nil {
		return nil, r.errorf(n, "%w", err)
	}
	return append(grids, s.Grids...), nil
}

// grid reads one grid and fills in what it leaves out.
func (r reader) grid(n *yaml.Node) (Grid, error) {
	g := Grid{Dims: []int{0}, Batches: []int{1}, Evals: PaperEvals, Init: PaperInit, Trials: paperTrials}
	err := r.mapping(n, map[string]func(*yaml.Node) error{
		"methods":  func(n *yaml.Node) error { return list(r, n, &g.Methods, "the name of a method") },
		"problems": func(n *yaml.Node) error { return list(r, n, &g.Problems, "the name of a problem") },
		"dims":     func(n *yaml.Node) error { return list(r, n, &g.Dims, "a whole number") },
		"batches":  func(n *yaml.Node) error { return list(r, n, &g.Batches, "a whole number") },
		"evals":    func(n *yaml.Node) error { return r.scalar(n, &g.Evals, "a whole number") },
		"init":     func(n *yaml.Node) error { return r.scalar(n, &g.Init, "a whole number") },
		"steps":    func(n *yaml.Node) error { return r.scalar(n, &g.Steps, "a whole number") },
		"trials":   func(n *yaml.Node) error { return r.scalar(n, &g.Trials, "a whole number") },
	})
	if err != nil {
		return Grid{}, err
	}
	if err := g.Validate(); err != nil {
		return Grid{}, r.errorf(n, "%w", err)
	}
	return g, nil
}
