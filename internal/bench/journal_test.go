package bench

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestJournal(t *testing.T) {
	path := filepath.Join(t.TempDir(), failuresFile)
	if list, err := readJournal[Failure](path); err != nil || list != nil {
		t.Fatalf("a missing file gives %v, %v", list, err)
	}
	add := func(text string) {
		t.Helper()
		if err := appendJournal(path, Failure{Error: text}); err != nil {
			t.Fatal(err)
		}
	}
	add("first")
	// A crash in the middle of a line.
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(`{"method":"so`); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if list, err := readJournal[Failure](path); err != nil || len(list) != 1 {
		t.Fatalf("with a torn line: %d failures, %v", len(list), err)
	}
	add("second")
	list, err := readJournal[Failure](path)
	if err != nil || len(list) != 2 || list[0].Error != "first" || list[1].Error != "second" {
		t.Fatalf("after the repair: %+v, %v", list, err)
	}
	if err := os.WriteFile(path, []byte("{}\nwords\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := readJournal[Failure](path); err == nil || !strings.Contains(err.Error(), failuresFile+":2:") {
		t.Errorf("a foreign line: %v", err)
	}
}
