//go:build unix

package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/space"
)

// blocks returns the fenced blocks of a guide that have a name: ```language name.
func blocks(t *testing.T, guide string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "guides", guide))
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]string{}
	for rest := string(text); ; {
		_, after, found := strings.Cut(rest, "\n```")
		if !found {
			return named
		}
		head, body, _ := strings.Cut(after, "\n")
		body, rest, _ = strings.Cut(body, "\n```\n")
		if _, name, ok := strings.Cut(head, " "); ok {
			named[name] = body + "\n"
		}
	}
}

// The guide's example is run as it is printed.
func TestCommandGuide(t *testing.T) {
	named := blocks(t, "command.md")
	dir := t.TempDir()
	for _, name := range []string{"space.yaml", "simulate"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(named[name]), 0o755); err != nil {
			t.Fatal(err)
		}
		example, err := os.ReadFile(filepath.Join("..", "..", "examples", "script", name))
		if err != nil || string(example) != named[name] {
			t.Errorf("%s of the guide is not that of examples/script (%v)", name, err)
		}
	}
	args := words(named["run"])
	if len(args) < 2 || args[0] != "mahabo" {
		t.Fatalf("the command is %q", args)
	}
	c := exec.CommandContext(t.Context(), binary, args[1:]...)
	c.Dir = dir
	out, err := c.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "of 70 ("+defaultMethod+", 200 parameters)") || strings.Contains(string(out), "failed") {
		t.Errorf("%v\n%s", err, out)
	}
	if trials := readTrials(t, "sqlite:"+filepath.Join(dir, "mahabo.db"), "space"); len(trials) != 70 || trials[0].Params.Len() != 200 {
		t.Errorf("%d trials", len(trials))
	}
}

func TestTrainingGuide(t *testing.T) { train(t, "training.md", "of 50") }

// train runs the program of a guide and returns its folder.
func train(t *testing.T, guide, want string) (dir string) {
	t.Helper()
	named := blocks(t, guide)
	dir = t.TempDir()
	writeIn(t, dir, "space.yaml", named["space.yaml"])
	writeIn(t, dir, "train", named["train"])
	c := exec.CommandContext(t.Context(), binary, slices.Insert(words(named["run"])[1:], 1, "--method", "sobol")...)
	c.Dir = dir
	if out, err := c.CombinedOutput(); err != nil || !strings.Contains(string(out), want) || strings.Contains(string(out), "failed") {
		t.Errorf("%v\n%s", err, out)
	}
	return dir
}

// The guide's program reports, and some of its trials are stopped.
func TestLongGuide(t *testing.T) {
	dir := train(t, "long.md", "of 40")
	stopped := 0
	for _, trial := range readTrials(t, "sqlite:"+filepath.Join(dir, "mahabo.db"), "net") {
		if trial.State == evaluate.Stopped {
			stopped++
		}
	}
	if stopped < 5 || stopped > 35 {
		t.Errorf("%d of 40 trials are stopped", stopped)
	}
}

func TestWetlabGuide(t *testing.T) {
	s, err := space.Parse([]byte(blocks(t, "wetlab.md")["space.yaml"]))
	if err != nil || len(s.Params()) != 6 {
		t.Errorf("the space of the guide: %v", err)
	}
}

func TestGoGuide(t *testing.T) {
	named := blocks(t, "go.md")
	for _, name := range []string{"minimize", "asktell", "study"} {
		file := filepath.Join(t.TempDir(), "main.go")
		if err := os.WriteFile(file, []byte(named[name]), 0o644); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.CommandContext(t.Context(), "go", "run", file).CombinedOutput(); err != nil || len(out) == 0 {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}

// The workers' guide as it is printed, on one machine.
func TestWorkersGuide(t *testing.T) {
	named := blocks(t, "workers.md")
	dir := t.TempDir()
	for _, name := range []string{"space.yaml", "simulate"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(named[name]), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	at := "sqlite:" + filepath.Join(dir, "studies.db")
	tokens := filepath.Join(dir, "tokens")
	writeIn(t, dir, "token", must(t, "token", "create", "--token-file", tokens, "--study", "rig", "--role", "write", "--name", "workers"))
	must(t, "study", "create", "rig", "--method", "sobol", "--space", filepath.Join(dir, "space.yaml"), "--store", at)
	url, stop := serve(t, "--token-file", tokens, "--store", at)
	c := exec.CommandContext(t.Context(), binary, words(strings.ReplaceAll(named["run"], "http://keeper:8080", url))[1:]...)
	c.Dir = dir
	if out, err := c.CombinedOutput(); err != nil || strings.Count(string(out), "\n") != 40 || strings.Contains(string(out), "failed") {
		t.Errorf("%v\n%s", err, out)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
	if trials := readTrials(t, at, "rig"); len(trials) != 40 {
		t.Errorf("%d trials", len(trials))
	}
}

func TestTablesGuide(t *testing.T) {
	named := blocks(t, "tables.md")
	dir := t.TempDir()
	for _, name := range []string{"space.yaml", "past.csv"} {
		writeIn(t, dir, name, named[name])
	}
	var printed string
	for i, line := range strings.Split(strings.TrimSpace(named["run"]), "\n") {
		c := exec.CommandContext(t.Context(), binary, words(line)[1:]...)
		c.Dir = dir
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", line, err, out)
		}
		if i > 0 {
			printed += string(out)
		}
	}
	if printed != named["printed"] {
		t.Errorf("it printed\n%s, the guide has\n%s", printed, named["printed"])
	}
}

// The programs of the guide compete as it says; TestExamples runs its first command.
func TestBenchmarksGuide(t *testing.T) {
	named := blocks(t, "benchmarks.md")
	dir := t.TempDir()
	files := map[string]string{"oven.py": named["oven.py"], "halving.py": named["halving.py"], "floats.py": `
import json
import sys

print('{"space": {"parameters": {"a": {"float": [0, 1]}, "b": {"float": [-3, 5]}}}}', flush=True)
for line in sys.stdin:
    p = json.loads(line)["params"]
    print(json.dumps({"value": (p["a"] - 0.3) ** 2 + p["b"] ** 2}), flush=True)
`}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	c := exec.CommandContext(t.Context(), "sh", "-c", strings.Replace(named["compete"], "mahabo", binary, 1))
	c.Dir = dir
	if out, err := c.CombinedOutput(); err != nil || !strings.Contains(string(out), "6 of them new") {
		t.Fatalf("%v\n%s", err, out)
	}
	table := must(t, "bench", "table", filepath.Join(dir, "results"))
	for _, s := range []string{"exec:halving", "exec:oven"} {
		if !strings.Contains(table, s) {
			t.Errorf("the table lacks %s:\n%s", s, table)
		}
	}
}
