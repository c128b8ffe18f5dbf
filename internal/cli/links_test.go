package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// An export does not go where a link leads.
func TestExportFollowsNoLink(t *testing.T) {
	dir := t.TempDir()
	store := "sqlite:" + filepath.Join(dir, "a.db")
	must(t, "study", "create", "rig", "--space", write(t, "rig.yaml", "parameters: {x: {float: [0, 1]}}"), "--store", store)
	precious, link := filepath.Join(dir, "precious"), filepath.Join(dir, "trials.csv")
	if err := os.WriteFile(precious, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(precious, link); err != nil {
		t.Fatal(err)
	}
	if _, stderr, code := call(t, "study", "export", "rig", "--store", store, "--out", link); code != exitUsage || !strings.Contains(stderr, "is a link") {
		t.Errorf("exit code %d, %s", code, stderr)
	}
	if text, err := os.ReadFile(precious); err != nil || string(text) != "mine" {
		t.Errorf("the file elsewhere became %q, %v", text, err)
	}
	plain := filepath.Join(dir, "plain.csv")
	for range 2 {
		must(t, "study", "export", "rig", "--store", store, "--out", plain)
	}
	if text, err := os.ReadFile(plain); err != nil || !strings.HasPrefix(string(text), "number,") {
		t.Errorf("the export is %q, %v", text, err)
	}
	must(t, "study", "export", "rig", "--store", store, "--out", os.DevNull)
}
