//go:build unix

package store_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/study"
)

// What goes to a file that is gone is not taken for stored.
func TestRemovedFile(t *testing.T) {
	sp, err := space.New(space.Float("x", 0, 1))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "x.db")
	st := open(t, "sqlite:"+path)
	defer st.Close()
	create := func(name string) error {
		_, err := study.Create(t.Context(), st, study.Config{Name: name, Space: sp, Method: "sobol", Goal: study.Minimize, Init: 1})
		return err
	}
	if err := create("before"); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path, path+".old"); err != nil {
		t.Fatal(err)
	}
	if err := create("without"); err == nil || !strings.Contains(err.Error(), "x.db was removed or replaced") {
		t.Errorf("a study in a file that is gone: %v", err)
	}
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := create("another"); err == nil {
		t.Error("a study in a file that is not the one at the path any more")
	}
	if err := os.Rename(path+".old", path); err != nil {
		t.Fatal(err)
	}
	if err := create("after"); err != nil {
		t.Errorf("the file is back: %v", err)
	}
}
