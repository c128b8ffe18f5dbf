package mahabo_test

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const (
	document = "docs/ARCHITECTURE.md"
	module   = "github.com/mahabo/mahabo"
)

// diagram reads the block that starts with ```packages: one line per package,
// `name -> imports`, in the order in which they build on each other.
func diagram(t *testing.T) (order []string, imports map[string][]string) {
	t.Helper()
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(text), "```packages\n")
	block, _, closed := strings.Cut(rest, "```")
	if !found || !closed {
		t.Fatalf("%s has no ```packages block", document)
	}
	imports = map[string][]string{}
	for line := range strings.Lines(block) {
		name, list, ok := strings.Cut(line, "->")
		name = strings.TrimSpace(name)
		if !ok || name == "" {
			t.Fatalf("%s: %q is not of the form `package -> imports`", document, strings.TrimSpace(line))
		}
		if _, twice := imports[name]; twice {
			t.Errorf("%s: %s is listed twice", document, name)
		}
		order = append(order, name)
		imports[name] = strings.Fields(list)
	}
	return order, imports
}

// imported asks the go command what every package imports of this module.
func imported(t *testing.T) map[string][]string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	imports := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		name, _ := own(fields[0])
		imports[name] = nil
		for _, path := range fields[1:] {
			if other, ok := own(path); ok {
				imports[name] = append(imports[name], other)
			}
		}
	}
	return imports
}

// own returns the name that a package of this module has in the diagram.
func own(path string) (name string, ok bool) {
	if path == module {
		return "mahabo", true
	}
	return strings.CutPrefix(path, module+"/")
}

func TestPackageDiagram(t *testing.T) {
	order, drawn := diagram(t)
	actual := imported(t)
	for name, imports := range actual {
		if _, ok := drawn[name]; !ok {
			t.Errorf("package %s is not in %s", name, document)
			continue
		}
		for _, other := range imports {
			if !slices.Contains(drawn[name], other) {
				t.Errorf("%s imports %s, which %s does not show", name, other, document)
			}
		}
	}
	for i, name := range order {
		imports, ok := actual[name]
		if !ok {
			t.Errorf("%s shows package %s, which does not exist", document, name)
			continue
		}
		for _, other := range drawn[name] {
			if !slices.Contains(imports, other) {
				t.Errorf("%s shows that %s imports %s, which it does not", document, name, other)
			}
			if !slices.Contains(order[:i], other) {
				t.Errorf("%s: %s imports %s, which stands below it: arrows point up only", document, name, other)
			}
		}
	}
}

// Who embeds the library builds what the root package needs: formats of files, whose
// packages are large, stay with the command and the server.
func TestLibraryIsSmall(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", ".", "./study").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	if !strings.Contains(string(out), module+"/study\n") {
		t.Fatalf("go list does not show package study:\n%s", out)
	}
	for path := range strings.Lines(string(out)) {
		for _, large := range []string{"parquet", "protobuf", "klauspost/compress", "brotli", "lz4"} {
			if strings.Contains(path, large) {
				t.Errorf("the library pulls %s", strings.TrimSpace(path))
			}
		}
	}
}
