//go:build unix

package cli

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// onPath returns an environment in which mahabo is the program under test.
func onPath(t *testing.T) []string {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	return append(os.Environ(), "PATH="+filepath.Dir(binary)+":"+os.Getenv("PATH"), "MAHABO="+binary, "PYTHONPATH="+filepath.Join(root, "client", "python", "src"))
}

// copied is a copy of a folder of examples, in which programs may write.
func copied(t *testing.T, name string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), name)
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("..", "..", "examples", name))); err != nil {
		t.Fatal(err)
	}
	scripts, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range scripts {
		if err := os.Chmod(file, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// The tour of README.md works as it is written, line by line.
func TestTour(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes seconds; make test runs it")
	}
	text, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	dir, address := copied(t, "oven"), ""
	lines := 0
	for _, block := range regexp.MustCompile("(?s)```sh tour\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		for line := range strings.Lines(block[1]) {
			lines++
			if strings.HasPrefix(line, "mahabo serve ") {
				c := exec.CommandContext(t.Context(), binary, "serve", "--addr", "127.0.0.1:0")
				c.Dir = dir
				var stop func() error
				address, stop = listen(t, c)
				defer func() { _ = stop() }()
				continue
			}
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			c := exec.CommandContext(ctx, "sh", "-c", strings.ReplaceAll(line, "http://localhost:8080", address))
			c.Dir, c.Env = dir, onPath(t)
			out, err := c.CombinedOutput()
			if err != nil || len(out) == 0 || strings.Contains(string(out), `"status":4`) {
				t.Fatalf("%s: %v\n%s", strings.TrimSpace(line), err, out)
			}
		}
	}
	if lines < 25 {
		t.Errorf("the tour has %d lines", lines)
	}
	for _, name := range []string{"trials.csv", "report.html", "best.json", "curves.svg", "results.html"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() == 0 {
			t.Errorf("the tour leaves no %s: %v", name, err)
		}
	}
}

// Every folder of examples runs.
func TestExamples(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes seconds; make test runs it")
	}
	scripts, err := filepath.Glob(filepath.Join("..", "..", "examples", "*", "run.sh"))
	if err != nil || len(scripts) < 8 {
		t.Fatalf("there are %d examples, %v", len(scripts), err)
	}
	says := map[string][]string{"benchmarks": {"6 of them new", "exec:oven"}}
	for _, script := range scripts {
		name := filepath.Base(filepath.Dir(script))
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
			defer cancel()
			c := exec.CommandContext(ctx, "./run.sh")
			c.Dir, c.Env = copied(t, name), onPath(t)
			out, err := c.CombinedOutput()
			if err != nil || len(out) == 0 {
				t.Errorf("%v\n%s", err, out)
			}
			for _, text := range says[name] {
				if !strings.Contains(string(out), text) {
					t.Errorf("it does not say %q:\n%s", text, out)
				}
			}
		})
	}
}

// The files of examples are those of the guides.
func TestExamplesAreTheGuides(t *testing.T) {
	for guide, files := range map[string]map[string]string{
		"command.md":    {"space.yaml": "script/space.yaml", "simulate": "script/simulate", "run": "script/run.sh"},
		"training.md":   {"space.yaml": "training/space.yaml", "train": "training/train", "run": "training/run.sh"},
		"tables.md":     {"space.yaml": "tables/space.yaml", "past.csv": "tables/past.csv", "run": "tables/run.sh"},
		"workers.md":    {"space.yaml": "workers/space.yaml", "simulate": "workers/simulate"},
		"outcomes.md":   {"limits.yaml": "outcomes/limits.yaml", "run": "outcomes/run.sh"},
		"wetlab.md":     {"space.yaml": "wetlab/space.yaml"},
		"benchmarks.md": {"oven.py": "benchmarks/oven.py", "halving.py": "benchmarks/halving.py", "run": "benchmarks/run.sh"},
		"go.md":         {"minimize": "go/minimize/main.go", "asktell": "go/asktell/main.go", "study": "go/study/main.go"},
	} {
		named := blocks(t, guide)
		for block, file := range files {
			text, err := os.ReadFile(filepath.Join("..", "..", "examples", file))
			if err != nil {
				t.Error(err)
			}
			if named[block] == "" || !strings.Contains(string(text), named[block]) {
				t.Errorf("examples/%s is not that of %s", file, guide)
			}
		}
	}
}
