package mahabo_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// mostExported is how many names this module promises to keep.
const mostExported = 300

// A public name is a promise: the functions, types, methods, constants and variables that
// packages outside of internal export are few, and none of them needs an internal type.
func TestSurface(t *testing.T) {
	counts := map[string]int{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if name := d.Name(); name == "internal" || name == "testdata" || path != "." && strings.HasPrefix(name, ".") {
			return filepath.SkipDir
		}
		for _, file := range publicFiles(t, path) {
			counts[path] += countExported(t, file)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, path := range slices.Sorted(maps.Keys(counts)) {
		total += counts[path]
		if counts[path] > 0 {
			t.Logf("%4d  %s", counts[path], path)
		}
	}
	if total > mostExported {
		t.Errorf("%d exported names outside of internal, at most %d are allowed", total, mostExported)
	}
}

// publicFiles are the parsed files of a package, without tests; none of a main package.
func publicFiles(t *testing.T, dir string) (files []*ast.File) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, e.Name()), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		if f.Name.Name != "main" {
			files = append(files, f)
		}
	}
	return files
}

// countExported counts the exported names of a file and looks for internal types in their
// signatures.
func countExported(t *testing.T, f *ast.File) (count int) {
	t.Helper()
	hidden := map[string]bool{} // names of internal packages
	for _, i := range f.Imports {
		path := strings.Trim(i.Path.Value, `"`)
		if strings.Contains(path, "/internal/") && strings.HasPrefix(path, module) {
			name := path[strings.LastIndex(path, "/")+1:]
			if i.Name != nil {
				name = i.Name.Name
			}
			hidden[name] = true
		}
	}
	found := func(name string, signature ...ast.Node) {
		count++
		for _, node := range signature {
			if node == nil {
				continue
			}
			ast.Inspect(node, func(n ast.Node) bool {
				if field, ok := n.(*ast.Field); ok && len(field.Names) > 0 && !field.Names[0].IsExported() && isStructField(node) {
					return false // nobody outside can see it
				}
				if s, ok := n.(*ast.SelectorExpr); ok {
					if x, ok := s.X.(*ast.Ident); ok && hidden[x.Name] {
						t.Errorf("%s.%s needs the internal type %s.%s", f.Name.Name, name, x.Name, s.Sel.Name)
					}
				}
				return true
			})
		}
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Name.IsExported() && exportedReceiver(d.Recv) {
				found(d.Name.Name, d.Type)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.TypeSpec:
					if s.Name.IsExported() {
						found(s.Name.Name, s.Type)
					}
				case *ast.ValueSpec:
					for _, name := range s.Names {
						if name.IsExported() {
							found(name.Name, s.Type)
						}
					}
				}
			}
		}
	}
	return count
}

func isStructField(node ast.Node) bool {
	_, ok := node.(*ast.StructType)
	return ok
}

// exportedReceiver says that a function has no receiver, or one of an exported type.
func exportedReceiver(r *ast.FieldList) bool {
	if r == nil {
		return true
	}
	typ := r.List[0].Type
	if star, ok := typ.(*ast.StarExpr); ok {
		typ = star.X
	}
	name, ok := typ.(*ast.Ident)
	return ok && name.IsExported()
}
